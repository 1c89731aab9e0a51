import { expect, it } from 'vitest';
import { Money } from '../../src/contract/money.ts';
import { inUnit, isNothingInCents } from '../../src/judge/main-unit.ts';

const CENT = Money.of('0.01');

it('a sum in another unit loses what is less than the smallest one', () => {
  expect([inUnit(Money.of('1.23'), 2, CENT).toString(), inUnit(Money.of('1.23'), -2, CENT).toString()]).toEqual([
    '123',
    '0.01',
  ]);
});

it('of what is less than a main unit nothing is left in cents', () => {
  expect([isNothingInCents(Money.of('0.99'), CENT), isNothingInCents(Money.of('1.00'), CENT)]).toEqual([true, false]);
});
