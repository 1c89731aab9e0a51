import { z } from 'zod';
import { AMOUNT_PATTERN, Money } from '../../contract/money.ts';
import { type RoundEvent, stepRound } from '../../contract/round.ts';
import type { Database } from '../../sqlite/database.ts';
import { formatAmount } from '../bet-lines.ts';
import { RecordTable, readRecord } from '../record-table.ts';
import type { RefusalReason } from './results.ts';
import {
  advanced,
  type FreeTerms,
  isFinished,
  isSettled,
  type RoundRecord,
  roundRecordSchema,
} from './round-record.ts';

/** The client and the id of a campaign of free rounds. In reverse calls, the field `frID` contains the id. */
export interface CampaignKey {
  readonly extCID: string;
  readonly frID: string;
}

/** A player in a campaign. */
export interface TallyKey extends CampaignKey {
  readonly player: string;
}

/** A tally: the number of the free rounds that one player has played in one campaign, and the sum of their wins. */
export interface FreeTally extends TallyKey {
  /** The only game in which the player can use the campaign: the game of the first free round. */
  readonly gameID: string;
  /** The number of free rounds that the player may play. */
  readonly quantity: number;
  /** The number of free rounds whose bet is accepted or has no answer yet. */
  readonly used: number;
  /** The sum of the free wins so far, in the main unit. */
  readonly won: string;
  /**
   * The round whose bet was accepted last; null if no bet was accepted. This round stays open, because the sum of all free wins
   * is paid in this round.
   */
  readonly lastRoundID: string | null;
  /** True after the win that pays the sum of the free wins (the withdrawal) was placed. */
  readonly withdrawn: boolean;
}

const text = z.string().min(1);
const count = z.int().nonnegative();

export const freeTallySchema = z.object({
  frID: text,
  extCID: text,
  player: z.string(),
  gameID: text,
  quantity: count,
  used: count,
  won: z.string().regex(AMOUNT_PATTERN),
  lastRoundID: text.nullable(),
  withdrawn: z.boolean(),
}) satisfies z.ZodType<FreeTally>;

/** The number of finished rounds that are kept in memory for the console and the game page. */
const MAX_FINISHED = 200;

/**
 * Stores the open rounds, and the free rounds that players have used. Finished rounds are deleted.
 *
 * Every change is one transaction. When a method returns, its change is kept even if the process is killed. Only
 * `flush` makes sure that the change also survives a power failure.
 */
export class RoundStore {
  readonly #database: Database;
  readonly #tallies: RecordTable<FreeTally>;
  readonly #finished: RoundRecord[] = [];
  /** The rounds that the current transaction has finished. */
  #justFinished: RoundRecord[] = [];
  #sync: Promise<void> | null = null;

  /**
   * Checks the open rounds in the database, and the tallies of free rounds.
   *
   * @param database a database of `openServiceDatabase`
   * @throws DatabaseError when a round or a tally can't be read
   */
  constructor(database: Database) {
    this.#database = database;
    this.#tallies = new RecordTable(database, 'tally', freeTallySchema, tallyKey);
    for (const { roundID, record } of database.prepared('SELECT roundID, record FROM round').all())
      readRecord(roundRecordSchema, record, `the round ${String(roundID)}`);
  }

  /** Returns the open rounds, oldest first. */
  rounds(): readonly RoundRecord[] {
    return this.#database.prepared('SELECT record FROM round ORDER BY id').all().map(asRound);
  }

  /** Returns the open rounds of a game session, oldest first. */
  roundsOf(gsID: string): readonly RoundRecord[] {
    return this.#database.prepared('SELECT record FROM round WHERE gsID = ? ORDER BY id').all(gsID).map(asRound);
  }

  /** Returns true if a game session has an open round. */
  hasRoundOf(gsID: string): boolean {
    return this.#database.prepared('SELECT 1 FROM round WHERE gsID = ? LIMIT 1').get(gsID) !== undefined;
  }

  /** Returns an open round; undefined if the round never began, or is finished. */
  round(roundID: string): RoundRecord | undefined {
    const row = this.#database.prepared('SELECT record FROM round WHERE roundID = ?').get(roundID);
    return row && asRound(row);
  }

  /** The last 200 rounds that were finished since the start of the service, oldest first. */
  get finished(): readonly RoundRecord[] {
    return this.#finished;
  }

  tallies(): readonly FreeTally[] {
    return this.#tallies.all();
  }

  tally(of: TallyKey): FreeTally | undefined {
    return this.#tallies.get(tallyKey(of));
  }

