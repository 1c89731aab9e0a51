import { cutFields, withoutRest } from '../../cut-body.ts';
import { type Fields, isFields, parsed } from '../../json-fields.ts';
import { isTransportError } from './transport-error.ts';
import { namedPairs, timeIn } from './wrapped.ts';

const MAX_OBJECTS = 4;
const CALL = /(?:^|[^\w.-])(balance|bet|win|refund)(?![\w=-])/i;
/** Matches the URL of one of the four calls. */
const URL_OF_CALL =
  /(?:^|[\s"'=(|])((?:https?:\/\/[^\s"'/?|]{1,253})?\/(?:[^\s"'?/|]{1,100}\/){0,12}(?:balance|bet|win|refund)\/?(?:\?[^\s"'|]{0,2000})?)(?=$|[\s"',;)|])/;
const RELATIVE_URL =
  /(?:^|[^\w])(?:GET|POST)"? ((?:[\w.-]{1,100}\/){1,12}(?:balance|bet|win|refund)(?:\?[^\s"'|]{0,2000})?)(?=$|[\s"',;)|])/;
const CALL_OF_URL = /\/(balance|bet|win|refund)\/?(?:\?|$)/;
const METHOD = /(?:^|[^\w])(GET|POST)(?!\w)/;
const OWN = ['call', 'action', 'operation', 'url', 'uri', 'path', 'method', 'req', 'request'] as const;
const PAIRS_OF_CALL = ['method', 'url', 'uri', 'path', 'status'] as const;
/** The names of fields of log entries, which no reply has. */
const OF_ENTRIES = [...OWN, 'status', 'statusCode', 'level', 'time', 'timestamp', 'msg'] as const;
const FLAT = ['balance', 'status', 'statusCode'] as const;
/** Matches a status with its name. */
const NAMED_STATUS =
  /(?:status(?:_?code)?|http_code|responded|<--|<<<|←)["']?(?:=|:|\s)\s?["']?([1-5]\d\d)(?![\w.:-])/i;
/** Matches a status without a name, or with a name that does not say what the number is. A number after another name is no status. */
const STATUS =
  /(?:^|[^\w.:,=-]|(?:code|http|out|reply|response|result|rc|sc|status)=)([2-5]\d\d)(?![\w.-]|:(?![A-Z])| ?ms)/i;
/** Matches the numbers of three digits that the texts of errors have: a port, a duration, the number of an attempt. */
const OTHER_NUMBERS = /\b(?:errno|port|after|time-?out|timed out|timeout of|in|line|attempt|retry|pid) [2-5]\d\d\b/gi;
/** Matches a status directly before the JSON of the reply. The duration of the call may be between the two. */
const STATUS_BEFORE =
  /(?:^|[^\w.:,=-]|(?:code|http|out|reply|response|result|rc|sc|status)=)([1-5]\d\d)(?![\w.-]|:(?![A-Z])| ?ms)[^\d[\]{}]{0,40}(?:(?<= in |\()\d{1,9}(?:\.\d{1,9})? ?m?s[^\d[\]{}]{0,20})?$/;
/** Matches a status before the method or directly after it, as Ktor (`200 OK: GET - /bet`) and shelf of Dart (`GET [200] /bet`) print it. */
const STATUS_BEFORE_URL =
  /(?:^|\s)([1-5]\d\d) [A-Z][A-Za-z ]{1,40}: (?:GET|POST) - $|(?:^|\s)(?:GET|POST) {1,8}\[([1-5]\d\d)\] $/;
/** Matches the name before the body of a reply. */
const NAMED_BODY = /\b(?:res|resp|response|response_?body)=$/i;
/** Matches a status directly after the URL, and the duration after this status. */
const STATUS_AFTER_URL =
  /^"?(?: HTTP\/[\d.]{1,3}"?)?(?: (?:[-=]>|→))? ([1-5]\d\d)(?=[ ,])(?: \((\d{1,9}(?:\.\d{1,9})?) ?ms\))?/;
/** Matches a status in a line whose reply is no JSON, such as the HTML of a gateway. */
const PLAIN_REPLY =
  /(?:<-{1,3}|<<<?|\b(?:response|reply|answered|responded|received)\b[^\d<{]{0,20}) ?([1-5]\d\d)(?![\w.:-]|\s?ms)|(?:^|\s)([1-5]\d\d) ?<(?:!doctype|html|\?xml)/i;
/** Matches the status of a reply before its JSON, if the line says that it is about a reply. */
const NAMED_REPLY =
  /(?:<-{1,3}|<<<?|\b(?:response|reply|answered|responded|received|outgoing)\b)[^\d<{]{0,20} ?([1-5]\d\d)(?![\w.:-]|\s?ms)[^{}]{0,60}$/i;
const SESSION = /[?& "]sessionID=([^\s&"]+)/;
const PLAYER = /(?:^|[\s[{(,])player(?:_?id)?=([\w-]{1,64})(?=$|[\s\]}),])/i;
const CURRENCY = /(?:^|[\s[{(,])currency=([A-Z]{3})(?=$|[\s\]}),])/i;
const TOOK = /(?:^|[\s(])(\d{1,9}(?:\.\d{1,9})?) ?ms(?!\w)/;
const NAMED_TOOK = /(?:^|\s)(?:duration|elapsed|took|latency|time)_?ms=(\d{1,9}(?:\.\d{1,9})?)(?=\s|$)/i;
/** Matches the id of a request in a line of text. The id has a name before it, or is alone in brackets. */
const ID =
  /(?:trace_?id|request_?id|req_?id|correlation_?id|requestid|x-request-id|cid)["']?\s?[=:]\s?["']?([\w-]{4,64})/i;
/** Matches the id of a connection of ASP.NET Core, also after the number of a thread or before the number of the request. */
const CONNECTION = /\[((?:\d{1,6}-)?0H[\dA-Z]{3,13}(?::[\dA-F]{8})?)\]/;
/** Matches a span with an id, as `tracing` of Rust prints it. */
const SPAN = /\b\w{1,60}\{id=[\w-]{1,64}(?=[\s}])/;
const BRACKETED_ID = /\[([\da-f]{16,32}(?:-[\da-f]{16})?|[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12})(?:,[^\]]{0,40})?\]/;
/** Matches the name of a thread. A thread of a Java server answers one request at a time, so its lines belong to one request. */
const THREAD =
  /\[ {0,20}([\w.-]{1,60}-(?:exec|thread|worker|task)-\d{1,9}|qtp\d{1,20}-\d{1,9}|XNIO-\d+ task-\d{1,9}) {0,20}\]/;
/** Matches a hash as Ruby prints it, if its strings contain no quotation marks. */
const RUBY_HASH = /\{"\w{1,100}" ?=> ?[^{}]{0,4000}\}/g;
/** Matches a dictionary as Python prints it, if its strings contain no double quotation marks. */
const PYTHON_DICTIONARY = /\{'[^"\\{}]{0,4000}'\}/g;

/** Stands for the id of lines that have no id in common. Two such lines are joined only if no other request is between them. */
export const ADJACENT = 'adjacent';

/**
 * Reads a line of text about a request or a reply, with their JSON if it was logged: `INFO bet {"amount":…} -> 200
 * {"balance":…}`, `Request: GET /balance?sessionID=…` or `Response: 200 {"balance":…}`. Returns undefined for any other
 * line.
 */
export function printedBodies(text: string): Fields | undefined {
  if (!text.includes('/') && !text.includes('{') && !MAY_BE_STATUS.test(text)) return undefined;
  if (text !== last.text) last = { text, found: bodiesIn(text) };
  return last.found;
}

/** Matches what a line has that contains neither a URL nor an object, but the status of a reply. */
const MAY_BE_STATUS = /[1-5]\d\d/;

/** The text that was read last, with its bodies. One line is tried as several formats, so its bodies are often needed twice. */
let last: { readonly text: string; readonly found: Fields | undefined } = { text: '', found: undefined };

function bodiesIn(text: string): Fields | undefined {
  const line = asJson(text);
  // In a CSV, quotation marks are doubled. The fields of a CSV are read elsewhere.
  if (line.includes('{""')) return undefined;
  const parts = splitObjects(line);
  const shape = shapeOf(line, parts);
  const known = shape && SHAPES.get(shape.key);
  if (shape && known) return likeBefore(known, shape);
  const fields = fieldsOf(line, parts);
  if (shape) keepShape(shape, fields);
  return fields;
}

function fieldsOf(line: string, { objects, between }: Parts): Fields | undefined {
  const around = between.join(' ');
  const url = withoutMarks(URL_OF_CALL.exec(around)?.[1]) ?? relativeUrl(around);
  // A line without JSON but with `name=value` pairs is read by the names of these pairs.
  const pairs = objects.length === 0 ? namedPairs(line) : undefined;
  if (pairs && PAIRS_OF_CALL.some((name) => pairs[name] !== undefined)) return undefined;
  const [context] = objects;
  // If the logger has cut an object, the fields that distinguish a request from a reply may be missing. Then the position of the
  // object in the line decides.
  const request =
    objects.find(({ value }) => isRequest(value)) ??
    objects.find((one) => one.isCut && one === context && !isReply(one.value) && !isAfterStatus(one)) ??
    (context && url !== undefined && isRequestOfOther(context, url) ? context : undefined);
  const reply = objects.find((one) => one !== request && (isReply(one.value) || one.isCut));
  const session = withoutMarks(SESSION.exec(` ${around}`)?.[1]);
  const before = between[0] ?? '';
  // An object that describes the call itself is a JSON log entry, and is read in another function. Monolog writes the URL before
  // such an object.
  if (context && OWN.some((name) => context.value[name] !== undefined)) {
    if (url === undefined) return undefined;
    const merged: Fields = Object.assign({}, ...objects.map(({ value }) => value).toReversed());
    return { timestamp: timeIn(before), trace_id: idOf(around), url, method: METHOD.exec(before)?.[1], ...merged };
  }
  const call = url === undefined ? CALL.exec(before)?.[1]?.toLowerCase() : undefined;
  const status = statusOf(line, { request, reply, url });
  const took =
    NAMED_TOOK.exec(around)?.[1] ??
    TOOK.exec(between.slice(1).join(' '))?.[1] ??
    (url === undefined ? undefined : STATUS_AFTER_URL.exec(before.slice(before.indexOf(url) + url.length))?.[2]);
  // Only the text after the request can be about its end.
  const after = between.slice(1).join(' ');
  const isUnanswered = status === undefined && reply === undefined && isTransportError(after);
  const player = PLAYER.exec(around)?.[1];
  const currency = CURRENCY.exec(around)?.[1];
  const common = {
    timestamp: timeIn(before),
    trace_id: idOf(around),
    ...(status !== undefined && { status }),
    ...(player !== undefined && { player }),
    ...(currency !== undefined && { currency }),
    ...(took !== undefined && { tookMs: took }),
    ...(isUnanswered && { error: after }),
  };
  // The URL may be on a later line of the same request.
  const isBodyAlone =
    request !== undefined && !request.isCut && reply === undefined && call === undefined && url === undefined;
  if (isBodyAlone && common.trace_id !== ADJACENT) return { ...common, requestBody: request.text };
  if (call === undefined && url === undefined) {
    // The method and the URL may be in other fields of the entry.
    if (reply && (request || NAMED_BODY.test(reply.before)))
      return { ...common, ...(request && { requestBody: request.text }), responseBody: reply.text };
    if (reply && !request && status !== undefined) return { ...common, responseBody: reply.text };
    const unknown = unknownReply(objects);
    if (unknown !== undefined) return { ...common, status: unknown, [UNKNOWN_REPLY]: true };
    const ofServer = objects.length === 0 ? PLAIN_REPLY.exec(around) : null;
    return ofServer ? { ...common, status: ofServer[1] ?? ofServer[2] } : undefined;
  }
  if (!request && url === undefined && (call !== 'balance' || session === undefined || objects.length === 0))
    return reply && status !== undefined ? { ...common, responseBody: reply.text } : undefined;
  const method = METHOD.exec(around)?.[1];
  if (!request && url !== undefined && method === undefined) return undefined;
  const target = url === undefined ? { call } : { call: CALL_OF_URL.exec(url)?.[1], url, method };
  if (request && !reply && FLAT.some((name) => request.value[name] !== undefined))
    return { timestamp: timeIn(before), ...target, ...request.value };
  return {
    ...common,
    ...target,
    ...(request && { requestBody: request.text }),
    ...(session !== undefined && { sessionID: decoded(session) }),
    ...(reply && { responseBody: reply.text }),
  };
}

/** A line that differs from other lines only in the time at its beginning, the id of the request, and the values in its objects. */
interface Shape {
  /** All that decides how the line is read. */
  readonly key: string;
  readonly time: string;
  /** The id of the request. Null if it is a part of the key. */
  readonly id: string | null;
  readonly objects: readonly Found[];
}

/** The fields of the lines of one shape. */
interface KnownShape {
  /** The fields of the first line of this shape. */
  readonly fields: Fields | undefined;
  /** The objects with the bodies; -1 for none. */
  readonly request: number;
  readonly reply: number;
}

/** The shapes of the lines that were read before. Most lines of a program have one of a few shapes. */
const SHAPES = new Map<string, KnownShape>();
const MAX_SHAPES = 1000;
/** Maximum length of the text of a shape. Longer texts are seldom the same in two lines. */
const MAX_KEY = 400;
/** Maximum length of a line whose shape is kept. */
const MAX_LINE = 4000;
/** Matches the usual time at the beginning of a line. Its digits have fixed positions, so no other pattern matches a part of it. */
const TIME_AT_START = /^\d{4}-\d\d-\d\d[T ]\d\d:\d\d:\d\d[.,]\d{3}(?:Z| ?[+-]\d\d:\d\d)?(?= )/;
/** The positions in such a time of the sign after the date, and of the sign before the milliseconds. */
const [AFTER_DATE, BEFORE_MS] = [10, 19];
/** The length of such a time without its zone. */
const TIME_LENGTH = 23;
/** Matches an id of which no other pattern matches a part, because it has neither a word nor a status. */
const PLAIN_ID = /^(?=.{0,12}\d)(?:[\da-f]{16,32}|[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12})$/;

/** Returns the shape of a line. Returns undefined if the values in its objects could decide how the line is read. */
function shapeOf(line: string, { objects, between }: Parts): Shape | undefined {
  if (line.length > MAX_LINE || objects.length > 2 || line.includes('\0')) return undefined;
  const before = between[0] ?? '';
  const time = TIME_AT_START.exec(before)?.[0];
  const [first, second] = objects;
  if (time === undefined || (second && first?.text === second.text)) return undefined;
  let kinds = '';
  for (const found of objects) {
    const kind = kindOf(found);
    if (kind === undefined) return undefined;
    kinds += kind;
  }
  const signs = before.charAt(AFTER_DATE) + before.charAt(BEFORE_MS);
  const named = ID.exec(before);
  const id = named?.[1] ?? '';
  const isPlain = named !== null && PLAIN_ID.test(id);
  const end = isPlain ? named.index + named[0].length : TIME_LENGTH;
  const withID = isPlain ? `${before.slice(TIME_LENGTH, end - id.length)}\0${id.length}\0` : '';
  let key = `${kinds}${signs}${withID}${before.slice(end)}`;
  for (const piece of between.slice(1)) key += `\0${piece}`;
  if (key.length > MAX_KEY || key.includes('{"')) return undefined;
  return { key, time, id: isPlain ? id : null, objects };
}

/**
 * Returns what decides how an object is read. Returns undefined if more may decide: if the object contains another object or a URL,
 * or is no body.
 */
function kindOf({ text, value, isCut }: Found): string | undefined {
  if (isCut || text.lastIndexOf('{') > 0 || text.includes('/')) return undefined;
  if (OF_ENTRIES.some((name) => value[name] !== undefined)) return undefined;
  const { amount } = value;
  const isFlat = FLAT.some((name) => value[name] !== undefined);
  const hasAmount = typeof amount === 'string' || typeof amount === 'number';
  return `${isRequest(value) ? 's' : ''}${isReply(value) ? 'r' : ''}${isFlat ? 'f' : ''}${hasAmount ? 'a' : ''};`;
}

/** Returns the fields of a line whose shape was read before. */
function likeBefore({ fields, request, reply }: KnownShape, { time, id, objects }: Shape): Fields | undefined {
  if (!fields) return undefined;
  const own: Record<string, unknown> = { ...fields, timestamp: time };
  if (id !== null) own.trace_id = id;
  if (request >= 0) own.requestBody = objects[request]?.text;
  if (reply >= 0) own.responseBody = objects[reply]?.text;
  return own;
}

/** Keeps the fields of the first line of a shape, if all its objects are bodies. */
function keepShape({ key, time, id, objects }: Shape, fields: Fields | undefined): void {
  const [request, reply] = [fields?.requestBody, fields?.responseBody].map((body) =>
    objects.findIndex(({ text }) => text === body),
  );
  const bodies = Number(request !== -1) + Number(reply !== -1);
  if (request === undefined || reply === undefined || bodies !== objects.length) return;
  if (fields && (fields.timestamp !== time || (id !== null && fields.trace_id !== id))) return;
  if (SHAPES.size >= MAX_SHAPES) SHAPES.clear();
  SHAPES.set(key, { fields, request, reply });
}

/** Returns the text of a line in which objects that Python or Ruby printed are written as JSON. */
export function asJson(text: string): string {
  const line = text.includes("{'") ? text.replaceAll(PYTHON_DICTIONARY, (found) => found.replaceAll("'", '"')) : text;
  if (!line.includes('=>')) return line;
  const plain = line.replaceAll(RUBY_HASH, (found) => found.replaceAll(/" ?=> ?/g, '":').replaceAll(':nil', ':null'));
  const start = plain.includes('=>') ? plain.search(NESTED_HASH) : -1;
  return start < 0 ? plain : plain.slice(0, start) + nestedHash(plain.slice(start));
}

/** Matches the beginning of a hash of Ruby whose keys are symbols, or which contains other objects or quotation marks. */
const NESTED_HASH = /\{ ?(?::\w{1,100}|"\w{1,100}") ?=> ?/;
/** Matches a string, the key of a hash, an arrow after it, a space after a brace, and `nil`. */
const PART_OF_HASH = /("(?:[^"\\]|\\.)*")( ?=> ?)?|:(\w{1,100}) ?=> ?|(?<=\{) | (?=\})|\bnil\b/g;

/** Writes the hashes of Ruby in a text as JSON. */
function nestedHash(text: string): string {
  return text.replaceAll(PART_OF_HASH, (found: string, string?: string, arrow?: string, symbol?: string) => {
    if (string !== undefined) return arrow === undefined ? string : `${string}:`;
    if (symbol !== undefined) return `"${symbol}":`;
    return found === 'nil' ? 'null' : '';
  });
}

/** Removes the signs that a sentence puts after a URL. */
function withoutMarks(text: string | undefined): string | undefined {
  return text?.replace(/(?<![,;)\]])[,;)\]]+$/, '');
}

/** Finds a path after the method that lacks its first slash. Laravel writes it in this way: `POST api/wallet/bet`. */
function relativeUrl(around: string): string | undefined {
  const path = RELATIVE_URL.exec(around)?.[1];
  return path === undefined ? undefined : `/${path}`;
}

interface Found {
  readonly text: string;
  /** The fields of the object. If the logger has cut the object, only the complete fields. */
  readonly value: Fields;
  readonly isCut: boolean;
  /** The text before the object. */
  readonly before: string;
}

function isAfterStatus({ before }: Found): boolean {
  return STATUS_BEFORE.test(before.slice(-200));
}

/**
 * Finds the status in a line. A number of three digits without the name `status` may also be something else, such as the id of a
 * process. So it counts only after the request, or directly before the JSON of the reply.
 */
function statusOf(
  line: string,
  { request, reply, url }: { request: Found | undefined; reply: Found | undefined; url: string | undefined },
): string | undefined {
  const sent = request?.text ?? url;
  const replyAt = reply ? line.lastIndexOf(reply.text) : -1;
  const sentAt = sent === undefined ? -1 : line.indexOf(sent);
  const outside = [request, reply].reduce((rest, one) => (one ? rest.replace(one.text, ' ') : rest), line);
  const named = NAMED_STATUS.exec(outside)?.[1];
  if (named !== undefined) return named;
  if (replyAt >= 0) {
    const from = sentAt >= 0 && sentAt < replyAt ? sentAt + (sent?.length ?? 0) : 0;
    const found = STATUS_BEFORE.exec(line.slice(Math.max(from, replyAt - 200), replyAt))?.[1];
    if (found !== undefined) return found;
  }
  const before = url === undefined ? undefined : STATUS_BEFORE_URL.exec(line.slice(0, line.indexOf(url)).slice(-80));
  if (before && reply) return before[1] ?? before[2];
  const afterUrl =
    url === undefined ? undefined : STATUS_AFTER_URL.exec(line.slice(line.indexOf(url) + url.length))?.[1];
  if (afterUrl !== undefined) return afterUrl;
  if (sentAt < 0 || (replyAt >= 0 && replyAt < sentAt)) return undefined;
  const rest = line.slice(sentAt + (sent?.length ?? 0)).replace(reply?.text ?? '', ' ');
  return STATUS.exec(rest.replace(OTHER_NUMBERS, ' '))?.[1];
}

/**
 * Finds the id that all lines of one request have: the id of the request, or the name of the thread. Returns {@link ADJACENT} if
 * there is neither.
 */
export function idOf(around: string): string {
  const named = ID.exec(around)?.[1] ?? (around.includes('{id=') ? SPAN.exec(around)?.[0] : undefined);
  if (named !== undefined) return named;
  // Most brackets of a log contain only its level, so the patterns of longer brackets are seldom needed.
  if (!hasBrackets(around)) return ADJACENT;
  const id = BRACKETED_ID.exec(around)?.[1] ?? CONNECTION.exec(around)?.[1];
  if (id !== undefined) return id;
  const thread = THREAD.exec(around)?.[1];
  return thread === undefined ? ADJACENT : `thread ${thread}`;
}

/** The least number of characters of an id or of a thread in brackets. */
const MIN_IN_BRACKETS = 5;

/** True if a text has brackets that may contain an id or the name of a thread. */
function hasBrackets(text: string): boolean {
  for (let at = text.indexOf('['); at >= 0; at = text.indexOf('[', at + 1)) {
    const end = text.indexOf(']', at);
    if (end < 0) return false;
    if (end - at > MIN_IN_BRACKETS) return true;
  }
  return false;
}

function isRequest(value: Fields): boolean {
  return typeof value.sessionID === 'string';
}

/** True for the body of a bet, win or refund of another provider, directly after the URL. */
function isRequestOfOther({ value, before, isCut }: Found, url: string): boolean {
  if (isCut || isReply(value) || (typeof value.amount !== 'string' && typeof value.amount !== 'number')) return false;
  const between = before.slice(before.lastIndexOf(url) + url.length);
  return before.includes(url) && /^["']?[\s,:|-]{0,10}(?:(?:request)?body\s?[=:]\s?)?$/i.test(between);
}

/** The field of a reply whose JSON has no field of the contract. It can only be the reply to a call of another provider. */
export const UNKNOWN_REPLY = 'isUnknownReply';

/** Returns the status of a line that is about a reply with unknown fields. Undefined for any other line. */
function unknownReply([only, ...others]: readonly Found[]): string | undefined {
  if (!only || others.length > 0 || OF_ENTRIES.some((name) => only.value[name] !== undefined)) return undefined;
  const before = only.before.slice(-200);
  return NAMED_REPLY.exec(before)?.[1];
}

function isReply(value: Fields): boolean {
  return value.balance !== undefined || value.message !== undefined || value.code !== undefined;
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text.replaceAll('+', ' '));
  } catch {
    return text;
  }
}

