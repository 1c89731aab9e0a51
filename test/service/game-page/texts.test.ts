import { readdirSync } from 'node:fs';
import { expect, it } from 'vitest';
import { textsOf } from '../../../src/service/game-page/client/texts/by-locale.ts';

/** The locales that the contract names (contract, Locales). */
const NAMED = ['en_us', 'zh_cn', 'cs', 'fi', 'el', 'hu', 'it', 'no', 'pl'];

/** Returns every text of a language with its path. Functions are called with values that can be found in their texts. */
function textsIn(value: unknown, path = ''): readonly (readonly [path: string, text: string])[] {
  if (typeof value === 'string') return [[path, value]];
  if (typeof value === 'function')
    return textsIn((value as (...values: string[]) => unknown)('<1>', '<2>', '<3>'), path);
  return Object.entries(value as object).flatMap(([key, inner]) => textsIn(inner, `${path}.${key}`));
}

it('each named locale has a file of its own', () => {
  const files = readdirSync('src/service/game-page/client/texts').filter((name) =>
    /^[a-z]{2}(-[a-z]{2})?\.ts$/.test(name),
  );
  expect(files.toSorted()).toEqual(NAMED.map((locale) => `${locale.replace('_', '-')}.ts`).toSorted());
});

it.each(NAMED)('the texts of %s are complete, and contain their values', (locale) => {
  const english = new Map(textsIn(textsOf('en_us')));
  const translated = textsIn(textsOf(locale));
  expect(translated.map(([path]) => path)).toEqual([...english.keys()]);
  for (const [path, text] of translated) {
    expect(text.trim(), path).not.toBe('');
    const values = (of: string): readonly string[] => [...of.matchAll(/<\d>/g)].map(String).toSorted();
    expect(values(text), path).toEqual(values(english.get(path) ?? ''));
    if (locale !== 'en_us' && text.length > 6) expect(text, path).not.toBe(english.get(path));
  }
});

it('a locale without texts of its own has the texts of en_us', () => {
  for (const locale of ['uz', 'xx', '', '__proto__', 'constructor']) expect(textsOf(locale)).toBe(textsOf('en_us'));
});
