import { ruleById } from '../../contract/catalogue.ts';
import { plural } from '../../contract/plural.ts';
import type { Received } from '../../journal/event.ts';
import { type Body, bodyText, type HeaderList, type Stamps, sessionNamedIn } from '../../journal/exchange.ts';
import { EXPECTATION, type Finding } from '../../journal/finding.ts';
import { curlLine } from '../curl.ts';
import { forTerminal } from '../escape.ts';
import {
  answerOf,
  callWords,
  type KnownSession,
  noReplySentence,
  notableReplyHeaders,
  notableRequestHeaders,
  phasesOf,
} from '../exchange-summary.ts';
import type { JournalledExchange } from '../exchanges.ts';
import { mark, tint } from '../marks.ts';
import type { Look, Verbosity } from '../options.ts';
import { clip, duration, padEnd, wrap } from './layout.ts';

/** Maximum number of characters of a body that the terminal shows. The JSON report has the body as the journal holds it. */
const MAX_BODY = 800;
const MAX_HEADER_VALUE = 200;

const LABEL_COLUMN = 10;

/**
 * Returns the lines about one exchange: the request, the reply or the reason why no reply came, the timings, the expected
 * balance, and a curl command. If `curl` is false, the signature is cut, and the curl command is left out.
 */
export function exchangeLines(
  exchange: JournalledExchange,
  indent: number,
  options: Look & { readonly curl?: boolean },
): readonly string[] {
  const { sending, received } = exchange;
  const { request } = sending;
  const labelled = (label: string, text: string): readonly string[] => row(label, text, indent, options);
  const lines = [
    ...labelled('request', `${request.method} ${request.url}`),
    ...headerRows(notableRequestHeaders(sending, options.curl !== false), labelled),
    ...(request.body ? labelled('', bodyLine(request.body)) : []),
    ...traceRow(sending, indent, options),
  ];
  if (received === null) {
    lines.push(...labelled('reply', 'unknown: the journal ends before the reply'));
  } else if (received.outcome.kind === 'reply') {
    const { reply } = received.outcome;
    lines.push(
      ...labelled('reply', `${reply.status} after ${duration(received.stamps.end - received.stamps.start)}`),
      ...headerRows(notableReplyHeaders(reply.headers), labelled),
      ...labelled('', bodyLine(reply.body)),
      ...(reply.excessBytes === undefined
        ? []
        : labelled('', `and ${plural(reply.excessBytes, 'more byte')} than the Content-Length says`)),
    );
  } else {
    const { reason, detail, head } = received.outcome;
    const what = noReplySentence(reason);
    lines.push(...labelled('reply', detail === '' ? `none: ${what}` : `none: ${what} (${detail})`));
    if (head) lines.push(...labelled('', `status ${head.status} had already arrived`));
  }
  if (received) {
    lines.push(...labelled('timing', timing(received.stamps, received.connection?.reused === true)));
    const wallet = walletText(received.model);
    if (wallet !== null) lines.push(...labelled('wallet', wallet));
  }
  return options.curl === false ? lines : [...lines, ...againLines(exchange, indent, options)];
}

/** Returns a row with the trace of a call, so that the operator can search for it. Empty if the call has no trace. */
function traceRow({ trace }: JournalledExchange['sending'], indent: number, options: Look): readonly string[] {
  return trace === undefined ? [] : row('trace', `${trace.traceID}, span ${trace.spanID}`, indent, options);
}

/** Returns the line with the curl command of a call. It is never wrapped, so that a user can copy it. */
function againLines({ sending: { request } }: JournalledExchange, indent: number, options: Look): readonly string[] {
  const curl = curlLine(request);
  if (!curl) return row('again', 'no curl command: the journal does not hold the whole body', indent, options);
  return [' '.repeat(indent) + options.paint.dim('again'.padEnd(LABEL_COLUMN)) + forTerminal(curl)];
}

/** Maximum number of characters of a reply's body in a summary of a call. */
const MAX_SHORT_BODY = 200;

/**
 * Returns a short description of one exchange, in lines: the call with its amount, the reply, and a curl command if the caller
 * wants one.
 */
export function shortExchangeLines(
  exchange: JournalledExchange,
  {
    sessions,
    indent,
    curl,
    verbosity,
  }: {
    readonly sessions: readonly KnownSession[];
    readonly indent: number;
    readonly curl: boolean;
    readonly verbosity: Verbosity;
  },
  options: Look,
): readonly string[] {
  const { sending, received } = exchange;
  // The short report names no id of an exchange, because only a report with -v or -vv lists the exchanges.
  const id = verbosity === 0 ? '' : ` (exchange ${sending.id})`;
  return [
    ...row('request', `${callWords(sending, sessions)}${id}`, indent, options),
    ...row('reply', shortReply(received), indent, options),
    ...traceRow(sending, indent, options),
    ...(curl ? againLines(exchange, indent, options) : []),
  ];
}

