import type { Money } from '../contract/money.ts';
import type { JournalEvent, Received, RunStarted, Sending } from '../journal/event.ts';
import type { Exchange } from '../journal/exchange.ts';
import { answerOf, mayHaveArrived } from '../judge/answer.ts';
import { readReply } from '../judge/reading.ts';
import { pastCallOf, sessionOfPast } from './past-call.ts';
import { type PastTransaction, PastTransactions } from './past-transactions.ts';
import { walletIdOf } from './pool.ts';
import { Reckoning } from './reckoning.ts';

export interface AftermathOptions {
  /** Whether a call went out with the right signature; others move nothing at an operator that keeps the contract. */
  readonly signedRight: (sending: Sending) => boolean;
}

interface InFlight {
  readonly sending: Sending;
  readonly walletID: string | undefined;
  /** Of a read: no call was under way that could move the balance. */
  quiet: boolean;
}

/** A story that is being played. */
interface OpenStory {
  /** The wallets that it has read. */
  readonly wallets: Set<string>;
  readonly transactions: PastTransaction[];
}

/**
 * What a run left behind, reckoned from its journal: which transactions wait for an answer, and what every wallet must
 * hold. Events of a settlement that are added later go on from there.
 *
 * Pure, and right about a journal that ends anywhere.
 */
export class Aftermath {
  readonly #signedRight: (sending: Sending) => boolean;
  #run: RunStarted | undefined;
  #ended = false;
  readonly #walletOf = new Map<string, string>();
  readonly #transactions = new PastTransactions((walletID) => this.#reckonings.get(walletID));
  readonly #reckonings = new Map<string, Reckoning>();
  readonly #inFlight = new Map<string, InFlight>();
  readonly #stories = new Map<string, OpenStory>();
  #exchanges = 0;
  #latestStamp = 0;

  constructor({ signedRight }: AftermathOptions) {
    this.#signedRight = signedRight;
  }