  /** Returns true if the campaign has ended, so that no free round of it can begin any more. */
  hasEnded({ extCID, frID }: CampaignKey): boolean {
    const sql = 'SELECT 1 FROM ended_campaign WHERE extCID = ? AND frID = ?';
    return this.#database.prepared(sql).get(extCID, frID) !== undefined;
  }

  /** Returns the reason why `advance` would refuse an event; undefined if the event is possible. */
  refusalOf(roundID: string, event: RoundEvent): RefusalReason | undefined {
    const record = this.round(roundID);
    const isPlaced = event.kind === 'bet' || event.kind === 'win';
    if (record === undefined || (record.over && record.round.wins.length > 0 && isPlaced)) return 'round-over';
    const step = stepRound(record.round, event);
    return step.kind === 'moved' ? undefined : step.reason;
  }

  /** Returns the reason why a player can't begin another free round. Undefined if the player can begin one. */
  freeRefusal({ extCID, player, gameID, free }: RoundRecord): 'other-game' | 'used-up' | 'campaign-ended' | undefined {
    if (free === null) return undefined;
    if (this.hasEnded({ extCID, frID: free.frID })) return 'campaign-ended';
    const tally = this.tally({ frID: free.frID, extCID, player });
    if (tally === undefined) return undefined;
    if (tally.used >= tally.quantity) return 'used-up';
    return tally.gameID === gameID ? undefined : 'other-game';
  }

