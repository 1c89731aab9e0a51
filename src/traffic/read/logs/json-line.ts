import { cutEntry, cutObject } from '../../cut-body.ts';
import { type Fields, isFields, parsed } from '../../json-fields.ts';
import type { LoggedExchange, LogPlace, Side } from '../../logged-exchange.ts';
import { readTextLine } from './access-log.ts';
import { valuesOf } from './field-values.ts';
import { NAMES_OF_CLIENTS, ofHttpClient } from './http-client.ts';
import { type LogField, type LogForm, logForm } from './log-form.ts';
import { exchangeOfLine } from './log-line.ts';
import { ADJACENT, printedBodies } from './printed.ts';
import { isPrinted, printedField } from './printed-field.ts';
import { readTime } from './time.ts';
import { namedPairs, timeIn, withoutPrefix } from './wrapped.ts';

/** The fields in which log collectors and logging libraries put the line that a program wrote. */
const CARRIERS = [
  'message',
  'formattedMessage',
  'msg',
  'log',
  'line',
  'Line',
  'event',
  'jsonPayload',
  'textPayload',
  'httpRequest',
  '_source',
  'fields',
  'result',
  '_raw',
  'MESSAGE',
  'Message',
  '@message',
  'short_message',
  'full_message',
  'data',
  'attributes',
  'Properties',
  'resultDescription',
  'http',
  'properties',
  'eventProperties',
  'customDimensions',
  'meta',
  'context',
  'content',
] as const;
/** The carriers with their positions in the list. A body in such a field is read as the text of the entry. */
const CARRIER_RANKS: ReadonlyMap<string, number> = new Map(CARRIERS.map((name, rank) => [name, rank]));
/** The fields in which some programs put an object with the fields of the entry. If such a field is a text, it is not an entry. */
const OBJECT_CARRIERS: ReadonlySet<string> = new Set([
  'record',
  'extra',
  'span',
  'State',
  'payload',
  'metadata',
  'default',
]);
const MAX_DEPTH = 4;

/** A time as a number above this is not in seconds since 1970. */
const MAX_SECONDS = 1e10;

/**
 * Programs that log a duration without its unit. `mark`: a field that shows that an entry is from this program. `field`: the field
 * with the duration. `ms`: the length of its unit in milliseconds.
 */
const UNITLESS = [
  { mark: 'response_code', field: 'duration', ms: 1 },
  { mark: 'resp_headers', field: 'duration', ms: 1000 },
  { mark: 'DownstreamStatus', field: 'Duration', ms: 1e-6 },
  { mark: 'correlation', field: 'duration', ms: 1 },
] as const;

/**
 * Reads one JSON object of a log, with the names of fields from the log form. Returns undefined if the object describes
 * no request.
 */
export function readJsonLine(object: Fields, form: LogForm, place: LogPlace): LoggedExchange | undefined {
  let best: LoggedExchange | undefined;
  for (const layer of layersOf(object)) {
    const found =
      withRewrittenBody(
        exchangeOfLine((field) => fieldOf(layer, field, form), form, place, sideOf(object)),
        layer,
        form,
      ) ?? readCarriedText(layer, form, place);
    if (found && (!best || knownParts(found) > knownParts(best))) best = found;
    if (best && knownParts(best) === MAX_PARTS) break;
  }
  return best;
}

/**
 * Marks the exchange with `isBodyRewritten` if the entry of a signed call has the body as an object. Then the signed bytes are not
 * known.
 */
function withRewrittenBody(
  exchange: LoggedExchange | undefined,
  layer: Fields,
  form: LogForm,
): LoggedExchange | undefined {
  if (exchange?.logged.signature === undefined) return exchange;
  const isObject = valuesOf(layer, form).requestBody?.some(({ value }) => isFields(value)) === true;
  return isObject ? { ...exchange, isBodyRewritten: true } : exchange;
}

/** Returns the side that wrote an entry. A capsule writes this side into its calls. */
function sideOf({ side }: Fields): Side {
  return side === 'service' ? 'service' : 'operator';
}

const MAX_PARTS = 3;

/**
 * Returns a number from 0 to 3: one for a known result, one for a known body of the request or the reply, and one for the part of
 * the request that names the session, which is the body of a POST and the query of a GET. An entry can describe the exchange in
 * several layers, and the layer with the higher number is used. For example, the field `message` may repeat only the method and
 * the path, while another field has the query and the bodies.
 */
