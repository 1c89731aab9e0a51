import { type Fields, isFields, parsed } from '../../json-fields.ts';
import { timeIn } from './wrapped.ts';

const MAX_OBJECTS = 4;
const CALL = /(?:^|[^\w.-])(balance|bet|win|refund)(?![\w=-])/i;
const OWN = ['call', 'action', 'operation', 'url', 'uri', 'path', 'method', 'req', 'request'] as const;
const FLAT = ['balance', 'status', 'statusCode'] as const;
const STATUS = /(?:^|[^\w.:-])([1-5]\d\d)(?![\w.:-])/;
const SESSION = /[?& "]sessionID=([^\s&"]+)/;

/**
 * Reads a line of text that contains the JSON of the request and often the JSON of the reply: `INFO bet {"amount":…} ->
 * 200 {"balance":…}`. Returns undefined for any other line.
 */
export function printedBodies(line: string): Fields | undefined {
  if (!line.includes('{"')) return undefined;
  const { objects, between } = splitObjects(line);
  const [only, ...others] = objects;
  // An object that names the call itself is a JSON log entry, and is read elsewhere.
  if (only && others.length === 0 && OWN.some((name) => only.value[name] !== undefined)) return undefined;
  const request = objects.find(({ value }) => typeof value.sessionID === 'string');
  const reply = objects.find((one) => one !== request && isReply(one.value));
  const session = SESSION.exec(` ${between.join(' ')}`)?.[1];
  const before = between[0] ?? '';
  const call = CALL.exec(before)?.[1]?.toLowerCase();
  if (call === undefined || (!request && (call !== 'balance' || session === undefined))) return undefined;
  // A status comes after the request. A number of three digits before the request is something else.
  const after = request ? between.slice(objects.indexOf(request) + 1) : between;
  const status = STATUS.exec(reply || request ? after.join(' ') : '')?.[1];
  if (request && !reply && FLAT.some((name) => request.value[name] !== undefined))
    return { timestamp: timeIn(before), call, ...request.value };
  return {
    timestamp: timeIn(before),
    call,
    ...(request && { requestBody: request.text }),
    ...(session !== undefined && { sessionID: decoded(session) }),
    ...(reply && { responseBody: reply.text }),
    ...(status !== undefined && { status }),
  };
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

/** Splits a line into its JSON objects and the pieces of text before, between and after the objects. */
function splitObjects(line: string): {
  readonly objects: readonly { readonly text: string; readonly value: Fields }[];
  readonly between: readonly string[];
} {
  const objects: { text: string; value: Fields }[] = [];
  const between: string[] = [];
  let from = 0;
  for (let at = line.indexOf('{"'); at >= 0 && objects.length < MAX_OBJECTS; at = line.indexOf('{"', from)) {
    const end = endOf(line, at);
    const text = line.slice(at, end);
    const value = parsed(text);
    if (!isFields(value)) break;
    between.push(line.slice(from, at));
    objects.push({ text, value });
    from = end;
  }
  between.push(line.slice(from));
  return { objects, between };
}

/**
 * Returns the position after the object that begins at `start`. Tracks only strings and nesting, and does not check the
 * JSON.
 */
function endOf(line: string, start: number): number {
  let depth = 0;
  let isString = false;
  for (let at = start; at < line.length; at += 1) {
    const sign = line[at];
    if (isString) {
      if (sign === '\\') at += 1;
      else if (sign === '"') isString = false;
    } else if (sign === '"') isString = true;
    else if (sign === '{') depth += 1;
    else if (sign === '}') {
      depth -= 1;
      if (depth === 0) return at + 1;
    }
  }
  return line.length;
}
