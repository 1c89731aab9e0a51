import { currencyByCode } from '../contract/currencies.ts';

/** The format in which an operator stores and writes the amounts of one currency. */
export interface AmountScale {
  /** Number of decimals. A stored amount of 1 means 10^-decimals of the currency's main unit. */
  readonly decimals: number;
  /**
   * True if replies write all decimals (`1.50` in a fiat currency). False if they write only as many decimals as needed (`0.5`
   * in a cryptocurrency).
   */
  readonly padded: boolean;
}

/**
 * The number of decimals that is stored if the contract does not limit the decimals of a currency. No known currency uses more
 * decimals.
 */
const FINEST_DECIMALS = 18;

const PLAIN_DECIMAL = /^(0|[1-9]\d*)(?:\.(\d+))?$/;

/**
 * Returns the scale of a currency, with the number of decimals of the currency. If the contract does not limit the decimals of
 * the currency, replies write only as many decimals as needed.
 *
 * @throws RangeError for a currency that the service does not support
 */
export function scaleOf(currency: string): AmountScale {
  const known = currencyByCode(currency);
  if (!known) throw new RangeError(`${currency} is not a currency that the service supports`);
  return known.decimals === null
    ? { decimals: FINEST_DECIMALS, padded: false }
    : { decimals: known.decimals, padded: true };
}

/**
 * Reads an amount in the main unit and returns it as a whole number of the smallest stored unit.
 *
 * @returns undefined if the text is not a plain decimal, or has more decimals than the currency, even if these are zeros
 */
export function readAmount(text: string, scale: AmountScale): bigint | undefined {
  const match = PLAIN_DECIMAL.exec(text);
  const fraction = match?.[2] ?? '';
  if (!match || fraction.length > scale.decimals) return undefined;
  return BigInt(`${match[1]}${fraction.padEnd(scale.decimals, '0')}`);
}

/**
 * Writes a stored amount as a plain decimal in the main unit (contract, "What the service does" 5). This is the opposite of
 * {@link readAmount}.
 */
export function writeAmount(units: bigint, scale: AmountScale): string {
  const sign = units < 0n ? '-' : '';
  const digits = (units < 0n ? -units : units).toString().padStart(scale.decimals + 1, '0');
  const whole = digits.slice(0, digits.length - scale.decimals);
  const all = digits.slice(digits.length - scale.decimals);
  const fraction = scale.padded ? all : all.replace(/(?<!0)0+$/, '');
  return `${sign}${whole}${fraction === '' ? '' : `.${fraction}`}`;
}
