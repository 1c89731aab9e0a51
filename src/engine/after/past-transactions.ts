import { LRUCache } from 'lru-cache';
import type { Money } from '../../contract/money.ts';
import type { Owed, Sending } from '../../journal/event.ts';
import { JOURNAL_TRANSACTIONS } from '../../ledger/policies.ts';
import {
  type CallFacts,
  type MoneyChange,
  nextState,
  reversalOf,
  type TransactionState,
} from '../../ledger/transaction.ts';
import type { Answer } from '../../reply/classify.ts';
import type { ReplyReading } from '../../reply/read.ts';
import type { BalanceEstimate } from '../balances/balance-estimate.ts';
import type { PastCall } from './past-call.ts';

/** One transaction of a run, with its state according to the journal. */
export interface PastTransaction {
  readonly call: PastCall;
  /**
   * All bodies that were sent with this txID. There may be several, because two sessions of a player may have sent the transaction
   * at the same time. Then it is unknown which body arrived first.
   */
  readonly bodies: string[];
  readonly walletID: string;
  readonly scenario: string | null;
  /** The reason why the transaction was sent. */
  readonly purpose: Sending['purpose'];
  state: TransactionState;
  /** The number of copies of the call that were sent and not answered yet. */
  inFlight: number;
  /** True if the transaction still needs a 200 from the operator. Until then, it must be sent again or refunded. */
  open: boolean;
  /** True if the latest `owed` event of the journal says that the call is owed. */
  announced: boolean;
  /** The status of the latest reply. Null if no reply came to the latest sending, or to any. */
  status: number | null;
  /** The reply, if the first answer was 200. Otherwise undefined. */
  reply: ReplyReading | undefined;
  /**
   * The signed amount that the first call moved. Undefined if the amount is unknown, or if the contract lets the operator decide
   * how much moves.
   */
  effect: Money | undefined;
}

/** The limits for what is kept of the finished rounds of a run. */
export interface KeptOfFinished {
  /** Minimum number of finished rounds that are kept, the latest ones. Up to twice as many may be kept. */
  readonly rounds: number;
  /** Maximum number of txIDs that are kept of the rounds before them. */
  readonly txIDs: number;
}

/** Holds the transactions of a run. Applies each answer in the journal to its transaction and to the balance estimates. */
export class PastTransactions {
  readonly #estimateOf: (walletID: string) => BalanceEstimate | undefined;
  readonly #byTxID = new Map<string, PastTransaction>();
  readonly #refunds = new Map<string, PastTransaction[]>();
  readonly #rounds = new Map<string, PastTransaction[]>();
  /** The ids of the finished rounds that are kept. The round that was finished first comes first. */
  readonly #finished = new Set<string>();
  /** The txIDs of forgotten transactions. A call with such a txID repeats a transaction, and is not a new one. */
  #forgotten: LRUCache<string, true> | undefined;
  /**
   * The first accepted transaction of each kind, purpose and wallet that moved money. A later run can send these transactions again.
   */
  readonly #examples = new Map<string, PastTransaction>();

  constructor(estimateOf: (walletID: string) => BalanceEstimate | undefined) {
    this.#estimateOf = estimateOf;
  }

  /** Returns all transactions, in the order in which they were first sent. */
  all(): readonly PastTransaction[] {
    return [...this.#byTxID.values()];
  }

  ofTxID(txID: string): PastTransaction | undefined {
    return this.#byTxID.get(txID);
  }

  /**
   * If a refund was already sent for a bet, returns this refund, in any state. Then the caller sends this refund again, and creates
   * no second refund.
   */
  refundOf(bet: PastTransaction): PastTransaction | undefined {
    return this.#refunds.get(bet.call.txID)?.find((refund) => refund.walletID === bet.walletID);
  }

  /**
   * Returns the first accepted bet of each round without a win. Leaves out free rounds, and rounds with a call that must still be
   * sent again or refunded.
   */
  openRounds(): readonly PastTransaction[] {
    return [...this.#rounds.values()].flatMap((round) => {
      if (
        round.some(({ call, open, state }) => open || (call.call === 'win' && state !== 'none' && state !== 'refused'))
      )
        return [];
      return round.find(({ call, state }) => call.call === 'bet' && state === 'applied' && !call.free) ?? [];
    });
  }

