import { setTimeout as sleep } from 'node:timers/promises';
import type { Money } from '../../contract/money.ts';
import type { JournalEvent, Received } from '../../journal/event.ts';
import { renumbered } from '../../journal/renumbered.ts';
import { replyStatus } from '../../reply/status.ts';
import type { CallGate } from '../calls/call-gate.ts';
import { Sender } from '../calls/sender.ts';
import type { AfterRun } from './after-run.ts';
import { balanceEvents } from './debts.ts';
import { answered, ItemSettler, type ItemSettlerOptions, isCall } from './item-settler.ts';
import { keyOfItem, type OpenItem, openItemsOf, walletOfItem } from './open-items.ts';

export interface SettleOptions extends ItemSettlerOptions {
  /**
   * The `received` events of the calls that were unanswered when the run was aborted. `afterRun` already contains these events, but
   * they are not in the journal yet.
   */
  readonly unanswered: readonly Received[];
  readonly deadlineMs: number;
  /** Time limit in milliseconds, from the beginning. After this time, no further attempt begins. */
  readonly timeMs: number;
  readonly ratePerSecond: number | null;
  readonly maxAtOnce: number;
  /**
   * Receives every event, in order. The caller appends it to the journal of the run. A `sending` event must be stored when this
   * function returns.
   */
  readonly record: (event: JournalEvent) => void;
  /** Decides whether calls may be sent. Absent: every call may be sent. */
  readonly gate?: CallGate | undefined;
  readonly now: () => number;
}

/** The result of the attempts to settle one open item. */
export interface Settled {
  readonly item: OpenItem;
  /**
   * True if the call was answered 200, or if the balance is restored. Also true for a win that the operator has declined and may
   * decline, see `declineWinWithoutBet`.
   */
  readonly done: boolean;
  readonly tries: number;
  /** The status of the last answer. Null if no answer arrived, or if nothing was sent. */
  readonly status: number | null;
  /** For a wallet: the balance that was read first. Null for a call, or if the balance could not be read. */
  readonly found: Money | null;
  readonly missing: Money | null;
  /** The reason why the item is not settled, as a clause. Null if the item is settled. */
  readonly reason: string | null;
}

/**
 * Maximum number of attempts to restore a balance. If connections break, several attempts can fail at a correct operator, too.
 */
const BALANCE_TRIES = 6;
const FIRST_PAUSE_MS = 200;
const MAX_PAUSE_MS = 5000;

/**
 * Sends the calls that an aborted run still owes. Repeats each call until it is answered 200: the contract (section Errors)
 * requires this for refunds and wins. Then restores the balances for which the journal shows with certainty how much is missing.
 *
 * @returns one entry for each open item, in the order in which the items were found
 */
export async function settleRun(options: SettleOptions): Promise<readonly Settled[]> {
  const { afterRun, unanswered, client } = options;
  const record = (event: JournalEvent): void => {
    options.record(event);
    afterRun.add(event);
  };
  for (const event of unanswered) options.record(event);
  const sender = new Sender({ ...options, wire: client.wire, record: continuing(afterRun, options.now, record) });
  try {
    const settled = await new Settlement({ ...options, record }, sender).play();
    for (const event of balanceEvents(afterRun)) options.record(event);
    return settled;
  } finally {
    await sender.close();
  }
}

class Settlement {
  readonly #options: SettleOptions;
  readonly #afterRun: AfterRun;
  readonly #settler: ItemSettler;

  constructor(options: SettleOptions, sender: Sender) {
    this.#options = options;
    this.#afterRun = options.afterRun;
    this.#settler = new ItemSettler(options, sender, BALANCE_TRIES);
  }

