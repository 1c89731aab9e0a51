import type { RuleId } from '../../contract/catalogue.ts';
import { ruleById } from '../../contract/catalogue.ts';
import { plural } from '../../contract/plural.ts';
import type { LoadResult } from '../../journal/load/result.ts';
import { forTerminal } from '../escape.ts';
import type { Look } from '../options.ts';
import { duration, padEnd, padStart } from '../terminal/layout.ts';

/** Maximum number of wrong balances that the text describes. */
const MAX_PROBLEMS = 5;
const MAX_FINDINGS = 8;
const LABEL = 10;

/** Writes the result of a load test for a terminal. */
export function loadText(result: LoadResult, { paint }: Look): string {
  const { verdict, reasons, client, money, load, errors, limits, findings, croupierItself } = result;
  const tint = verdict === 'RECONCILED' ? paint.green : verdict === 'UNDECIDED' ? paint.yellow : paint.red;
  const first =
    verdict === 'RECONCILED'
      ? exactBalances(result)
      : `${client.extCID}: ${reasons.join('; ').replace(/(?<![.?!])$/, '.')}`;
  const lines: string[] = [`${paint.bold(tint(verdict))}: ${forTerminal(first)}`];
  if (load.interrupted !== null)
    lines.push(
      `Interrupted by ${load.interrupted} after ${duration(load.ranMs)}. croupier completed the open rounds. Exit status ${result.exitCode}.`,
    );
  lines.push(...searchLines(result), '');
  for (const one of money.problems.slice(0, MAX_PROBLEMS)) lines.push(...problemLines(one), '');
  const left = money.problemCount - Math.min(money.problems.length, MAX_PROBLEMS);
  if (left > 0) lines.push(`… and ${plural(left, 'further wrong balance')} (--json names them)`, '');
  const shown = findings.filter((one) => one.verdict !== 'note').slice(0, MAX_FINDINGS);
  for (const { rule, verdict: kind, call, count, expected, actual, txID, traceID } of shown) {
    const level = ruleById(rule as RuleId).level;
    const word = kind === 'fail' ? paint.red('broken') : paint.yellow('warning');
    lines.push(`${word} ${rule} (${level}), ${call}, ${plural(count, 'call')}`);
    lines.push(
      forTerminal(`    expected: ${expected}`),
      forTerminal(
        `    actual:   ${actual}${txID === null ? '' : ` (${txID}${traceID === undefined ? '' : `, trace ${traceID}`})`}`,
      ),
    );
  }
  if (shown.length > 0) lines.push('');
  lines.push(...moneyLines(result), ...rateLines(result));
  if (errors.length > 0)
    lines.push(row('errors', errors.map(({ kind, count }) => `${errorName(kind)}: ${count}`).join(', ')));
  if (result.declinedBets > 0) lines.push(row('declined', plural(result.declinedBets, 'bet')));
  const freeBets = declinedFreeBets(result);
  if (freeBets !== undefined) lines.push(row('free bets', forTerminal(freeBets)));
  for (const { limit, actual, unit, isHeld } of limits) {
    const state = isHeld === null ? 'unknown' : isHeld ? paint.green('kept') : paint.red('not kept');
    lines.push(row('limit', `${limit}: ${state}${actual === null ? '' : `, it is ${actual}${unit}`}`));
  }
  const { workers } = load;
  if (workers.count > 1)
    lines.push(
      row('workers', `${workers.count}${workers.lost.length > 0 ? `, ${workers.lost.length} of them lost` : ''}`),
    );
  lines.push(
    row(
      'croupier',
      `event loop p99 ${milliseconds(croupierItself.eventLoopP99Ms)} ms, ${stalled(croupierItself)}${Math.round(croupierItself.cpu * 100)} % of one core${croupierItself.isBottleneck ? paint.yellow(': too slow for this load') : ''}`,
    ),
  );
  lines.push('', ...timeLines(result), '', forTerminal(`Journal: ${result.journal}`));
  const settle = settleCommand(result);
  if (settle !== undefined) lines.push(forTerminal(`To send what is still owed: ${settle}`));
  return `${lines.join('\n')}\n`;
}

