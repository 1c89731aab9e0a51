import { currencyByCode } from '../contract/currencies.ts';
import { Money } from '../contract/money.ts';

/**
 * Default stakes by currency, as a real player might bet. They are small, so they are below the bet limits of most operators.
 */
const STAKES: Readonly<Record<string, string>> = {
  JPY: '100',
  KRW: '1000',
  VND: '20000',
  IDR: '10000',
  IRR: '50000',
  COP: '2000',
  CLP: '500',
  PYG: '5000',
  UGX: '2000',
  RWF: '500',
  XAF: '500',
  XOF: '500',
  ISK: '100',
  HUF: '200',
  UZS: '10000',
  BTC: '0.0001',
  mBTC: '0.1',
  uBTC: '100',
  ETH: '0.001',
  mETH: '1',
  LTC: '0.01',
  mLTC: '10',
  BCH: '0.002',
  BNB: '0.002',
  SOL: '0.01',
};

/** The stake and the decimals of amounts in one currency. */
export interface Denomination {
  readonly code: string | undefined;
  readonly stake: Money;
  /** The smallest amount that croupier uses. */
  readonly unit: Money;
  /** Number of decimals with which amounts are written. */
  readonly decimals: number;
}

/** Number of decimals for a currency without a limit. */
const DECIMALS_WITHOUT_LIMIT = 8;
/**
 * Maximum number of decimals for an unknown currency. A balance with more decimals does not prove that bets may have them too.
 */
const DECIMALS_UNKNOWN = 2;

/**
 * Returns the stake and the decimals for a session.
 *
 * @param code the currency; undefined: no currency is configured, so the decimals are taken from the balance
 * @param shown number of decimals in a balance of the session; 0 if none was read
 */
export function denominationOf(
  code: string | undefined,
  stakes: Readonly<Record<string, string>>,
  shown: number,
): Denomination {
  const currency = code === undefined ? undefined : currencyByCode(code);
  const decimals = currency ? (currency.decimals ?? DECIMALS_WITHOUT_LIMIT) : Math.min(shown, DECIMALS_UNKNOWN);
  const stake = (code === undefined ? undefined : (stakes[code] ?? STAKES[code])) ?? '1';
  return { code, stake: Money.of(stake), unit: Money.unit(decimals), decimals };
}
