import type { SeenExchange, SeenPlace } from '../seen.ts';
import { readTextLine } from './access-log.ts';
import { type LogField, type LogForm, logForm } from './log-form.ts';
import { exchangeOfLine } from './log-line.ts';
import { printedBodies } from './printed.ts';
import { readTime } from './time.ts';
import { namedPairs, timeIn, withoutPrefix } from './wrapped.ts';

export type Fields = Readonly<Record<string, unknown>>;

/** Where collectors and libraries put the line that a program wrote. */
const CARRIERS = [
  'message',
  'msg',
  'log',
  'line',
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
  'data',
  'attributes',
  'Properties',
] as const;
const DEEPEST = 4;

/** Programs whose `duration` has no unit beside it, told by a field of theirs; how many milliseconds one of it is. */
const UNITLESS = [
  { mark: 'response_code', field: 'duration', ms: 1 },
  { mark: 'resp_headers', field: 'duration', ms: 1000 },
  { mark: 'DownstreamStatus', field: 'Duration', ms: 1e-6 },
  { mark: 'correlation', field: 'duration', ms: 1 },
] as const;

/** Reads one JSON object of a log by the paths of its form; undefined when it tells of no request. */
export function readJsonLine(object: Fields, form: LogForm, place: SeenPlace): SeenExchange | undefined {
  for (const layer of layersOf(object)) {
    const found =
      exchangeOfLine((field) => fieldOf(layer, field, form), form, place, 'operator') ??
      readCarriedText(layer, form, place);
    if (found) return found;
  }
  return undefined;
}

/**
 * An object, and what it carries: the line that a program wrote, as a collector took it. What is written around it holds where the
 * line itself says nothing of it.
 */
export function* layersOf(object: Fields, depth = 0): Generator<Fields> {
  yield object;
  if (depth >= DEEPEST) return;
  for (const carrier of CARRIERS) {
    const value = object[carrier];
    const inner = typeof value === 'string' ? objectIn(value) : isFields(value) ? value : undefined;
    if (!inner) continue;
    const { [carrier]: _line, ...around } = object;
    yield* layersOf({ ...around, ...inner }, depth + 1);
  }
}

/** A field of a line, as text; undefined when it is not there. */
export function fieldOf(object: Fields, field: LogField, form: LogForm): string | undefined {
  for (const path of form.fields[field]) {
    const value = valueAt(object, path);
    // Most logs call the whole request so; of some it is the body.
    if (field === 'requestBody' && path === 'request' && !isBody(value)) continue;
    const text = field === 'requestBody' || field === 'responseBody' ? bodyText(value) : plainText(value);
    // Many fields are called action or type, and few of them name a call.
    if (text !== undefined && (field !== 'call' || CALL.test(text))) return text;
  }
  if (field === 'tookMs') return unitless(object);
  if (field === 'requestBody') return looseBody(object);
  return BESIDE.has(field) ? besideOf(object, form.fields[field]) : undefined;
}

/** What is the same for all that a program does for one request. */
const BESIDE: ReadonlySet<LogField> = new Set(['session', 'player', 'currency', 'correlation']);
const CALL = /(?:^|\/)(?:balance|bet|win|refund)$/i;

/** What a program knows of a request while it works on it, in an object of its own on each line. */
const CONTEXTS = ['mdc', 'MDC', 'contextMap', 'context', 'ctx', 'extra', 'meta', 'labels', 'tags'] as const;

function besideOf(object: Fields, names: readonly string[]): string | undefined {
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

/** Names that mean the whole request to some and its line to others: here it is a body with the session of a call. */
const LOOSE = ['request', 'req', 'input', 'in', 'params', 'args'] as const;

function looseBody(object: Fields): string | undefined {
  for (const name of LOOSE) {
    const value = object[name];
    const inner = typeof value === 'string' ? objectIn(value) : value;
    if (isFields(inner) && typeof inner.sessionID === 'string') return bodyText(value);
  }
  return undefined;
}

/** A line of text that was collected as a field; the time of the collector holds where it has none. */
function readCarriedText(object: Fields, form: LogForm, place: SeenPlace): SeenExchange | undefined {
  for (const carrier of CARRIERS) {
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

/** A line of text, as it is or with what a collector put before it: an access log, or pairs of names and values. */
export function readPlainText(text: string, form: LogForm, place: SeenPlace): SeenExchange | undefined {
  const direct = readTextLine(text, form, place);
  if (direct) return direct;
  const pairs = namedPairs(text);
  const named = pairs && exchangeOfLine((field) => fieldOf(pairs, field, form), form, place, 'operator');
  // What stands before the pairs is the level, and the time.
  if (named) return { ...named, time: named.time ?? timeBefore(text, form) };
  const printed = readPrinted(text, form, place);
  if (printed) return printed;
  const bare = withoutPrefix(text);
  const found = bare && readPlainText(bare.text, form, place);
  return found && { ...found, time: found.time ?? readTime(bare.time ?? '', form.zone) ?? null };
}

function timeBefore(text: string, form: LogForm): SeenExchange['time'] {
  const time = readTime(timeIn(text) ?? '', form.zone);
  return time ? { ...time, mayBeEnd: true } : null;
}

/** A line of text with the JSON of the request in it, and perhaps that of the reply. */
export function readPrinted(text: string, form: LogForm, place: SeenPlace): SeenExchange | undefined {
  const fields = printedBodies(text);
  return fields && exchangeOfLine((field) => fieldOf(fields, field, USUAL_FORM), form, place, 'operator');
}

const USUAL_FORM = logForm();

/** The JSON object that a text is, or ends with. */
function objectIn(text: string): Fields | undefined {
  const start = text.indexOf('{"');
  if (start < 0 || !text.trimEnd().endsWith('}')) return undefined;
  try {
    const value: unknown = JSON.parse(text.slice(start));
    return isFields(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

function isBody(value: unknown): boolean {
  return isFields(value) && ('sessionID' in value || 'txID' in value);
}

function isFields(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function unitless(object: Fields): string | undefined {
  for (const { mark, field, ms } of UNITLESS) {
    const value = object[field];
    if (object[mark] !== undefined && typeof value === 'number') return String(Math.round(value * ms * 1000) / 1000);
  }
  return undefined;
}

/** A name with points in it counts before the way through several objects. */
function valueAt(object: Fields, path: string): unknown {
  const own = object[path];
  if (own !== undefined) return own;
  const point = path.indexOf('.');
  if (point < 0) return undefined;
  const inner = object[path.slice(0, point)];
  return isFields(inner) ? valueAt(inner, path.slice(point + 1)) : undefined;
}

/** Headers are logged as lists of values too. */
function plainText(value: unknown): string | undefined {
  if (Array.isArray(value) && value.length === 1) return plainText(value[0]);
  return typeof value === 'string' ? value : typeof value === 'number' ? String(value) : undefined;
}

/** A body may have been logged as text, or as the JSON that it is. */
function bodyText(value: unknown): string | undefined {
  if (typeof value === 'string') return value;
  return typeof value === 'object' && value !== null ? JSON.stringify(value) : undefined;
}