/** Returns the sentence about a test in which everything was right. */
export function exactBalances({ client, money, load }: LoadResult): string {
  const interrupted = load.interrupted === null ? '' : `, but ${load.interrupted} interrupted the test`;
  return `${plural(money.verified, 'balance')} of ${client.extCID} ${money.verified === 1 ? 'is' : 'are'} exact after ${plural(money.transactions, 'transaction')}${interrupted}.`;
}

/** Writes a difference with its sign, also if it is positive. */
export function withSign(difference: string): string {
  return `${difference.startsWith('-') ? '' : '+'}${difference}`;
}

/** Returns the text about declined free bets. Undefined if none was declined. */
export function declinedFreeBets({ freeRounds }: LoadResult): string | undefined {
  if (!freeRounds || freeRounds.declined === 0) return undefined;
  const { campaign, bets, declined } = freeRounds;
  return bets === 0
    ? `${declined} declined and none accepted. Does the operator know the campaign ${campaign}?`
    : `${bets} accepted and ${declined} declined for the campaign ${campaign}`;
}

/** Returns the command that sends what is still owed. Undefined if nothing is owed. */
export function settleCommand({ money, load, journal }: LoadResult): string | undefined {
  const isOwed = money.owed.length > 0 || load.workers.lost.some(({ isSettled }) => !isSettled);
  return isOwed ? `croupier settle ${journal}` : undefined;
}

/** Returns a row of the table. The text must be safe for a terminal, and may contain colours. */
function row(label: string, text: string): string {
  return `${padEnd(label, LABEL)}${text}`;
}

const LIMITED_BY = {
  operator: 'the operator did not keep the limits at the next higher rate',
  players: 'the players cannot make more calls. To search further, configure more players',
  croupier: 'croupier itself is too slow for higher rates',
  fault: 'the search ended with a fault',
  interrupted: 'the search was interrupted',
} as const;

function searchLines({ search }: LoadResult): readonly string[] {
  if (!search) return [];
  const { highest, limitedBy, steps } = search;
  return [
    `Highest rate within the limits: ${highest === null ? 'none' : `${plural(highest, 'call')} per second`} (${LIMITED_BY[limitedBy]}).`,
    ...steps.map(
      ({ rate, isHeld, why }) => `    ${padStart(String(rate), 7)}/s  ${isHeld ? 'kept' : `not kept: ${why}`}`,
    ),
    ...(highest === null ? [] : ['The numbers below belong to the rate that decides.']),
  ];
}

function problemLines(one: LoadResult['money']['problems'][number]): readonly string[] {
  const { player, currency, expected, shown, difference, transactions, isOneOfSeveral, windowSize, atMs, rule } = one;
  const unit = currency === null ? '' : ` ${currency}`;
  const head = `${player}: the balance is ${shown}${unit}, expected ${expected} (${withSign(difference)}), ${duration(atMs)} after the start`;
  const nameOf = ({ call, txID, amount, what, traceID }: (typeof transactions)[number]): string =>
    `${call} ${txID} of ${amount}${unit} ${what}${traceID === undefined ? '' : ` (trace ${traceID})`}`;
  const { possibleTransactions: possible } = one;
  const unknown = possible
    ? 'no transaction explains the difference for certain'
    : `none of the last ${plural(windowSize, 'transaction')} explains the difference`;
  const cause =
    transactions.length > 0
      ? transactions.map((each) => `    ${isOneOfSeveral ? 'one of these: ' : ''}${nameOf(each)}`)
      : [
          `    ${unknown}${one.hasMovedInSilence ? ', and the balance changed while croupier sent nothing' : ''}: somebody else may have changed the balance`,
          ...(possible ?? []).map((each) => `    perhaps ${nameOf(each)}. This may also fit by chance`),
          ...(one.otherPlayer === undefined
            ? []
            : [
                `    the balance of ${one.otherPlayer} changed by the opposite amount: perhaps somebody moved money between the two players`,
              ]),
        ];
  return [head, ...cause, `    rule: ${rule}`, `    scenario: ${one.replay}`].map(forTerminal);
}

