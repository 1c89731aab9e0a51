import type { JsonObject, JsonValue } from '../contract/json.ts';
import type { Body } from '../journal/exchange.ts';

/** Why a body is not one JSON object in UTF-8. */
export type JsonProblem =
  | { readonly kind: 'empty' }
  | { readonly kind: 'not-utf8' }
  | { readonly kind: 'byte-order-mark' }
  | { readonly kind: 'not-json'; readonly detail: string }
  | { readonly kind: 'not-object'; readonly found: string }
  | { readonly kind: 'duplicate-key'; readonly key: string }
  | { readonly kind: 'truncated' };

export interface JsonReading {
  /** The object, read as leniently as possible; undefined when there is none to be had. */
  readonly object: JsonObject | undefined;
  /** How the numbers of the object's own members were written, by name: `1e3` stays `1e3`. */
  readonly numbers: ReadonlyMap<string, string>;
  readonly problem: JsonProblem | undefined;
}

const NOTHING: ReadonlyMap<string, string> = new Map();

/** Reads a reply's body as one JSON object, and says what is wrong with it without giving up at the first fault. */
export function readJsonObject(body: Body): JsonReading {
  if (body.length === 0) return { object: undefined, numbers: NOTHING, problem: { kind: 'empty' } };
  if (body.truncated) return { object: undefined, numbers: NOTHING, problem: { kind: 'truncated' } };
  let problem: JsonProblem | undefined;
  let text = body.data;
  if (body.encoding === 'base64') {
    text = Buffer.from(body.data, 'base64').toString('latin1');
    problem = { kind: 'not-utf8' };
  }
  if (text.startsWith('﻿')) {
    text = text.slice(1);
    problem ??= { kind: 'byte-order-mark' };
  }
  let value: JsonValue;
  try {
    value = JSON.parse(text) as JsonValue;
  } catch (error) {
    const detail = error instanceof Error ? error.message : String(error);
    return { object: undefined, numbers: NOTHING, problem: problem ?? { kind: 'not-json', detail } };
  }
  if (value === null || typeof value !== 'object' || Array.isArray(value)) {
    const found = value === null ? 'null' : Array.isArray(value) ? 'an array' : `a ${typeof value}`;
    return { object: undefined, numbers: NOTHING, problem: problem ?? { kind: 'not-object', found } };
  }
  const repeated = duplicateKey(text);
  if (repeated !== undefined) problem ??= { kind: 'duplicate-key', key: repeated };
  return { object: value as JsonObject, numbers: numbersOf(value as JsonObject, text), problem };
}

/** How the numbers were written. Few replies have any, and finding out takes longer than parsing, so it is asked first. */
function numbersOf(object: JsonObject, text: string): ReadonlyMap<string, string> {
  if (!Object.values(object).some((value) => typeof value === 'number')) return NOTHING;
  const numbers = new Map<string, string>();
  // The third argument of a reviver gives a number's own text, which JSON.parse alone would round.
  JSON.parse(text, function (this: unknown, key: string, item: unknown, context?: { source?: string }) {
    if (typeof item === 'number' && context?.source !== undefined) numbers.set(key, context.source);
    return item;
  } as (key: string, value: unknown) => unknown);
  return numbers;
}

/** The first name that an object of the text (which is known to be JSON) has twice. */
function duplicateKey(text: string): string | undefined {
  const open: (Set<string> | null)[] = [];
  for (let at = 0; at < text.length; at += 1) {
    const char = text[at];
    if (char === '{') open.push(new Set());
    else if (char === '[') open.push(null);
    else if (char === '}' || char === ']') open.pop();
    else if (char === '"') {
      const start = at;
      at += 1;
      while (text[at] !== '"') at += text[at] === '\\' ? 2 : 1;
      const names = open.at(-1);
      if (!names || !isName(text, at + 1)) continue;
      const name = JSON.parse(text.slice(start, at + 1)) as string;
      if (names.has(name)) return name;
      names.add(name);
    }
  }
  return undefined;
}

function isName(text: string, from: number): boolean {
  let at = from;
  while (text[at] === ' ' || text[at] === '\n' || text[at] === '\r' || text[at] === '\t') at += 1;
  return text[at] === ':';
}

/** The problem in words, as the second half of "expected one JSON object in UTF-8, …". */
export function describeJsonProblem(problem: JsonProblem): string {
  switch (problem.kind) {
    case 'empty':
      return 'the body is empty';
    case 'not-utf8':
      return 'the body is not valid UTF-8';
    case 'byte-order-mark':
      return 'the body begins with a byte order mark';
    case 'not-json':
      return `the body is not JSON: ${problem.detail}`;
    case 'not-object':
      return `the body is ${problem.found}`;
    case 'duplicate-key':
      return `the name ${JSON.stringify(problem.key)} stands twice in one object`;
    case 'truncated':
      return 'the body was too long to be kept whole';
  }
}
