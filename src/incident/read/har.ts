import { brotliDecompressSync, gunzipSync, inflateRawSync, inflateSync, zstdDecompressSync } from 'node:zlib';
import { CALL_NAMES } from '../../contract/call-name.ts';
import { SIGNATURE_STATES } from '../../journal/event.ts';
import { type Body, type HeaderList, NO_REPLY_REASONS } from '../../journal/exchange.ts';
import {
  bodyOf,
  type SeenAnswer,
  type SeenExchange,
  type SeenPlace,
  type Side,
  type Sighting,
  textBody,
} from '../seen.ts';
import { readTime } from './time.ts';

type Fields = Readonly<Record<string, unknown>>;

const MOST_BYTES = 64 * 1024 * 1024;

/** True for an object that looks like an entry of a HAR. */
export function isHarEntry(value: unknown): value is Fields {
  return isFields(value) && isFields(value.request) && typeof value.request.url === 'string' && 'response' in value;
}

/** Reads one entry of a HAR. Bodies may be base64, and still compressed within. */
export function readHarEntry(entry: Fields, place: SeenPlace, side: Side): Sighting {
  const request = entry.request;
  if (!isFields(request) || typeof request.url !== 'string' || typeof request.method !== 'string') {
    return { kind: 'unreadable', line: place.line, why: 'the entry has no request with an address' };
  }
  const exchange: SeenExchange = {
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
    told: toldBy(entry[CROUPIER]),
    ...knownBy(entry[CROUPIER]),
  };
  return { kind: 'exchange', exchange };
}

/** What croupier knows of an exchange beside its bytes; its own HARs have it in each entry. */
export const CROUPIER = '_croupier';

function toldBy(own: unknown): SeenExchange['told'] {
  if (!isFields(own)) return {};
  const { call, player, currency } = own;
  return {
    ...(CALL_NAMES.some((name) => name === call) && { call: String(call) }),
    ...(typeof player === 'string' && { player }),
    ...(typeof currency === 'string' && { currency }),
  };
}

function knownBy(own: unknown): Pick<SeenExchange, 'oddly' | 'verified'> {
  if (!isFields(own)) return {};
  const verified = SIGNATURE_STATES.find((state) => state === own.signature);
  const signed = typeof own.signed === 'string' ? own.signed : undefined;
  const brokenAt = BREAKS.find((moment) => moment === own.brokenAt);
  return { ...((signed ?? brokenAt) && { oddly: { signed, brokenAt } }), ...(verified && { verified }) };
}

const BREAKS = ['head', 'half-body'] as const;

/** A call begins when its last byte has left, and not when its connection is opened. */
function whenOf({ startedDateTime, time, timings }: Fields): Pick<SeenExchange, 'time' | 'tookMs'> {
  const began = typeof startedDateTime === 'string' ? (readTime(startedDateTime, 0) ?? null) : null;
  const wholeMs = typeof time === 'number' && time >= 0 ? time : null;
  const { wait, receive } = isFields(timings) ? timings : {};
  if (wholeMs === null || typeof wait !== 'number' || typeof receive !== 'number' || wait < 0 || receive < 0)
    return { time: began, tookMs: wholeMs };
  const tookMs = Math.min(wholeMs, wait + receive);
  return { time: began && { ...began, ms: began.ms + wholeMs - tookMs }, tookMs };
}

function isFields(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function headersOf(list: unknown): HeaderList | null {
  if (!Array.isArray(list)) return null;
  return list.flatMap((each: unknown) =>
    isFields(each) && typeof each.name === 'string'
      ? [[each.name, typeof each.value === 'string' ? each.value : ''] as const]
      : [],
  );
}

function postedBody(request: Fields): Body | null | 'untold' {
  const posted = request.postData;
  if (isFields(posted) && typeof posted.text === 'string') {
    const body = posted.encoding === 'base64' ? bodyOf(Buffer.from(posted.text, 'base64')) : textBody(posted.text);
    return cutAs(body, posted, request.bodySize);
  }
  return request.method === 'GET' || request.bodySize === 0 ? null : 'untold';
}

/** What only the beginning was kept of is no broken text. */
function cutAs(body: Body, { [TRUNCATED]: isCut }: Fields, length: unknown): Body {
  return isCut === true
    ? { ...body, truncated: true, length: typeof length === 'number' ? length : body.length }
    : body;
}

/** Where croupier says that not all of a body was kept. */
const TRUNCATED = '_truncated';

function answerOf(response: unknown): SeenAnswer {
  if (!isFields(response)) return { kind: 'untold' };
  const status = typeof response.status === 'number' ? response.status : 0;
  if (status < 100) return noReply(response);
  const headers = headersOf(response.headers);
  return { kind: 'reply', status, headers, body: contentOf(response.content, headers) };
}

/** Where Chrome says why a request failed. */
const CHROME_ERROR = '_error';

/** Browsers write status 0 for what had no reply, and Chrome the reason beside it. */
function noReply(response: Fields): SeenAnswer {
  const detail = [response[CHROME_ERROR], response.statusText].find((text) => typeof text === 'string' && text !== '');
  if (typeof detail !== 'string') return { kind: 'untold' };
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
  if (content.encoding !== 'base64') return cutAs(textBody(content.text), content, content.size);
  const bytes = Buffer.from(content.text, 'base64');
  const coding = headers?.find(([name]) => name.toLowerCase() === 'content-encoding')?.[1].toLowerCase();
  return cutAs(bodyOf(decompressed(bytes, coding)), content, content.size);
}

/** Bytes that were kept as they came over the wire are unpacked; those that a browser unpacked already are not. */
function decompressed(bytes: Uint8Array, coding: string | undefined): Uint8Array {
  const options = { maxOutputLength: MOST_BYTES };
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