function knownParts({ request: { body, url }, answer, logged }: LoggedExchange): number {
  const isSent = body !== null && body !== 'unknown';
  const hasBody = isSent || (answer.kind === 'reply' && answer.body !== null);
  const hasSession = isSent || logged.session !== undefined || url?.includes('?') === true;
  return Number(answer.kind !== 'unknown') + Number(hasBody) + Number(hasSession);
}

/**
 * Yields an object, then the objects that a collector stored in its fields. An inner object also gets the fields of the
 * outer object, unless it has a field of the same name. If an object is from an HTTP client, its request comes first.
 */
export function layersOf(object: Fields): Iterable<Fields> {
  return isPrinted(object) ? [object] : layersIn(withPlainNames(withText(object)), 0);
}

/** In GELF, the names of all fields of a program begin with an underscore. Removes it. */
function withPlainNames(object: Fields): Fields {
  if (typeof object.short_message !== 'string' || typeof object.host !== 'string') return object;
  return Object.fromEntries(Object.entries(object).map(([name, value]) => [name.replace(/^_(?=[^_])/, ''), value]));
}

/** journald exports a message with control characters, or with bytes that are no UTF-8, as a list of its bytes. Decodes it. */
function withText(object: Fields): Fields {
  const { MESSAGE: bytes } = object;
  return Array.isArray(bytes) && bytes.every((byte) => Number.isInteger(byte))
    ? { ...object, MESSAGE: Buffer.from(bytes as number[]).toString('utf8') }
    : object;
}

function* layersIn(object: Fields, depth: number): Generator<Fields> {
  const ofClient = markedNames(object).hasClient ? ofHttpClient(object) : undefined;
  if (ofClient) yield ofClient;
  yield object;
  if (depth >= MAX_DEPTH) return;
  for (const carrier of markedNames(object).carriers) {
    const value = object[carrier];
    const inner = typeof value === 'string' ? inText(value, object) : isFields(value) ? value : undefined;
    if (!inner) continue;
    const { [carrier]: _line, ...around } = object;
    yield* layersIn({ ...around, ...inner }, depth + 1);
  }
}

/** Returns the fields that a text describes. The text is a printed request or reply with its JSON, or has an object at its end. */
function inText(text: string, around: Fields): Fields | undefined {
  const whole = wholeObject(text);
  if (whole) return whole;
  const printed = printedBodies(text);
  if (!printed) return objectIn(text);
  // The id and the time from the text are used only if the entry itself has none. The entry's own id joins lines more reliably, and
  // its own time is at least as exact.
  const { trace_id: id, timestamp, ...rest } = printed;
  const isNamed = id !== ADJACENT && typeof id === 'string';
  return { ...rest, ...(isNamed && !hasId(around) && { trace_id: id }), ...(!hasTime(around) && { timestamp }) };
}

/**
 * Reads a text that is only a JSON object, with nothing before or after it. {@link printedBodies} reads all other texts: objects in
 * the forms of Python and Ruby, and objects in a CSV, which doubles quotation marks.
 */
function wholeObject(text: string): Fields | undefined {
  if (!text.startsWith('{"') || text.startsWith('{""') || text.includes("{'") || text.includes('=>')) return undefined;
  const value = text.trimEnd().endsWith('}') ? parsed(text) : undefined;
  return isFields(value) && !text.includes('{""') ? value : undefined;
}

/** True if an object has an id that other lines of the same request have too. */
export function hasId(object: Fields): boolean {
  return fieldOf(object, 'correlation', USUAL_FORM) !== undefined;
}

function hasTime(object: Fields): boolean {
  return fieldOf(object, 'time', USUAL_FORM) !== undefined;
}