  async play(): Promise<readonly Settled[]> {
    const { now, timeMs, signal } = this.#options;
    const settler = this.#settler;
    const until = now() + timeMs;
    settler.announce();
    for (let pauseMs = FIRST_PAUSE_MS; ; pauseMs = Math.min(pauseMs * 2, MAX_PAUSE_MS)) {
      await this.#round();
      const waiting = this.#openItems().filter(
        (item) => settler.progressOf(item).givenUp === null && !settler.isBlocked(item),
      );
      if (waiting.length === 0 || signal.aborted || now() + pauseMs > until) break;
      await sleep(pauseMs, undefined, { signal }).catch(() => {});
    }
    settler.announce();
    const left = openItemsOf(this.#afterRun);
    if (left.length === 0)
      this.#options.record({
        event: 'notice',
        text: 'croupier settle has sent the calls that the run still owed.',
      });
    // No event names a round that must still be completed.
    if (!this.#afterRun.ended && left.every(({ kind }) => kind !== 'round'))
      this.#options.record({ event: 'owed-known' });
    return this.#settled();
  }

  /**
   * Returns the items that are open now. Also returns the balances that were not read yet: those of the wallets whose calls were
   * settled, even if probably no money is missing. If the end of the journal is missing, those of all wallets.
   */
  #openItems(): readonly OpenItem[] {
    const item = openItemsOf(this.#afterRun);
    const listed = new Set(item.map(keyOfItem));
    const touched = [...this.#settler.progress.values()].flatMap(({ item: one }) =>
      one.kind === 'balance' ? [] : (this.#afterRun.estimateOf(walletOfItem(one)) ?? []),
    );
    // Calls that are missing in the journal may have moved the balance of every wallet.
    const estimates = this.#options.isCutOff ? this.#afterRun.estimates : touched;
    const unread = new Map(
      estimates.map((estimate): [string, OpenItem] => {
        const one: OpenItem = { kind: 'balance', estimate };
        return [keyOfItem(one), one];
      }),
    );
    return [...item, ...[...unread].flatMap(([key, one]) => (listed.has(key) || this.#isRead(key) ? [] : [one]))];
  }

  #isRead(key: string): boolean {
    return (this.#settler.progress.get(key)?.found ?? null) !== null;
  }

  async #round(): Promise<void> {
    const { signal } = this.#options;
    const settler = this.#settler;
    const isTried = (item: OpenItem): boolean => settler.progressOf(item).givenUp === null;
    for (const item of openItemsOf(this.#afterRun)) {
      if (signal.aborted) return;
      if (isCall(item) && isTried(item)) await settler.send(item);
    }
    // The calls above can complete or refund rounds. So the list of open rounds is computed again.
    for (const item of openItemsOf(this.#afterRun)) {
      if (signal.aborted) return;
      if (item.kind === 'round' && isTried(item)) await settler.complete(item);
    }
    for (const item of this.#openItems()) {
      if (signal.aborted) return;
      if (item.kind === 'balance' && !settler.isBlocked(item) && isTried(item)) await settler.restore(item);
    }
  }

  #settled(): readonly Settled[] {
    const still = new Set(this.#openItems().map(keyOfItem));
    return [...this.#settler.progress].flatMap(
      ([key, { item, tries, last, found, missing, givenUp }]): readonly Settled[] => {
        const done = !still.has(key);
        // If the win got no usable answer, the list of open items now contains the win, in place of its round.
        if (item.kind === 'round' && done && (last && replyStatus({ outcome: last })) !== 200) return [];
        const settled = {
          item,
          done,
          tries,
          status: (last && replyStatus({ outcome: last })) ?? null,
          found,
          missing,
          reason: done ? null : (givenUp ?? (last ? `it was ${answered(last)}` : 'it was not tried')),
        };
        return [settled];
      },
    );
  }
}

/**
 * Returns a `record` function that gives events new ids and times. They continue the ids and times of the run, because both have
 * the same journal.
 */
function continuing(
  { exchanges, latestStamp }: AfterRun,
  now: () => number,
  record: (event: JournalEvent) => void,
): (event: JournalEvent) => void {
  const offset = { exchanges, connections: 0, ms: latestStamp - now() + 1 };
  return (event) => record(renumbered(event, offset));
}
