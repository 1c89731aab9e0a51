import { expect, it } from 'vitest';
import { DEFAULT_LOCALE, isLocale, LOCALES } from '../../src/contract/locales.ts';

it('the locales are the nine of the contract and 15 further ones, each once', () => {
  expect(LOCALES).toEqual(
    expect.arrayContaining(['en_us', 'zh_cn', 'cs', 'fi', 'el', 'hu', 'it', 'no', 'pl', 'pt_br']),
  );
  expect(new Set(LOCALES).size).toBe(24);
  expect(isLocale(DEFAULT_LOCALE)).toBe(true);
});

it.each(['en-US', 'en_US', 'EN_US', 'en', '', 'xx'])('%j is not a supported locale', (text) => {
  expect(isLocale(text)).toBe(false);
});
