import type { JsonObject } from '../contract/json.ts';
import { Money } from '../contract/money.ts';
import { header, type Reply } from '../journal/exchange.ts';
import { type JsonProblem, readJsonObject } from './reply-json.ts';

/** A balance as it was written and as it can be understood with good will. */
interface BalanceReading {
  /** undefined: the reply has no `balance`. */
  readonly written: string | undefined;
  /** What it says, read as leniently as possible; undefined when it says no amount. */
  readonly money: Money | undefined;
  /** Below zero: `money` is the amount with its sign. */
  readonly form: 'plain' | 'number' | 'odd-text' | 'not-an-amount' | 'missing';
  /** How many decimals were written, zeros at the end included. */
  readonly decimals: number;
}

/** What a reply says, apart from whether it is right. */
export interface ReplyReading {
  readonly status: number;
  readonly object: JsonObject | undefined;
  readonly problem: JsonProblem | undefined;
  readonly contentType: string | undefined;
  readonly balance: BalanceReading;
  /** The operator's transaction id as text; undefined when there is none. */
  readonly txID: string | undefined;
  readonly txIDForm: 'text' | 'empty' | 'number' | 'other' | 'missing';
  readonly message: string | undefined;
  readonly messageForm: 'text' | 'other' | 'missing';
  readonly code: string | undefined;
}

const MOST_DIGITS = 100;

const NO_BALANCE: BalanceReading = { written: undefined, money: undefined, form: 'missing', decimals: 0 };

const READINGS = new WeakMap<Reply, ReplyReading>();

/** Reads a reply. The judge and those who act on what it says ask for the same reading, which is made once. */
export function readReply(reply: Reply): ReplyReading {
  const known = READINGS.get(reply);
  if (known) return known;
  const reading = read(reply);
  READINGS.set(reply, reading);
  return reading;
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
  };
}

function readBalance(object: JsonObject, numbers: ReadonlyMap<string, string>): BalanceReading {
  const value = object.balance;
  if (typeof value === 'number') {
    const written = (numbers.get('balance') ?? String(value)).slice(0, MOST_DIGITS);
    return { written, money: lenientMoney(written), form: 'number', decimals: decimalsOf(written) };
  }
  if (typeof value !== 'string') {
    return { written: JSON.stringify(value), money: undefined, form: 'not-an-amount', decimals: 0 };
  }
  // Nobody has so much money, and reckoning with so many digits would take for ever.
  if (value.length > MOST_DIGITS) {
    return {
      written: `${value.slice(0, 20)}… (${value.length} characters)`,
      money: undefined,
      form: 'not-an-amount',
      decimals: 0,
    };
  }
  const plain = Money.read(value);
  if (plain) return { written: value, money: plain, form: 'plain', decimals: decimalsOf(value) };
  const money = lenientMoney(value);
  return { written: value, money, form: money ? 'odd-text' : 'not-an-amount', decimals: decimalsOf(value) };
}

function decimalsOf(text: string): number {
  const [, fraction = '', exponent = '0'] = /[.](\d+)(?:[eE]([+-]?\d{1,3}))?/.exec(text) ?? [];
  return Math.max(0, fraction.length - Number(exponent));
}

/** Understands what people and libraries write for an amount: signs, exponents, group separators, currency marks. */
export function lenientMoney(text: string): Money | undefined {
  const bare = text
    .trim()
    .replace(/^[^\d.+-]+|[^\d.]+$/gu, '')
    .replace(/(\d)[,_' ](?=\d{3}(\D|$))/g, '$1');
  const match = /^([+-]?)(\d*)(?:[.,](\d*))?(?:[eE]([+-]?\d{1,3}))?$/.exec(bare);
  if (!match) return undefined;
  const [, sign, whole = '', fraction = '', exponent = '0'] = match;
  if (whole === '' && fraction === '') return undefined;
  const digits = `${whole}${fraction}`.replace(/^0+(?=\d)/, '');
  const money = Money.of(digits).shift(Number(exponent) - fraction.length);
  return sign === '-' ? money.negated() : money;
}