/** Reads a field of an object as text. Returns undefined if the object does not have the field. */
export function fieldOf(object: Fields, field: LogField, form: LogForm): string | undefined {
  if (form.fields === USUAL_FORM.fields && isPrinted(object)) return ofPrinted(object, field);
  for (const { path, value } of valuesOf(object, form)[field] ?? NO_VALUES) {
    // In most logs, the field `request` contains the whole request. In some logs, it contains only the body.
    if (field === 'requestBody' && path === 'request' && !isBody(value)) continue;
    if (field === 'responseBody' && isWithoutBody(value)) continue;
    const text = field === 'requestBody' || field === 'responseBody' ? bodyText(value) : plainText(value);
    // In many logs, a field `action` or `type` does not contain the name of the call, so its value is checked.
    if (text !== undefined && isUsable(field, text)) return text;
  }
  if (field === 'time') return splitTime(object);
  if (field === 'tookMs') return unitless(object);
  if (field === 'error') return form.isUsual(field) ? errorOfNode(object) : undefined;
  if (field === 'session') return contextValue(object, form.fields[field]) ?? sessionInQuery(object);
  if (field === 'requestBody')
    return ambiguousBody(object) ?? (form.isUsual(field) ? bodyByContent(object, isSent, OF_SENT) : undefined);
  if (field === 'responseBody') return form.isUsual(field) ? bodyByContent(object, isReplied, OF_REPLIED) : undefined;
  return CONTEXT_FIELDS.has(field) ? contextValue(object, form.fields[field]) : undefined;
}

/** Does the same as {@link fieldOf} for an object that {@link isPrinted}. */
function ofPrinted(object: Fields, field: LogField): string | undefined {
  const text = printedField(object, field);
  if (typeof text === 'string' && isUsable(field, text)) return text;
  if (field === 'requestBody') return bodyByContent(object, isSent, OF_SENT);
  return field === 'responseBody' ? bodyByContent(object, isReplied, OF_REPLIED) : undefined;
}

/**
 * Says where {@link fieldOf} finds the value of a field. `path` is the path with the value: null if there is no value, undefined if
 * the value comes from elsewhere. `unusable` are the earlier paths that have a value with another meaning.
 */
export function pathOf(
  object: Fields,
  field: LogField,
  form: LogForm,
): { readonly path: string | null | undefined; readonly unusable: readonly string[] } {
  const unusable: string[] = [];
  const isBodyField = field === 'requestBody' || field === 'responseBody';
  for (const { path, value } of valuesOf(object, form)[field] ?? []) {
    if (field === 'requestBody' && path === 'request' && !isBody(value)) continue;
    if (field === 'responseBody' && isWithoutBody(value)) continue;
    const text = isBodyField ? bodyText(value) : plainText(value);
    if (text === undefined) continue;
    if (isUsable(field, text)) return { path, unusable };
    unusable.push(path);
  }
  if (fieldOf(object, field, form) === undefined) return { path: null, unusable };
  const inContext = CONTEXTS.flatMap((context) => form.fields[field].map((name) => `${context}.${name}`));
  return {
    path: CONTEXT_FIELDS.has(field)
      ? inContext.find((path) => plainText(valueAt(object, path)) !== undefined)
      : undefined,
    unusable,
  };
}

/** The values of a field that an object does not have. Most fields are absent, so no list is made for each of them. */
const NO_VALUES = [] as const;

/** Reads the time of log4j, which has seconds and nanoseconds in separate fields. */
function splitTime({ instant }: Fields): string | undefined {
  if (!isFields(instant)) return undefined;
  const { epochSecond, nanoOfSecond } = instant;
  return typeof epochSecond === 'number' && typeof nanoOfSecond === 'number'
    ? `${epochSecond}.${String(nanoOfSecond).padStart(9, '0')}`
    : undefined;
}

/** The names of the field for the query string, in logs that write the query string and the path into two fields. */
const QUERIES = [
  'query',
  'QueryString',
  'queryString',
  'query_string',
  'url.query',
  'CsUriQuery',
  'req.query',
  'request.query',
  'args',
] as const;

/**
 * The paths in `QUERIES`, and the first name of each path. With this set, an object without any of these names (most objects) is
 * recognised quickly.
 */
const OF_QUERIES: ReadonlySet<string> = new Set(QUERIES.flatMap((path) => [path, path.split('.', 1).join('')]));

/** The names of an object that need more work than others. */
interface MarkedNames {
  /** The names in {@link CARRIERS}, in the order of this list. */
  readonly carriers: readonly string[];
  readonly hasQuery: boolean;
  readonly hasContext: boolean;
  readonly hasAmbiguousBody: boolean;
  /** True if the object has one of the {@link NAMES_OF_CLIENTS}. */
  readonly hasClient: boolean;
}

