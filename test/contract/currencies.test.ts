import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { CURRENCIES, currencyByCode } from '../../src/contract/currencies.ts';

const pinned = readFileSync(new URL('../../fixtures/contract/currencies.csv', import.meta.url), 'utf8')
  .trim()
  .split('\n')
  .slice(1);

describe('the currencies', () => {
  it('are exactly the pinned ones, each once', () => {
    const rows = CURRENCIES.map((one) => [one.code, one.type, one.decimals ?? '', one.basis].join(','));
    expect(rows.toSorted()).toEqual(pinned.toSorted());
  });

  it('are found by their exact code only', () => {
    expect(currencyByCode('uBTC')?.type).toBe('crypto');
    for (const code of ['UBTC', 'usd', '', 'XXX', 'toString']) expect(currencyByCode(code), code).toBeUndefined();
  });

  it('have no decimals by contract only for JPY, KRW and VND', () => {
    const strict = CURRENCIES.filter((one) => one.decimals === 0 && one.basis === 'contract');
    expect(strict.map((one) => one.code)).toEqual(['JPY', 'KRW', 'VND']);
  });
});
