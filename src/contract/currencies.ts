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

/** Every currency that the service supports. */
export const CURRENCIES: readonly Currency[] = [
  ...list(TWO_DECIMALS, { type: 'fiat', decimals: 2, basis: 'contract' }),
  ...list(NO_DECIMALS_BY_CONTRACT, { type: 'fiat', decimals: 0, basis: 'contract' }),
  ...list(NO_DECIMALS_BY_POSITION, { type: 'fiat', decimals: 0, basis: 'position' }),
  ...list(CRYPTO, { type: 'crypto', decimals: null, basis: 'position' }),
  ...list(VIRTUAL, { type: 'virtual', decimals: null, basis: 'position' }),
];

const BY_CODE: ReadonlyMap<string, Currency> = new Map(CURRENCIES.map((currency) => [currency.code, currency]));

/** Returns the currency with exactly this code. undefined if the service does not support one. */
export function currencyByCode(code: string): Currency | undefined {
  return BY_CODE.get(code);
}
