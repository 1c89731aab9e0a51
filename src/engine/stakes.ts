import { currencyByCode } from '../contract/currencies.ts';
import { Money } from '../contract/money.ts';
import { type ContractVersion, hasDecimalAmounts } from '../contract/versions.ts';

/**
 * Default stakes by currency. A real player may bet these amounts, and they are small enough for the bet limits of most operators.
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

/** The settings for the amounts of a run, by currency code. */
export interface AmountSettings {
  /** Stakes as decimal text. Other currencies get a default stake. */
  readonly stakes: Readonly<Record<string, string>>;
  /** Numbers of decimals. For a currency that is not listed, the contract or the balances decide. */
  readonly decimals: Readonly<Record<string, number>>;
  /** The client in whose calls these amounts are used. Its version of the contract decides whether amounts may have decimals. */
  readonly client?: { readonly contract?: ContractVersion | undefined };
}

/**
 * Maximum number of decimals for an unknown currency. A balance with more decimals does not prove that bets may have them too.
 */
const DECIMALS_UNKNOWN = 2;

/**
 * Returns the number of decimals that the configuration or the contract states. Returns null if neither states it. Then the
 * decimals of the balances decide.
 */
export function statedDecimals(
  code: string | undefined,
  { decimals, client }: Omit<AmountSettings, 'stakes'>,
): number | null {
  if (!hasDecimalAmounts(client?.contract)) return 0;
  if (code === undefined) return null;
  return decimals[code] ?? currencyByCode(code)?.decimals ?? null;
}

/**
 * Returns the stake and the decimals for a session.
 *
 * @param code the currency; undefined: no currency is configured
 * @param shown number of decimals in the balances of the currency; undefined: no balance was read, and the amounts are
 * only an example
 */
export function denominationOf(
  code: string | undefined,
  settings: AmountSettings,
  shown: number | undefined,
): Denomination {
  const configured = code === undefined ? undefined : settings.stakes[code];
  const usual = Money.of(configured ?? (code === undefined ? undefined : STAKES[code]) ?? '1');
  const decimals =
    statedDecimals(code, settings) ??
    Math.max(
      mostUsable(code, shown ?? usual.decimals()),
      // If the configured stake has more decimals than the balances, croupier assumes that the wallet accepts these decimals.
      configured === undefined ? 0 : usual.decimals(),
    );
  const unit = Money.unit(decimals);
  // The wallet would decline a stake with too many decimals. So the stake is cut. If nothing is left, the stake is the smallest
  // unit.
  const cut = usual.truncated(decimals);
  return { code, stake: cut.isZero() ? unit : cut, unit, decimals };
}

/** A balance may have more decimals than amounts may have. Returns the number of decimals for amounts. */
function mostUsable(code: string | undefined, shown: number): number {
  return code !== undefined && currencyByCode(code) ? shown : Math.min(shown, DECIMALS_UNKNOWN);
}
