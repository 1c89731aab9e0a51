import { expect, it } from 'vitest';
import { Money } from '../../src/contract/money.ts';
import { driftingWins } from '../../src/engine/drift.ts';

it.each(['0.00', '97.00', '98.50', '100.00', '1234.56'])(
  'finds wins that doubles add up wrongly on top of %s',
  (text) => {
    const balance = Money.of(text);
    const [first, second] = driftingWins(balance, Money.unit(2));
    const doubles = Number(balance.format()) + Number(first.format()) + Number(second.format());
    expect(doubles).toBeLessThan(Number(balance.plus(first).plus(second).format()));
  },
);

it('makes do with any two where no doubles drift', () => {
  expect(driftingWins(Money.of('100'), Money.unit(0)).map(String)).toEqual(['1', '2']);
});
