import { isRuleId, ruleById } from '../../../contract/catalogue.ts';
import type { Outcome } from '../../../journal/exchange.ts';
import { readReply } from '../../../reply/read.ts';
import { forTerminal } from '../../../report/escape.ts';
import type { Paint } from '../../../report/paint.ts';
import { hanging, padEnd, padStart } from '../../../report/terminal/layout.ts';
import { describeAction } from '../../../traffic/proxy/fault.ts';
import type { ProxiedCall, ProxiedCallEnd } from '../../../traffic/proxy/proxied-call.ts';
import type { TrafficFinding } from '../../../traffic/proxy/traffic-judge.ts';

/** The fields of a call that the log shows; null for a field that is missing or unreadable. */
export interface CallFields {
  readonly sessionID: string | null;
  readonly amount: string | null;
  readonly txID: string | null;
}

/** Reads the fields that the log shows from a request. A field that is missing or unreadable is null. */
export function fieldsOf({ call, url, requestBody }: ProxiedCall): CallFields {
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

/** Returns in a few words how a call ended, for example its status. */
export function endOfCall({ reply, action }: ProxiedCall, end: ProxiedCallEnd, outcome: Outcome | null): string {
  if (action?.kind === 'drop' && action.what === 'request') return 'not forwarded';
  if (outcome?.kind === 'reply') return String(outcome.reply.status);
  if (outcome?.kind === 'none') return `no reply (${outcome.reason}): ${outcome.detail}`;
  if (end.kind === 'opaque') return 'forwarded, but not judged, because the bytes could not be parsed';
  return reply ? `${reply.status}, and its body could not be read` : 'no reply';
}

/** Returns the balance in the reply to a call; null if the reply has no balance. */
export function balanceOf(outcome: Outcome | null): string | null {
  return outcome?.kind === 'reply' ? (readReply(outcome.reply).balance.written ?? null) : null;
}

/**
 * Returns a remark about something that the proxy or the service did to a call. With this remark, nobody blames the operator for
 * it. Null if there is no remark.
 */
export function remarkOf({ action, source, hungUpAt }: ProxiedCall, outcome: Outcome | null): string | null {
  if (source === 'proxy') return 'croupier repeated it (--fault)';
  if (action) return `croupier ${describeAction(action)} (--fault)`;
  return hungUpAt !== null && outcome?.kind === 'reply'
    ? 'the service closed its side of the connection, and may not have read the reply'
    : null;
}

/** Returns the log line of a forwarded call. @param at the time of day of the call */
export function callLine(
  proxiedCall: ProxiedCall,
  end: ProxiedCallEnd,
  outcome: Outcome | null,
  at: string,
  paint: Paint,
): string {
  const { call, method, url, id, sent, start } = proxiedCall;
  const remark = remarkOf(proxiedCall, outcome);
  const fields = fieldsOf(proxiedCall);
  const status = endOfCall(proxiedCall, end, outcome);
  const tookMs = (proxiedCall.end ?? start) - (sent ?? start);
  const isGood = status === '200';
  const name = call ?? `${method} ${URL.parse(url)?.pathname ?? ''}`;
  const balance = balanceOf(outcome);
  const parts = [
    paint.dim(at),
    id.padStart(6),
    padEnd(forTerminal(name), 7),
    padStart(forTerminal(fields.amount ?? ''), 9),
    '→',
    isGood ? paint.green(status) : paint.yellow(forTerminal(status)),
    ...(balance === null ? [] : [`balance ${forTerminal(balance)}`]),
    paint.dim(`${tookMs.toFixed(1)} ms`),
    ...(fields.sessionID === null ? [] : [forTerminal(fields.sessionID)]),
    ...(call === null ? [paint.dim('not judged, because it is not a balance, bet, win or refund call')] : []),
    ...(remark === null ? [] : [paint.cyan(remark)]),
  ];
  return `${parts.join('  ')}\n`;
}

/** Returns the text of a finding. */
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
  const head = `${mark}  ${rule}  ${level}${money ? ', loses or invents money' : ''}  (${where})`;
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
