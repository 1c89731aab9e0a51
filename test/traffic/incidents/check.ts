import type { RuleId } from '../../../src/contract/catalogue.ts';
import type { Money } from '../../../src/contract/money.ts';
import { gatherCalls } from '../../../src/traffic/read/gather.ts';
import { logForm } from '../../../src/traffic/read/logs/log-form.ts';
import { unreadClauses } from '../../../src/traffic/read/unread.ts';
import { buildTimeline, type IncidentTimeline } from '../../../src/traffic/timeline/timeline.ts';
import { isDecided, type WalletVerdict } from '../../../src/traffic/timeline/verdict.ts';
import type { LogFile } from './damage.ts';
import { DEFECTS, type Simulation, type Truth } from './simulation.ts';

/** Reads log files as `croupier incident` does. */
export async function timelineOf(files: readonly LogFile[]): Promise<IncidentTimeline> {
  const sources = files.map(({ side, part = 0, text }) => ({
    file: `${side}-${part}.log`,
    side,
    form: logForm(),
    open: () => chunks(text),
  }));
  const gathered = await gatherCalls(sources, {}, new Map(), new Map());
  return buildTimeline(gathered.calls, {}, new Map(), undefined, { unread: unreadClauses(gathered), judgements: [] });
}

async function* chunks(text: string): AsyncGenerator<Uint8Array> {
  yield await Promise.resolve(Buffer.from(text));
}

function cents(money: Money | null): number | null {
  return money === null ? null : Number(money.shift(2).toString());
}

/** Facts about the log files of a simulation. */
interface Files {
  /** The timeline of the undamaged logs. */
  readonly undamaged: IncidentTimeline;
  /** True if lines are missing within the logs without a trace. */
  readonly isShortened: boolean;
  /** If the logs were cut: the number of entries whose beginning is in the files. */
  readonly begun: number | null;
}

/** Returns each claim of a timeline that is not true of the simulation. An empty list: every claim is true. */
export function falseClaims(
  timeline: IncidentTimeline,
  { truths, defect, entries }: Simulation,
  { undamaged, isShortened, begun }: Files,
): readonly string[] {
  const broken = new Set(undamaged.breaches.map(({ rule }) => rule));
  // Without its bet, a refund that was not answered 200 breaks the rule about unknown bets.
  if (broken.has('refund.restore')) broken.add('refund.unknown');
  for (const { rules } of truths) for (const rule of rules) broken.add(rule as RuleId);
  // A win of 0 that is paid twice breaks its rule, too, without an effect on the balance.
  for (const rule of defect === null ? [] : DEFECTS[defect]) broken.add(rule);
  const found: string[] = timeline.breaches.flatMap(({ call, rule, verdict }) =>
    verdict === 'fail' && !broken.has(rule) && !(rule.startsWith('idempotency.') && isFailedRepeat(call))
      ? [`breaks ${rule}`]
      : [],
  );
  // The operator's log can't show a call that did not reach the operator, or whose reply was lost.
  const isOfService = timeline.calls.some(({ seen }) => seen.exchange.side === 'service');
  const shown = new Set(timeline.calls.map(({ seen }) => seen.txID));
  const isWell = truths.every(({ booked, should, pending }) =>
    begun === null
      ? booked === should && (pending.size === 0 || !isOfService)
      : !isOfService || ![...pending].some((txID) => shown.has(txID)),
  );
  // Lines that are not in the log may be those that show the defect.
  const isWholeTruth = !isShortened || defect === null;
  if (isWholeTruth && timeline.status === 0 && !isWell)
    found.push('all-clear, but money is missing or a call is pending');
  const read = timeline.calls.reduce((sum, { alsoSeen }) => sum + (alsoSeen ? 2 : 1), 0);
  if (begun !== null && read < begun && timeline.status === 0) found.push('all-clear, but a cut entry was not read');
  const missing = begun === null ? new Set() : walletsWithoutLast(timeline, undamaged);
  for (const wallet of timeline.wallets) {
    // The sums are those of the calls before the cut.
    if (missing.has(wallet.wallet)) continue;
    const truth = truths.find(
      ({ player }) => wallet.player === `p${player}` || wallet.sessions.includes(`s-${player}`),
    );
    // The sums do not contain what happened before the beginning of a file that was cut.
    const isWholeSum = isWholeTruth && (begun === null || defect === null);
    found.push(...(truth ? walletClaims(wallet, truth, isWholeSum) : claimsOfNobody(wallet)));
  }
  return found;

  /** True if the operator really answered a call with an error that it had answered 200 before. */
  function isFailedRepeat(number: number): boolean {
    const seen = timeline.calls.find((one) => one.number === number)?.seen;
    const attempts = entries.filter(
      ({ side, call, txID }) => side === 'operator' && call === seen?.call && txID === seen.txID,
    );
    const first = attempts.findIndex(({ status }) => status === 200);
    return first >= 0 && attempts.slice(first).some(({ status }) => status === 500);
  }
}