  /**
   * Stores a round with its first bet.
   *
   * @returns the round with the bet
   * @throws RangeError or an SQLite error when the bet can't be placed or stored; then nothing has changed
   */
  begin(record: RoundRecord, bet: RoundEvent): RoundRecord {
    return this.#atomically(() => {
      this.#put(record);
      return this.#advance(record.round.roundID, bet, false);
    });
  }

  /**
   * Stores an event of a round that has begun.
   *
   * @param over true if the event is the last win of the round
   * @returns the round after the event, which may be finished
   * @throws RangeError or an SQLite error when the event is not possible or can't be stored; then nothing has changed
   */
  advance(roundID: string, event: RoundEvent, over = false): RoundRecord {
    return this.#atomically(() => this.#advance(roundID, event, over));
  }

  /**
   * Stores that a campaign has ended.
   *
   * @throws an SQLite error when the end can't be stored; then nothing has changed
   */
  endCampaign({ extCID, frID }: CampaignKey): void {
    this.#atomically(() => {
      this.#database.prepared('INSERT OR IGNORE INTO ended_campaign (extCID, frID) VALUES (?, ?)').run(extCID, frID);
      for (const tally of this.tallies()) {
        if (tally.extCID === extCID && tally.frID === frID) this.#putTally(tally);
      }
    });
  }

  /** Stores a round unchanged. Used to import the data of an earlier version. */
  putRound(record: RoundRecord): void {
    this.#atomically(() => this.#put(record));
  }

  /** Stores a player’s tally of free rounds unchanged. Used to import the data of an earlier version. */
  putTally(tally: FreeTally): void {
    this.#tallies.put(tally);
  }

  /**
   * Returns the sum of a player's free wins in a campaign, and the round in which the sum is paid. Returns undefined while the
   * sum is not due. The sum is due only once: when no further free round can begin and all rounds that have begun are settled.
   */
  withdrawalDue(of: TallyKey): { readonly roundID: string; readonly amount: string } | undefined {
    const tally = this.tally(of);
    if (tally === undefined || tally.withdrawn || tally.lastRoundID === null) return undefined;
    if (!this.hasEnded(tally) && tally.used < tally.quantity) return undefined;
    const last = this.round(tally.lastRoundID);
    if (last === undefined || !isSettled(last) || this.#openRounds(tally) > 1) return undefined;
    return { roundID: tally.lastRoundID, amount: formatAmount(Money.of(tally.won), last.currency) };
  }

  /**
   * Resolves when all earlier changes are written to the disk. All calls in the same turn of the event loop share one
   * write.
   */
  flush(): Promise<void> {
    this.#sync ??= new Promise((resolve, reject) => {
      setImmediate(() => {
        this.#sync = null;
        try {
          // If the database is closed, all changes are already on the disk.
          if (this.#database.isOpen) syncLog(this.#database);
          resolve();
        } catch (error) {
          reject(error);
        }
      });
    });
    return this.#sync;
  }

  #atomically<T>(work: () => T): T {
    this.#justFinished = [];
    const result = this.#database.atomically(work);
    this.#finished.push(...this.#justFinished);
    if (this.#finished.length > MAX_FINISHED) this.#finished.splice(0, this.#finished.length - MAX_FINISHED);
    return result;
  }

  #advance(roundID: string, event: RoundEvent, over: boolean): RoundRecord {
    const record = this.round(roundID);
    if (record === undefined) throw new RangeError(`the round ${roundID} is not open`);
    const step = stepRound(record.round, event);
    if (step.kind === 'refused')
      throw new RangeError(`the event ${event.kind} is not possible in the round ${roundID}: ${step.reason}`);
    const next = advanced(record, event, step.round, over);
    this.#put(next);
    if (next.free !== null) this.#count(record, next, next.free, event);
    return next;
  }

  #put(record: RoundRecord): void {
    const { gsID, round, free } = record;
    if (isFinished(record)) {
      this.#database.prepared('DELETE FROM round WHERE roundID = ?').run(round.roundID);
      this.#justFinished.push(record);
      return;
    }
    const tally = free === null ? null : tallyKey({ ...record, frID: free.frID });
    const sql = `INSERT INTO round (roundID, gsID, tally, record) VALUES (?, ?, ?, ?)
      ON CONFLICT (roundID) DO UPDATE SET record = excluded.record`;
    this.#database.prepared(sql).run(round.roundID, gsID, tally, JSON.stringify(record));
  }

  /** Returns the number of a player’s open free rounds in a campaign. */
  #openRounds(of: TallyKey): number {
    const sql = 'SELECT count(*) AS rounds FROM round WHERE tally = ?';
    return Number(this.#database.prepared(sql).get(tallyKey(of))?.rounds);
  }

  /** Stores a player’s tally of free rounds. If no free round can change the tally any more, deletes it instead. */
  #putTally(tally: FreeTally): void {
    if (this.hasEnded(tally) && this.#openRounds(tally) === 0) this.#tallies.delete(tallyKey(tally));
    else this.#tallies.put(tally);
  }

  /** Updates the player’s tally of free rounds after an event of a free round. */
  #count(before: RoundRecord, after: RoundRecord, { frID, quantity }: FreeTerms, event: RoundEvent): void {
    const { extCID, player, gameID } = after;
    const known = this.tally({ frID, extCID, player });
    const tally = known ?? { ...EMPTY, frID, extCID, player, gameID, quantity };
    switch (event.kind) {
      case 'bet':
        this.#putTally({ ...tally, used: tally.used + 1 });
        return;
      case 'win':
        this.#putTally(
          event.type === 'free'
            ? { ...tally, won: Money.of(tally.won).plus(Money.of(event.amount)).format() }
            : { ...tally, withdrawn: true },
        );
        return;
      case 'reply':
      case 'timeout':
      case 'broken':
        this.#putTally(this.#concluded(tally, statusOf(before, event.txID), statusOf(after, event.txID), after));
    }
  }

  #concluded(tally: FreeTally, before: string | undefined, now: string | undefined, record: RoundRecord): FreeTally {
    if (before !== 'sent') return tally;
    if (now !== 'accepted') return { ...tally, used: tally.used - 1 };
    const previous = tally.lastRoundID === null ? undefined : this.round(tally.lastRoundID);
    if (previous !== undefined && previous.round.roundID !== record.round.roundID)
      this.#put({ ...previous, over: true });
    return { ...tally, lastRoundID: record.round.roundID };
  }
}

const EMPTY = { used: 0, won: '0', lastRoundID: null, withdrawn: false };

function tallyKey({ frID, extCID, player }: TallyKey): string {
  return JSON.stringify([frID, extCID, player]);
}

function statusOf({ round }: RoundRecord, betTxID: string): string | undefined {
  return round.bets.find(({ request }) => request.txID === betTxID)?.status;
}

/**
 * Reads a round from its row. The row needs no check here: the constructor has checked all rows, and no other process can write
 * to the database.
 */
function asRound({ record }: Readonly<Record<string, unknown>>): RoundRecord {
  return JSON.parse(String(record));
}

/**
 * Writes SQLite's log of changes to the disk. With `synchronous = FULL`, SQLite does this at a commit, but only if the commit
 * changes a table. Therefore this function increases a counter in a table.
 */
function syncLog(database: Database): void {
  database.run('PRAGMA synchronous = FULL');
  try {
    database.prepared('UPDATE sync SET count = count + 1').run();
  } finally {
    database.run('PRAGMA synchronous = NORMAL');
  }
}
