import { Money } from '../../contract/money.ts';
import { type RoundEvent, stepRound } from '../../contract/round.ts';
import { written } from '../bet-lines.ts';
import { type FreeTally, tallyKey } from './free-tally.ts';
import type { LedgerEntry } from './ledger-entry.ts';
import type { RefusalReason } from './results.ts';
import { advanced, type FreeTerms, isFinished, isSettled, type RoundRecord } from './round-record.ts';

/** So many finished rounds can still be looked at. */
const FINISHED_KEPT = 200;

/** What one event makes of a round, or why it can't happen there. */
type Prospect = 'possible' | RefusalReason;

/**
 * What the ledger adds up to: the rounds that are not finished, and what players had of campaigns. Finished rounds are
 * forgotten. The same entries give the same book, while the service runs and after a restart.
 */
export class Book {
  readonly #rounds = new Map<string, RoundRecord>();
  readonly #tallies = new Map<string, FreeTally>();
  /** The unfinished rounds of each tally. */
  readonly #freeRounds = new Map<string, Set<string>>();

  /** Campaigns of which no free round begins any more. */
  readonly #ended = new Map<string, Pick<FreeTally, 'extCID' | 'frID'>>();
  readonly #finished: RoundRecord[] = [];

  /** As they are at this moment: what happens next does not change the list. */
  get rounds(): readonly RoundRecord[] {
    return [...this.#rounds.values()];
  }

  /** The rounds that were finished last since the start, the latest at the end. */
  get finished(): readonly RoundRecord[] {
    return this.#finished;
  }

  get tallies(): readonly FreeTally[] {
    return [...this.#tallies.values()];
  }

  /** @returns undefined when the round never began, or is finished */
  round(roundID: string): RoundRecord | undefined {
    return this.#rounds.get(roundID);
  }

  /** No free round of the campaign begins any more. */
  hasEnded(campaign: Pick<FreeTally, 'extCID' | 'frID'>): boolean {
    return this.#ended.has(campaignKey(campaign));
  }

  tally(of: Pick<FreeTally, 'frID' | 'extCID' | 'player'>): FreeTally | undefined {
    return this.#tallies.get(tallyKey(of));
  }

  /** Asks beforehand, as what was written into the ledger has happened. */
  prospect(roundID: string, event: RoundEvent): Prospect {
    const record = this.#rounds.get(roundID);
    if (record === undefined || (record.over && record.round.wins.length > 0 && isPlaced(event))) return 'round-over';
    const step = stepRound(record.round, event);
    return step.kind === 'moved' ? 'possible' : step.reason;
  }

  /** Why a player can't begin another free round; undefined: nothing here speaks against it. */
  freeRefusal({ extCID, player, gameID, free }: RoundRecord): 'other-game' | 'used-up' | 'campaign-ended' | undefined {
    const tally = free === null ? undefined : this.tally({ frID: free.frID, extCID, player });
    if (free !== null && this.hasEnded({ extCID, frID: free.frID })) return 'campaign-ended';
    if (tally === undefined) return undefined;
    if (tally.used >= tally.quantity) return 'used-up';
    return tally.gameID === gameID ? undefined : 'other-game';
  }

  /**
   * Takes an entry in.
   *
   * @returns the round as it is now, finished or not; undefined when the entry is about something else
   * @throws RangeError when it can't happen
   */
  apply(entry: LedgerEntry): RoundRecord | undefined {
    switch (entry.kind) {
      case 'round':
        this.#put(entry.record);
        return entry.record;
      case 'event':
        return this.#advance(entry.roundID, entry.event, entry.over ?? false);
      case 'tally':
        this.#tallies.set(tallyKey(entry.tally), entry.tally);
        return undefined;
      case 'campaign-ended':
        this.#ended.set(campaignKey(entry), { extCID: entry.extCID, frID: entry.frID });
        for (const tally of this.tallies) this.#putTally(tally);
        return undefined;
    }
  }

  /** The entries that give this book. */
  snapshot(): readonly LedgerEntry[] {
    const ended = [...this.#ended.values()].map((campaign): LedgerEntry => ({ kind: 'campaign-ended', ...campaign }));
    const tallies = this.tallies.map((tally): LedgerEntry => ({ kind: 'tally', tally }));
    const rounds = this.rounds.map((record): LedgerEntry => ({ kind: 'round', record }));
    return [...ended, ...tallies, ...rounds];
  }

  /**
   * The round in which the withdrawal of a campaign is to be made, and its sum; undefined while it isn't due. It is due once, when
   * no free round can follow and all that began are settled.
   */
  withdrawalDue(
    of: Pick<FreeTally, 'frID' | 'extCID' | 'player'>,
  ): { readonly roundID: string; readonly amount: string } | undefined {
    const tally = this.tally(of);
    if (tally === undefined || tally.withdrawn || tally.lastRoundID === null) return undefined;
    if (!this.hasEnded(tally) && tally.used < tally.quantity) return undefined;
    const last = this.#rounds.get(tally.lastRoundID);
    const inPlay = this.#freeRounds.get(tallyKey(tally))?.size ?? 0;
    if (last === undefined || !isSettled(last) || inPlay > 1) return undefined;
    return { roundID: tally.lastRoundID, amount: written(Money.of(tally.won), last.currency) };
  }

  #advance(roundID: string, event: RoundEvent, over: boolean): RoundRecord {
    const record = this.#rounds.get(roundID);
    if (record === undefined) throw new RangeError(`the round ${roundID} is not open`);
    const step = stepRound(record.round, event);
    if (step.kind === 'refused') throw new RangeError(`${event.kind} in the round ${roundID}: ${step.reason}`);
    const next = advanced(record, event, step.round, over);
    this.#put(next);
    if (next.free !== null) this.#count(record, next, next.free, event);
    return next;
  }

  #put(record: RoundRecord): void {
    const { roundID } = record.round;
    const finished = isFinished(record);
    if (finished) {
      this.#rounds.delete(roundID);
      this.#finished.push(record);
      if (this.#finished.length > FINISHED_KEPT) this.#finished.shift();
    } else this.#rounds.set(roundID, record);
    if (record.free === null) return;
    const key = tallyKey({ ...record, frID: record.free.frID });
    const known = this.#freeRounds.get(key) ?? new Set();
    if (finished) known.delete(roundID);
    else known.add(roundID);
    if (known.size === 0) this.#freeRounds.delete(key);
    else this.#freeRounds.set(key, known);
  }

  /** A tally that can never be of use again is forgotten. */
  #putTally(tally: FreeTally): void {
    const key = tallyKey(tally);
    if (this.hasEnded(tally) && !this.#freeRounds.has(key)) this.#tallies.delete(key);
    else this.#tallies.set(key, tally);
  }

  /** Keeps the tally of a free round's campaign. */
  #count(before: RoundRecord, after: RoundRecord, { frID, quantity }: FreeTerms, event: RoundEvent): void {
    const { extCID, player, gameID } = after;
    const known = this.tally({ frID, extCID, player });
    const tally = known ?? { ...FRESH, frID, extCID, player, gameID, quantity };
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
    const previous = tally.lastRoundID === null ? undefined : this.#rounds.get(tally.lastRoundID);
    if (previous !== undefined && previous.round.roundID !== record.round.roundID)
      this.#put({ ...previous, over: true });
    return { ...tally, lastRoundID: record.round.roundID };
  }
}

function campaignKey({ extCID, frID }: Pick<FreeTally, 'extCID' | 'frID'>): string {
  return JSON.stringify([extCID, frID]);
}

const FRESH = { used: 0, won: '0', lastRoundID: null, withdrawn: false };

function isPlaced({ kind }: RoundEvent): boolean {
  return kind === 'bet' || kind === 'win';
}

function statusOf({ round }: RoundRecord, betTxID: string): string | undefined {
  return round.bets.find(({ request }) => request.txID === betTxID)?.status;
}
