import type { NoReplyReason } from '../../journal/exchange.ts';
import { type SeenAnswer, type SeenExchange, type SeenPlace, type Side, textBody } from '../seen.ts';
import { type LogField, type LogForm, toldOf } from './log-form.ts';
import { readTime } from './time.ts';

/** A value of a log: its text, and for a body that was logged as JSON the JSON again. */
export type ReadField = (field: LogField) => string | undefined;

/** Makes an exchange of what a log's line says; undefined when it says of no request. */
export function exchangeOfLine(read: ReadField, form: LogForm, place: SeenPlace, side: Side): SeenExchange | undefined {
  const target = targetOf(read);
  const told = toldOf(read);
  if (target.url === null && told.call === undefined) return undefined;
  const text = read('time');
  const time = text === undefined ? undefined : readTime(text, form.zone);
  const answer = answerOf(read);
  return {
    place,
    side: form.side ?? side,
    time: time === undefined ? null : answer.kind === 'untold' ? time : { ...time, mayBeEnd: true },
    tookMs: tookMs(read),
    request: { ...target, headers: null, body: sentBody(read, target.method) },
    answer,
    told,
  };
}

/** Some log the request line as one: `POST /bet HTTP/1.1`. */
function targetOf(read: ReadField): { readonly method: string | null; readonly url: string | null } {
  const url = read('url');
  const line = url === undefined ? null : /^([A-Z]{3,7}) (\S+)(?: HTTP\/[\d.]+)?$/.exec(url);
  if (line) return { method: line[1] ?? null, url: line[2] ?? null };
  const named = url !== undefined && /^(?:\/|https?:\/\/)/i.test(url) ? url : null;
  return { method: read('method') ?? null, url: named };
}

/** How long it took, in milliseconds. */
export function tookMs(read: ReadField): number | null {
  const millis = numberOf(read('tookMs'));
  if (millis !== undefined) return millis;
  const seconds = read('tookSeconds')?.trim();
  if (seconds !== undefined && seconds !== '') return numberOf(/\d$/.test(seconds) ? `${seconds}s` : seconds) ?? null;
  // Without a unit it could be anything.
  const text = read('took');
  return text === undefined || /^[\d.]*$/.test(text.trim()) ? null : (numberOf(text) ?? null);
}

const UNIT_MS: Readonly<Record<string, number>> = { ns: 1e-6, us: 1e-3, µs: 1e-3, μs: 1e-3, ms: 1, s: 1000 };

function numberOf(text: string | undefined): number | undefined {
  const [, digits, unit = 'ms'] = /^(\d+(?:\.\d+)?)\s*([nuµμm]?s)?$/.exec(text?.trim() ?? '') ?? [];
  return digits === undefined ? undefined : Math.round(Number(digits) * (UNIT_MS[unit] ?? 1) * 1000) / 1000;
}

function sentBody(read: ReadField, method: string | null): SeenExchange['request']['body'] {
  const text = read('requestBody');
  if (text !== undefined && text !== '' && text !== '-') return textBody(text);
  return method === 'GET' ? null : 'untold';
}

/** How a request was answered, as far as its line, or one that belongs to it, tells. */
export function answerOf(read: ReadField): SeenAnswer {
  const status = Number(read('status') ?? Number.NaN);
  if (Number.isInteger(status) && status >= 100 && status <= 599) {
    const body = read('responseBody');
    const type = read('contentType');
    return {
      kind: 'reply',
      status,
      headers: type === undefined ? null : [['content-type', type]],
      body: body === undefined || body === '-' ? null : textBody(body),
    };
  }
  const error = read('error');
  return error === undefined || error === ''
    ? { kind: 'untold' }
    : { kind: 'none', reason: reasonOf(error), detail: error };
}

/** The words in which programs say that no reply came. */
function reasonOf(error: string): NoReplyReason {
  if (/connect\w*.{0,12}time|ETIMEDOUT/i.test(error))
    return /read|response|header|body/i.test(error) ? 'too-late' : 'connect-timeout';
  if (/time.?out|timed out|deadline|too.?late/i.test(error)) return 'too-late';
  if (/refused/i.test(error)) return 'refused';
  if (/ENOTFOUND|EAI_AGAIN|no such host|resolve/i.test(error)) return 'unresolved';
  if (/certificate|tls|ssl/i.test(error)) return 'tls';
  return 'reset';
}
