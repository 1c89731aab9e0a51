import type { Gathering } from '../incident/gather.ts';
import { answerText, callText, roundClause, walletSentence } from '../incident/story/sentence.ts';
import type { Story } from '../incident/story/story.ts';
import type { ToldCall } from '../incident/story/told-call.ts';
import type { WalletVerdict } from '../incident/story/verdict.ts';
import { forTerminal } from '../report/escape.ts';
import type { Paint } from '../report/paint.ts';

/** More calls are not printed; the JSON holds all. */
const MOST_CALLS = 300;
const MOST_ROUNDS = 50;

/** The story for people: the verdict first, then what it rests on. */
export function incidentText(story: Story, gathering: Gathering, paint: Paint, notes: readonly string[]): string {
  const blocks = [
    story.wallets.map((verdict) => verdictText(verdict, paint)).join('\n'),
    callsText(story, paint),
    roundsText(story, paint),
    odditiesText(story, paint),
    readText(story, gathering, notes),
  ];
  return blocks.filter((block) => block !== '').join('\n');
}

function verdictText(verdict: WalletVerdict, paint: Paint): string {
  const sentence = forTerminal(walletSentence(verdict));
  const isClean = verdict.difference?.isZero() === true && verdict.debts.length === 0;
  const colour = isClean
    ? verdict.unknowns.length === 0
      ? paint.green
      : paint.yellow
    : verdict.debts.length > 0
      ? paint.red
      : paint.yellow;
  return `${colour(sentence)}\n`;
}

function callsText(story: Story, paint: Paint): string {
  const shown = story.calls.slice(0, MOST_CALLS);
  const currencies = new Map(story.wallets.map(({ wallet, currency }) => [wallet, currency]));
  const isMixed = new Set(story.calls.map(({ wallet }) => wallet)).size > 1;
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
    for (const { rule, verdict, text: why } of story.breaches.filter((breach) => breach.call === call.number)) {
      text += `${indent}${(verdict === 'fail' ? paint.red : paint.yellow)(`${verdict === 'fail' ? 'breaks' : 'leans on'} ${rule}`)}: ${forTerminal(why)}\n`;
    }
  }
  const rest = story.calls.length - shown.length;
  return rest > 0 ? `${text}  … and ${rest} more (--json has all; --from, --to, --round narrow it down)\n` : text;
}

function sessionText(calls: readonly ToldCall[]): string {
  const sessions = [...new Set(calls.flatMap(({ seen }) => seen.sessionID ?? []))];
  return sessions.length === 1 ? ` of session ${sessions[0] ?? ''}` : '';
}

function idsOf({ seen, alsoSeen, ending, replyTxID, signature }: ToldCall): string {
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

function roundsText(story: Story, paint: Paint): string {
  const shown = new Set(story.calls.map(({ seen }) => seen.roundID));
  const rounds = story.wallets.flatMap(({ rounds: all, currency }) =>
    all
      .filter(({ roundID, state }) => shown.has(roundID) && (roundID !== null || state === 'owing'))
      .map((round) => ({ round, currency })),
  );
  if (rounds.length === 0) return '';
  const lines = rounds.slice(0, MOST_ROUNDS).map(({ round, currency }) => {
    const clause = forTerminal(roundClause(round, currency));
    return `  ${forTerminal(round.roundID ?? 'no round')}  ${round.state === 'owing' ? paint.red(clause) : clause}\n`;
  });
  const rest = rounds.length - lines.length;
  return `${paint.bold('The rounds')}\n${lines.join('')}${rest > 0 ? `  … and ${rest} more\n` : ''}`;
}

function odditiesText({ oddities }: Story, paint: Paint): string {
  if (oddities.length === 0) return '';
  const lines = oddities.slice(0, MOST_ROUNDS).map(({ text }) => `  ${forTerminal(text)}\n`);
  const rest = oddities.length - lines.length;
  return `${paint.bold('In the course of them')}\n${lines.join('')}${rest > 0 ? `  … and ${rest} more\n` : ''}`;
}

function readText(story: Story, gathering: Gathering, notes: readonly string[]): string {
  const { seen, others, nameless, unreadable, unreadableCount, isCut } = gathering;
  const lines = [
    `Read: ${plural(seen, 'call')}, of which ${story.calls.length} ${story.calls.length === 1 ? 'is' : 'are'} told${others > 0 ? `; ${plural(others, 'entry', 'entries')} of other kinds` : ''}.`,
    ...notes,
  ];
  if (story.clocks) {
    const { aheadMs, pairs } = story.clocks;
    const ahead =
      aheadMs === 0
        ? 'agrees with'
        : `is ${(Math.abs(aheadMs) / 1000).toFixed(3)} s ${aheadMs > 0 ? 'ahead of' : 'behind'}`;
    lines.push(
      `The operator's clock ${ahead} the service's, by ${plural(pairs, 'call')} that both wrote down; times are the service's.`,
    );
  }
  const signed = signaturesText(story);
  if (signed !== '') lines.push(signed);
  if (story.calls.some(({ ending, signature }) => ending === 'refused' || signature === 'wrong')) {
    lines.push('Why a signature does not match: croupier explain, with the request as it was sent.');
  }
  const isBoth = story.calls.some(({ seen: { exchange } }) => exchange.side === 'service');
  if (nameless > 0) {
    lines.push(
      `${plural(nameless, 'call')} ${nameless === 1 ? 'names' : 'name'} neither session nor transaction${isBoth ? ': told only where the time leaves no doubt which call it is' : ''}.`,
    );
  }
  if (isCut)
    lines.push(
      'There were more calls than can be kept: the last are left out. --session, --from and --to make it fewer.',
    );
  if (unreadableCount > 0) {
    lines.push(`Not readable: ${plural(unreadableCount, 'line')}.`);
    for (const { place, why } of unreadable.slice(0, 10)) lines.push(`  ${place.file}:${place.line}: ${why}`);
    if (unreadableCount > 10) lines.push(`  … and ${unreadableCount - 10} more`);
  }
  return `${lines.map(forTerminal).join('\n')}\n`;
}

/** Nothing where no signature could be looked at: then there was no key, or no log has them. */
function signaturesText({ calls }: Story): string {
  const count = (state: ToldCall['signature']): number => calls.filter(({ signature }) => signature === state).length;
  const [right, wrong, missing, unknown] = [count('right'), count('wrong'), count('missing'), count('unknown')];
  if (right + wrong + missing === 0) return '';
  const parts = [
    `${right} right`,
    ...(wrong > 0 ? [`${wrong} wrong`] : []),
    ...(missing > 0 ? [`${missing} missing`] : []),
    ...(unknown > 0 ? [`${unknown} unknown`] : []),
  ];
  const doubt = right === 0 && wrong > 0 ? '; where none is right, the key at hand may be another one' : '';
  return `Signatures, by the keys at hand: ${parts.join(', ')}${doubt}.`;
}

function plural(count: number, one: string, many = `${one}s`): string {
  return `${count} ${count === 1 ? one : many}`;
}