/** The object whose names were looked at last. Many fields of the same object are read one after another. */
let lastMarked: { readonly object: Fields; readonly names: MarkedNames } | null = null;

/** Looks at each name of an object once, because an object has few names, and the lists are long. */
function markedNames(object: Fields): MarkedNames {
  if (lastMarked?.object === object) return lastMarked.names;
  const carriers: string[] = [];
  let [hasQuery, hasContext, hasAmbiguousBody, hasClient] = [false, false, false, false];
  for (const name of Object.keys(object)) {
    if (CARRIER_RANKS.has(name) || (OBJECT_CARRIERS.has(name) && isFields(object[name]))) carriers.push(name);
    hasQuery ||= OF_QUERIES.has(name);
    hasContext ||= OF_CONTEXTS.has(name);
    hasAmbiguousBody ||= AMBIGUOUS_BODIES.has(name);
    hasClient ||= NAMES_OF_CLIENTS.has(name);
  }
  const rankOf = (name: string): number => CARRIER_RANKS.get(name) ?? CARRIERS.length;
  if (carriers.length > 1) carriers.sort((a, b) => rankOf(a) - rankOf(b));
  const names = { carriers, hasQuery, hasContext, hasAmbiguousBody, hasClient };
  lastMarked = { object, names };
  return names;
}

/** Reads the session from a query string that has a field of its own in the log, as text or as an object. */
function sessionInQuery(object: Fields): string | undefined {
  if (!markedNames(object).hasQuery) return undefined;
  for (const name of QUERIES) {
    const value = valueAt(object, name);
    const session =
      typeof value === 'string'
        ? (new URLSearchParams(value).get('sessionID') ?? undefined)
        : isFields(value)
          ? plainText(value.sessionID)
          : undefined;
    if (session !== undefined) return session;
  }
  return undefined;
}

/**
 * False if the value shows that the field means something else in this log: `type` is not always a call, `status` not always a
 * number, and `request` not always a URL.
 */
function isUsable(field: LogField, text: string): boolean {
  if (field === 'call') return CALL.test(text);
  // In some logs, `request` is the body and not the URL.
  if (field === 'url') return text !== '' && !text.startsWith('{');
  return field !== 'status' || /^\s*[1-5]\d\d(?!\d)/.test(text);
}

/** The fields that describe a whole request. They have the same value in all log entries of the request. */
const CONTEXT_FIELDS: ReadonlySet<LogField> = new Set(['player', 'currency', 'correlation']);
const CALL = /(?:^|\/)(?:balance|bet|win|refund)$/i;

/** The names of the object in which a logging library stores the fields that belong to all entries of a request. */
const CONTEXTS = ['mdc', 'MDC', 'contextMap', 'context', 'ctx', 'extra', 'meta', 'labels', 'tags'] as const;

const OF_CONTEXTS: ReadonlySet<string> = new Set(CONTEXTS);

function contextValue(object: Fields, names: readonly string[]): string | undefined {
  if (!markedNames(object).hasContext) return undefined;
  for (const context of CONTEXTS) {
    const inner = object[context];
    if (!isFields(inner)) continue;
    for (const name of names) {
      const text = plainText(valueAt(inner, name));
      if (text !== undefined) return text;
    }
  }
  return undefined;
}

/**
 * Fields that contain the request body in some logs, and something else in other logs. Such a field counts as the body only if its
 * value has a `sessionID`.
 */
const AMBIGUOUS_BODY = ['request', 'req', 'input', 'in', 'params', 'args'] as const;

const AMBIGUOUS_BODIES: ReadonlySet<string> = new Set(AMBIGUOUS_BODY);

function ambiguousBody(object: Fields): string | undefined {
  if (!markedNames(object).hasAmbiguousBody) return undefined;
  for (const name of AMBIGUOUS_BODY) {
    const value = object[name];
    const inner = typeof value === 'string' ? objectIn(value) : value;
    if (isFields(inner) && typeof inner.sessionID === 'string') return bodyText(value);
  }
  return undefined;
}

/** The names of fields that only an entry of a log has. An object with one of these fields is not a body. */
const OF_ENTRY = ['url', 'uri', 'path', 'method', 'level', 'status', 'statusCode', 'time', 'timestamp'] as const;

function isSent(value: Fields): boolean {
  return (
    typeof value.sessionID === 'string' && !isReplied(value) && !OF_ENTRY.some((name) => value[name] !== undefined)
  );
}

