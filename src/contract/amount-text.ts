import { currencyByCode } from './currencies.ts';
import type { Money } from './money.ts';

/**
 * Writes an amount with the decimals and the code of its currency, as in `7.00 USD` or `800 JPY`.
 *
 * @param code null or undefined if the currency is not known
 */
export function amountText(amount: Money, code: string | null | undefined): string {
  if (code === null || code === undefined) return amount.toString();
  return `${amount.format(currencyByCode(code)?.decimals ?? 0)} ${code}`;
}
