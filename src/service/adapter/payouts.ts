import type { ActionType } from '../../contract/call-name.ts';
import type { RoundEvent } from '../../contract/round.ts';
import type { Outcome } from '../../journal/exchange.ts';
import { readAnswer } from './answer.ts';
import type { Debts } from './debts.ts';
import type { Refused, WinResult } from './results.ts';
import { callOf, debtsOf, kindOf, plannedWinOf, type RoundRecord } from './round-record.ts';
import type { TallyKey } from './round-store.ts';
import type { RoundWriter } from './round-writer.ts';

/** The terms of a win. `type` is used in free rounds only; the wins of other rounds are `regular`. */
export interface WinTerms {
  readonly amount: string;
  readonly type: ActionType;
  /** True if the win is the last of its round. */
  readonly over: boolean;
}

/** A win that is stored and is being sent. */
interface PlacedWin {
  readonly kind: 'placed';
  readonly txID: string;
  readonly amount: string;
  /** The outcome of the first attempt; null when the adapter was closed before it. */
  readonly first: Promise<Outcome | null>;
}

/** Stores the wins of rounds and sends them to the operator. */
export class Payouts {
  readonly #writer: RoundWriter;
  readonly #debts: Debts;
  readonly #uuid: () => string;

  constructor(writer: RoundWriter, debts: Debts, uuid: () => string) {
    this.#writer = writer;
    this.#debts = debts;
    this.#uuid = uuid;
  }

  /**
   * Stores and sends a win.
   *
   * @returns the result of the first attempt
   * @throws an SQLite error when the win can't be stored; then nothing is sent
   */
  async pay(record: RoundRecord, terms: WinTerms): Promise<WinResult> {
    const placed = this.#place(record, terms);
    return placed.kind === 'placed' ? resultOf(placed) : placed;
  }

  /**
   * Sends the win that was drawn when the round began. Refuses if the bet of the round is not accepted, or if the win was sent
   * before.
   */
  payPlanned(roundID: string): Promise<WinResult> {
    return this.#retry(() => {
      const record = this.#writer.store.round(roundID);
      const amount = record && plannedWinOf(record);
      if (record === undefined || amount === undefined) return { kind: 'refused', reason: 'round-over' };
      // The win of a free round does not end the round. If the round is the last of the campaign, the sum of all wins is also
      // paid in this round.
      return this.#place(record, { amount, type: 'free', over: record.free === null });
    });
  }

  /** Pays a player the sum of a campaign's free wins (the withdrawal). Refuses if the withdrawal is not due. */
  withdraw(of: TallyKey): Promise<WinResult> {
    return this.#retry(() => {
      const { store } = this.#writer;
      const due = store.withdrawalDue(of);
      const record = due && store.round(due.roundID);
      if (due === undefined || record === undefined) return { kind: 'refused', reason: 'not-awaited' };
      return this.#place(record, { amount: due.amount, type: 'regular', over: true });
    });
  }

  /**
   * Repeats an action that stores a win until the win is stored. The player must get the win even if the disk is full for some
   * time.
   */
  async #retry(place: () => Refused | PlacedWin): Promise<WinResult> {
    const placed = await this.#writer.retry(place);
    return placed?.kind === 'placed' ? resultOf(placed) : (placed ?? { kind: 'refused', reason: 'closing' });
  }

  #place(record: RoundRecord, { amount, type, over }: WinTerms): Refused | PlacedWin {
    if (this.#writer.isClosing) return { kind: 'refused', reason: 'closing' };
    const { roundID } = record.round;
    const txID = this.#uuid();
    const event: RoundEvent = { kind: 'win', txID, amount, ...kindOf(record, type) };
    const reason = this.#writer.store.refusalOf(roundID, event);
    if (reason !== undefined) return { kind: 'refused', reason };
    const placed = this.#writer.advance(roundID, event, over);
    return { kind: 'placed', txID, amount, first: this.#debts.add(placed, callOf(debtsOf(placed), txID)) };
  }
}

async function resultOf({ txID, amount, first }: PlacedWin): Promise<WinResult> {
  const outcome = await first;
  if (outcome === null) return { kind: 'refused', reason: 'closing' };
  const { status, balance, message, code } = readAnswer(outcome);
  if (status === 200) return { kind: 'settled', txID, amount, balance };
  return { kind: 'pending', txID, amount, status, message, code };
}
