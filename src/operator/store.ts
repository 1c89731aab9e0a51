import { join } from 'node:path';
import type { SQLInputValue, StatementSync } from 'node:sqlite';
import type { TransactionCall } from '../contract/call-name.ts';
import type { SessionState } from '../contract/session-state.ts';
import { makeFolder } from '../folder/make-folder.ts';
import { Database } from '../sqlite/database.ts';
import type { DeclineReason } from './decision.ts';

/** A player's money in one currency at one client. Amounts are whole numbers of the currency's smallest unit. */
export interface Wallet {
  readonly id: number;
  readonly extCID: string;
  readonly player: string;
  readonly currency: string;
  readonly balance: bigint;
}

export interface Session {
  readonly extCID: string;
  readonly sessionID: string;
  readonly gameID: string;
  readonly state: SessionState;
  readonly walletID: number;
}

/** The content of a bet, win or refund, with the operator's own ids and units. */
export interface Claim {
  readonly extCID: string;
  /** The id that the service gave the transaction. A call with the same id is a replay and must not move money again. */
  readonly txID: string;
  readonly call: TransactionCall;
  readonly sessionID: string;
  /** The id of the wallet. Null if the session is unknown, because there is no wallet then. */
  readonly walletID: number | null;
  readonly gameID: string | null;
  readonly roundID: string | null;
  readonly origTxID: string | null;
  /** The amount in the smallest unit of the currency. Null if there is no wallet, because its currency is then unknown. */
  readonly amount: bigint | null;
  readonly type: string | null;
  readonly frID: string | null;
}

/** The content of a call and its result. */
export interface TransactionEntry extends Claim {
  readonly outcome: 'done' | DeclineReason;
  /** The change of the balance in the smallest unit. It is negative for a bet. */
  readonly moved: bigint;
  /** The balance in the reply, in the main unit. Null for a declined call. */
  readonly balance: string | null;
}

export interface Transaction extends TransactionEntry {
  /** The number of the transaction in the store. The operator's own txID contains it. */
  readonly id: number;
  /** The id of the refund that gave this bet back. Null if no refund gave it back. */
  readonly reversedBy: number | null;
}

export interface WalletSeed {
  readonly extCID: string;
  readonly player: string;
  readonly currency: string;
  readonly balance: bigint;
}

const SCHEMA = `
  CREATE TABLE IF NOT EXISTS wallet (
    id INTEGER PRIMARY KEY,
    extCID TEXT NOT NULL,
    player TEXT NOT NULL,
    currency TEXT NOT NULL,
    balance TEXT NOT NULL,
    UNIQUE (extCID, player, currency)
  ) STRICT;
  CREATE TABLE IF NOT EXISTS session (
    extCID TEXT NOT NULL,
    sessionID TEXT NOT NULL,
    gameID TEXT NOT NULL,
    state TEXT NOT NULL,
    walletID INTEGER NOT NULL REFERENCES wallet (id),
    PRIMARY KEY (extCID, sessionID)
  ) STRICT, WITHOUT ROWID;
  CREATE TABLE IF NOT EXISTS tx (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    extCID TEXT NOT NULL,
    txID TEXT NOT NULL,
    call TEXT NOT NULL,
    sessionID TEXT NOT NULL,
    walletID INTEGER REFERENCES wallet (id),
    gameID TEXT,
    roundID TEXT,
    origTxID TEXT,
    amount TEXT,
    type TEXT,
    frID TEXT,
    outcome TEXT NOT NULL,
    moved TEXT NOT NULL,
    balance TEXT,
    reversedBy INTEGER REFERENCES tx (id),
    UNIQUE (extCID, txID)
  ) STRICT;
  CREATE INDEX IF NOT EXISTS tx_of_round ON tx (walletID, roundID);
  CREATE INDEX IF NOT EXISTS tx_by_original ON tx (walletID, origTxID);
  CREATE INDEX IF NOT EXISTS tx_of_campaign ON tx (walletID, frID);
`;

/**
 * The operator's data in SQLite. Amounts are stored as text, because they may exceed 2^63 of the smallest unit.
 *
 * A store in a folder loses nothing, even if its process ends at any moment. Each transaction is on the disk before its reply
 * is made, because the write-ahead log is synced at every commit.
 */
export class Store {
  readonly #database: Database;

  /**
   * Opens the store.
   *
   * @param dataDir the folder of the database, created if it does not exist. If it is undefined, everything is kept in memory.
   * @throws DatabaseError if the database is damaged or cannot be opened
   */
  constructor(dataDir?: string) {
    if (dataDir !== undefined) makeFolder(dataDir);
    this.#database = new Database(dataDir === undefined ? undefined : join(dataDir, 'operator.sqlite'));
    this.#database.run(SCHEMA);
  }

  close(): void {
    this.#database.close();
  }

