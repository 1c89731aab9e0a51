import { mostDecimals } from '../../contract/currencies.ts';

/** The most decimals that can be configured. No known wallet has more. */
const MOST_DECIMALS = 18;

/** Returns the reason why a currency cannot have this number of decimals; undefined if the number is possible. */
export function decimalsProblem(code: string, decimals: number): string | undefined {
  const most = mostDecimals(code) ?? MOST_DECIMALS;
  if (Number.isInteger(decimals) && decimals >= 0 && decimals <= most) return undefined;
  return most === 0
    ? `${code} has no decimals by the contract`
    : `the decimals of ${code} must be a whole number from 0 to ${most}`;
}
