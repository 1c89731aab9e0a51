import { loggedBody } from '../../cut-body.ts';
import type { LoggedExchange, LoggedReply, LogPlace, Side } from '../../logged-exchange.ts';
import { type LogField, type LogForm, loggedOf } from './log-form.ts';
import { readTime } from './time.ts';
import { reasonOf, waitedMs } from './transport-error.ts';

/**
 * Reads a field of a log entry as text. For a body that was logged as JSON, returns its JSON text. Returns undefined if
 * the field is absent.
 */
export type ReadField = (field: LogField) => string | undefined;

/** Returns the exchange that the fields of a log entry describe. Returns undefined if they describe no request. */
export function exchangeOfLine(
  read: ReadField,
  form: LogForm,
  place: LogPlace,
  side: Side,
): LoggedExchange | undefined {
  const target = targetOf(read);
  if (target.url === null && (read('call') ?? '') === '') return undefined;
  const logged = loggedOf(read);
  if (target.url === null && logged.call === undefined) return undefined;
  const text = read('time');
  const time = text === undefined ? undefined : readTime(text, form.zone);
  const answer = answerOf(read);
  return {
    place,
    side: form.side ?? side,
    time: time === undefined ? null : answer.kind === 'unknown' ? time : { ...time, mayBeEnd: true },
    tookMs: tookMs(read) ?? (answer.kind === 'none' ? waitedMs(answer.detail ?? '') : null),
    request: { ...target, headers: null, body: sentBody(read, target.method) },
    answer,
    logged,
    ...(text !== undefined && time === undefined && TIME_OF_DAY.test(text) && { isDateless: true }),
  };
}

const TIME_OF_DAY = /^\d\d?:\d\d(?::\d\d(?:[.,]\d{1,9})?)?$/;

/** Reads the method and the URL. Each is null if it is absent. Some programs log both in one field: `POST /bet HTTP/1.1`. */
function targetOf(read: ReadField): { readonly method: string | null; readonly url: string | null } {
  const url = read('url');
  const line = url === undefined ? null : /^([A-Z]{3,7}) (\S+)(?: HTTP\/[\d.]+)?$/.exec(url);
  if (line) return { method: line[1] ?? null, url: line[2] ?? null };
  const method = read('method') ?? null;
  if (url === undefined) return { method, url: null };
  if (/^(?:\/|https?:\/\/)/i.test(url)) return { method, url };
  return { method, url: method !== null && BARE_PATH.test(url) ? `/${url}` : null };
}

/** The path of a call without its first slash, as Laravel's `$request->path()` returns it. */
const BARE_PATH = /^(?:[\w.-]+\/)*(?:balance|bet|win|refund)(?:\?\S*)?$/i;

/** Reads the duration in milliseconds. Returns null if it was not logged or its unit is not known. */
export function tookMs(read: ReadField): number | null {
  const millis = numberOf(read('tookMs'));
  if (millis !== undefined) return millis;
  const seconds = read('tookSeconds')?.trim();
  if (seconds !== undefined && seconds !== '') return numberOf(/\d$/.test(seconds) ? `${seconds}s` : seconds) ?? null;
  // If a number has no unit, it may be seconds or milliseconds, so it is ignored.
  const text = read('took');
  return text === undefined || /^[\d.]*$/.test(text.trim()) ? null : (numberOf(text) ?? null);
}

const UNIT_MS: Readonly<Record<string, number>> = { ns: 1e-6, us: 1e-3, µs: 1e-3, μs: 1e-3, ms: 1, s: 1000 };

function numberOf(text: string | undefined): number | undefined {
  const [, digits, unit = 'ms'] = /^(\d+(?:\.\d+)?)\s*([nuµμm]?s)?$/.exec(text?.trim() ?? '') ?? [];
  return digits === undefined ? undefined : Math.round(Number(digits) * (UNIT_MS[unit] ?? 1) * 1000) / 1000;
}

function sentBody(read: ReadField, method: string | null): LoggedExchange['request']['body'] {
  const text = read('requestBody');
  if (text !== undefined && text !== '' && text !== '-') return loggedBody(text);
  return method === 'GET' ? null : 'unknown';
}

/**
 * Reads the reply from the fields of a log entry. If there is an error but no status, the error is the reason for a missing reply.
 */
export function answerOf(read: ReadField): LoggedReply {
  const status = Number(read('status') ?? Number.NaN);
  if (Number.isInteger(status) && status >= 100 && status <= 599) {
    const body = read('responseBody');
    const type = read('contentType');
    return {
      kind: 'reply',
      status,
      headers: type === undefined ? null : [['content-type', type]],
      body: body === undefined || body === '-' ? null : loggedBody(body),
    };
  }
  const error = read('error');
  return error === undefined || error === ''
    ? { kind: 'unknown' }
    : { kind: 'none', reason: reasonOf(error), detail: error };
}