function moneyLines({ money }: LoadResult): readonly string[] {
  const lines = [
    row('players', `${money.players}; the balances of ${money.verified} were compared at the end`),
    ...money.byCurrency.map(({ currency, staked, won, refunded, expected, shown, difference }) =>
      row(
        currency ?? 'money',
        `staked ${staked}, won ${won}, refunded ${refunded}; expected ${expected}, ${
          shown === null
            ? `shown unknown, because not every balance was compared at the end. The differences found until then: ${difference}`
            : `shown ${shown}, difference ${difference}`
        }`,
      ),
    ),
  ];
  if (money.owed.length > 0)
    lines.push(
      row(
        'owed',
        `${plural(money.owed.length, 'call')} without a 200, such as ${money.owed[0]?.call} ${money.owed[0]?.txID}`,
      ),
    );
  if (money.unread.length > 0) lines.push(row('unread', forTerminal(money.unread.slice(0, 5).join(', '))));
  if (money.healed > 0)
    lines.push(row('healed', `${plural(money.healed, 'balance')} became right only after the linger`));
  return lines;
}

function stalled({ stalledMs }: LoadResult['croupierItself']): string {
  return stalledMs > 0 ? `stood still for ${duration(stalledMs)}, ` : '';
}

function rateLines({ rate, load, brokenOnPurpose, croupierItself }: LoadResult): readonly string[] {
  const asked = rate.asked === null ? 'as fast as the replies came' : `asked ${rate.asked.toFixed(1)}/s`;
  const broken = brokenOnPurpose > 0 ? `, ${brokenOnPurpose} broken on purpose` : '';
  const lines = [
    row('rate', `${asked}, got ${rate.got.toFixed(1)}/s for ${duration(load.ranMs)}`),
    row('calls', `${rate.calls} in all${broken}; compared within ${duration(load.reconcileMs)} after the load`),
  ];
  const late = [
    ...(rate.lateForPlayers > 0 ? [`${rate.lateForPlayers} ${whyLateForPlayers(croupierItself)}`] : []),
    ...(rate.lateForCroupier > 0 ? [`${rate.lateForCroupier} because croupier was slow`] : []),
    ...(rate.neverSent > 0 ? [`${rate.neverSent} never left`] : []),
  ];
  if (late.length > 0) lines.push(row('late', late.join(', ')));
  if (load.disturbances.length > 0)
    lines.push(
      row(
        'disturbed',
        `${plural(load.disturbances.length, 'time')}, at ${load.disturbances.map(({ atMs }) => duration(atMs)).join(', ')}`,
      ),
    );
  return lines;
}

/** While croupier stands still, it processes no reply, so players wait for replies that have arrived already. */
export function whyLateForPlayers({ stalledMs }: LoadResult['croupierItself']): string {
  return `because every player waited for a reply${stalledMs > 0 ? ' or croupier stood still' : ''}`;
}

/** The columns of the table of percentiles. */
const COLUMNS = ['p50', 'p90', 'p99', 'p99.9', 'p99.99', 'max'] as const;
const WIDTH = 10;

function timeLines({ times }: LoadResult): readonly string[] {
  const head = `${padEnd('ms', 20)}${COLUMNS.map((name) => padStart(name, WIDTH)).join('')}`;
  const lines = times.flatMap(({ call, service, response }) => [
    ...(response === null ? [] : [timeLine(`${call} response`, response)]),
    ...(service === null ? [] : [timeLine(`${call} service`, service)]),
  ]);
  return [head, ...lines];
}

function timeLine(label: string, times: NonNullable<LoadResult['times'][number]['service']>): string {
  const { p50, p90, p99, p999, p9999, max } = times;
  return `${padEnd(label, 20)}${[p50, p90, p99, p999, p9999, max].map((one) => padStart(milliseconds(one), WIDTH)).join('')}`;
}

function milliseconds(ms: number): string {
  return ms < 10 ? ms.toFixed(2) : ms < 100 ? ms.toFixed(1) : ms.toFixed(0);
}

function errorName(kind: string): string {
  return /^\d+$/.test(kind) ? `answered ${kind}` : kind;
}