/** Returns the names of the wallets whose last call is not in a timeline. */
function walletsWithoutLast(timeline: IncidentTimeline, whole: IncidentTimeline): ReadonlySet<string | null> {
  const lastOf = ({ calls }: WalletVerdict): string => {
    const last = calls.at(-1)?.seen;
    return `${last?.txID ?? ''} ${last?.exchange.time?.ms ?? ''}`;
  };
  const lasts = new Map(timeline.wallets.map((verdict) => [verdict.wallet, lastOf(verdict)]));
  return new Set(
    whole.wallets.flatMap((verdict) => (lasts.get(verdict.wallet) === lastOf(verdict) ? [] : [verdict.wallet])),
  );
}

function walletClaims(verdict: WalletVerdict, truth: Truth, isWholeTruth: boolean): readonly string[] {
  const { should, booked, difference, debts, unknowns, serviceFaults } = verdict;
  // The service of a simulation makes no mistake.
  const found = isDecided(verdict) ? serviceFaults.map(({ text }) => `p${truth.player}: ${text}`) : [];
  const compare = (name: string, claimed: number | null, real: number): void => {
    if (isWholeTruth && claimed !== null && claimed !== real)
      found.push(`p${truth.player}: ${name} is ${real}, not ${claimed}`);
  };
  // If a round has no win in the logs, the sums are those of the calls so far.
  if (unknowns.length === 0) compare('should', cents(should), truth.should);
  compare('booked', cents(booked), truth.booked);
  if (unknowns.length === 0) compare('difference', cents(difference), truth.booked - truth.should);
  for (const { kind, transaction, deviation, owedBy } of debts) {
    if (owedBy !== 'operator' && owedBy !== 'player') continue;
    const name = `p${truth.player}: ${kind} of ${transaction?.key ?? 'nothing'} owed by ${owedBy}`;
    if (kind === 'misbooked') {
      const explanations = deviation === null ? [] : [deviation.causes, ...deviation.otherCauses];
      const isTrue = explanations.some((causes) => causes.every(({ rule }) => rule !== null && truth.rules.has(rule)));
      if (!isTrue)
        found.push(`${name} (${explanations.map((causes) => causes.map(({ rule }) => rule).join('+')).join(' or ')})`);
    } else if (!truth.pending.has(transaction?.txID ?? '')) found.push(name);
  }
  return found;
}

function claimsOfNobody({ wallet, difference, debts, booked }: WalletVerdict): readonly string[] {
  const claims = [
    difference !== null && 'a difference',
    booked !== null && 'a balance',
    debts.some(({ owedBy }) => owedBy === 'operator' || owedBy === 'player') && 'a debt',
  ];
  return claims.flatMap((claim) => (claim === false ? [] : [`${claim} of the unknown wallet ${wallet ?? 'null'}`]));
}
