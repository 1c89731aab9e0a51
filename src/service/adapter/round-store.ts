import { z } from 'zod';
import { AMOUNT_PATTERN } from '../../contract/calls.ts';
import { Money } from '../../contract/money.ts';
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

/** A campaign of free rounds, as reverse calls name it. */
export interface CampaignKey {
  readonly extCID: string;
  readonly frID: string;
}

/** One player in one campaign. */
export interface TallyKey extends CampaignKey {
  readonly player: string;
}

/** The part of one campaign that one player has used. */
export interface FreeTally extends TallyKey {
  /** The one game in which the player uses the campaign: the first that a free round was begun in. */
  readonly gameID: string;
  /** The number of free rounds that the player may have. */
  readonly quantity: number;
  /** Free rounds whose bet is accepted, or still in doubt. */
  readonly used: number;
  /** The sum of the free wins so far, in the main unit. */
  readonly won: string;
  /** The round that was accepted last. It stays open, because the withdrawal is made in it. */
  readonly lastRoundID: string | null;
  /** The withdrawal was placed. */
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

/** The number of finished rounds that can still be looked at. */
const MAX_FINISHED = 200;

/**
 * The rounds that are not finished, and what players had of campaigns. Finished rounds are deleted.
 *
 * Every change is one transaction, and has outlived the process when its method returns. `secured` says when it would also outlive
 * the machine.
 */
export class RoundStore {
  readonly #database: Database;
  readonly #tallies: RecordTable<FreeTally>;
  readonly #finished: RoundRecord[] = [];
  /** Rounds that the transaction under way has finished. */
  #justFinished: RoundRecord[] = [];
  #sync: Promise<void> | null = null;

  /**
   * @param database with the tables of the service
   * @throws DatabaseError when it holds a round or a tally that can't be read
   */
  constructor(database: Database) {
    this.#database = database;
    this.#tallies = new RecordTable(database, 'tally', freeTallySchema, tallyKey);
    for (const { roundID, record } of database.prepared('SELECT roundID, record FROM round').all())
      readRecord(roundRecordSchema, record, `the round ${String(roundID)}`);
  }

  /** The rounds that are not finished, oldest first. */
  rounds(): readonly RoundRecord[] {
    return this.#database.prepared('SELECT record FROM round ORDER BY id').all().map(asRound);
  }

  /** The rounds of a game session that are not finished, oldest first. */
  roundsOf(gsID: string): readonly RoundRecord[] {
    return this.#database.prepared('SELECT record FROM round WHERE gsID = ? ORDER BY id').all(gsID).map(asRound);
  }

  /** Whether a round of a game session is not finished. */
  hasRoundOf(gsID: string): boolean {
    return this.#database.prepared('SELECT 1 FROM round WHERE gsID = ? LIMIT 1').get(gsID) !== undefined;
  }

  /** @returns undefined when the round never began, or is finished */
  round(roundID: string): RoundRecord | undefined {
    const row = this.#database.prepared('SELECT record FROM round WHERE roundID = ?').get(roundID);
    return row && asRound(row);
  }

  /** The last 200 rounds that were finished since the start, the latest at the end. */
  get finished(): readonly RoundRecord[] {
    return this.#finished;
  }

  tallies(): readonly FreeTally[] {
    return this.#tallies.all();
  }

  tally(of: TallyKey): FreeTally | undefined {
    return this.#tallies.get(tallyKey(of));
  }

  /** No free round of the campaign begins any more. */
  hasEnded({ extCID, frID }: CampaignKey): boolean {
    const sql = 'SELECT 1 FROM ended_campaign WHERE extCID = ? AND frID = ?';
    return this.#database.prepared(sql).get(extCID, frID) !== undefined;
  }