  /** Runs `work` in a transaction that holds the write lock from its beginning. If `work` throws, nothing is changed. */
  atomically<T>(work: () => T): T {
    return this.#database.atomically(work);
  }

  /** Creates the wallet if it does not exist. An existing wallet keeps its balance. */
  openWallet({ extCID, player, currency, balance }: WalletSeed): Wallet {
    this.#prepared('INSERT OR IGNORE INTO wallet (extCID, player, currency, balance) VALUES (?, ?, ?, ?)').run(
      extCID,
      player,
      currency,
      String(balance),
    );
    const wallet = this.walletOf(extCID, player, currency);
    if (!wallet) throw new Error(`the wallet of ${player} in ${currency} was not stored`);
    return wallet;
  }

  walletOf(extCID: string, player: string, currency: string): Wallet | undefined {
    return asWallet(
      this.#prepared('SELECT * FROM wallet WHERE extCID = ? AND player = ? AND currency = ?').get(
        extCID,
        player,
        currency,
      ),
    );
  }

  wallet(id: number): Wallet {
    const wallet = asWallet(this.#prepared('SELECT * FROM wallet WHERE id = ?').get(id));
    if (!wallet) throw new Error(`there is no wallet ${id}`);
    return wallet;
  }

  setBalance(walletID: number, balance: bigint): void {
    this.#prepared('UPDATE wallet SET balance = ? WHERE id = ?').run(String(balance), walletID);
  }

  /** Stores a session. If the session exists, replaces its game, state and wallet. */
  putSession(session: Session): void {
    this.#prepared(
      'INSERT OR REPLACE INTO session (extCID, sessionID, gameID, state, walletID) VALUES (?, ?, ?, ?, ?)',
    ).run(session.extCID, session.sessionID, session.gameID, session.state, session.walletID);
  }

  session(extCID: string, sessionID: string): Session | undefined {
    const row = this.#prepared('SELECT * FROM session WHERE extCID = ? AND sessionID = ?').get(extCID, sessionID);
    return row as unknown as Session | undefined;
  }

  /**
   * Stores a transaction.
   *
   * @throws Error if the client already has a transaction with this txID
   */
  record(entry: TransactionEntry): Transaction {
    const { lastInsertRowid } = this.#prepared(`
      INSERT INTO tx (extCID, txID, call, sessionID, walletID, gameID, roundID, origTxID, amount, type, frID, outcome, moved, balance)
      VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`).run(
      entry.extCID,
      entry.txID,
      entry.call,
      entry.sessionID,
      entry.walletID,
      entry.gameID,
      entry.roundID,
      entry.origTxID,
      entry.amount === null ? null : String(entry.amount),
      entry.type,
      entry.frID,
      entry.outcome,
      String(entry.moved),
      entry.balance,
    );
    return { ...entry, id: Number(lastInsertRowid), reversedBy: null };
  }

  transaction(extCID: string, txID: string): Transaction | undefined {
    return this.#transactions('extCID = ? AND txID = ?', extCID, txID)[0];
  }

  /** Returns all transactions of one wallet in a round of a game. */
  round(walletID: number, gameID: string, roundID: string): readonly Transaction[] {
    return this.#transactions('walletID = ? AND roundID = ? AND gameID = ?', walletID, roundID, gameID);
  }

  /** Returns the refunds of one wallet that name this bet. The store need not know the bet. */
  refundsOf(walletID: number, betTxID: string): readonly Transaction[] {
    return this.#transactions(`walletID = ? AND origTxID = ? AND call = 'refund'`, walletID, betTxID);
  }

  /** Returns all transactions of one wallet in a campaign. */
  campaign(walletID: number, frID: string): readonly Transaction[] {
    return this.#transactions('walletID = ? AND frID = ?', walletID, frID);
  }

  /** Returns all transactions of one client, the oldest first. */
  transactions(extCID: string): readonly Transaction[] {
    return this.#transactions('extCID = ?', extCID);
  }

  markReversed(betID: number, refundID: number): void {
    this.#prepared('UPDATE tx SET reversedBy = ? WHERE id = ?').run(refundID, betID);
  }

  #transactions(condition: string, ...values: SQLInputValue[]): readonly Transaction[] {
    return this.#prepared(`SELECT * FROM tx WHERE ${condition} ORDER BY id`)
      .all(...values)
      .map(asTransaction);
  }

  #prepared(sql: string): StatementSync {
    return this.#database.prepared(sql);
  }
}

type Row = Record<string, unknown>;

function asWallet(row: Row | undefined): Wallet | undefined {
  return row && ({ ...row, balance: BigInt(row.balance as string) } as Wallet);
}

function asTransaction(row: Row): Transaction {
  const amount = row.amount as string | null;
  return {
    ...row,
    amount: amount === null ? null : BigInt(amount),
    moved: BigInt(row.moved as string),
  } as Transaction;
}
