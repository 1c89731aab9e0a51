import type { RoundEvent } from '../../contract/round.ts';
import type { Outcome } from '../../journal/exchange.ts';
import { readAnswer } from './answer.ts';
import type { Debts } from './debts.ts';
import type { FreeTally } from './free-tally.ts';
import type { Recording } from './recording.ts';
import type { Refused, WinResult } from './results.ts';
import { callOf, debtsOf, kindOf, plannedWinOf, type RoundRecord } from './round-record.ts';

/** What a win is to say. `type` counts in free rounds alone: others are `regular`. */
export interface WinTerms {
  readonly amount: string;
  readonly type: 'regular' | 'free';
  /** It is the last of its round. */
  readonly over: boolean;
}

/** A win that is in the ledger and on its way. */
interface PlacedWin {
  readonly kind: 'placed';
  readonly txID: string;
  readonly amount: string;
  /** What came of the first try; null when nothing leaves any more. */
  readonly first: Promise<Outcome | null>;
}

/** Pays players what they won. */
export class Payouts {
  readonly #recording: Recording;
  readonly #debts: Debts;
  readonly #uuid: () => string;

  constructor(recording: Recording, debts: Debts, uuid: () => string) {
    this.#recording = recording;
    this.#debts = debts;
    this.#uuid = uuid;
  }

  /**
   * Pays a win.
   *
   * @returns what came of the first try
   * @throws what the system says when it can't be written into the ledger; nothing was sent then
   */
  async pay(record: RoundRecord, terms: WinTerms): Promise<WinResult> {
    const placed = this.#place(record, terms);
    return placed.kind === 'placed' ? resultOf(placed) : placed;
  }

  /** Pays the win that was drawn when the round began, if it is time. */
  payPlanned(roundID: string): Promise<WinResult> {
    return this.#insist(() => {
      const record = this.#recording.book.round(roundID);
      const amount = record && plannedWinOf(record);
      if (record === undefined || amount === undefined) return { kind: 'refused', reason: 'round-over' };
      // The last free round stays open for the withdrawal.
      return this.#place(record, { amount, type: 'free', over: record.free === null });
    });
  }

  /** Pays what a campaign brought a player, if it is time. */
  withdraw(of: Pick<FreeTally, 'frID' | 'extCID' | 'player'>): Promise<WinResult> {
    return this.#insist(() => {
      const { book } = this.#recording;
      const due = book.withdrawalDue(of);
      const record = due && book.round(due.roundID);
      if (due === undefined || record === undefined) return { kind: 'refused', reason: 'not-awaited' };
      return this.#place(record, { amount: due.amount, type: 'regular', over: true });
    });
  }

  /** What has been accepted must be paid, also when the ledger can't be written for a while. */
  async #insist(place: () => Refused | PlacedWin): Promise<WinResult> {
    const placed = await this.#recording.insist(place);
    return placed?.kind === 'placed' ? resultOf(placed) : (placed ?? { kind: 'refused', reason: 'closing' });
  }

  #place(record: RoundRecord, { amount, type, over }: WinTerms): Refused | PlacedWin {
    if (this.#recording.isClosing) return { kind: 'refused', reason: 'closing' };
    const { roundID } = record.round;
    const txID = this.#uuid();
    const event: RoundEvent = { kind: 'win', txID, amount, ...kindOf(record, type) };
    const prospect = this.#recording.book.prospect(roundID, event);
    if (prospect !== 'possible') return { kind: 'refused', reason: prospect };
    const placed = this.#recording.record({ kind: 'event', roundID, event, over });
    return { kind: 'placed', txID, amount, first: this.#debts.take(placed, callOf(debtsOf(placed), txID)) };
  }
}

async function resultOf({ txID, amount, first }: PlacedWin): Promise<WinResult> {
  const outcome = await first;
  if (outcome === null) return { kind: 'refused', reason: 'closing' };
  const { status, balance, message, code } = readAnswer(outcome);
  if (status === 200) return { kind: 'settled', txID, amount, balance };
  return { kind: 'pending', txID, amount, status, message, code };
}
