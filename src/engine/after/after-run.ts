import type { Money } from '../../contract/money.ts';
import type { JournalEvent, Received, RunStarted, Sending } from '../../journal/event.ts';
import type { Exchange } from '../../journal/exchange.ts';
import { answerOf, mayHaveArrived } from '../../reply/classify.ts';
import { readReply } from '../../reply/read.ts';
import { BalanceEstimate } from '../balances/balance-estimate.ts';
import { walletIdOf } from '../session-pool.ts';
import { pastCallOf, sessionOfSending } from './past-call.ts';
import { type PastTransaction, PastTransactions } from './past-transactions.ts';

export interface AfterRunOptions {
  /** True for a call with the right signature. Other calls move nothing at an operator that keeps the contract. */
  readonly signedRight: (sending: Sending) => boolean;
}

interface InFlight {
  readonly sending: Sending;
  readonly walletID: string | undefined;
  /** For a read: no other call was in flight that could move the balance. */
  idle: boolean;
}

/** A scenario that is running. */
interface OpenScenario {
  /** The wallets that it has read. */
  readonly wallets: Set<string>;
  readonly transactions: PastTransaction[];
}

/**
 * The state at the end of a run, computed from its journal: the transactions that wait for an answer, and the expected
 * balance of each wallet. Events of `settle` can be added afterwards.
 *
 * It is pure, and right for a journal that ends after any event.
 */
export class AfterRun {
  readonly #signedRight: (sending: Sending) => boolean;
  #run: RunStarted | undefined;
  #ended = false;
  readonly #walletOf = new Map<string, string>();
  readonly #transactions = new PastTransactions((walletID) => this.#estimates.get(walletID));
  readonly #estimates = new Map<string, BalanceEstimate>();
  readonly #inFlight = new Map<string, InFlight>();
  readonly #scenarios = new Map<string, OpenScenario>();
  #exchanges = 0;
  #latestStamp = 0;

  constructor({ signedRight }: AfterRunOptions) {
    this.#signedRight = signedRight;
  }

  /** @throws Error before the journal's first event was added */
  get run(): RunStarted {
    if (!this.#run) throw new Error('the journal has no run-started event yet');
    return this.#run;
  }

  /** True if the journal contains the end of the run. */
  get ended(): boolean {
    return this.#ended;
  }

  get exchanges(): number {
    return this.#exchanges;
  }

  /** The latest time in the journal, in ms of the run's clock. */
  get latestStamp(): number {
    return this.#latestStamp;
  }

  get estimates(): readonly BalanceEstimate[] {
    return [...this.#estimates.values()];
  }

  /** All transactions, in the order in which each was first sent. */
  get transactions(): readonly PastTransaction[] {
    return this.#transactions.all();
  }

  /** Transactions that have to be sent again, or refunded. */
  get open(): readonly PastTransaction[] {
    return this.transactions.filter(({ open }) => open);
  }

  estimateOf(walletID: string): BalanceEstimate | undefined {
    return this.#estimates.get(walletID);
  }

  /** The refund that was sent for a bet, in any state: it is sent again instead of a second one. */
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
        this.#scenarios.set(event.scenario, { wallets: new Set(), transactions: [] });
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
        this.#closeScenario(event.scenario);
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

  /** Ends all calls in flight without a reply, because the process that sent them is gone. Returns the events that say so. */
  giveUp(detail: string): readonly Received[] {
    const at = this.#latestStamp;
    const lost = [...this.#inFlight.values()].map(
      ({ sending: { id, scenario } }): Received => ({
        event: 'received',
        id,
        scenario,
        outcome: { kind: 'none', reason: 'aborted', detail },
        stamps: { start: at, resolved: null, connected: null, secured: null, sent: null, firstByte: null, end: at },
        // There may have been a connection: it is not known whether the call arrived.
        connection: { id: 0, reused: false },
        model: null,
      }),
    );
    for (const event of lost) this.add(event);
    return lost;
  }

  #sending(event: Sending): void {
    this.#exchanges += 1;
    const walletID = this.#walletOf.get(sessionOfSending(event) ?? '');
    const isRead = event.call === 'balance';
    const others = [...this.#inFlight.values()].filter((other) => other.walletID === walletID);
    const idle = isRead && others.every(({ sending }) => sending.call === 'balance');
    this.#inFlight.set(event.id, { sending: event, walletID, idle });
    if (isRead || walletID === undefined) return;
    for (const other of others) other.idle = false;
    this.#estimates.get(walletID)?.touch();
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
    this.#scenarios.get(event.scenario ?? '')?.transactions.push(transaction);
  }

  #received(event: Received): void {
    const flight = this.#inFlight.get(event.id);
    if (!flight) return;
    this.#inFlight.delete(event.id);
    this.#latestStamp = Math.max(this.#latestStamp, event.stamps.end);
    const { sending, idle } = flight;
    const { call, request } = sending;
    const { id, outcome, stamps, connection } = event;
    const exchange: Exchange = { id, call, request, outcome, stamps, connection };
    const reading = outcome.kind === 'reply' ? readReply(outcome.reply) : undefined;
    const answer = answerOf(exchange, reading);
    if (call === 'balance') {
      const value = reading?.balance.money;
      if (idle && answer === 'accepted' && value) this.#read(sending, value);
      return;
    }
    const past = pastCallOf(sending);
    const transaction = past && this.#transactions.ofTxID(past.txID);
    // Another call with a used txID is not that transaction. Neither is a call with another body.
    if (!past || transaction?.call.call !== past.call || !transaction.bodies.includes(past.body)) return;
    if (!this.#signedRight(sending) || !mayHaveArrived(exchange)) {
      if (transaction.state === 'sent') transaction.state = 'none';
      return;
    }
    this.#transactions.answered(transaction, answer, reading);
  }

  #read(sending: Sending, value: Money): void {
    const sessionID = sessionOfSending(sending) ?? '';
    const walletID = this.#walletOf.get(sessionID);
    if (walletID === undefined) return;
    const estimate = this.#estimates.get(walletID);
    const plannedCalls = sending.scenario === null ? undefined : this.#scenarios.get(sending.scenario);
    const isFirst = plannedCalls?.wallets.has(walletID) === false;
    plannedCalls?.wallets.add(walletID);
    if (!estimate) this.#estimates.set(walletID, new BalanceEstimate(walletID, sessionID, value));
    else if (isFirst) estimate.opens(value);
    else if (plannedCalls) estimate.reads(value);
    else estimate.readsAfterwards(value);
  }

  /** Closes a scenario: the run has settled what it could, and the `owed` events name the rest. */
  #closeScenario(scenario: string): void {
    const plannedCalls = this.#scenarios.get(scenario);
    if (!plannedCalls) return;
    this.#scenarios.delete(scenario);
    for (const transaction of plannedCalls.transactions) {
      if (!transaction.open || transaction.announced) continue;
      transaction.open = false;
      this.#estimates.get(transaction.walletID)?.leaveToRead(transaction.call.txID);
    }
    for (const walletID of plannedCalls.wallets) this.#estimates.get(walletID)?.closes();
  }
}
