import { brotliDecompressSync, gunzipSync, inflateRawSync, inflateSync, zstdDecompressSync } from 'node:zlib';
import { CALL_NAMES } from '../../../contract/call-name.ts';
import { EARLY_BREAKS } from '../../../contract/deviation.ts';
import { SIGNATURE_STATES } from '../../../contract/signature.ts';
import { type Body, type HeaderList, NO_REPLY_REASONS } from '../../../journal/exchange.ts';
import { loggedBody } from '../../cut-body.ts';
import { type Fields, isFields } from '../../json-fields.ts';
import {
  bodyOf,
  type LogEntry,
  type LoggedExchange,
  type LoggedReply,
  type LogPlace,
  type Side,
  textBody,
} from '../../logged-exchange.ts';
import { readTime } from '../logs/time.ts';

const MAX_BYTES = 64 * 1024 * 1024;

/**
 * True if a value looks like an entry of a HAR. The entries of other logs may also have a request and a response, but no other
 * field of a HAR.
 */
export function isHarEntry(value: unknown): value is Fields {
  if (!isFields(value) || !isFields(value.request) || !('response' in value)) return false;
  const { url, headers, postData } = value.request;
  if (typeof url !== 'string') return false;
  const content = isFields(value.response) ? value.response.content : undefined;
  return 'startedDateTime' in value || Array.isArray(headers) || isFields(postData) || isFields(content);
}

/** Reads one entry of a HAR. Its body may be encoded in base64, and may be compressed before that. */
export function readHarEntry(entry: Fields, place: LogPlace, side: Side): LogEntry {
  const request = entry.request;
  if (!isFields(request) || typeof request.url !== 'string' || typeof request.method !== 'string') {
    return { kind: 'unreadable', line: place.line, why: 'the entry has no request with a URL' };
  }
  const exchange: LoggedExchange = {
    place,
    side,
    ...whenOf(entry),
    request: {
      method: request.method,
      url: request.url,
      headers: headersOf(request.headers),
      body: postedBody(request),
    },
    answer: answerOf(entry.response),
    logged: loggedBy(entry[CROUPIER]),
    ...knownBy(entry[CROUPIER]),
  };
  return { kind: 'exchange', exchange };
}

/** The field for croupier's own data about an entry. The HAR format has no field for this data. */
export const CROUPIER = '_croupier';

function loggedBy(own: unknown): LoggedExchange['logged'] {
  if (!isFields(own)) return {};
  const { call, player, currency } = own;
  return {
    ...(CALL_NAMES.some((name) => name === call) && { call: String(call) }),
    ...(typeof player === 'string' && { player }),
    ...(typeof currency === 'string' && { currency }),
  };
}

function knownBy(own: unknown): Pick<LoggedExchange, 'deviation' | 'verified' | 'isOfRun' | 'isOfWholeRun'> {
  if (!isFields(own)) return {};
  const verified = SIGNATURE_STATES.find((state) => state === own.signature);
  const signed = typeof own.signed === 'string' ? own.signed : undefined;
  const brokenAt = EARLY_BREAKS.find((moment) => moment === own.brokenAt);
  return {
    ...((signed ?? brokenAt) && { deviation: { signed, brokenAt } }),
    ...(verified && { verified }),
    ...(own.isOfWholeRun === true && { isOfRun: true, isOfWholeRun: true }),
  };
}

/**
 * Reads when a call was sent and how long its reply took, from the last byte of the request. The time to open the connection does
 * not count.
 */
function whenOf({ startedDateTime, time, timings }: Fields): Pick<LoggedExchange, 'time' | 'tookMs'> {
  const began = typeof startedDateTime === 'string' ? (readTime(startedDateTime, 0) ?? null) : null;
  const wholeMs = typeof time === 'number' && time >= 0 ? time : null;
  const { wait, receive } = isFields(timings) ? timings : {};
  if (wholeMs === null || typeof wait !== 'number' || typeof receive !== 'number' || wait < 0 || receive < 0)
    return { time: began, tookMs: wholeMs };
  const tookMs = Math.min(wholeMs, wait + receive);
  return { time: began && { ...began, ms: began.ms + wholeMs - tookMs }, tookMs };
}

