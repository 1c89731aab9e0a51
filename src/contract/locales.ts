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

/** The locales that croupier knows. */
export const LOCALES: readonly string[] = [...NAMED, ...BY_POSITION];

/** The form of a locale: lower case, with an underscore before the country or script. */
const LOCALE_FORM = /^[a-z]{2,3}(_[a-z0-9]{2,8}){0,2}$/;

/**
 * True for a text in the form of a locale (contract, Locales). The service may support more locales than croupier knows, because
 * the contract does not show its complete list.
 */
export function hasLocaleForm(text: string): boolean {
  return LOCALE_FORM.test(text);
}

/** True for a locale that croupier knows. Letter case and underscore matter: `en-US` is not a supported locale. */
export function isLocale(text: string): boolean {
  return LOCALES.includes(text);
}
