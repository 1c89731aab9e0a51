import { expect, it } from 'vitest';
import { denominationOf } from '../../src/engine/stakes.ts';

it.each([
  ['USD', {}, '', '1', '0.01', 2],
  ['USD', { USD: '2.50' }, '', '2.5', '0.01', 2],
  ['JPY', {}, '', '100', '1', 0],
  ['BTC', {}, '', '0.0001', '0.00000001', 8],
  [undefined, {}, '12.50', '1', '0.01', 2],
  [undefined, {}, '12.5001', '1', '0.01', 2],
  [undefined, {}, '1250', '1', '1', 0],
] as const)('%s with %j, written %j: stake %s, unit %s', (code, stakes, written, stake, unit, decimals) => {
  const denomination = denominationOf(code, stakes, written);
  expect([denomination.stake.toString(), denomination.unit.toString(), denomination.decimals]).toEqual([
    stake,
    unit,
    decimals,
  ]);
});
