import { plural } from '../../../contract/plural.ts';
import { forTerminal } from '../../../report/escape.ts';
import type { Paint } from '../../../report/paint.ts';
import type { LoggedCall } from '../../../traffic/calls/logged-call.ts';
import type { GatheredCalls } from '../../../traffic/read/gather.ts';
import {
  answerText,
  callText,
  debtSentences,
  doubtSentences,
  evidenceSentence,
  roundClause,
  walletLine,
  walletSentence,
} from '../../../traffic/timeline/sentence.ts';
import type { IncidentTimeline } from '../../../traffic/timeline/timeline.ts';
import type { WalletVerdict } from '../../../traffic/timeline/verdict.ts';
import { stateOfWallet, WALLET_STATES, type WalletState } from '../../../traffic/timeline/wallet-state.ts';

/** Maximum number of calls in the text output. The JSON output has all of them. */
const MAX_CALLS = 300;
const MAX_ROUNDS = 50;
/** If there are at least this number of wallets, the text begins with a list of the wallets. */
const MANY_WALLETS = 3;
/** Maximum number of wallets in this list. */
const MAX_LINES = 100;
const MAX_WALLETS = 20;

/** Returns the text output for an incident: the verdict first, then the evidence for it. */
export function incidentText(
  timeline: IncidentTimeline,
  gathered: GatheredCalls,
  paint: Paint,
  { notes, isVerbose }: { readonly notes: readonly string[]; readonly isVerbose: boolean },
): string {
  const blocks = [
    summaryText(timeline, paint),
    timeline.wallets
      .slice(0, MAX_WALLETS)
      .map((verdict) => verdictText(verdict, paint, isVerbose))
      .join('\n'),
    callsText(timeline, paint),
    roundsText(timeline, paint),
    observationsText(timeline, paint),
    readText(timeline, gathered, notes),
  ];
  return blocks.filter((block) => block !== '').join('\n');
}

/** Returns one line for each wallet, the worst first. Returns an empty text if there are only a few wallets. */
function summaryText({ wallets, breakers }: IncidentTimeline, paint: Paint): string {
  if (wallets.length < MANY_WALLETS) return '';
  const states = wallets.map((verdict) => ({ verdict, state: stateOfWallet(verdict, breakers) }));
  const counts = WALLET_STATES.flatMap((state) => {
    const count = states.filter((one) => one.state === state).length;
    return count === 0 ? [] : [`${STATE_WORDS[state]}: ${count}`];
  });
  const colours = {
    owed: paint.red,
    broken: paint.red,
    'service-fault': paint.red,
    unknown: paint.yellow,
    right: paint.green,
  };
  const lines = states
    .slice(0, MAX_LINES)
    .map(({ verdict, state }) => `  ${colours[state](forTerminal(walletLine(verdict, state)))}\n`);
  const rest = states.length - lines.length;
  const more = rest > 0 ? `  … and ${rest} more (--json prints all)\n` : '';
  return `${paint.bold(`${wallets.length} wallets, the worst first. ${counts.join(', ')}`)}\n${lines.join('')}${more}`;
}

const STATE_WORDS: Readonly<Record<WalletState, string>> = {
  owed: 'owed',
  broken: 'a rule is broken',
  'service-fault': 'the service is at fault',
  unknown: 'not known',
  right: 'right',
};

function verdictText(verdict: WalletVerdict, paint: Paint, isVerbose: boolean): string {
  const sentence = forTerminal(walletSentence(verdict));
  const isClean = verdict.difference?.isZero() === true && verdict.debts.length === 0;
  const colour = isClean
    ? verdict.unknowns.length > 0
      ? paint.yellow
      : verdict.serviceFaults.length > 0
        ? paint.red
        : paint.green
    : verdict.debts.length > 0
      ? paint.red
      : paint.yellow;
  const rest = [...debtSentences(verdict), evidenceSentence(verdict), ...doubtSentences(verdict, isVerbose)];
  return `${colour(sentence)}\n${rest.map((line) => `  ${forTerminal(line)}\n`).join('')}`;
}

function callsText(timeline: IncidentTimeline, paint: Paint): string {
  const shown = timeline.calls.slice(0, MAX_CALLS);
  const currencies = new Map(timeline.wallets.map(({ wallet, currency }) => [wallet, currency]));
  const isMixed = new Set(timeline.calls.map(({ wallet }) => wallet)).size > 1;
  let text = `${paint.bold(isMixed ? 'The calls' : `The calls${forTerminal(sessionText(shown))}`)}\n`;
  let day = '';
  const width = String(shown.at(-1)?.number ?? 0).length;
  for (const call of shown) {
    const [date = '', time = ''] =
      call.atMs === null ? [] : new Date(call.atMs).toISOString().replace('Z', '').split('T');
    if (date !== day && date !== '') text += `  ${paint.dim(`${date}, UTC`)}\n`;
    if (date !== '') day = date;
    const currency = currencies.get(call.wallet) ?? null;
    const what = `${callText(call, null)}: ${answerText(call, currency)}`;
    text += `  ${String(call.number).padStart(width)}  ${time === '' ? 'time unknown' : time}  ${forTerminal(what)}${isMixed ? paint.dim(forTerminal(sessionText([call]))) : ''}\n`;
    const indent = ' '.repeat(width + 4);
    const ids = idsOf(call);
    if (ids !== '') text += `${indent}${paint.dim(forTerminal(ids))}\n`;
    for (const { rule, verdict, text: why } of timeline.breaches.filter((breach) => breach.call === call.number)) {
      text += `${indent}${(verdict === 'fail' ? paint.red : paint.yellow)(`${verdict === 'fail' ? 'breaks' : 'warns about'} ${rule}`)}: ${forTerminal(why)}\n`;
    }
  }
  const rest = timeline.calls.length - shown.length;
  return rest > 0 ? `${text}  … and ${rest} more (--json prints all; --from, --to and --round select fewer)\n` : text;
}

