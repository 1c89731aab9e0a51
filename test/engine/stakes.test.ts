import { expect, it } from 'vitest';
import { denominationOf } from '../../src/engine/stakes.ts';

it.each([
  ['USD', {}, {}, 0, '1', '0.01', 2],
  ['USD', { USD: '2.50' }, {}, 0, '2.50', '0.01', 2],
  ['USD', {}, { USD: 0 }, 2, '1', '1', 0],
  ['JPY', {}, {}, 0, '100', '1', 0],
  ['CLP', {}, { CLP: 2 }, 0, '500', '0.01', 2],
  ['BTC', {}, {}, 8, '0.0001', '0.00000001', 8],
  ['BTC', {}, {}, 6, '0.0001', '0.000001', 6],
  ['BTC', {}, {}, 2, '0.01', '0.01', 2],
  ['BTC', {}, {}, 0, '1', '1', 0],
  ['BTC', {}, {}, undefined, '0.0001', '0.0001', 4],
  ['BTC', { BTC: '0.002' }, {}, 1, '0.002', '0.001', 3],
  ['BTC', {}, { BTC: 5 }, 0, '0.0001', '0.00001', 5],
  ['uBTC', { uBTC: '50' }, {}, 2, '50', '0.01', 2],
  ['mBCH', {}, { mBCH: 5 }, 2, '1', '0.00001', 5],
  ['PEPE', {}, {}, 6, '1', '0.01', 2],
  ['PEPE', {}, { PEPE: 6 }, 0, '1', '0.000001', 6],
  [undefined, {}, {}, 2, '1', '0.01', 2],
  [undefined, {}, {}, 4, '1', '0.01', 2],
  [undefined, {}, {}, 0, '1', '1', 0],
] as const)(
  'the currency %s, the stakes %j, the decimals %j and balances with %s decimals give the stake %s and the unit %s',
  (code, stakes, decimals, shown, stake, unit, all) => {
    const denomination = denominationOf(code, { stakes, decimals }, shown);
    expect([denomination.stake.toString(), denomination.unit.toString(), denomination.decimals]).toEqual([
      stake,
      unit,
      all,
    ]);
  },
);