function headersOf(list: unknown): HeaderList | null {
  if (!Array.isArray(list)) return null;
  return list.flatMap((each: unknown) =>
    isFields(each) && typeof each.name === 'string'
      ? [[each.name, typeof each.value === 'string' ? each.value : ''] as const]
      : [],
  );
}

function postedBody(request: Fields): Body | null | 'unknown' {
  const posted = request.postData;
  if (isFields(posted) && typeof posted.text === 'string') {
    const body = posted.encoding === 'base64' ? bodyOf(Buffer.from(posted.text, 'base64')) : textBody(posted.text);
    return cutAs(body, posted, request.bodySize);
  }
  return request.method === 'GET' || request.bodySize === 0 ? null : 'unknown';
}

/** Marks a body as truncated if only its first bytes were kept. Without this mark, the body would count as malformed. */
function cutAs(body: Body, { [TRUNCATED]: isCut }: Fields, length: unknown): Body {
  return isCut === true
    ? { ...body, truncated: true, length: typeof length === 'number' ? length : body.length }
    : body;
}

/** The field with which croupier marks a truncated body in a HAR. */
const TRUNCATED = '_truncated';

function answerOf(response: unknown): LoggedReply {
  if (!isFields(response)) return { kind: 'unknown' };
  const status = typeof response.status === 'number' ? response.status : 0;
  if (status < 100) return noReply(response);
  const headers = headersOf(response.headers);
  return { kind: 'reply', status, headers, body: contentOf(response.content, headers) };
}

/** The field in which Chrome writes why a request failed. */
const CHROME_ERROR = '_error';

/** Reads why a request has no reply. Browsers write status 0 for a missing reply, and Chrome adds the reason. */
function noReply(response: Fields): LoggedReply {
  const detail = [response[CHROME_ERROR], response.statusText].find((text) => typeof text === 'string' && text !== '');
  if (typeof detail !== 'string') return { kind: 'unknown' };
  const own = NO_REPLY_REASONS.find((known) => detail.startsWith(`${known}: `));
  if (own !== undefined) return { kind: 'none', reason: own, detail: detail.slice(own.length + 2) };
  const reason = /TIMED_OUT|timeout/i.test(detail)
    ? 'too-late'
    : /REFUSED/i.test(detail)
      ? 'refused'
      : /NAME_NOT_RESOLVED/i.test(detail)
        ? 'unresolved'
        : /ABORTED|cancel/i.test(detail)
          ? 'broken'
          : 'reset';
  return { kind: 'none', reason, detail };
}

function contentOf(content: unknown, headers: HeaderList | null): Body | null {
  if (!isFields(content)) return null;
  if (typeof content.text !== 'string') return content.size === 0 ? textBody('') : null;
  if (content.encoding !== 'base64') {
    // A text that is shorter than the size of the body was cut when it was stored, or is the text that the browser had decoded.
    const isShort = typeof content.size === 'number' && content.size > Buffer.byteLength(content.text);
    return cutAs(isShort ? loggedBody(content.text) : textBody(content.text), content, content.size);
  }
  const bytes = Buffer.from(content.text, 'base64');
  const coding = headers?.find(([name]) => name.toLowerCase() === 'content-encoding')?.[1].toLowerCase();
  return cutAs(bodyOf(decompressed(bytes, coding)), content, content.size);
}

/**
 * Decompresses a body that was stored as the browser received it. If the browser stored the body decompressed, returns the bytes
 * unchanged.
 */
function decompressed(bytes: Uint8Array, coding: string | undefined): Uint8Array {
  const options = { maxOutputLength: MAX_BYTES };
  try {
    if (bytes[0] === 0x1f && bytes[1] === 0x8b) return gunzipSync(bytes, options);
    if (coding === 'br') return brotliDecompressSync(bytes, options);
    if (coding === 'zstd') return zstdDecompressSync(bytes, options);
    if (coding !== 'deflate') return bytes;
    return (bytes[0] ?? 0) % 16 === 8 ? inflateSync(bytes, options) : inflateRawSync(bytes, options);
  } catch {
    return bytes;
  }
}
