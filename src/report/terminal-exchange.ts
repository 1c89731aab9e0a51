import type { Received } from '../journal/event.ts';
import { type Body, bodyText, type HeaderList, type Stamps } from '../journal/exchange.ts';
import { curlLine } from './curl.ts';
import { forTerminal } from './escape.ts';
import type { JournalledExchange } from './evidence.ts';
import { clip, duration, wrap } from './layout.ts';
import { noReplySentence } from './no-reply.ts';
import type { Look } from './options.ts';
import { phasesOf } from './phases.ts';
import { tellingOfReply, tellingOfRequest } from './telling-headers.ts';

/** Longer bodies are cut in the terminal; the JSON report has them as they were journalled. */
const BODY = 800;
const HEADER_VALUE = 200;

const LABEL = 10;

/** One exchange in lines: request, reply or why there is none, timings, the wallet as reckoned, and how to send it again. */
export function exchangeLines(exchange: JournalledExchange, indent: number, options: Look): readonly string[] {
  const { sending, received } = exchange;
  const { request } = sending;
  const labelled = (label: string, text: string): readonly string[] => row(label, text, indent, options);
  const lines = [
    ...labelled('request', `${request.method} ${request.url}`),
    ...headerRows(tellingOfRequest(request.headers), labelled),
    ...(request.body ? labelled('', bodyLine(request.body)) : []),
  ];
  if (received === null) {
    lines.push(...labelled('reply', 'none is known: the journal ends before it'));
  } else if (received.outcome.kind === 'reply') {
    const { reply } = received.outcome;
    lines.push(
      ...labelled('reply', `${reply.status} after ${duration(received.stamps.end - received.stamps.start)}`),
      ...headerRows(tellingOfReply(reply.headers), labelled),
      ...labelled('', bodyLine(reply.body)),
    );
  } else {
    const { reason, detail, head } = received.outcome;
    const what = noReplySentence(reason);
    lines.push(...labelled('reply', detail === '' ? `none: ${what}` : `none: ${what} (${detail})`));
    if (head) lines.push(...labelled('', `a status of ${head.status} had arrived by then`));
  }
  if (received) {
    lines.push(...labelled('timing', timing(received.stamps, received.connection?.reused === true)));
    const wallet = walletText(received.model);
    if (wallet !== null) lines.push(...labelled('wallet', wallet));
  }
  const curl = curlLine(request);
  // Never broken into lines: it is there to be copied.
  if (curl) lines.push(' '.repeat(indent) + options.paint.dim('again'.padEnd(LABEL)) + forTerminal(curl));
  else lines.push(...labelled('again', 'the body was too long to be kept whole, so no curl line can send it again'));
  return lines;
}

/** A label and what belongs to it, in the columns that all details of a finding share. The text may come from anybody. */
export function row(
  label: string,
  text: string,
  indent: number,
  options: Look,
  colour: (text: string) => string = (same) => same,
): readonly string[] {
  const margin = ' '.repeat(indent);
  const lines = wrap(forTerminal(text), Math.max(options.width - indent - LABEL, 20));
  return lines.map((line, index) => {
    const beside = index === 0 && label !== '' ? options.paint.dim(label.padEnd(LABEL)) : ' '.repeat(LABEL);
    return `${margin}${beside}${colour(line)}`.trimEnd();
  });
}

function headerRows(
  headers: HeaderList,
  labelled: (label: string, text: string) => readonly string[],
): readonly string[] {
  return headers.flatMap(([name, value]) => labelled('', `${name}: ${clip(value, HEADER_VALUE)}`));
}

function bodyLine(body: Body): string {
  if (body.length === 0) return '(an empty body)';
  const text = bodyText(body);
  const kept = text.slice(0, BODY);
  if (kept.length === text.length && !body.truncated) return kept;
  return `${kept}… (${body.length} bytes in all)`;
}

function timing(stamps: Stamps, reused: boolean): string {
  const phases = phasesOf(stamps, reused).map(({ name, ms }) => `${name} ${duration(ms)}`);
  return (reused ? ['connection kept alive', ...phases] : phases).join(', ');
}

/** What croupier held the balance for, before and after the call; null when it knew nothing. */
export function walletText(model: Received['model']): string | null {
  if (model === null || (model.before.length === 0 && model.after.length === 0)) return null;
  return `${balances(model.before)} before, ${balances(model.after)} after, as croupier reckons it`;
}

function balances(possible: readonly string[]): string {
  if (possible.length === 0) return 'unknown';
  if (possible.length > 6) return `one of ${possible.length} balances`;
  return possible.length === 1 ? String(possible[0]) : `either ${possible.join(' or ')}`;
}
