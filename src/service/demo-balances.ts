import { z } from 'zod';
import { Money } from '../contract/money.ts';
import type { Database } from '../sqlite/database.ts';
import { convertUsd } from './exchange-rates.ts';
import { RecordTable } from './record-table.ts';

/**
 * Identifies a demo balance. Each combination of these values has its own balance (contract, Create New Game,
 * `initDemoBalance`).
 */
export interface DemoBalanceKey {
  readonly cID: string;
  readonly extCID: string;
  readonly player: string;
  readonly currency: string;
}

/** A demo balance as it is stored. `key` is a JSON list of the values of a `DemoBalanceKey`. */
const recordSchema = z.object({ key: z.string(), balance: z.string() });
type DemoRecord = z.infer<typeof recordSchema>;

const DEFAULT_IN_USD = Money.of('10000');

/** The balances of demo play. The service itself keeps these balances, and makes no reverse calls for them. */
export class DemoBalances {
  readonly #balances = new Map<string, Money>();
  readonly #table: RecordTable<DemoRecord>;

  /**
   * Reads the demo balances from the database.
   *
   * @throws DatabaseError when the database holds a balance that can't be read
   */
  constructor(database: Database) {
    this.#table = demoBalanceTable(database);
    for (const { key, balance } of this.#table.all()) this.#balances.set(key, Money.of(balance));
  }

  /**
   * Creates a balance if it does not exist yet, and returns the current balance. An existing balance does not change.
   *
   * @param initial the amount of a new balance, in the main unit; undefined for an amount that is worth 10 000 US dollars
   */
  open(key: DemoBalanceKey, initial: Money | undefined): Money {
    const known = this.#balances.get(keyOf(key));
    if (known) return known;
    const balance = initial ?? convertUsd(DEFAULT_IN_USD, key.currency);
    this.#set(key, balance);
    return balance;
  }

  /** Returns the balance; zero if no balance was created for the key. */
  balanceOf(key: DemoBalanceKey): Money {
    return this.#balances.get(keyOf(key)) ?? Money.zero;
  }

  /**
   * Takes the amount of a bet from a balance.
   *
   * @returns false when the balance is too low; then it does not change
   */
  debit(key: DemoBalanceKey, amount: Money): boolean {
    const left = this.balanceOf(key).minus(amount);
    if (left.isNegative()) return false;
    this.#set(key, left);
    return true;
  }

  /** Adds the amount of a win to a balance. */
  credit(key: DemoBalanceKey, amount: Money): void {
    this.#set(key, this.balanceOf(key).plus(amount));
  }

  #set(key: DemoBalanceKey, balance: Money): void {
    const record = { key: keyOf(key), balance: balance.format() };
    this.#table.put(record);
    this.#balances.set(record.key, balance);
  }
}

function keyOf({ cID, extCID, player, currency }: DemoBalanceKey): string {
  return JSON.stringify([cID, extCID, player, currency]);
}

/**
 * Opens the table of demo balances.
 *
 * @throws DatabaseError when the database holds a balance that can't be read
 */
export function demoBalanceTable(database: Database): RecordTable<DemoRecord> {
  return new RecordTable(database, 'demo_balance', recordSchema, ({ key }) => key);
}