function isReplied(value: Fields): boolean {
  const isError = typeof value.message === 'string' && typeof value.code === 'string';
  return (
    (value.balance !== undefined || isError) &&
    value.sessionID === undefined &&
    !OF_ENTRY.some((name) => value[name] !== undefined)
  );
}

/**
 * Programs give the field with the body many names. So this function looks at the content of each field with an unknown name.
 * Returns undefined if no field may be the body, or if several may be.
 */
function bodyByContent(object: Fields, is: (value: Fields) => boolean, words: readonly string[]): string | undefined {
  let found: string | undefined;
  for (const name of Object.keys(object)) {
    const value = object[name];
    if (CARRIER_RANKS.has(name)) continue;
    for (const candidate of isFields(value) ? [value, ...Object.values(value)] : [value]) {
      const inner = typeof candidate === 'string' ? textObject(candidate, words) : candidate;
      if (!isFields(inner) || !is(inner)) continue;
      const text = bodyText(candidate);
      if (found !== undefined && found !== text) return undefined;
      found = text;
    }
  }
  return found;
}

/** Lists of names of fields. A request, or a reply, has at least one field of its list. */
const OF_SENT = ['"sessionID"'] as const;
const OF_REPLIED = ['"balance"', '"message"'] as const;

/**
 * Reads a text that is nothing but a JSON object. A text with none of the names is not parsed, unless it may write them with
 * escapes.
 */
function textObject(text: string, names: readonly string[]): unknown {
  if (!text.startsWith('{"') || !text.endsWith('}')) return undefined;
  return names.some((name) => text.includes(name)) || text.includes('\\u') ? parsed(text) : undefined;
}

/**
 * Reads a line of text from a field of a log collector. If the line has no time, the exchange gets the time that the
 * collector logged. Returns undefined if no field contains such a line.
 */
function readCarriedText(object: Fields, form: LogForm, place: LogPlace): LoggedExchange | undefined {
  for (const carrier of markedNames(object).carriers) {
    const value = object[carrier];
    if (typeof value !== 'string') continue;
    const found = readPlainText(value, form, place);
    if (found) {
      const time = found.time ?? readTime(fieldOf(object, 'time', form) ?? '', form.zone) ?? null;
      return { ...found, time };
    }
  }
  return undefined;
}

/** Maximum number of prefixes before a line. Several log collectors may pass on the same line, and each may add a prefix. */
const MAX_PREFIXES = 8;

/**
 * Reads a line of an access log, of logfmt, or of text with JSON. A prefix of a log collector is skipped. Returns
 * undefined if the line describes no request.
 */
export function readPlainText(text: string, form: LogForm, place: LogPlace, prefixes = 0): LoggedExchange | undefined {
  if (!form.pattern && !MAY_BE_CALL.test(text)) return undefined;
  const direct = readTextLine(text, form, place);
  if (direct) return direct;
  const pairs = namedPairs(text);
  const named = pairs && exchangeOfLine((field) => fieldOf(pairs, field, form), form, place, 'operator');
  // In logfmt, the time may come in the text before the pairs.
  if (named) return { ...named, time: named.time ?? timeBefore(text, form) };
  const printed = readPrinted(text, form, place);
  if (printed) return printed;
  const bare = prefixes < MAX_PREFIXES ? withoutPrefix(text) : undefined;
  const found = bare && readPlainText(bare.text, form, place, prefixes + 1);
  return found && { ...found, time: found.time ?? readTime(bare.time ?? '', form.zone) ?? null };
}

