import { expect, it } from 'vitest';
import { denominationOf } from '../../src/engine/stakes.ts';

it.each([
  ['USD', {}, 0, '1', '0.01', 2],
  ['USD', { USD: '2.50' }, 0, '2.5', '0.01', 2],
  ['JPY', {}, 0, '100', '1', 0],
  ['BTC', {}, 0, '0.0001', '0.00000001', 8],
  [undefined, {}, 2, '1', '0.01', 2],
  [undefined, {}, 4, '1', '0.01', 2],
  [undefined, {}, 0, '1', '1', 0],
] as const)(
  'the currency %s, stakes %j and balances with %i decimals give the stake %s and the unit %s',
  (code, stakes, shown, stake, unit, decimals) => {
    const denomination = denominationOf(code, stakes, shown);
    expect([denomination.stake.toString(), denomination.unit.toString(), denomination.decimals]).toEqual([
      stake,
      unit,
      decimals,
    ]);
  },
);
