import { isRuleId, ruleById } from '../contract/catalogue.ts';
import type { Outcome } from '../journal/exchange.ts';
import { readReply } from '../judge/reading.ts';
import type { Crossing, CrossingEnd } from '../proxy/crossing.ts';
import { describeDeed } from '../proxy/fault.ts';
import type { TrafficFinding } from '../proxy/traffic-judge.ts';
import { forTerminal } from '../report/escape.ts';
import { hanging } from '../report/layout.ts';
import type { Paint } from '../report/paint.ts';

/** What a call says that a reader looks for. */
export interface Said {
  readonly sessionID: string | null;
  readonly amount: string | null;
  readonly txID: string | null;
}

/** What a call says, as far as it can be read. */
export function saidOf({ call, url, requestBody }: Crossing): Said {
  const text = (value: unknown): string | null => (typeof value === 'string' ? value : null);
  try {
    const sent: unknown =
      call === 'balance'
        ? Object.fromEntries(new URL(url).searchParams)
        : JSON.parse(requestBody.bytes().toString('utf8'));
    const { sessionID, amount, txID } = (sent ?? {}) as Readonly<Record<string, unknown>>;
    return { sessionID: text(sessionID), amount: text(amount), txID: text(txID) };
  } catch {
    return { sessionID: null, amount: null, txID: null };
  }
}

/** How a call ended, in few words. */
export function endOfCall({ reply, deed }: Crossing, end: CrossingEnd, outcome: Outcome | null): string {
  if (deed?.kind === 'drop' && deed.what === 'request') return 'not passed on';
  if (outcome?.kind === 'reply') return String(outcome.reply.status);
  if (outcome?.kind === 'none') return `no reply (${outcome.reason}): ${outcome.detail}`;
  if (end.kind === 'opaque') return 'its bytes were passed on, and could not be followed: not judged';
  return reply ? `${reply.status}, and its body could not be read` : 'no reply';
}

/** The balance that a call was answered; null: none. */
export function balanceOf(outcome: Outcome | null): string | null {
  return outcome?.kind === 'reply' ? (readReply(outcome.reply).balance.written ?? null) : null;
}

/** What else became of a call on its way, in words; null: nothing. None of it is the operator's doing. */
export function asideOf({ deed, source, hungUpAt }: Crossing, outcome: Outcome | null): string | null {
  if (source === 'proxy') return 'croupier repeated it (--fault)';
  if (deed) return `croupier ${describeDeed(deed)} (--fault)`;
  return hungUpAt !== null && outcome?.kind === 'reply'
    ? 'the service had no more to send, and may have been gone'
    : null;
}

/** One line for a call that has passed. @param at when, as a time of day */
export function callLine(
  crossing: Crossing,
  end: CrossingEnd,
  outcome: Outcome | null,
  at: string,
  paint: Paint,
): string {
  const { call, method, url, id, sent, start } = crossing;
  const aside = asideOf(crossing, outcome);
  const said = saidOf(crossing);
  const status = endOfCall(crossing, end, outcome);
  const tookMs = (crossing.end ?? start) - (sent ?? start);
  const isGood = status === '200';
  const name = call ?? `${method} ${URL.parse(url)?.pathname ?? ''}`;
  const balance = balanceOf(outcome);
  const parts = [
    paint.dim(at),
    id.padStart(6),
    forTerminal(name).padEnd(7),
    forTerminal(said.amount ?? '').padStart(9),
    '→',
    isGood ? paint.green(status) : paint.yellow(forTerminal(status)),
    ...(balance === null ? [] : [`balance ${forTerminal(balance)}`]),
    paint.dim(`${tookMs.toFixed(1)} ms`),
    ...(said.sessionID === null ? [] : [forTerminal(said.sessionID)]),
    ...(call === null ? [paint.dim('none of the four calls: not judged')] : []),
    ...(aside === null ? [] : [paint.cyan(aside)]),
  ];
  return `${parts.join('  ')}\n`;
}

/** What was found, loud where a rule is broken. */
export function findingText(
  { rule, verdict, exchange, call, text }: TrafficFinding,
  paint: Paint,
  width: number,
): string {
  const where = `${call} ${exchange}`;
  if (rule === null || !isRuleId(rule)) return `${paint.cyan(`  ○ ${where}: ${forTerminal(text)}`)}\n`;
  const { level, sentence, money } = ruleById(rule);
  const [mark, colour] =
    verdict === 'fail'
      ? (['✗ BROKEN', paint.red] as const)
      : verdict === 'warn'
        ? (['! WARNING', paint.yellow] as const)
        : (['○ NOTE', paint.cyan] as const);
  const head = `${mark}  ${rule}  ${level}${money ? ', money is lost or made by it' : ''}  (${where})`;
  return [
    colour(paint.bold(head)),
    ...hanging(
      '    the rule:  ',
      `an operator conforms ${sentence.startsWith('when ') ? 'if,' : 'when'} ${sentence}`,
      width,
    ),
    ...hanging('    but:       ', forTerminal(text), width),
    '',
  ].join('\n');
}
