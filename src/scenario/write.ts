import type { JsonObject, JsonValue } from '../contract/json.ts';
import { LANGUAGE_VERSION } from './shapes/scalar-shapes.ts';

/**
 * A scenario as data with the keys of the language, as a YAML parser returns it. `loadScenario` checks whether it is valid.
 */
export interface ScenarioDraft {
  readonly title: string;
  readonly rules?: readonly string[];
  readonly needs?: JsonObject;
  readonly cases?: JsonValue;
  readonly tags?: readonly string[];
  readonly order?: 'last';
  readonly steps: readonly JsonObject[];
  readonly always?: readonly JsonObject[];
}

export interface WriteOptions {
  /** Comment lines above the scenario, without `#`. */
  readonly comments?: readonly string[];
  /** The path of the schema for editors, relative to the file. */
  readonly schema?: string;
}

/** Escapes `${` in a text from outside, so that the language does not read it as an expression. */
export function literalText(written: string): string {
  return written.replaceAll('${', "${'${'}");
}

/** Longer maps and lists are split into lines. */
const MAX_WIDTH = 110;

/** Words that some YAML versions do not read as text. */
const NO_TEXT = /^(true|false|yes|no|on|off|y|n|null|nan|inf)$/i;
/** Text that every YAML reader accepts without quotes, also inside braces: words, paths, names of rules, durations, `4xx`. */
const PLAIN_WORD = /^(?:[A-Za-z_][\w./-]*|\d+(?:\.\d+)?(?:ms|s|m)|[1-5]xx)$/;
/** A sentence that needs no quotes outside braces. */
const PLAIN_SENTENCE = /^[A-Za-z][\w ,.'()/-]*[\w.)]$/;
/** Characters that are not visible, or that change the direction of text. */
const INVISIBLE = /[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}\p{Co}\p{Cn}]/gu;

/**
 * Writes a scenario as a person would: one step after another, small maps in braces, quotes only if they are needed.
 * Reading the text gives the same scenario. Every text in the scenario stays in its place, with invisible characters escaped.
 */
export function writeScenario(draft: ScenarioDraft, { comments = [], schema }: WriteOptions = {}): string {
  const lines = comments.flatMap((comment) => comment.split('\n')).map((line) => `# ${visible(line)}`.trimEnd());
  if (schema !== undefined) lines.push(`# yaml-language-server: $schema=${visible(schema)}`);
  lines.push(`croupier: ${LANGUAGE_VERSION}`);
  const { steps, always, ...head } = draft;
  for (const key of ['title', 'rules', 'needs', 'cases', 'tags', 'order'] as const) {
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

/** One item of a list. A step has one key per line, the first one after the dash. */
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

/** `key: value`, in several lines if it is too long for one. */
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

/** A value in one line. */
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

/** @param alone true outside braces */
function text(value: string, alone: boolean): string {
  const plain = (PLAIN_WORD.test(value) || (alone && PLAIN_SENTENCE.test(value))) && !NO_TEXT.test(value);
  return plain ? value : `"${visible(value.replaceAll(/["\\]/g, '\\$&'))}"`;
}

/** Escapes invisible characters. In double quotes YAML reads the escapes back; in a comment they are visible. */
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
