import type { Money } from '../../contract/money.ts';
import type { BalanceOwed, JournalEvent, Received, RunStarted, Sending } from '../../journal/event.ts';
import type { Exchange } from '../../journal/exchange.ts';
import { MAX_REPEATABLE } from '../../journal/load/lines.ts';
import { CallsInFlight } from '../../journal/network/calls-in-flight.ts';
import { answerOf, mayHaveArrived } from '../../reply/classify.ts';
import { readReply } from '../../reply/read.ts';
import { isTemporary, replyStatus } from '../../reply/status.ts';
import { BalanceEstimate } from '../balances/balance-estimate.ts';
import { walletIdOf } from '../session-pool.ts';
import { type PastCall, pastCallOf, sessionOfSending } from './past-call.ts';
import { type KeptOfFinished, type PastTransaction, PastTransactions } from './past-transactions.ts';

export interface AfterRunOptions {
  /**
   * Returns true if the call has the right signature. A call with a wrong signature moves no money, because an operator that keeps
   * the contract refuses it.
   */
  readonly signedRight: (sending: Sending) => boolean;
}

interface InFlight {
  readonly sending: Sending;
  readonly walletID: string | undefined;
  /**
   * For a balance call: true if no call that can move the balance was in flight at the same time. False for all other calls.
   */
  idle: boolean;
  /** The transaction that the call sends. undefined for a balance call, and for a call that the real service would never send. */
  past?: PastCall | undefined;
  /** True if the call has the right signature. */
  isSignedRight?: boolean;
}

/** A scenario that has started and not yet ended. */
interface OpenScenario {
  /** Ids of the wallets whose balance the scenario has read. */
  readonly wallets: Set<string>;
  readonly transactions: Set<PastTransaction>;
}

/** A later step of a run may belong to a round that is finished. No built-in scenario has as many rounds as are kept. */
const KEPT_OF_RUN: KeptOfFinished = { rounds: 500, txIDs: 5000 };
/**
 * The journal of a load test may name a transaction for a short time after its round was forgotten. So it keeps up to twice
 * `MAX_REPEATABLE` txIDs.
 */
const KEPT_OF_LOAD: KeptOfFinished = { rounds: 0, txIDs: 2 * MAX_REPEATABLE };

/**
 * Computes the state at the end of a run from its journal: the transactions that still need an answer, and the expected balance of
 * each wallet.
 *
 * Events of `croupier settle` can be added after those of the run. The class does no input or output. After each event, the state
 * is complete up to this event. So the class can also read the journal of an aborted run, in which the last events are missing.
 */
export class AfterRun {
  readonly #signedRight: (sending: Sending) => boolean;
  #run: RunStarted | undefined;
  #ended = false;
  readonly #walletOf = new Map<string, string>();
  readonly #transactions = new PastTransactions((walletID) => this.#estimates.get(walletID));
  readonly #estimates = new Map<string, BalanceEstimate>();
  readonly #inFlight = new CallsInFlight<InFlight>();
  readonly #scenarios = new Map<string, OpenScenario>();
  /** The wallets in which a call that restores a balance got no answer, or a temporary error. */
  readonly #notRestored = new Set<string>();
  /** The balances that the journal names as owed, by session. */
  readonly #announcedBalances = new Map<string, BalanceOwed>();
  #exchanges = 0;
  #latestStamp = 0;

  constructor({ signedRight }: AfterRunOptions) {
    this.#signedRight = signedRight;
  }

