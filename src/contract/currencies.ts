/** Types of currencies. `GET /games` can filter by them (contract, Parameters of `GET /games`). */
export const CURRENCY_TYPES = ['fiat', 'crypto', 'virtual'] as const;

export type CurrencyType = (typeof CURRENCY_TYPES)[number];

export interface Currency {
  /** The code as in requests. Letter case matters: `mBTC` is not `MBTC`. */
  readonly code: string;
  readonly type: CurrencyType;
  /** Maximum number of decimals of an amount. null means that there is no limit. */
  readonly decimals: number | null;
  /**
   * The source of `decimals`. With `contract` ("What the service does" 6), a breach fails. With `position`, the contract does
   * not state the number, and a breach only warns.
   */
  readonly basis: 'contract' | 'position';
}

const TWO_DECIMALS =
  'AED ALL AMD ARS AUD AZN BAM BDT BGN BND BOB BRL BYN CAD CDF CHF CNY COP CRC CZK DKK DOP EUR GBP GEL GHS GTQ HKD ' +
  'HUF HTG IDR ILS INR IQD IRR KES KGS KHR KZT LAK LKR MAD MDL MKD MMK MXN MNT MVR MYR NGN NOK NPR NZD PEN PHP PKR ' +
  'PLN RON RSD RUB SAR SEK SGD SZL THB TJS TMT TND TRY TTD TWD TZS UAH USD UYU UZS ZAR ZMW KWD EGP JOD HRK BHD QAR ' +
  'BTN OMR AOA BZD DZD ETB MZN SDG VES BMD';

const NO_DECIMALS_BY_CONTRACT = 'JPY KRW VND';

/** Currencies that have no decimals by ISO 4217, but that the contract does not name. */
const NO_DECIMALS_BY_POSITION = 'CLP ISK PYG RWF UGX XAF XOF';

const CRYPTO =
  'ADA BCH mBCH DOT LUNA UNI XLM XRP LTC mLTC TRX USDT USDC DOGE MATIC SOL BNB SHIB ETH mETH BTC uBTC TON nanoTON ' +
  'microTON milliTON';

const VIRTUAL = 'FUN';

function list(codes: string, kind: Omit<Currency, 'code'>): Currency[] {
  return codes.split(' ').map((code) => ({ code, ...kind }));
}

/** The currencies that croupier knows. The service may support more, because the contract does not show its complete list. */
export const CURRENCIES: readonly Currency[] = [
  ...list(TWO_DECIMALS, { type: 'fiat', decimals: 2, basis: 'contract' }),
  ...list(NO_DECIMALS_BY_CONTRACT, { type: 'fiat', decimals: 0, basis: 'contract' }),
  ...list(NO_DECIMALS_BY_POSITION, { type: 'fiat', decimals: 0, basis: 'position' }),
  ...list(CRYPTO, { type: 'crypto', decimals: null, basis: 'position' }),
  ...list(VIRTUAL, { type: 'virtual', decimals: null, basis: 'position' }),
];

/** The form of a currency code. Codes of any letter case exist: `mBCH`, `uBTC`. */
export const CURRENCY_CODE = /^[A-Za-z0-9]{2,12}$/;

/** The most decimals of a fiat currency (contract, "What the service does" 6). */
const FIAT_DECIMALS = 2;

const BY_CODE: ReadonlyMap<string, Currency> = new Map(CURRENCIES.map((currency) => [currency.code, currency]));

/**
 * True for a fiat currency with two decimals. Most people can read amounts in such a currency more easily than in
 * others.
 */
export function isEveryday(code: string): boolean {
  const currency = BY_CODE.get(code);
  return currency?.type === 'fiat' && currency.decimals === FIAT_DECIMALS;
}

/** Returns the currency with exactly this code. undefined if croupier does not know this code. */
export function currencyByCode(code: string): Currency | undefined {
  return BY_CODE.get(code);
}

/**
 * Returns the code of a currency that differs from this code only in letter case. undefined if there is no such
 * currency.
 */
export function codeInOtherCase(code: string): string | undefined {
  return CURRENCIES.find((one) => one.code !== code && one.code.toLowerCase() === code.toLowerCase())?.code;
}

/**
 * Returns the reason why a text cannot be the code of a currency. undefined for a known currency. Also undefined for a code that
 * croupier does not know, because the contract does not show the complete list of currencies.
 */
export function codeProblem(code: string): string | undefined {
  if (!CURRENCY_CODE.test(code)) return `${code} is not the code of a currency`;
  const other = currencyByCode(code) ? undefined : codeInOtherCase(code);
  // The codes of fiat currencies have capital letters by ISO 4217. Other codes are written in different ways.
  return other !== undefined && currencyByCode(other)?.type === 'fiat'
    ? `${code} is not the code of a currency; did you mean ${other}?`
    : undefined;
}

/**
 * Returns the largest number of decimals that a user may configure for a currency. The contract states this number for
 * fiat currencies. null means that the contract states no limit.
 */
export function mostDecimals(code: string): number | null {
  const currency = currencyByCode(code);
  if (currency?.type !== 'fiat') return null;
  return currency.basis === 'contract' ? currency.decimals : FIAT_DECIMALS;
}

/**
 * Returns a known currency with the number of decimals that the user has configured. The configured number is used only
 * for a fiat currency whose number the contract does not state. For all other currencies, croupier keeps its own
 * number.
 */
export function currencyWith(code: string, decimals: Readonly<Record<string, number>>): Currency | undefined {
  const currency = currencyByCode(code);
  const configured = decimals[code];
  return currency?.type === 'fiat' && currency.basis === 'position' && configured !== undefined
    ? { ...currency, decimals: configured }
    : currency;
}

/**
 * True if both currencies have the same type and the same number of decimals, so that their amounts look alike. Also true if the
 * first code is undefined, because then the currency of the session may be any currency.
 */
export function haveSameForm(code: string | undefined, wanted: string): boolean {
  const [a, b] = [code, wanted].map((one) => (one === undefined ? undefined : currencyByCode(one)));
  if (!a || !b) return code === undefined || code === wanted;
  return a.type === b.type && a.decimals === b.decimals;
}
