import { currencyByCode } from '../contract/currencies.ts';
import { Money } from '../contract/money.ts';

/** Small, and yet what a bet of a person might be: limits of operators seldom lie above it. */
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

/** How an amount is written and staked in one currency. */
export interface Denomination {
  readonly code: string | undefined;
  readonly stake: Money;
  /** The smallest step that croupier uses. */
  readonly unit: Money;
  /** How many decimals amounts are written with. */
  readonly decimals: number;
}

/** Of a currency without a limit of decimals croupier uses this many. */
const DECIMALS_WITHOUT_LIMIT = 8;
/** An unknown currency is played with no more: a balance written with further ones does not prove that bets may have them. */
const DECIMALS_UNKNOWN = 2;

/**
 * @param code undefined: the session's currency is not configured, and is told from how its balance is written
 * @param written a balance of the session as the operator wrote it
 */
export function denominationOf(
  code: string | undefined,
  stakes: Readonly<Record<string, string>>,
  written: string,
): Denomination {
  const currency = code === undefined ? undefined : currencyByCode(code);
  const seen = /\.(\d+)$/.exec(written)?.[1]?.length ?? 0;
  const decimals = currency ? (currency.decimals ?? DECIMALS_WITHOUT_LIMIT) : Math.min(seen, DECIMALS_UNKNOWN);
  const stake = (code === undefined ? undefined : (stakes[code] ?? STAKES[code])) ?? '1';
  return { code, stake: Money.of(stake), unit: Money.unit(decimals), decimals };
}