  /** Returns the reason why `advance` would refuse an event, or undefined if the event is possible. */
  refusalOf(roundID: string, event: RoundEvent): RefusalReason | undefined {
    const record = this.round(roundID);
    const isPlaced = event.kind === 'bet' || event.kind === 'win';
    if (record === undefined || (record.over && record.round.wins.length > 0 && isPlaced)) return 'round-over';
    const step = stepRound(record.round, event);
    return step.kind === 'moved' ? undefined : step.reason;
  }

  /** Why a player can't begin another free round; undefined when the rounds so far allow it. */
  freeRefusal({ extCID, player, gameID, free }: RoundRecord): 'other-game' | 'used-up' | 'campaign-ended' | undefined {
    if (free === null) return undefined;
    if (this.hasEnded({ extCID, frID: free.frID })) return 'campaign-ended';
    const tally = this.tally({ frID: free.frID, extCID, player });
    if (tally === undefined) return undefined;
    if (tally.used >= tally.quantity) return 'used-up';
    return tally.gameID === gameID ? undefined : 'other-game';
  }

  /**
   * Begins a round with its first bet.
   *
   * @returns the round with the bet
   * @throws RangeError when the bet can't be placed, or what SQLite says; nothing has changed then
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
   * @param over the event is the round's last win
   * @returns the round after the event, finished or not
   * @throws RangeError when the event can't happen, or what SQLite says; nothing has changed then
   */
  advance(roundID: string, event: RoundEvent, over = false): RoundRecord {
    return this.#atomically(() => this.#advance(roundID, event, over));
  }

  /** Ends a campaign. @throws what SQLite says; nothing has changed then */
  endCampaign({ extCID, frID }: CampaignKey): void {
    this.#atomically(() => {
      this.#database.prepared('INSERT OR IGNORE INTO ended_campaign (extCID, frID) VALUES (?, ?)').run(extCID, frID);
      for (const tally of this.tallies()) {
        if (tally.extCID === extCID && tally.frID === frID) this.#putTally(tally);
      }
    });
  }

  /** Stores a round as it is, for what an earlier version wrote. */
  putRound(record: RoundRecord): void {
    this.#atomically(() => this.#put(record));
  }

  /** Stores a tally unchanged. Used to take over the data of an earlier version. */
  putTally(tally: FreeTally): void {
    this.#tallies.put(tally);
  }

  /**
   * The round in which the withdrawal of a campaign is to be made, and its sum; undefined while it isn't due. It is due once, when
   * no free round can follow and all that began are settled.
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
   * Resolves once everything that was stored before is on the disk. All who ask in the same turn of the event loop share one
   * write to the disk.
   */
  flush(): Promise<void> {
    this.#sync ??= new Promise((resolve, reject) => {
      setImmediate(() => {
        this.#sync = null;
        try {
          // Closing the database has written everything to the disk.
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
    if (step.kind === 'refused') throw new RangeError(`${event.kind} in the round ${roundID}: ${step.reason}`);
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

  /** The number of free rounds of a tally that are not finished. */
  #openRounds(of: TallyKey): number {
    const sql = 'SELECT count(*) AS rounds FROM round WHERE tally = ?';
    return Number(this.#database.prepared(sql).get(tallyKey(of))?.rounds);
  }

  /** Deletes a tally that no free round can change any more. */
  #putTally(tally: FreeTally): void {
    if (this.hasEnded(tally) && this.#openRounds(tally) === 0) this.#tallies.delete(tallyKey(tally));
    else this.#tallies.put(tally);
  }

  /** Counts an event of a free round in the tally of its player. */
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

/** All rows were checked when the store was opened, and only this process can write to it. */
function asRound({ record }: Readonly<Record<string, unknown>>): RoundRecord {
  return JSON.parse(String(record));
}

/**
 * Writes the log to the disk. SQLite does that at a commit with `synchronous = FULL`, for earlier commits too, but only when
 * the commit changes something.
 */
function syncLog(database: Database): void {
  database.run('PRAGMA synchronous = FULL');
  try {
    database.prepared('UPDATE sync SET count = count + 1').run();
  } finally {
    database.run('PRAGMA synchronous = NORMAL');
  }
}
