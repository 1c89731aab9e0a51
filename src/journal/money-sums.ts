import type { CallName } from '../contract/call-name.ts';
import { currencyByCode } from '../contract/currencies.ts';
import { Money } from '../contract/money.ts';

/** A sum by which a breach made the balance of a wallet wrong. */
export interface WrongSum {
  /** A plain decimal in the main unit. It is negative if the wallet had too little. */
  readonly amount: string;
  /** The code of the currency. Null if the session has no known currency. */
  readonly currency: string | null;
  /**
   * True if the amounts of the scenario depend on the balance, so that the sum differs from run to run. Left out in all other
   * cases.
   */
  readonly varies?: true;
  /**
   * The sum of the amounts of the calls since the last read, without their signs. The wrong sum belongs to one or more of these calls.
   * It is left out if it is not known.
   */
  readonly moved?: string;
  /**
   * The same, but only of the calls of the kind that the rule is about: the refunds for `refund.restore`. It is left out if this is the
   * same amount.
   */
  readonly movedOneWay?: string;
  /**
   * For a rule that is not about the amount of one kind of call: the last calls before the read that moved money, and their amounts. It is
   * left out if there are none.
   */
  readonly calls?: readonly { readonly call: CallName; readonly amount: string }[];
}

/** The two ways in which a sum makes balances wrong: the wallet has too little, or too much. */
export const DIRECTIONS = ['too low', 'too high'] as const;

export type Direction = (typeof DIRECTIONS)[number];

export function directionOf({ amount }: Pick<WrongSum, 'amount'>): Direction {
  return amount.startsWith('-') ? 'too low' : 'too high';
}

/** Sums without their signs. The key is the code of the currency, or an empty text for an unknown currency. */
export type MoneySums = Readonly<Record<string, string>>;

/** Adds up sums. A sum that differs from run to run is left out, because it can't be compared with a sum of another run. */
export function addUp(sums: Iterable<WrongSum>): MoneySums {
  const all = new Map<string, Money>();
  for (const { amount, currency, varies } of sums) {
    const money = absoluteMoney(amount);
    if (varies || !money) continue;
    const code = currency ?? '';
    all.set(code, money.plus(all.get(code) ?? Money.zero));
  }
  return Object.fromEntries([...all].map(([code, sum]) => [code, sum.toString()]));
}

/** Returns the sums of all, currency by currency. */
export function joinSums(all: readonly MoneySums[]): MoneySums {
  return addUp(all.flatMap((sums) => Object.entries(sums).map(([code, amount]) => ({ amount, currency: code }))));
}

/** Returns sums without some of the sums that are part of them. */
export function withoutSums(sums: MoneySums, part: MoneySums): MoneySums {
  return Object.fromEntries(
    Object.entries(sums).flatMap(([code, sum]) => {
      const rest = absoluteMoney(sum)?.minus(absoluteMoney(part[code] ?? '0') ?? Money.zero);
      return rest === undefined || rest.isZero() || rest.isNegative() ? [] : [[code, rest.toString()]];
    }),
  );
}

/** Returns the highest sum of each currency. */
export function highestSums(all: readonly MoneySums[]): MoneySums {
  const highest: Record<string, string> = {};
  for (const [code, amount] of all.flatMap((sums) => Object.entries(sums))) {
    const known = highest[code];
    if (known === undefined || isAbove(amount, known)) highest[code] = amount;
  }
  return highest;
}

/**
 * Returns the first currency whose sum is higher than its limit; undefined if there is none. A currency without a limit is left out
 * of the comparison.
 */
export function currencyAbove(sums: MoneySums, limits: MoneySums): string | undefined {
  return Object.keys(sums).find((code) => {
    const [sum, limit] = [sums[code], limits[code]];
    return sum !== undefined && limit !== undefined && isAbove(sum, limit);
  });
}

/** True if there is no sum in any currency. */
export function isWithoutSums(sums: MoneySums): boolean {
  return Object.keys(sums).length === 0;
}

/** Returns sums that are a number of times as high. */
export function times(factor: number, sums: MoneySums): MoneySums {
  const by = Money.of(String(factor));
  return Object.fromEntries(
    Object.entries(sums).map(([code, sum]) => [code, absoluteMoney(sum)?.times(by).toString() ?? sum]),
  );
}

/**
 * Returns the sums with the same sum in every alike currency. Two currencies are alike if croupier computes all their amounts in the
 * same way: the stake and the smallest unit of one currency are the same power of ten of those of the other. So `2 USD` is `200 JPY`
 * for stakes of 1 USD and 100 JPY. In other currencies, the amounts that contain single units differ. So only a sum of whole and half
 * stakes has such a sum there: `2 USD` is `0.0002 BTC` for a stake of 0.0001 BTC. Sums in several currencies stay as they are.
 */
export function inAlikeCurrencies(sums: MoneySums, stakes: Readonly<Record<string, string>>): MoneySums {
  const [from, ...others] = Object.keys(sums);
  const [sum, stake] = from === undefined ? [] : [absoluteMoney(sums[from] ?? ''), Money.read(stakes[from] ?? '')];
  if (from === undefined || others.length > 0 || !sum || !stake) return sums;
  const isOfStakes = !stake.isZero() && sum.isMultipleOf(stake.times(HALF));
  const alike = Object.entries(stakes).flatMap(([to, own]) => {
    const places = powerOfTen(own) - powerOfTen(stake.toString());
    const isAlike = isOfStakes || places === decimalsOf(from) - decimalsOf(to);
    return to !== from && isAlike && Money.read(own)?.equals(stake.shift(places))
      ? [[to, sum.shift(places).toString()]]
      : [];
  });
  return { ...sums, ...Object.fromEntries(alike) };
}

const HALF = Money.of('0.5');

/** Returns the power of ten of an amount, rounded up: 2 for 100, 5 for 20000, -4 for 0.0001. */
export function powerOfTen(amount: string | undefined): number {
  return Math.ceil(Math.log10(Number(amount)) - 1e-9);
}

/** Number of decimals of currencies for which the contract states no number. */
const DECIMALS_OF_CRYPTO = 8;

/** Returns the number of decimals of the smallest unit of a currency. */
export function decimalsOf(code: string): number {
  return currencyByCode(code)?.decimals ?? DECIMALS_OF_CRYPTO;
}

/** Writes the sum of one currency, as in `2.00 USD`. */
export function sumText(sums: MoneySums, code: string): string {
  const amount = sums[code] ?? '0';
  return code === '' ? amount : `${amount} ${code}`;
}

/** Writes all sums, as in `2.00 USD and 200 JPY`. An empty text if there is none. */
export function sumsText(sums: MoneySums): string {
  return Object.keys(sums)
    .map((code) => sumText(sums, code))
    .join(' and ');
}

function isAbove(sum: string, limit: string): boolean {
  const [a, b] = [absoluteMoney(sum), absoluteMoney(limit)];
  return a !== undefined && b !== undefined && a.compare(b) > 0;
}

/** Reads a sum without its sign. Returns undefined if the text is not an amount: somebody may have edited the journal. */
export function absoluteMoney(text: string): Money | undefined {
  return Money.read(text.replace(/^-/, ''));
}