function shortReply(received: Received | null): string {
  if (received === null) return 'unknown: the journal ends before the reply';
  const { outcome, stamps } = received;
  if (outcome.kind === 'none') return `none: ${noReplySentence(outcome.reason)}`;
  const { status, body } = outcome.reply;
  const text = body.length === 0 ? '(an empty body)' : clip(bodyText(body).slice(0, MAX_BODY), MAX_SHORT_BODY);
  return `${status} after ${duration(stamps.end - stamps.start)}, ${text}`;
}

/** Widths of the first two columns of `callLine`. They fit most ids of exchanges and scenarios. */
const ID_COLUMN = 6;
const SCENARIO_COLUMN = 34;
const CALL_COLUMN = 22;

/**
 * Returns one line about an exchange: its id, its scenario and step, the call with its amount, the result, the time and the
 * session.
 */
export function callLine({ sending, received }: JournalledExchange, sessions: readonly KnownSession[]): string {
  const { id, scenario, step, purpose } = sending;
  const where = `${scenario ?? 'outside of scenarios'} ${step ?? purpose}`;
  const session = sessionNamedIn(sending.request);
  const words = [
    padEnd(forTerminal(id), ID_COLUMN),
    padEnd(forTerminal(where), SCENARIO_COLUMN),
    padEnd(forTerminal(callWords(sending, sessions)), CALL_COLUMN),
    ...(received === null
      ? ['no end']
      : [forTerminal(answerOf(received.outcome).text), duration(received.stamps.end - received.stamps.start)]),
    ...(session === undefined ? [] : [forTerminal(`session ${session}`)]),
  ];
  return words.join('  ');
}

/**
 * Returns one line about a breach: the exchange that shows it, the rule, and what happened. Returns null for a finding that is no
 * breach.
 */
export function breachLine(
  { exchange, rule, verdict, actual }: Finding,
  strict: boolean,
  { paint, unicode }: Pick<Look, 'paint' | 'unicode'>,
): string | null {
  const level = rule === EXPECTATION ? 'MUST' : ruleById(rule).level;
  if ((verdict !== 'fail' && verdict !== 'warn') || level === 'NOTE') return null;
  const shown = level === 'SHOULD' && !strict ? 'warn' : verdict;
  const text = `${mark(shown, unicode)} ${padEnd(exchange ?? '', ID_COLUMN - 2)}  ${rule}: ${clip(actual, MAX_SHORT_BODY)}`;
  return tint(shown, paint)(forTerminal(text));
}

/**
 * Returns a label with a text beside it, in the columns that all details of a finding use. The text may come from outside, so it
 * is escaped here.
 */
export function row(
  label: string,
  text: string,
  indent: number,
  options: Look,
  colour: (text: string) => string = (same) => same,
): readonly string[] {
  const margin = ' '.repeat(indent);
  const lines = wrap(forTerminal(text), Math.max(options.width - indent - LABEL_COLUMN, 20));
  return lines.map((line, index) => {
    const beside =
      index === 0 && label !== '' ? options.paint.dim(label.padEnd(LABEL_COLUMN)) : ' '.repeat(LABEL_COLUMN);
    return `${margin}${beside}${colour(line)}`.trimEnd();
  });
}

function headerRows(
  headers: HeaderList,
  labelled: (label: string, text: string) => readonly string[],
): readonly string[] {
  return headers.flatMap(([name, value]) => labelled('', `${name}: ${clip(value, MAX_HEADER_VALUE)}`));
}

function bodyLine(body: Body): string {
  if (body.length === 0) return '(an empty body)';
  const text = bodyText(body);
  const kept = text.slice(0, MAX_BODY);
  if (kept.length === text.length && !body.truncated) return kept;
  return `${kept}… (${body.length} bytes in all)`;
}

function timing(stamps: Stamps, reused: boolean): string {
  const phases = phasesOf(stamps, reused).map(({ name, ms }) => `${name} ${duration(ms)}`);
  return (reused ? ['connection kept alive', ...phases] : phases).join(', ');
}

/**
 * Writes the balances that croupier expected before and after a call. Returns null if croupier expected no particular balance.
 */
export function walletText(model: Received['model']): string | null {
  if (model === null || (model.before.length === 0 && model.after.length === 0)) return null;
  return `correct balance: ${balances(model.before)} before the call, ${balances(model.after)} after it`;
}

function balances(possible: readonly string[]): string {
  if (possible.length === 0) return 'unknown';
  if (possible.length > 6) return `one of ${possible.length} balances`;
  return possible.length === 1 ? String(possible[0]) : `either ${possible.join(' or ')}`;
}
