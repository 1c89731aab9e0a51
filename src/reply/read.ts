import {
  duplicateName,
  hasTooManyNames,
  isTooDeep,
  type JsonObject,
  type JsonValue,
  MAX_JSON_LEVELS,
  MAX_JSON_NAMES,
} from '../contract/json.ts';
import { Money } from '../contract/money.ts';
import { type Body, header, type Reply } from '../journal/exchange.ts';

/** The balance of a reply: its text and its value. */
interface BalanceReading {
  /** The text in the reply. undefined if there is no `balance`. */
  readonly written: string | undefined;
  /** The amount, even if it is written in a wrong form. undefined if the text is not an amount. */
  readonly money: Money | undefined;
  /**
   * `negative`: a plain decimal with a `-` before it. `odd-text`: another text that is not a plain decimal, such as `1,000.00`;
   * `money` is then the value that it probably means.
   */
  readonly form: 'plain' | 'negative' | 'number' | 'odd-text' | 'not-an-amount' | 'missing';
  /** Number of decimals in the text, trailing zeros included. */
  readonly decimals: number;
}

/** The fields of a reply. Fields with a wrong form are read too, if possible; problems.ts judges whether they are right. */
export interface ReplyReading {
  readonly status: number;
  readonly object: JsonObject | undefined;
  readonly problem: JsonProblem | undefined;
  readonly contentType: string | undefined;
  readonly balance: BalanceReading;
  /** The operator's transaction id as text; undefined if the reply has no such id. */
  readonly txID: string | undefined;
  readonly txIDForm: 'text' | 'empty' | 'number' | 'other' | 'missing';
  readonly message: string | undefined;
  readonly messageForm: 'text' | 'other' | 'missing';
  readonly code: string | undefined;
  /** Number of bytes that came after the end of the body that the `Content-Length` announces. */
  readonly excessBytes: number;
}

const MAX_DIGITS = 100;

const NO_BALANCE: BalanceReading = { written: undefined, money: undefined, form: 'missing', decimals: 0 };

const READINGS = new WeakMap<Reply, ReplyReading>();

/** Reads a reply. The result is cached as long as the reply exists, because several callers read the same reply. */
export function readReply(reply: Reply): ReplyReading {
  const known = READINGS.get(reply);
  if (known) return known;
  const reading = read(reply);
  READINGS.set(reply, reading);
  return reading;
}

/**
 * Maximum number of characters of a body that are kept after it was read, and in which croupier looks for names that
 * occur twice. Replies of the contract have a few hundred characters.
 */
const MAX_KEPT = 16_384;

/** Reads a reply, and returns it without the end of a long body. {@link readReply} returns the reading of the whole body. */
export function readAndShorten(reply: Reply): Reply {
  const { body } = reply;
  if (body.data.length <= MAX_KEPT) return reply;
  const data = Buffer.from(body.data.slice(0, MAX_KEPT)).toString();
  const short = { ...reply, body: { ...body, data, truncated: true } };
  READINGS.set(short, readReply(reply));
  return short;
}

/** Reads a reply without caching the result. A load test reads each of its many replies only once. */
export function readOnce(reply: Reply): ReplyReading {
  return read(reply);
}

function read(reply: Reply): ReplyReading {
  const { object, numbers, problem } = readJsonObject(reply.body);
  const txID = object?.txID;
  const message = object?.message;
  const code = object?.code;
  return {
    status: reply.status,
    object,
    problem,
    contentType: header(reply.headers, 'content-type'),
    balance: object && 'balance' in object ? readBalance(object, numbers) : NO_BALANCE,
    txID:
      typeof txID === 'string' ? txID : typeof txID === 'number' ? (numbers.get('txID') ?? String(txID)) : undefined,
    txIDForm:
      typeof txID === 'string'
        ? txID === ''
          ? 'empty'
          : 'text'
        : typeof txID === 'number'
          ? 'number'
          : txID === undefined
            ? 'missing'
            : 'other',
    message: typeof message === 'string' ? message : undefined,
    messageForm: typeof message === 'string' ? 'text' : message === undefined ? 'missing' : 'other',
    code: typeof code === 'string' ? code : undefined,
    excessBytes: reply.excessBytes ?? 0,
  };
}

function readBalance(object: JsonObject, numbers: ReadonlyMap<string, string>): BalanceReading {
  const value = object.balance;
  if (typeof value === 'number') {
    const written = (numbers.get('balance') ?? String(value)).slice(0, MAX_DIGITS);
    return { written, money: lenientMoney(written), form: 'number', decimals: decimalsOf(written) };
  }
  if (typeof value !== 'string') {
    return {
      written: JSON.stringify(value).slice(0, MAX_DIGITS),
      money: undefined,
      form: 'not-an-amount',
      decimals: 0,
    };
  }
  // A text of this length is not read as an amount. No player has such an amount of money, and computing with it would take too
  // long.
  if (value.length > MAX_DIGITS) {
    return {
      written: `${value.slice(0, 20)}… (${value.length} characters)`,
      money: undefined,
      form: 'not-an-amount',
      decimals: 0,
    };
  }
  const plain = Money.read(value);
  if (plain) return { written: value, money: plain, form: 'plain', decimals: decimalsOfPlain(value) };
  const money = lenientMoney(value);
  if (money?.isNegative() && value.startsWith('-') && Money.read(value.slice(1)))
    return { written: value, money, form: 'negative', decimals: decimalsOf(value) };
  return { written: value, money, form: money ? 'odd-text' : 'not-an-amount', decimals: decimalsOf(value) };
}