  /**
   * Forgets the oldest finished rounds, if nothing that may still happen depends on them. A long run has thousands of rounds, a load
   * test has millions, and nearly all of them are finished.
   *
   * Keeps the rounds of the first transactions of each wallet, because a later run can send them again.
   *
   * @param latest the transaction that was answered last
   * @returns the transactions that were forgotten
   */
  forgetFinishedRounds({ call: { roundID } }: PastTransaction, kept: KeptOfFinished): readonly PastTransaction[] {
    if (roundID === null) return [];
    this.#finished.delete(roundID);
    if (isFinished(this.#rounds.get(roundID) ?? [])) this.#finished.add(roundID);
    // To remove the first element of a set again and again takes long, so several rounds are forgotten at once.
    if (this.#finished.size <= 2 * kept.rounds) return [];
    const forgotten: PastTransaction[] = [];
    for (const oldest of this.#finished) {
      if (this.#finished.size <= kept.rounds) break;
      this.#finished.delete(oldest);
      forgotten.push(...this.#forgetRound(oldest, kept.txIDs));
    }
    return forgotten;
  }

  #forgetRound(roundID: string, maxTxIDs: number): readonly PastTransaction[] {
    const round = this.#rounds.get(roundID) ?? [];
    if (!isFinished(round) || round.filter((one) => this.#isExample(one)).length > 0) return [];
    this.#rounds.delete(roundID);
    // The cache is large, and only a long run needs it.
    this.#forgotten ??= new LRUCache({ max: maxTxIDs });
    for (const { call } of round) {
      this.#byTxID.delete(call.txID);
      this.#refunds.delete(call.txID);
      this.#forgotten.set(call.txID, true);
    }
    return round;
  }

  /**
   * True if this object has forgotten the transaction with this txID, because its round is finished. Another call with this txID is
   * then only a repeat.
   */
  isForgotten(txID: string): boolean {
    return this.#forgotten?.get(txID) === true;
  }

  #isExample(transaction: PastTransaction): boolean {
    const { call, walletID, purpose, state, reply, effect } = transaction;
    const isPlain = state === 'applied' && !call.free && !call.campaign && reply?.status === 200;
    if (!isPlain || !effect || effect.isZero()) return false;
    const key = `${call.call} ${purpose} ${walletID}`;
    const known = this.#examples.get(key);
    if (!known) this.#examples.set(key, transaction);
    return known === undefined || known === transaction;
  }

  /** Adds a transaction that is sent for the first time. */
  sent(
    call: PastCall,
    walletID: string,
    { scenario, purpose }: Pick<Sending, 'scenario' | 'purpose'>,
  ): PastTransaction {
    const transaction: PastTransaction = {
      call,
      bodies: [call.body],
      walletID,
      scenario,
      purpose,
      // A bet that arrives after its own refund takes no money (contract, Rules 3).
      state: call.call === 'bet' && this.#isRefunded(call.txID, walletID) ? 'reversed' : 'sent',
      inFlight: 1,
      open: false,
      announced: false,
      status: null,
      reply: undefined,
      effect: undefined,
    };
    this.#byTxID.set(call.txID, transaction);
    if (call.origTxID !== null) addTo(this.#refunds, call.origTxID, transaction);
    if (call.roundID !== null) addTo(this.#rounds, call.roundID, transaction);
    return transaction;
  }

  #isRefunded(txID: string, walletID: string): boolean {
    const refunds = this.#refunds.get(txID) ?? [];
    return refunds.some((refund) => refund.state === 'applied' && refund.walletID === walletID);
  }

  owed({ call, txID, open }: Owed): void {
    const transaction = this.#byTxID.get(txID);
    if (!transaction) return;
    transaction.announced = open;
    if (open && transaction.state !== 'reversed' && (call === 'refund' || transaction.state !== 'applied'))
      transaction.open = true;
  }

  /** Applies the operator's answer to the state of a transaction and to the balance estimate. */
  answered(transaction: PastTransaction, answer: Answer, reading: ReplyReading | undefined): void {
    const before = transaction.state;
    if (before === 'applied' || before === 'reversed') {
      if (answer === 'accepted') this.#acceptedAgain(transaction);
      return;
    }
    const facts = this.#factsOf(transaction);
    const next = (from: TransactionState) => nextState(from, facts, answer, reading?.status, JOURNAL_TRANSACTIONS);
    const first = next('sent');
    const { state, money } = next(before);
    transaction.state = state;
    if (answer === 'accepted') {
      if (before === 'sent') transaction.reply = reading;
      transaction.open = false;
    } else if (first.state === 'unknown' && mayStillMove(facts)) transaction.open = true;
    // If the call was accepted now, it is known whether its first sending moved the money, so this effect is no longer open. If the
    // operator may choose whether the money moves, the next read shows the choice.
    const isClosed = answer === 'accepted' && money !== 'gives-back' && this.#settle(transaction, money === 'settles');
    if (money === 'settles') this.#book(transaction, before, isClosed ? 'nothing' : first.money);
    else this.#book(transaction, before, money);
  }

  /** Assumes that an open transaction is answered 200. For a bet, assumes this about its refund. */
  assumeSettled(transaction: PastTransaction): void {
    const { call, walletID, scenario } = transaction;
    if (call.call !== 'bet') {
      this.answered(transaction, 'accepted', undefined);
      return;
    }
    const fields = { ...call, call: 'refund', txID: `refund of ${call.txID}`, origTxID: call.txID } as const;
    const refund = this.refundOf(transaction) ?? this.sent(fields, walletID, { scenario, purpose: 'settle' });
    this.answered(refund, 'accepted', undefined);
  }

  /**
   * Closes a win that the operator has declined for good, if no bet of its round can still be accepted. The operator may decide
   * about such a win, so the win is not owed. The next balance read shows whether its first sending was credited.
   *
   * Does nothing with any other transaction: all other wins must be answered 200 (contract, section Errors).
   */
  declineWinWithoutBet(transaction: PastTransaction): void {
    const { call, walletID, state } = transaction;
    if (call.call !== 'win' || call.free || state !== 'unknown') return;
    const bets = (this.#rounds.get(call.roundID ?? '') ?? []).filter((other) => other.call.call === 'bet');
    if (bets.some((bet) => bet.state === 'applied' || bet.state === 'unknown' || bet.state === 'sent')) return;
    transaction.state = 'none';
    transaction.open = false;
    this.#estimateOf(walletID)?.leaveToRead(call.txID);
  }

  #acceptedAgain(transaction: PastTransaction): void {
    if (transaction.call.call !== 'refund') transaction.open = false;
    // A bet with an unknown outcome may have reached the operator only after its refund. Then the refund gave back nothing at
    // first. If the operator accepts the same refund when it is sent again, the refund gives back the stake.
    else if (this.#targetOf(transaction)?.state === 'unknown') this.#giveBack(transaction, transaction.state);
  }

  #factsOf(transaction: PastTransaction): CallFacts {
    const { call, walletID } = transaction;
    switch (call.call) {
      case 'bet':
        return { call: 'bet', isFree: call.free, mustBeDeclined: false };
      case 'win': {
        const hasBet = this.#betOfRound(transaction) !== undefined;
        return { call: 'win', isFree: call.free, hasBet, isPaidAlready: false, mustBeAccepted: true };
      }
      case 'refund': {
        const target = this.#targetOf(transaction);
        const isRegular = target?.call.call === 'bet' && target.walletID === walletID;
        return { call: 'refund', target: target && { state: target.state, isRegular }, mustBeAccepted: true };
      }
    }
  }

  /**
   * Applies the effect of an answer to the balance estimate of the wallet.
   *
   * @param before the state of the transaction before the answer
   */
  #book(transaction: PastTransaction, before: TransactionState, money: MoneyChange): void {
    const { call, walletID } = transaction;
    switch (money) {
      case 'nothing':
      case 'settles':
      case 'undecided':
        return;
      case 'gives-back':
        this.#giveBack(transaction, before);
        return;
      case 'moves': {
        const delta = this.#deltaOf(transaction);
        if (before === 'sent') transaction.effect = delta;
        this.#estimateOf(walletID)?.move(delta);
        return;
      }
      case 'lost':
      case 'unanswered':
      case 'either':
        this.#estimateOf(walletID)?.add({ txID: call.txID, delta: this.#deltaOf(transaction), kind: money });
        return;
    }
  }

  /** Applies a refund that was answered 200: changes the state of its bet, and the balance estimate. */
  #giveBack(refund: PastTransaction, before: TransactionState): void {
    const { call, walletID } = refund;
    const target = this.#targetOf(refund);
    // If another refund has already given back the bet, this refund must not give it back a second time.
    const isGivenBack = target?.call.call === 'bet' && target.state === 'reversed' && target.walletID === walletID;
    const isSettled = this.#settle(refund, !isGivenBack);
    if (!target) return;
    const isSameWallet = target.walletID === walletID;
    const isRegular = this.#isRegularRefund(refund, target);
    const { state, money } = reversalOf(target.state, { isRegular, isSameWallet }, JOURNAL_TRANSACTIONS);
    if (target.call.call === 'bet') {
      target.state = state;
      target.open = false;
    }
    if (isSettled) return;
    if (money === 'settles') this.#settle(target, false);
    else if (money === 'either') {
      const estimate = this.#estimateOf(target.walletID);
      estimate?.add({ txID: call.txID, delta: call.amount, kind: 'either' });
      // A refund may name another amount than its bet. Then the operator may also give back the amount of the bet.
      const rest = target.call.amount.minus(call.amount);
      if (target.call.call === 'bet' && isSameWallet && !rest.isZero())
        estimate?.add({ txID: `${call.txID} rest`, delta: rest, kind: 'either' });
    } else if (money === 'moves') {
      if (before === 'sent') refund.effect = target.call.amount;
      this.#estimateOf(walletID)?.move(target.call.amount);
    }
  }

  /**
   * Marks an uncertain effect of a call as certain: it happened, or it did not.
   *
   * @returns false if the call had no uncertain effect
   */
  #settle({ call, walletID }: PastTransaction, happened: boolean): boolean {
    return this.#estimateOf(walletID)?.settle(call.txID, happened) === true;
  }

  #deltaOf(transaction: PastTransaction): Money {
    const { call } = transaction;
    if (call.call === 'bet') return call.amount.negated();
    return call.call === 'win' ? call.amount : (this.#targetOf(transaction)?.call.amount ?? call.amount);
  }

  #targetOf({ call }: PastTransaction): PastTransaction | undefined {
    return call.origTxID === null ? undefined : this.#byTxID.get(call.origTxID);
  }

  #betOfRound({ call, walletID }: PastTransaction): PastTransaction | undefined {
    return this.#rounds
      .get(call.roundID ?? '')
      ?.find((other) => other.call.call === 'bet' && other.state === 'applied' && other.walletID === walletID);
  }

  /**
   * True if the real service could have sent this refund: it has the whole amount of a bet that moved money, and the round of this
   * bet has no win.
   */
  #isRegularRefund(refund: PastTransaction, bet: PastTransaction): boolean {
    const round = this.#rounds.get(bet.call.roundID ?? '') ?? [];
    const won = round.some(({ call, state }) => call.call === 'win' && state === 'applied');
    return bet.call.call === 'bet' && !bet.call.free && !won && refund.call.amount.equals(bet.call.amount);
  }
}

/**
 * True if all calls of a round are answered and nothing is owed. If one of its bets took money, the round must also have a win.
 */
function isFinished(round: readonly PastTransaction[]): boolean {
  const isAnswered = round.every(
    ({ open, announced, inFlight, state }) =>
      inFlight === 0 && !open && !announced && state !== 'sent' && state !== 'unknown',
  );
  if (!isAnswered) return false;
  return (
    round.some(({ call, state }) => call.call === 'win' && state === 'applied') ||
    round.every(({ call, state }) => call.call !== 'bet' || state !== 'applied')
  );
}

/** True if a refund may give money back. False only if it certainly gives nothing back, for example because its bet was refused. */
function mayStillMove(facts: CallFacts): boolean {
  if (facts.call !== 'refund') return true;
  const { target } = facts;
  return target?.isRegular === true && !['none', 'refused', 'reversed'].includes(target.state);
}

function addTo(map: Map<string, PastTransaction[]>, key: string, transaction: PastTransaction): void {
  const known = map.get(key);
  if (known) known.push(transaction);
  else map.set(key, [transaction]);
}
