import { timeIn } from './wrapped.ts';

type Fields = Readonly<Record<string, unknown>>;

const MOST_OBJECTS = 4;
const CALL = /(?:^|[^\w.-])(balance|bet|win|refund)(?![\w=-])/i;
const OWN = ['call', 'action', 'operation', 'url', 'uri', 'path', 'method', 'req', 'request'] as const;
const FLAT = ['balance', 'status', 'statusCode'] as const;
const STATUS = /(?:^|[^\w.:-])([1-5]\d\d)(?![\w.:-])/;
const SESSION = /[?& "]sessionID=([^\s&"]+)/;

/**
 * What a line of text tells into which a program printed the JSON that it received and the JSON that it answered:
 * `INFO bet {"amount":…} -> 200 {"balance":…}`. undefined: it is no such line.
 */
export function printedBodies(line: string): Fields | undefined {
  if (!line.includes('{"')) return undefined;
  const { objects, between } = parted(line);
  const [only, ...others] = objects;
  // Fields beside each other, which say by themselves what call it was.
  if (only && others.length === 0 && OWN.some((name) => only.value[name] !== undefined)) return undefined;
  const request = objects.find(({ value }) => typeof value.sessionID === 'string');
  const reply = objects.find((one) => one !== request && isReply(one.value));
  const session = SESSION.exec(` ${between.join(' ')}`)?.[1];
  const before = between[0] ?? '';
  const call = CALL.exec(before)?.[1]?.toLowerCase();
  if (call === undefined || (!request && (call !== 'balance' || session === undefined))) return undefined;
  // Numbers of three digits are many before the request: those of a status stand after it.
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

/** The JSON objects of a line, and the text before, between and after them. */
function parted(line: string): {
  readonly objects: readonly { readonly text: string; readonly value: Fields }[];
  readonly between: readonly string[];
} {
  const objects: { text: string; value: Fields }[] = [];
  const between: string[] = [];
  let from = 0;
  for (let at = line.indexOf('{"'); at >= 0 && objects.length < MOST_OBJECTS; at = line.indexOf('{"', from)) {
    const end = endOf(line, at);
    const text = line.slice(at, end);
    const value = parsed(text);
    if (!value) break;
    between.push(line.slice(from, at));
    objects.push({ text, value });
    from = end;
  }
  between.push(line.slice(from));
  return { objects, between };
}

/** Where the object that begins there ends; knows only strings and nesting. */
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

function parsed(text: string): Fields | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Fields) : undefined;
  } catch {
    return undefined;
  }
}