function sessionText(calls: readonly LoggedCall[]): string {
  const sessions = [...new Set(calls.flatMap(({ seen }) => seen.sessionID ?? []))];
  return sessions.length === 1 ? ` of session ${sessions[0] ?? ''}` : '';
}

function idsOf({ seen, alsoSeen, ending, replyTxID, signature }: LoggedCall): string {
  const parts = [
    seen.txID === null ? '' : `txID ${seen.txID}`,
    seen.origTxID === null ? '' : `of ${seen.origTxID}`,
    seen.roundID === null ? '' : `round ${seen.roundID}`,
    replyTxID === null || ending !== 'accepted' ? '' : `operator's txID ${replyTxID}`,
    signature === 'unknown' || signature === 'right' ? '' : `signature ${signature}`,
    [seen, alsoSeen]
      .flatMap((view) => (view ? `${view.exchange.place.file}:${view.exchange.place.line}` : []))
      .join(', '),
  ];
  return parts.filter((part) => part !== '').join(', ');
}

function roundsText(timeline: IncidentTimeline, paint: Paint): string {
  const shown = new Set(timeline.calls.map(({ seen }) => seen.roundID));
  const rounds = timeline.wallets.flatMap(({ rounds: all, currency }) =>
    all
      .filter(({ roundID, state }) => shown.has(roundID) && (roundID !== null || state === 'owing'))
      .map((round) => ({ round, currency })),
  );
  if (rounds.length === 0) return '';
  const lines = rounds.slice(0, MAX_ROUNDS).map(({ round, currency }) => {
    const clause = forTerminal(roundClause(round, currency));
    return `  ${forTerminal(round.roundID ?? 'no round')}  ${round.state === 'owing' ? paint.red(clause) : clause}\n`;
  });
  const rest = rounds.length - lines.length;
  return `${paint.bold('The rounds')}\n${lines.join('')}${rest > 0 ? `  … and ${rest} more\n` : ''}`;
}

function observationsText({ oddities }: IncidentTimeline, paint: Paint): string {
  if (oddities.length === 0) return '';
  const lines = oddities.slice(0, MAX_ROUNDS).map(({ text }) => `  ${forTerminal(text)}\n`);
  const rest = oddities.length - lines.length;
  return `${paint.bold('Other observations')}\n${lines.join('')}${rest > 0 ? `  … and ${rest} more\n` : ''}`;
}

function readText(timeline: IncidentTimeline, gathered: GatheredCalls, notes: readonly string[]): string {
  const { total, others, nameless, unreadable, unreadableCount, isCut } = gathered;
  const lines = [
    `Read: ${plural(total, 'call')}, of which ${timeline.calls.length} ${timeline.calls.length === 1 ? 'is' : 'are'} shown${others > 0 ? `; ${plural(others, 'entry', 'entries')} of other kinds` : ''}.`,
    ...notes,
    ...timeline.notes,
  ];
  if (timeline.clocks) {
    const { aheadMs, pairs } = timeline.clocks;
    const ahead =
      aheadMs === 0
        ? 'agrees with'
        : `is ${(Math.abs(aheadMs) / 1000).toFixed(3)} s ${aheadMs > 0 ? 'ahead of' : 'behind'}`;
    lines.push(
      `The operator's clock ${ahead} the service's clock (from ${plural(pairs, 'call')} that both recorded). The times are those of the service.`,
    );
  }
  const signed = signaturesText(timeline);
  if (signed !== '') lines.push(signed);
  if (timeline.calls.some(({ ending, signature }) => ending === 'refused' || signature === 'wrong')) {
    lines.push('To find out why a signature does not match, run croupier explain with the request as it was sent.');
  }
  const isBoth = timeline.calls.some(({ seen: { exchange } }) => exchange.side === 'service');
  if (nameless > 0) {
    lines.push(
      `${plural(nameless, 'call')} ${nameless === 1 ? 'names' : 'name'} neither session nor transaction${isBoth ? ': shown only where the time identifies the call' : ''}.`,
    );
  }
  if (isCut)
    lines.push(
      'There were too many calls, so croupier left out the last ones. Select fewer calls with --session, --from and --to.',
    );
  if (unreadableCount > 0) {
    lines.push(`${plural(unreadableCount, 'line')} could not be read.`);
    for (const { place, why } of unreadable.slice(0, 10)) lines.push(`  ${place.file}:${place.line}: ${why}`);
    if (unreadableCount > 10) lines.push(`  … and ${unreadableCount - 10} more`);
  }
  return `${lines.map(forTerminal).join('\n')}\n`;
}

/**
 * Says in one sentence how many signatures are right and wrong. Returns an empty text if croupier could check no signature,
 * because the keys or the signatures are missing.
 */
function signaturesText({ calls }: IncidentTimeline): string {
  const count = (state: LoggedCall['signature']): number => calls.filter(({ signature }) => signature === state).length;
  const [right, wrong, missing, unknown] = [count('right'), count('wrong'), count('missing'), count('unknown')];
  if (right + wrong + missing === 0) return '';
  const parts = [
    `${right} right`,
    ...(wrong > 0 ? [`${wrong} wrong`] : []),
    ...(missing > 0 ? [`${missing} missing`] : []),
    ...(unknown > 0 ? [`${unknown} unknown`] : []),
  ];
  const doubt = right === 0 && wrong > 0 ? '; no signature is right, so the keys may belong to another client' : '';
  return `Signatures, verified with the given keys: ${parts.join(', ')}${doubt}.`;
}