  /**
   * The first event of the journal, which holds the settings of the run.
   *
   * @throws Error before the first event of the journal was added
   */
  get run(): RunStarted {
    if (!this.#run) throw new Error('the journal has no run-started event yet');
    return this.#run;
  }

  /** True if the journal contains the end of the run. False if the run was aborted. */
  get ended(): boolean {
    return this.#ended;
  }

  /**
   * False for a load test that has ended: its players keep what they have won and lost, and the load test itself has already
   * reported wrong balances. True for all other runs.
   */
  get owesBalances(): boolean {
    return !(this.#ended && this.#run?.source === 'load');
  }

  get exchanges(): number {
    return this.#exchanges;
  }

  /** The latest time in the journal, in milliseconds of the run's clock. */
  get latestStamp(): number {
    return this.#latestStamp;
  }

  get estimates(): readonly BalanceEstimate[] {
    return [...this.#estimates.values()];
  }

  /**
   * All transactions, in the order in which they were first sent. Of a long run, the older finished rounds are left out. Of a load
   * test, nearly all finished rounds are left out.
   */
  get transactions(): readonly PastTransaction[] {
    return this.#transactions.all();
  }

  /** The transactions that must be sent again or refunded. */
  get open(): readonly PastTransaction[] {
    return this.transactions.filter(({ open }) => open);
  }

  /**
   * The first accepted bet of each round that the run had no time to complete. Empty if the run ended normally, because then each
   * open round was left open on purpose.
   */
  get openRounds(): readonly PastTransaction[] {
    return this.#ended ? [] : this.#transactions.openRounds();
  }

  /** The balances that the journal names as owed, according to its latest events. */
  get announcedBalances(): readonly BalanceOwed[] {
    return [...this.#announcedBalances.values()];
  }

  /**
   * True if a call that restores the balance of this wallet got no answer, or a temporary error. Then the balance may be restored
   * later. An operator that is not there for some seconds is an example.
   */
  couldNotRestore(walletID: string): boolean {
    return this.#notRestored.has(walletID);
  }

  estimateOf(walletID: string): BalanceEstimate | undefined {
    return this.#estimates.get(walletID);
  }

  /**
   * Returns the refund that was already sent for a bet, in any state. The caller sends this refund again and does not create a
   * second one.
   */
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
        this.#scenarios.set(event.scenario, { wallets: new Set(), transactions: new Set() });
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
      case 'balance-owed':
        if (event.open) this.#announcedBalances.set(event.sessionID, event);
        else this.#announcedBalances.delete(event.sessionID);
        return;
      case 'scenario-ended':
        this.#closeScenario(event.scenario);
        return;
      case 'run-ended':
        this.#ended = true;
        if (this.#run?.source === 'load') for (const estimate of this.#estimates.values()) estimate.follow();
        return;
      case 'notice':
      case 'finding':
      case 'blamed':
      case 'moved-alone':
      case 'intermittent':
      case 'wrong-sum':
      case 'race':
      case 'owed-known':
        return;
    }
  }

  /**
   * Assumes that each owed call is answered 200 as the contract requires. Then the estimates show which balances differ after that.
   * No event may be added any more.
   */
  assumeSettled(): void {
    for (const transaction of this.open) this.#transactions.assumeSettled(transaction);
  }

  /**
   * Records that no more replies to the calls in flight will come, because the process that sent these calls has ended. Returns a
   * `received` event for each of these calls.
   */
  giveUp(detail: string): readonly Received[] {
    const at = this.#latestStamp;
    const lost = [...this.#inFlight.values()].map(
      ({ sending: { id, scenario } }): Received => ({
        event: 'received',
        id,
        scenario,
        outcome: { kind: 'none', reason: 'aborted', detail },
        stamps: { start: at, resolved: null, connected: null, secured: null, sent: null, firstByte: null, end: at },
        // The call may have had a connection, so it is not known whether the operator received it.
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
    const flight: InFlight = { sending: event, walletID, idle };
    this.#inFlight.set(event.id, flight);
    if (isRead || walletID === undefined) return;
    // A scenario may begin without a read, with the balance that an earlier scenario left. Then its first read comes after its
    // first calls, so this read does not show the balance before the scenario.
    this.#scenarios.get(event.scenario ?? '')?.wallets.add(walletID);
    for (const other of others) other.idle = false;
    this.#estimates.get(walletID)?.touch();
    const call = pastCallOf(event);
    flight.past = call;
    if (!call) return;
    flight.isSignedRight = this.#signedRight(event);
    if (!flight.isSignedRight) return;
    const known = this.#transactions.ofTxID(call.txID);
    if (known) {
      const isSame =
        known.call.call === call.call && known.walletID === walletID && known.call.amount.equals(call.amount);
      if (isSame && !known.bodies.includes(call.body)) known.bodies.push(call.body);
      if (isSame) known.inFlight += 1;
      return;
    }
    if (this.#transactions.isForgotten(call.txID)) return;
    const transaction = this.#transactions.sent(call, walletID, event);
    this.#scenarios.get(event.scenario ?? '')?.transactions.add(transaction);
  }

  #received(event: Received): void {
    const flight = this.#inFlight.take(event.id);
    if (!flight) return;
    this.#latestStamp = Math.max(this.#latestStamp, event.stamps.end);
    const { sending, idle, walletID, past, isSignedRight } = flight;
    const { call, request } = sending;
    const { id, outcome, stamps, connection } = event;
    const status = replyStatus(event);
    const isTurnedAway = status === undefined || isTemporary(status);
    if (isTurnedAway && sending.purpose === 'restore' && walletID !== undefined) this.#notRestored.add(walletID);
    const exchange: Exchange = { id, call, request, outcome, stamps, connection };
    const reading = outcome.kind === 'reply' ? readReply(outcome.reply) : undefined;
    const answer = answerOf(exchange, reading);
    if (call === 'balance') {
      const value = reading?.balance.money;
      if (idle && answer === 'accepted' && value) this.#read(sending, value);
      return;
    }
    const transaction = past && this.#transactions.ofTxID(past.txID);
    // A call of another kind, or with a different body, is a different call, even if it has the same txID.
    if (!past || transaction?.call.call !== past.call || !transaction.bodies.includes(past.body)) return;
    transaction.inFlight -= 1;
    transaction.status = status ?? null;
    if (isSignedRight !== true || !mayHaveArrived(exchange)) {
      if (transaction.state === 'sent') transaction.state = 'none';
      return;
    }
    this.#transactions.answered(transaction, answer, reading);
    // The settlement comes long after the first sending, so even a 409 does not mean that the operator still processes it.
    if (sending.purpose === 'settle' && answer === 'declined' && !isTemporary(status))
      this.#transactions.declineWinWithoutBet(transaction);
    const kept = this.#run?.source === 'load' ? KEPT_OF_LOAD : KEPT_OF_RUN;
    for (const forgotten of this.#transactions.forgetFinishedRounds(transaction, kept))
      this.#scenarios.get(forgotten.scenario ?? '')?.transactions.delete(forgotten);
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

  /**
   * Closes a scenario. At this point, the run has sent each unanswered call again, up to the maximum number of attempts. The `owed`
   * events name the calls that are still owed.
   */
  #closeScenario(scenario: string): void {
    const plannedCalls = this.#scenarios.get(scenario);
    if (!plannedCalls) return;
    this.#scenarios.delete(scenario);
    for (const transaction of plannedCalls.transactions) {
      if (!transaction.open || transaction.announced) continue;
      transaction.open = false;
      // As long as the refund of a bet is owed, its effect stays open, because the refund gives back exactly this effect. A read can
      // show that the bet took its stake, but must not close it.
      if (this.#transactions.refundOf(transaction)?.open === true) continue;
      this.#estimates.get(transaction.walletID)?.leaveToRead(transaction.call.txID);
    }
    for (const walletID of plannedCalls.wallets) this.#estimates.get(walletID)?.closes();
  }
}
