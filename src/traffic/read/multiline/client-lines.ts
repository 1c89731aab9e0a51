import { NOTHING, placed, type RequestPart } from './request-part.ts';

/** Matches the lines that RestTemplate of Spring writes at the level DEBUG. */
const REST_TEMPLATE = /\bRestTemplate\b.{0,60}?(?: : | - |: )/;
const REQUEST = /^HTTP (GET|POST|PUT|PATCH|DELETE) (https?:\/\/\S{1,4000})$/;
const WRITING = /^Writing \[(.*)\] (?:as "[^"]{1,200}"|with \S{1,200})(?: using \S{1,200})?$/s;
const RESPONSE = /^Response ([1-5]\d\d)(?: [\w ]{1,100})?$/;
const REPEATED = /^(?:Accept=\[|Reading to \[)/;

/** Matches the two lines of HttpClient of .NET about a call, after the first line of each entry was joined with its text. */
const DOT_NET =
  /^(.{0,200}?)System\.Net\.Http\.HttpClient\.[\w.-]{1,200}\.(Logical|Client)Handler\[\d{1,3}\]\s+(.{1,4000})$/s;
const SENDING = /^Sending HTTP request (GET|POST|PUT|PATCH|DELETE) (https?:\/\/\S{1,4000})$/;
const RECEIVED = /^Received HTTP response(?: headers)? after (\d{1,9}(?:\.\d{1,9})?)ms - ([1-5]\d\d)$/;

/**
 * Reads a line that an HTTP client has logged about one of its own calls: RestTemplate of Spring, or HttpClient of .NET. Neither logs
 * the body of a reply, and HttpClient logs no bodies at all. Returns undefined for any other line.
 */
export function clientPart(line: string): RequestPart | undefined {
  if (line.includes('RestTemplate')) return ofRestTemplate(line);
  return line.includes('System.Net.Http.HttpClient.') ? ofDotNet(line) : undefined;
}

function ofRestTemplate(line: string): RequestPart | undefined {
  const found = REST_TEMPLATE.exec(line);
  if (!found) return undefined;
  const end = found.index + found[0].length;
  const own = placed(line.slice(0, end));
  const text = line.slice(end).trim();
  const [, method, url] = REQUEST.exec(text) ?? [];
  if (url !== undefined) return { kind: 'request', fields: { ...own, method, url } };
  const written = WRITING.exec(text)?.[1];
  if (written !== undefined) return { kind: 'body', fields: { ...own, requestBody: asJson(written) } };
  const status = RESPONSE.exec(text)?.[1];
  if (status !== undefined) return { kind: 'fields', fields: { ...own, status } };
  return REPEATED.test(text) ? NOTHING : undefined;
}

/** Writes a map as JSON, if Java has printed it: `{amount=5.00, type=regular}`. Returns any other text unchanged. */
function asJson(text: string): string {
  if (!JAVA_MAP.test(text)) return text;
  const pairs = text.slice(1, -1).split(', ');
  return JSON.stringify(
    Object.fromEntries(pairs.map((pair) => [pair.slice(0, pair.indexOf('=')), pair.slice(pair.indexOf('=') + 1)])),
  );
}

const JAVA_MAP = /^\{\w{1,100}=[\w.:-]{0,200}(?:, \w{1,100}=[\w.:-]{0,200}){0,50}\}$/;

function ofDotNet(line: string): RequestPart | undefined {
  const [, before = '', handler, text = ''] = DOT_NET.exec(line) ?? [];
  if (handler === undefined) return undefined;
  // Both handlers write about each call. Only the inner one is about a single attempt.
  if (handler === 'Logical') return NOTHING;
  const [, method, url] = SENDING.exec(text.trim()) ?? [];
  if (url !== undefined) return { kind: 'request', fields: { ...placed(before), method, url } };
  const [, took, status] = RECEIVED.exec(text.trim()) ?? [];
  return status === undefined ? NOTHING : { kind: 'fields', fields: { ...placed(before), status, durationMs: took } };
}