/** The JSON objects of a line, and the pieces of text before, between and after the objects. */
interface Parts {
  readonly objects: readonly Found[];
  readonly between: readonly string[];
}

/** Returns the JSON objects of a text that the logger has not cut. */
export function wholeObjects(text: string): readonly string[] {
  return splitObjects(text).objects.flatMap((found) => (found.isCut ? [] : [found.text]));
}

function splitObjects(line: string): Parts {
  const objects: Found[] = [];
  const between: string[] = [];
  let from = 0;
  for (let at = line.indexOf('{"'); at >= 0 && objects.length < MAX_OBJECTS; at = line.indexOf('{"', from)) {
    const end = endOf(line, at);
    const text = line.slice(at, end);
    const value = parsed(text);
    const cutText = isFields(value) ? '' : withoutRest(line.slice(at));
    const cut = isFields(value) ? undefined : cutFields(cutText);
    const fields = cut ?? value;
    if (!isFields(fields)) break;
    const before = line.slice(from, at);
    between.push(before);
    objects.push({ text: cut ? cutText : text, value: fields, isCut: cut !== undefined, before });
    from = cut ? at + cutText.length : end;
  }
  between.push(line.slice(from));
  return { objects, between };
}

/** Returns the position after the object that begins at `start`. Looks only at strings and nesting, and does not check the JSON. */
function endOf(line: string, start: number): number {
  let depth = 0;
  let isString = false;
  for (let at = start; at < line.length; at += 1) {
    const sign = line.charCodeAt(at);
    if (isString) {
      if (sign === BACKSLASH) at += 1;
      else if (sign === QUOTE) isString = false;
    } else if (sign === QUOTE) isString = true;
    else if (sign === OPEN) depth += 1;
    else if (sign === CLOSE) {
      depth -= 1;
      if (depth === 0) return at + 1;
    }
  }
  return line.length;
}

const [QUOTE, BACKSLASH, OPEN, CLOSE] = [0x22, 0x5c, 0x7b, 0x7d] as const;
