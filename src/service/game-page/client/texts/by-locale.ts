import { CS } from './cs.ts';
import { EL } from './el.ts';
import { EN_US } from './en-us.ts';
import { FI } from './fi.ts';
import { HU } from './hu.ts';
import { IT } from './it.ts';
import { NO } from './no.ts';
import { PL } from './pl.ts';
import type { Texts } from './texts.ts';
import { ZH_CN } from './zh-cn.ts';

/** The locales that the contract names (contract, Locales). */
const BY_LOCALE: Readonly<Record<string, Texts>> = {
  en_us: EN_US,
  zh_cn: ZH_CN,
  cs: CS,
  fi: FI,
  el: EL,
  hu: HU,
  it: IT,
  no: NO,
  pl: PL,
};

/** Returns the texts in the language of a locale. For a locale without texts, returns the texts of `en_us`. */
export function textsOf(locale: string): Texts {
  return Object.hasOwn(BY_LOCALE, locale) ? (BY_LOCALE[locale] ?? EN_US) : EN_US;
}