  /** @throws Error before the journal's first event was added */
  get run(): RunStarted {
    if (!this.#run) throw new Error('nothing can be said of a run before its run-started event');
    return this.#run;
  }

  /** Whether the run said how it ended. */
  get ended(): boolean {
    return this.#ended;
  }

  get exchanges(): number {
    return this.#exchanges;
  }

  /** The last moment of the run's clock, in ms. */
  get latestStamp(): number {
    return this.#latestStamp;
  }

  get reckonings(): readonly Reckoning[] {
    return [...this.#reckonings.values()];
  }

  /** All transactions, in the order in which they were sent first. */
  get transactions(): readonly PastTransaction[] {
    return this.#transactions.all();
  }

  /** Transactions that have to be sent again, or refunded. */
  get open(): readonly PastTransaction[] {
    return this.transactions.filter(({ open }) => open);
  }

  reckoningOf(walletID: string): Reckoning | undefined {
    return this.#reckonings.get(walletID);
  }

  /** The refund that was sent for a bet, whatever became of it: it is sent again rather than another. */
  refundOf(bet: PastTransaction): PastTransaction | undefined {
    return this.#transactions.refundOf(bet);
  }

  add(event: JournalEvent): void {
    switch (event.event) {
      case 'run-started':
        this.#run = event;
        for (const session of event.settings.sessions) {
          const { sessionID, player, currency } = session;
          this.#walletOf.set(
            sessionID,
            walletIdOf({ sessionID, player: player ?? undefined, currency: currency ?? undefined }),
          );
        }
        return;
      case 'scenario-started':
        this.#stories.set(event.scenario, { wallets: new Set(), transactions: [] });
        this.#latestStamp = Math.max(this.#latestStamp, event.at);
        return;
      case 'sending':
        this.#sending(event);
        return;
      case 'received':
        this.#received(event);
        return;
      case 'owed':
        this.#transactions.owed(event);
        return;
      case 'scenario-ended':
        this.#closeStory(event.scenario);
        return;
      case 'run-ended':
        this.#ended = true;
        return;
      case 'notice':
      case 'finding':
      case 'blamed':
      case 'race':
        return;
    }
  }

  /** Gives up what nobody waits for any more, because the process that had sent it is gone. Gives the events that say so. */
  giveUp(detail: string): readonly Received[] {
    const at = this.#latestStamp;
    const lost = [...this.#inFlight.values()].map(
      ({ sending: { id, scenario } }): Received => ({
        event: 'received',
        id,
        scenario,
        outcome: { kind: 'none', reason: 'aborted', detail },
        stamps: { start: at, resolved: null, connected: null, secured: null, sent: null, firstByte: null, end: at },
        // There may have been one: whether the call arrived is not known.
        connection: { id: 0, reused: false },
        model: null,
      }),
    );
    for (const event of lost) this.add(event);
    return lost;
  }

  #sending(event: Sending): void {
    this.#exchanges += 1;
    const walletID = this.#walletOf.get(sessionOfPast(event) ?? '');
    const isRead = event.call === 'balance';
    const others = [...this.#inFlight.values()].filter((other) => other.walletID === walletID);
    const quiet = isRead && others.every(({ sending }) => sending.call === 'balance');
    this.#inFlight.set(event.id, { sending: event, walletID, quiet });
    if (isRead || walletID === undefined) return;
    for (const other of others) other.quiet = false;
    this.#reckonings.get(walletID)?.touch();
    const call = pastCallOf(event);
    if (!call || !this.#signedRight(event)) return;
    const known = this.#transactions.ofTxID(call.txID);
    if (known) {
      const isSame =
        known.call.call === call.call && known.walletID === walletID && known.call.amount.equals(call.amount);
      if (isSame && !known.bodies.includes(call.body)) known.bodies.push(call.body);
      return;
    }
    const transaction = this.#transactions.sent(call, walletID, event);
    this.#stories.get(event.scenario ?? '')?.transactions.push(transaction);
  }

  #received(event: Received): void {
    const flight = this.#inFlight.get(event.id);
    if (!flight) return;
    this.#inFlight.delete(event.id);
    this.#latestStamp = Math.max(this.#latestStamp, event.stamps.end);
    const { sending, quiet } = flight;
    const { call, request } = sending;
    const { id, outcome, stamps, connection } = event;
    const exchange: Exchange = { id, call, request, outcome, stamps, connection };
    const reading = outcome.kind === 'reply' ? readReply(outcome.reply) : undefined;
    const answer = answerOf(exchange, reading);
    if (call === 'balance') {
      const value = reading?.balance.money;
      if (quiet && answer === 'accepted' && value) this.#read(sending, value);
      return;
    }
    const past = pastCallOf(sending);
    const transaction = past && this.#transactions.ofTxID(past.txID);
    // Another call under a used txID is not that transaction, and neither is one whose signature is wrong.
    if (!past || transaction?.call.call !== past.call || !transaction.bodies.includes(past.body)) return;
    if (!this.#signedRight(sending) || !mayHaveArrived(exchange)) {
      if (transaction.state === 'sent') transaction.state = 'none';
      return;
    }
    this.#transactions.answered(transaction, answer, reading);
  }

  #read(sending: Sending, value: Money): void {
    const sessionID = sessionOfPast(sending) ?? '';
    const walletID = this.#walletOf.get(sessionID);
    if (walletID === undefined) return;
    const reckoning = this.#reckonings.get(walletID);
    const story = sending.scenario === null ? undefined : this.#stories.get(sending.scenario);
    const isFirst = story?.wallets.has(walletID) === false;
    story?.wallets.add(walletID);
    if (!reckoning) this.#reckonings.set(walletID, new Reckoning(walletID, sessionID, value));
    else if (isFirst) reckoning.opens(value);
    else if (story) reckoning.reads(value);
    else reckoning.readsAfterwards(value);
  }

  /** When a story is over, its run has settled what there was to settle, and said what it could not. */
  #closeStory(scenario: string): void {
    const story = this.#stories.get(scenario);
    if (!story) return;
    this.#stories.delete(scenario);
    for (const transaction of story.transactions) {
      if (!transaction.open || transaction.announced) continue;
      transaction.open = false;
      this.#reckonings.get(transaction.walletID)?.waive(transaction.call.txID);
    }
    for (const walletID of story.wallets) this.#reckonings.get(walletID)?.closes();
  }
}