/** Returns the number of decimals of a plain decimal, without a regular expression, because nearly every balance is plain. */
function decimalsOfPlain(text: string): number {
  const point = text.indexOf('.');
  return point < 0 ? 0 : text.length - point - 1;
}

/** Matches an amount with points between groups of three digits, and a comma before the decimals, as in 1.234,50. */
const GROUPED_WITH_POINTS = /^[+-]?\d{1,3}(?:\.\d{3})+,\d*$/;

function decimalsOf(text: string): number {
  if (GROUPED_WITH_POINTS.test(text)) return text.length - text.indexOf(',') - 1;
  const [, fraction = '', exponent = '0'] = /[.](\d+)(?:[eE]([+-]?\d{1,3}))?/.exec(text) ?? [];
  return Math.max(0, fraction.length - Number(exponent));
}

/** Matches another character between two groups, which may be a kind of space or an apostrophe. */
const GROUP_SEPARATOR = /(?<=\d)[,_' \u00a0\u2009\u2019\u202f](?=\d{3}(\D|$))/g;

/** Reads an amount as people and libraries write it: with signs, exponents, group separators and currency marks. */
export function lenientMoney(text: string): Money | undefined {
  const bare = text.trim().replace(/^[^\d.+-]+|(?<![^\d.])[^\d.]+$/gu, '');
  const ungrouped = GROUPED_WITH_POINTS.test(bare) ? bare.replaceAll('.', '') : bare.replace(GROUP_SEPARATOR, '');
  const match = /^([+-]?)(\d*)(?:[.,](\d*))?(?:[eE]([+-]?\d{1,3}))?$/.exec(ungrouped);
  if (!match) return undefined;
  const [, sign, whole = '', fraction = '', exponent = '0'] = match;
  if (whole === '' && fraction === '') return undefined;
  const digits = `${whole}${fraction}`.replace(/^0+(?=\d)/, '');
  const money = Money.of(digits).shift(Number(exponent) - fraction.length);
  return sign === '-' ? money.negated() : money;
}

/** The reason why a body is not a single JSON object in UTF-8. */
export type JsonProblem =
  | { readonly kind: 'empty' }
  | { readonly kind: 'not-utf8' }
  | { readonly kind: 'byte-order-mark' }
  | { readonly kind: 'not-json'; readonly detail: string }
  | { readonly kind: 'not-object'; readonly found: string }
  | { readonly kind: 'duplicate-key'; readonly key: string }
  | { readonly kind: 'too-deep' }
  | { readonly kind: 'too-many-names' }
  | { readonly kind: 'truncated' };

export interface JsonReading {
  /** The object, even if the JSON has a problem, as far as it can be read. undefined if the body contains no object. */
  readonly object: JsonObject | undefined;
  /** By field name: a `balance` or `txID` that is a number, as it was written in the reply, for example `1e3`. */
  readonly numbers: ReadonlyMap<string, string>;
  readonly problem: JsonProblem | undefined;
}

const NOTHING: ReadonlyMap<string, string> = new Map();

/** Reads the body of a reply as one JSON object. If the body has a problem, reads as much as possible. */
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
  if (isTooDeep(text)) return { object: undefined, numbers: NOTHING, problem: problem ?? { kind: 'too-deep' } };
  if (hasTooManyNames(text))
    return { object: undefined, numbers: NOTHING, problem: problem ?? { kind: 'too-many-names' } };
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
  const repeated = text.length <= MAX_KEPT ? duplicateName(text) : undefined;
  if (repeated !== undefined) problem ??= { kind: 'duplicate-key', key: repeated };
  return { object: value as JsonObject, numbers: numbersOf(value as JsonObject, text), problem };
}

/** The fields of a reply that are text by the contract, and numbers in the replies of some operators. */
const TEXT_FIELDS = ['balance', 'txID'] as const;

/**
 * Returns the texts of the numbers. Finding these texts takes longer than parsing, so it is done only for the few replies that need
 * it.
 */
function numbersOf(object: JsonObject, text: string): ReadonlyMap<string, string> {
  if (!TEXT_FIELDS.some((name) => typeof object[name] === 'number')) return NOTHING;
  const found: { readonly holder: unknown; readonly name: string; readonly source: string }[] = [];
  const names: readonly string[] = TEXT_FIELDS;
  // JSON.parse rounds numbers, but the third argument of its reviver has the text of each number.
  const whole: unknown = JSON.parse(text, function (
    this: unknown,
    name: string,
    item: unknown,
    context?: { source?: string },
  ) {
    if (typeof item === 'number' && context?.source !== undefined && names.includes(name))
      found.push({ holder: this, name, source: context.source });
    return item;
  } as (key: string, value: unknown) => unknown);
  // An object inside the reply may have members of the same names, so only the numbers of the outermost object are
  // returned.
  return new Map(found.filter(({ holder }) => holder === whole).map(({ name, source }) => [name, source]));
}

/** Describes a problem in words. The text can follow "expected one JSON object in UTF-8, …". */
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
      return `the name ${JSON.stringify(problem.key)} occurs twice in one object`;
    case 'too-deep':
      return `the body has more than ${MAX_JSON_LEVELS} levels of arrays and objects`;
    case 'too-many-names':
      return `the JSON of the body has more than ${MAX_JSON_NAMES} keys`;
    case 'truncated':
      return 'the body was too long to be stored completely';
  }
}
