import { describe, expect, it } from 'vitest';
import { Money } from '../../../src/contract/money.ts';
import {
  EvaluationError,
  evaluate,
  evaluateMoney,
  type Scope,
  type Value,
} from '../../../src/scenario/expressions/evaluate.ts';
import type { Template } from '../../../src/scenario/expressions/expression.ts';
import { parseExpression } from '../../../src/scenario/expressions/expression.ts';
import * as fc from '../../properties.ts';

const names: Readonly<Record<string, Value>> = {
  stake: Money.of('1.10'),
  unit: Money.of('0.01'),
  balance: Money.of('100'),
  'first.reply.txID': 'op-1',
  'first.reply.balance': '98.90',
  'first.reply.count': 3,
  'first.reply.details': { a: [1] },
  'first.reply.ok': true,
  'given-back.amount': Money.of('2'),
};
const scope: Scope = { decimals: 2, name: (path) => names[path.join('.')] };

function whole(text: string): Template {
  const parsed = parseExpression(text);
  if (!parsed.ok) throw new Error(parsed.mistake.message);
  return { kind: 'expression', expression: parsed.expression };
}

/** Cents as a decimal. */
function decimal(amount: bigint): string {
  return `${amount / 100n}.${String(amount % 100n).padStart(2, '0')}`;
}

describe('evaluate', () => {
  it.each([
    ['stake', '1.10'],
    ['2 * stake + unit', '2.21'],
    ['2 * (stake + unit)', '2.22'],
    ['balance - stake - unit', '98.89'],
    ['-stake', '-1.10'],
    ['0 - 6 * stake', '-6.60'],
    ['--stake', '1.10'],
    ['0.5 * unit', '0.005'],
    ['5', '5.00'],
    ["'x}y'", 'x}y'],
    ['first.reply.txID', 'op-1'],
    ['first.reply.balance - stake', '97.80'],
    ['first.reply.count', 3],
    ['first.reply.count * unit', '0.03'],
    ['first.reply.ok', true],
    ['first.reply.details', { a: [1] }],
    ['given-back.amount', '2.00'],
    ['balance-5', '95.00'],
  ])('gives for %s the value %j', (text, value) => {
    expect(evaluate(whole(text), scope)).toEqual(value);
  });

  it('keeps the shape of lists and maps, and joins text', () => {
    const template: Template = {
      kind: 'map',
      entries: [
        ['note', { kind: 'text', parts: ['won ', { kind: 'name', path: ['stake'], start: 0, end: 5 }, '!'] }],
        ['list', { kind: 'list', items: [{ kind: 'literal', value: null }, whole('unit')] }],
      ],
    };
    expect(evaluate(template, scope)).toEqual({ note: 'won 1.10!', list: [null, '0.01'] });
  });

  it.each([
    ['nobody.txID', '`nobody.txID` is not known at this point'],
    ['2 * first.reply.txID', '`first.reply.txID` ("op-1") is not an amount'],
    ["1 + 'x'", '"x" is not an amount'],
    ['-first.reply.details', '`first.reply.details` ({"a":[1]}) is not an amount'],
  ])('fails for %s with the message: %s', (text, message) => {
    expect(() => evaluate(whole(text), scope)).toThrow(EvaluationError);
    expect(() => evaluate(whole(text), scope)).toThrow(message);
  });

  it('computes sums exactly, without the errors of binary fractions', () => {
    const cents = fc.bigInt({ min: 0n, max: 10n ** 24n });
    fc.assert(
      fc.property(cents, cents, (a, b) => {
        expect(evaluate(whole(`${decimal(a)} + ${decimal(b)}`), scope)).toBe(decimal(a + b));
      }),
    );
  });
});

describe('evaluateMoney', () => {
  it('accepts amounts as text, with or without a sign', () => {
    expect(evaluateMoney({ kind: 'literal', value: '-3.50' }, scope).format(2)).toBe('-3.50');
    expect(evaluateMoney(whole('first.reply.balance'), scope).format(2)).toBe('98.90');
  });

  it('names the value that is not an amount', () => {
    expect(() => evaluateMoney({ kind: 'literal', value: '1e3' }, scope)).toThrow('"1e3" is not an amount');
    expect(() => evaluateMoney(whole('first.reply.ok'), scope)).toThrow('`first.reply.ok` (true) is not an amount');
  });
});
