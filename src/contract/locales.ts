/**
 * The locale that a game gets if `fallbackToDefaultLocale` is true and the requested locale is not supported (contract,
 * Locales).
 */
export const DEFAULT_LOCALE = 'en_us';

/** The locales that the contract names. */
const NAMED = ['en_us', 'zh_cn', 'cs', 'fi', 'el', 'hu', 'it', 'no', 'pl'] as const;

/** Further locales that croupier accepts. The contract does not show its complete list, so this is a position of croupier. */
const BY_POSITION = [
  'pt_br',
  'es',
  'es_mx',
  'ru',
  'zh_tw',
  'ko',
  'th',
  'vi',
  'hi',
  'ja',
  'fr',
  'tr',
  'de',
  'id',
  'uz',
] as const;

/** Every locale that a game can be launched in. */
export const LOCALES: readonly string[] = [...NAMED, ...BY_POSITION];

/** True for a supported locale. Letter case and underscore matter: `en-US` is not a supported locale. */
export function isLocale(text: string): boolean {
  return LOCALES.includes(text);
}