/** Matches what each line of these formats has: the status of a reply, a path, an object or a pair. */
const MAY_BE_CALL = /[\d/{=]/;

function timeBefore(text: string, form: LogForm): LoggedExchange['time'] {
  const time = readTime(timeIn(text) ?? '', form.zone);
  return time ? { ...time, mayBeEnd: true } : null;
}

/** Reads a line of text that may contain the JSON of a request and of its reply. Returns undefined if it describes no request. */
export function readPrinted(text: string, form: LogForm, place: LogPlace): LoggedExchange | undefined {
  const fields = printedBodies(text);
  return fields && printedExchange(fields, form, place);
}

/**
 * Returns the exchange that the fields of {@link printedBodies} describe. Returns undefined if they describe no request, for
 * example because the line has only the reply.
 */
export function printedExchange(fields: Fields, form: LogForm, place: LogPlace): LoggedExchange | undefined {
  return exchangeOfLine((field) => fieldOf(fields, field, USUAL_FORM), form, place, 'operator');
}

const USUAL_FORM = logForm();

/** Returns the JSON object at the end of a text, or what a logger has kept of it. Returns undefined if there is none. */
function objectIn(text: string): Fields | undefined {
  const start = text.indexOf('{"');
  if (start < 0) return undefined;
  const value = text.trimEnd().endsWith('}') ? parsed(text.slice(start)) : undefined;
  if (isFields(value)) return value;
  return value === undefined ? cutEntry(text.slice(start)) : undefined;
}

/**
 * Matches a word that every entry about a request contains. A text without such a word is about something else, such as settings.
 */
const OF_REQUEST =
  /\b(?:balance|bet|win|refund|method|url|uri|path|request|req|http|post|get|sessionID|txID|origTxID|roundID)\b/i;

/** True if an entry contains a text with JSON that a logger has cut, and this text may describe a call. */
export function hasCutCall(object: Fields): boolean {
  return markedNames(object).carriers.some((carrier) => {
    const value = object[carrier];
    const start = typeof value === 'string' ? value.indexOf('{"') : -1;
    if (typeof value !== 'string' || start < 0 || !OF_REQUEST.test(value)) return false;
    return cutObject(value.slice(start)) !== undefined;
  });
}

function isBody(value: unknown): boolean {
  return isFields(value) && ('sessionID' in value || 'txID' in value);
}

/** True for an object that has only the status or the headers of a reply, and no field of its body. */
function isWithoutBody(value: unknown): boolean {
  if (!isFields(value) || ['balance', 'txID', 'message', 'code'].some((name) => name in value)) return false;
  const { status, statusCode = status, status_code: code = statusCode } = value;
  return /^[1-5]\d\d$/.test(plainText(code) ?? '') || isFields(value.headers);
}

/** Reads the code and the message of an error of Node.js whose fields the program has logged among its own fields. */
function errorOfNode({ code, message }: Fields): string | undefined {
  if (typeof code !== 'string' || !CODE_OF_NODE.test(code)) return undefined;
  return typeof message === 'string' ? `${code}: ${message}` : code;
}

const CODE_OF_NODE = /^(?:E[A-Z]{3,}|EAI_[A-Z]+|UND_ERR_\w+)$/;

function unitless(object: Fields): string | undefined {
  for (const { mark, field, ms } of UNITLESS) {
    const value = object[field];
    if (object[mark] !== undefined && typeof value === 'number') return String(Math.round(value * ms * 1000) / 1000);
  }
  // zap writes the time and each duration in seconds, as numbers with decimals.
  if (typeof object.ts !== 'number' || object.ts > MAX_SECONDS || Number.isInteger(object.ts)) return undefined;
  const seconds = ['duration', 'latency', 'elapsed', 'took']
    .map((name) => object[name])
    .find((value) => value !== undefined);
  if (typeof seconds === 'number') return String(Math.round(seconds * 1e6) / 1000);
  return undefined;
}

/**
 * Finds a value by its path. If the object has a field whose name is the whole path with its dots, returns the value of this field.
 * Otherwise follows the nested objects.
 */
function valueAt(object: Fields, path: string): unknown {
  const own = object[path];
  if (own !== undefined) return own;
  const point = path.indexOf('.');
  if (point < 0) return undefined;
  const inner = object[path.slice(0, point)];
  return isFields(inner) ? valueAt(inner, path.slice(point + 1)) : undefined;
}

/**
 * Returns a value as text, or undefined if the value is neither a text nor a number. Some logs write a header as a list. So a list
 * with one value counts as this value.
 */
function plainText(value: unknown): string | undefined {
  if (Array.isArray(value) && value.length === 1) return plainText(value[0]);
  return typeof value === 'string' ? value : typeof value === 'number' ? String(value) : undefined;
}

/** Returns the text of a body that was logged as text or as JSON. Returns undefined for any other value. */
function bodyText(value: unknown): string | undefined {
  if (typeof value === 'string') return value;
  return typeof value === 'object' && value !== null ? JSON.stringify(value) : undefined;
}
