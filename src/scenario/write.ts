import type { JsonObject, JsonValue } from '../contract/json.ts';
import type { RoundsOfPlan } from './plan/plan.ts';
import { LANGUAGE_VERSION } from './shapes/scalar-shapes.ts';

/**
 * The content of a scenario file as data, with the keys of the language. The data may be invalid: only `loadScenario` checks
 * it.
 */
export interface ScenarioDraft {
  readonly title: string;
  readonly rules?: readonly string[];
  readonly needs?: JsonObject;
  readonly cases?: JsonValue;
  readonly tags?: readonly string[];
  readonly order?: 'last';
  readonly rounds?: RoundsOfPlan;
  readonly steps: readonly JsonObject[];
  readonly always?: readonly JsonObject[];
}

export interface WriteOptions {
  /** Comment lines above the scenario, without `#`. */
  readonly comments?: readonly string[];
  /** The path of the schema for editors, relative to the scenario file. */
  readonly schema?: string;
}

/** Escapes `${` in a text from outside, so that the text is not read as an expression. */
export function literalText(written: string): string {
  return written.replaceAll('${', "${'${'}");
}

/** Maximum width of a line. Longer maps and lists are split into several lines. */
const MAX_WIDTH = 110;

/** Words that must be quoted, because some YAML versions read them as booleans, null or numbers. */
const NO_TEXT = /^(true|false|yes|no|on|off|y|n|null|nan|inf)$/i;
/** Matches text that every YAML reader accepts without quotes, also inside braces: words, paths, rule ids, durations, `4xx`. */
const PLAIN_WORD = /^(?:[A-Za-z_][\w./-]*|\d+(?:\.\d+)?(?:ms|s|m)|[1-5]xx)$/;
/** Matches a sentence that needs no quotes outside braces. */
const PLAIN_SENTENCE = /^[A-Za-z][\w ,.'()/-]*[\w.)]$/;
/** Matches characters that are invisible or change the direction of text. */
const INVISIBLE = /[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}\p{Co}\p{Cn}]/gu;

/**
 * Writes a scenario in the form that a person would choose: one step after another, small maps in braces, quotes only where
 * they are needed. Reading the text gives the same scenario. Invisible characters are escaped.
 */
export function writeScenario(draft: ScenarioDraft, { comments = [], schema }: WriteOptions = {}): string {
  const lines = comments.flatMap((comment) => comment.split('\n')).map((line) => `# ${visible(line)}`.trimEnd());
  if (schema !== undefined) lines.push(`# yaml-language-server: $schema=${visible(schema)}`);
  lines.push(`croupier: ${LANGUAGE_VERSION}`);
  const { steps, always, ...head } = draft;
  for (const key of ['title', 'rules', 'needs', 'cases', 'tags', 'order', 'rounds'] as const) {
    const value = head[key];
    if (value !== undefined) lines.push(...entry(key, value, ''));
  }
  lines.push(...stepLines('steps', steps, ''));
  if (always) lines.push(...stepLines('always', always, ''));
  return `${lines.join('\n')}\n`;
}

function stepLines(key: string, steps: readonly JsonValue[], indent: string): string[] {
  if (steps.length === 0) return [`${indent}${key}: []`];
  return [`${indent}${key}:`, ...steps.flatMap((step) => itemLines(step, `${indent}  `))];
}

/** Writes one item of a list. A step has one key per line, and the first key follows the dash. */
function itemLines(step: JsonValue, indent: string): string[] {
  if (!isMap(step) || Object.keys(step).length === 0) return [`${indent}- ${flow(step)}`];
  const lines = Object.entries(step).flatMap(([key, value]) =>
    key === 'together' && isList(value)
      ? stepLines(keyText(key), value, `${indent}  `)
      : entry(key, value, `${indent}  `),
  );
  const [first = '', ...rest] = lines;
  return [`${indent}- ${first.slice(indent.length + 2)}`, ...rest];
}

/** Writes `key: value`. Uses several lines if the value is too long for one. */
function entry(key: string, value: JsonValue, indent: string): string[] {
  if (value === null) return [`${indent}${keyText(key)}:`];
  const line = `${indent}${keyText(key)}: ${typeof value === 'string' ? text(value, true) : flow(value)}`;
  if (line.length <= MAX_WIDTH) return [line];
  if (isMap(value) && Object.keys(value).length > 0) {
    const inner = Object.entries(value).flatMap(([name, each]) => entry(name, each, `${indent}  `));
    return [`${indent}${keyText(key)}:`, ...inner];
  }
  if (isList(value) && value.length > 0) {
    return [`${indent}${keyText(key)}:`, ...value.map((item) => `${indent}  - ${flow(item)}`)];
  }
  return [line];
}

/** Writes a value in one line. */
function flow(value: JsonValue): string {
  if (typeof value === 'string') return text(value, false);
  if (isList(value)) return `[${value.map(flow).join(', ')}]`;
  if (!isMap(value)) return String(value);
  const entries = Object.entries(value);
  return entries.length === 0
    ? '{}'
    : `{ ${entries.map(([key, each]) => `${keyText(key)}: ${flow(each)}`).join(', ')} }`;
}

function keyText(key: string): string {
  return text(key, false);
}

/**
 * Writes a text, with quotes if it needs them.
 *
 * @param alone true if the text is outside braces
 */
function text(value: string, alone: boolean): string {
  const plain = (PLAIN_WORD.test(value) || (alone && PLAIN_SENTENCE.test(value))) && !NO_TEXT.test(value);
  return plain ? value : `"${visible(value.replaceAll(/["\\]/g, '\\$&'))}"`;
}

/**
 * Escapes invisible characters. A YAML reader turns the escapes in double quotes back into the characters. In a comment the
 * escapes stay visible.
 */
function visible(value: string): string {
  return value.replaceAll(INVISIBLE, (character) => {
    if (character === '\n') return '\\n';
    if (character === '\t') return '\\t';
    return Array.from({ length: character.length }, (_, at) => unit(character.charCodeAt(at))).join('');
  });
}

function unit(code: number): string {
  return `\\u${code.toString(16).padStart(4, '0')}`;
}

function isList(value: JsonValue): value is readonly JsonValue[] {
  return Array.isArray(value);
}

function isMap(value: JsonValue): value is JsonObject {
  return value !== null && typeof value === 'object' && !isList(value);
}
