import { z } from 'zod';
import { Money } from '../contract/money.ts';
import { worth } from './exchange-rates.ts';
import { openRecords, type RecordFile } from './record-file.ts';

/** Whose demo balance it is: one for each combination of these (contract, Create New Game, `initDemoBalance`). */
export interface DemoPurse {
  readonly cID: string;
  readonly extCID: string;
  readonly player: string;
  readonly currency: string;
}

const recordSchema = z.object({ purse: z.string(), balance: z.string() });
type DemoRecord = z.infer<typeof recordSchema>;

const DEFAULT_IN_USD = Money.of('10000');

/** The demo balances, which live in the service: nothing that happens to them reaches an operator. */
export class DemoBalances {
  readonly #balances = new Map<string, Money>();
  readonly #file: RecordFile<DemoRecord>;

  /** @param path of the file that keeps them; undefined: in memory. Throws what `openRecords` throws. */
  constructor(path?: string) {
    const { records, file } = openRecords(path, recordSchema, latest);
    this.#file = file;
    for (const { purse, balance } of records) this.#balances.set(purse, Money.of(balance));
  }

  /**
   * Makes the balance when there is none yet; one that is there already stays as it is, whatever is asked for.
   *
   * @param initial in the main unit; undefined: worth 10 000 USD
   */
  open(purse: DemoPurse, initial: Money | undefined): Money {
    const known = this.#balances.get(keyOf(purse));
    if (known) return known;
    const balance = initial ?? worth(DEFAULT_IN_USD, purse.currency);
    this.#set(purse, balance);
    return balance;
  }

  /** What is left, zero where there never was a balance. */
  balanceOf(purse: DemoPurse): Money {
    return this.#balances.get(keyOf(purse)) ?? Money.zero;
  }

  /** Takes a bet. @returns false, and takes nothing, where less is left */
  take(purse: DemoPurse, amount: Money): boolean {
    const left = this.balanceOf(purse).minus(amount);
    if (left.isNegative()) return false;
    this.#set(purse, left);
    return true;
  }

  /** Adds a win, or a bet that is given back. */
  give(purse: DemoPurse, amount: Money): void {
    this.#set(purse, this.balanceOf(purse).plus(amount));
  }

  close(): void {
    this.#file.close();
  }

  #set(purse: DemoPurse, balance: Money): void {
    const key = keyOf(purse);
    this.#file.append({ purse: key, balance: balance.format() });
    this.#balances.set(key, balance);
  }
}

function keyOf({ cID, extCID, player, currency }: DemoPurse): string {
  return JSON.stringify([cID, extCID, player, currency]);
}

function latest(records: readonly DemoRecord[]): readonly DemoRecord[] {
  return [...new Map(records.map((record) => [record.purse, record])).values()];
}
