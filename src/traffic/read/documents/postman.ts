import type { HeaderList } from '../../../journal/exchange.ts';
import { type Fields, isFields } from '../../json-fields.ts';
import {
  bodyOf,
  type LogEntry,
  type LoggedExchange,
  type LoggedReply,
  type LogPlace,
  textBody,
} from '../../logged-exchange.ts';
import { readTime } from '../logs/time.ts';
import { reasonOf } from '../logs/transport-error.ts';

/** True for an execution in a report of newman, and for a request or a folder in a collection of Postman. */
export function isPostmanEntry(value: unknown): value is Fields {
  if (!isFields(value)) return false;
  return (
    Array.isArray(value.item) ||
    (isFields(value.request) && isPostmanUrl(value.request.url) && ('response' in value || isExecution(value)))
  );
}

/** True for an execution of newman. Its reply is left out if none came. A request of a collection has no cursor. */
function isExecution(value: Fields): boolean {
  return isFields(value.cursor);
}

/** Reads the exchanges of an entry. A request of a collection may have several saved replies. An execution has one reply. */
export function* readPostmanEntry(entry: Fields, place: LogPlace): Generator<LogEntry> {
  if (Array.isArray(entry.item)) {
    for (const each of entry.item) if (isPostmanEntry(each)) yield* readPostmanEntry(each, place);
    return;
  }
  const replies = Array.isArray(entry.response) ? entry.response : [entry.response];
  const saved = replies.filter(isFields);
  if (saved.length === 0) {
    yield isExecution(entry) && isFields(entry.request)
      ? { kind: 'exchange', exchange: { ...exchangeOf(entry.request, {}, place), answer: failureOf(entry) } }
      : { kind: 'other', line: place.line };
  }
  for (const reply of saved) {
    const request = isFields(reply.originalRequest) ? reply.originalRequest : entry.request;
    if (isFields(request)) yield { kind: 'exchange', exchange: exchangeOf(request, reply, place) };
  }
}

function exchangeOf(request: Fields, reply: Fields, place: LogPlace): LoggedExchange {
  const method = typeof request.method === 'string' ? request.method : null;
  const headers = headersOf(reply.header);
  const date = headers?.find(([name]) => name.toLowerCase() === 'date')?.[1];
  const sent = isFields(request.body) ? request.body.raw : undefined;
  return {
    place,
    side: 'service',
    time: (date === undefined ? undefined : readTime(date, 0)) ?? null,
    tookMs: typeof reply.responseTime === 'number' ? reply.responseTime : null,
    request: {
      method,
      url: urlOf(request.url),
      headers: headersOf(request.header),
      body: typeof sent === 'string' && sent !== '' ? textBody(sent) : method === 'GET' ? null : 'unknown',
    },
    answer: answerOf(reply, headers),
    logged: {},
  };
}

/** Reads why an execution has no reply. newman writes the fields of the error of Node.js. */
function failureOf({ requestError: error }: Fields): LoggedReply {
  if (!isFields(error)) return { kind: 'unknown' };
  const { syscall, code, message } = error;
  const detail = [syscall, code, message].filter((text) => typeof text === 'string').join(' ');
  return { kind: 'none', reason: reasonOf(detail), detail };
}

function isPostmanUrl(url: unknown): boolean {
  return isFields(url) && (typeof url.raw === 'string' || Array.isArray(url.path));
}

/** Writes a URL that Postman has split into its parts. */
function urlOf(url: unknown): string | null {
  if (typeof url === 'string') return url;
  if (!isFields(url)) return null;
  if (typeof url.raw === 'string') return url.raw;
  const partsOf = (list: unknown): readonly string[] =>
    Array.isArray(list) ? list.filter((part) => typeof part === 'string') : [];
  const query = new URLSearchParams();
  for (const each of Array.isArray(url.query) ? url.query : [])
    if (isFields(each) && typeof each.key === 'string' && typeof each.value === 'string')
      query.append(each.key, each.value);
  const search = query.size === 0 ? '' : `?${query.toString()}`;
  const host = partsOf(url.host).join('.');
  const protocol = typeof url.protocol === 'string' ? url.protocol : 'https';
  return `${host === '' ? '' : `${protocol}://${host}`}/${partsOf(url.path).join('/')}${search}`;
}

function headersOf(list: unknown): HeaderList | null {
  // If the list is empty, it is unknown whether the reply had headers.
  if (!Array.isArray(list) || list.length === 0) return null;
  return list
    .filter(isFields)
    .flatMap(({ key, value }) => (typeof key === 'string' && typeof value === 'string' ? [[key, value] as const] : []));
}

/** Reads a reply. newman writes the bytes of its body as a list of numbers. */
function answerOf({ code, body, stream }: Fields, headers: HeaderList | null): LoggedReply {
  if (typeof code !== 'number') return { kind: 'unknown' };
  const bytes =
    isFields(stream) && Array.isArray(stream.data) ? stream.data.filter((byte) => typeof byte === 'number') : null;
  return {
    kind: 'reply',
    status: code,
    headers,
    body: typeof body === 'string' ? textBody(body) : bytes === null ? null : bodyOf(Uint8Array.from(bytes)),
  };
}
