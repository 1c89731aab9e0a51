import type { CallName } from '../../contract/call-name.ts';
import type { Money } from '../../contract/money.ts';
import { JUDGE_TRANSACTIONS } from '../../ledger/policies.ts';
import { type CallFacts, nextState, reversalOf, type Transition } from '../../ledger/transaction.ts';
import { type Answer, mayHaveArrived, mayHaveBeenProcessed } from '../../reply/classify.ts';
import type { ReplyReading } from '../../reply/read.ts';
import { isTemporary } from '../../reply/status.ts';
import type { ObservedCall } from '../observed-call.ts';
import type { PlannedCall } from '../planned-calls.ts';
import type { Transaction } from './transaction.ts';
import type { Wallet } from './wallet.ts';

/**
 * Tracks the transactions of a scenario, and the effects that they have on the wallets if the operator keeps the contract.
 *
 * The state machine in `ledger/` decides what each answer means. This class gathers the facts for the state machine, and applies
 * the result to the wallets. Calls that the service never sends (wrong signatures, deviating bodies, a txID used twice) are handled
 * here, without the state machine.
 */
export class Effects {
  readonly #byTxID = new Map<string, Transaction>();
  readonly #byStep = new Map<string, Transaction>();
  /**
   * The transactions that were sent again, by the key of the step that sent the transaction again. Contains only steps that may
   * have moved money.
   */
  readonly #byRepeat = new Map<string, Transaction>();
  /** The txIDs of bets whose refund was answered 200. If such a bet arrives later, it must take nothing. */
  readonly #blocked = new Set<string>();
  /** The txIDs of bets that had not been sent when their refund failed. The operator may have stored this refund. */
  readonly #mayBeBlocked = new Set<string>();
  /** The txIDs of free wins that were credited. The withdrawal of the bonus must not pay their amount again. */
  readonly #freeWins = new Set<string>();
  /** The txIDs of transactions that moved a wrong amount, and for which no read has shown this amount. */
  readonly #misbooked = new Set<string>();
  /** The txIDs of free bets that took money, as a balance read has shown. */
  readonly #freeBets = new Set<string>();

  ofStep(key: string): Transaction | undefined {
    return this.#byStep.get(key);
  }

  ofTxID(txID: string): Transaction | undefined {
    return this.#byTxID.get(txID);
  }

  /** Returns the kind of call of a step, also for a step that sends an earlier call again. */
  callOf(key: string): CallName | undefined {
    return (this.#byStep.get(key) ?? this.#byRepeat.get(key))?.planned.step.call;
  }

  all(): Iterable<Transaction> {
    return this.#byTxID.values();
  }

  /** Removes a transaction. No later step may refer to it. So a long scenario needs little memory. */
  forget(transaction: Transaction): void {
    this.#byTxID.delete(transaction.txID);
    this.#byStep.delete(transaction.planned.step.key);
  }

  /**
   * Applies the answer to a call to its transaction and its wallet.
   *
   * @param wallet null if the operator never issued the session
   */
  follow(seen: ObservedCall, wallet: Wallet | null): void {
    const { planned, answer, reading } = seen;
    const { step } = planned;
    if (step.call === 'balance') return;
    if (step.origin.kind === 'earlier') {
      if (answer !== 'accepted' && wallet && mayHaveArrived(seen.exchange) && !reading) wallet.setUnknown(step.key);
      return;
    }
    const earlier = seen.earlier;
    if (planned.source && earlier) {
      this.#again(seen, earlier);
      return;
    }
    if (planned.sameTxID && earlier) {
      // A call with the txID of an earlier call of the same kind moves nothing. If the earlier call is of another kind, the
      // contract does not define the effect.
      if (planned.sameTxID.step.call !== step.call) wallet?.setUnknown(step.key);
      else if (earlier.state === 'refused' || earlier.state === 'none') wallet?.setUnknown(step.key);
      return;
    }
    const same = step.txID === null ? undefined : this.#byTxID.get(step.txID);
    if (same?.planned.step.call === step.call && same.state === 'applied') {
      // Two calls with the same txID were sent at the same instant. The other call was answered 200, and its answer was handled
      // first. So both calls are one transaction.
      this.#byStep.set(step.key, same);
      return;
    }
    const transaction: Transaction = {
      txID: step.txID ?? `step ${step.key}`,
      planned,
      amount: seen.amount,
      wallet,
      effect: seen.effect,
      state: 'sent',
      answer,
      reply: undefined,
    };
    this.#byTxID.set(transaction.txID, transaction);
    this.#byStep.set(step.key, transaction);
    this.#first(seen, transaction);
  }

  /** Records what a balance read has shown about a transaction: it took effect, or it did not and never will. */
  learned(txID: string, happened: boolean): void {
    const transaction = this.#byTxID.get(txID);
    if (!transaction) return;
    if (transaction.planned.step.type === 'free') {
      if (!happened) return;
      const isWin = transaction.planned.step.call === 'win';
      (isWin ? this.#freeWins : this.#freeBets).add(txID);
      if (!isWin) this.#expectRefundOf(transaction);
      return;
    }
    if (transaction.state !== 'unknown' || !happened) return;
    transaction.state = 'applied';
    const target = transaction.planned.step.call === 'refund' ? this.#targetOf(transaction.planned) : undefined;
    if (target) this.#markReversed(target, transaction.planned.step.key);
    else this.#expectRefundOf(transaction);
  }

  /**
   * A read has now shown that the bet was taken. If a refund of this bet was not answered, the refund may still give the bet back.
   */
  #expectRefundOf(bet: Transaction): void {
    const refund = [...this.#byTxID.values()].find(
      ({ planned, state }) =>
        state === 'unknown' &&
        planned.step.call === 'refund' &&
        this.#targetOf(planned) === bet &&
        !planned.roundSettled,
    );
    if (refund) bet.wallet?.branch({ txID: refund.txID, delta: bet.effect.negated(), kind: 'unanswered' });
  }

  /**
   * Records that a call moved a wrong amount, as a balance read has shown.
   *
   * @param taken the amount that a bet took; undefined if the read does not show it
   */
  misbooked(step: string, taken?: Money): void {
    const transaction = this.#byStep.get(step);
    if (!transaction) return;
    if (taken) transaction.taken = taken;
    else this.#misbooked.add(transaction.txID);
  }

  /** Records that a call was carried out although it was refused, as a balance read has shown. */
  carriedOut(step: string): void {
    const transaction = this.#byStep.get(step);
    if (transaction?.state !== 'refused') return;
    transaction.state = 'applied';
    const target = this.#targetOf(transaction.planned);
    if (target) target.state = 'reversed';
  }

  get freeBetsTakeMoney(): boolean {
    return this.#freeBets.size > 0;
  }

  #first(seen: ObservedCall, transaction: Transaction): void {
    const { planned, answer, reading } = seen;
    this.#note(transaction, answer, reading);
    if (!mayHaveArrived(seen.exchange)) {
      transaction.state = 'none';
      return;
    }
    if (!planned.signedRight) {
      this.#signedWrong(transaction, answer, planned);
      return;
    }
    // If a call failed for a reason that has nothing to do with its content, it may have been carried out.
    const answered = answer !== 'accepted' && !mayHaveBeenProcessed(answer, reading?.status);
    if (deviatesInContent(planned) && (answered || planned.step.expect.outcome !== 'accepted')) {
      this.#deviating(transaction, answer, planned);
      return;
    }
    if (planned.step.call === 'bet' && this.#blocked.has(transaction.txID)) {
      transaction.state = 'reversed';
      return;
    }
    this.#answered(seen, transaction);
  }

  #signedWrong(transaction: Transaction, answer: Answer, planned: PlannedCall): void {
    transaction.state = answer === 'refused' ? 'refused' : answer === 'accepted' ? 'applied' : 'none';
    // If the operator did not refuse a call with a wrong signature, the effect of the call is unknown.
    if (answer === 'accepted' || answer === 'error-200' || answer === 'late' || answer === 'lost') {
      transaction.wallet?.setUnknown(planned.step.key);
      const target = this.#targetOf(planned);
      target?.wallet?.setUnknown(planned.step.key);
      if (target && answer === 'accepted') target.state = 'reversed';
    }
  }

  /**
   * Applies the answer to a call that the service never sends. If the operator accepted the call, only the next read shows how much
   * it moved.
   */
  #deviating(transaction: Transaction, answer: Answer, planned: PlannedCall): void {
    transaction.state = answer === 'refused' ? 'refused' : answer === 'accepted' ? 'applied' : 'none';
    if (answer !== 'declined' && answer !== 'refused') transaction.wallet?.setUnknown(planned.step.key);
  }

  /**
   * Applies the first answer to a transaction. If this answer was a 401, the next answer to the transaction is applied in the same
   * way.
   */
  #answered({ planned, answer, reading }: ObservedCall, transaction: Transaction): void {
    const facts = this.#factsOf(planned);
    if (!facts) return;
    const { state, money } = nextState(transaction.state, facts, answer, reading?.status, JUDGE_TRANSACTIONS);
    if (money === 'moves' && this.#mayBeBlocked.has(transaction.txID)) {
      // Either the operator took the bet, or it stored the failed refund. The bet may then cost nothing, as after an accepted refund.
      transaction.state = 'unknown';
      this.#book(planned, transaction, 'lost');
      return;
    }
    transaction.state = state;
    this.#book(planned, transaction, money);
    if (isFailedAhead(planned, answer, reading) && this.#targetOf(planned) === undefined)
      this.#mayBeBlocked.add(planned.target?.step.txID ?? '');
  }

  #factsOf(planned: PlannedCall): CallFacts | undefined {
    const { call, type, campaign, winOf, expect } = planned.step;
    const isFree = type === 'free';
    const mustBeAccepted = expect.outcome === 'accepted';
    switch (call) {
      case 'balance':
        return undefined;
      case 'bet':
        return { call, isFree, mustBeDeclined: expect.outcome === 'declined' };
      case 'win': {
        const hasBet = winOf !== undefined && !planned.roundRefunded;
        // A withdrawal pays only what free wins have not credited yet.
        const isPaidAlready = campaign && !isFree && this.#freeWins.size > 0;
        return { call, isFree, hasBet, isPaidAlready, mustBeAccepted };
      }
      case 'refund': {
        const target = this.#targetOf(planned);
        const isRegular = !planned.roundSettled && target?.planned.step.call === 'bet';
        return { call, target: target && { state: target.state, isRegular }, mustBeAccepted };
      }
    }
  }

  /**
   * Changes the wallet as the state machine has decided.
   *
   * @param planned the call that was answered: the first call of the transaction, or a repeat of it
   */
  #book(planned: PlannedCall, transaction: Transaction, money: Transition['money']): void {
    const { step } = planned;
    const { txID } = transaction;
    const target = step.call === 'refund' ? this.#targetOf(planned) : undefined;
    // A refund moves the money of its bet.
    const { wallet } = target ?? transaction;
    const delta = target ? target.amount : transaction.effect;
    switch (money) {
      case 'nothing':
        return;
      case 'moves':
        wallet?.move(step.key, transaction.effect);
        return;
      case 'settles':
        wallet?.settle(step.key, txID, true);
        return;
      case 'gives-back':
        this.#giveBack(planned, transaction, target);
        return;
      case 'undecided':
        if (target && !target.amount) return;
        wallet?.setUnknown(step.key);
        // The operator had to decline this bet, but accepted it. So croupier does not know how much the operator took.
        if (step.call === 'bet') this.#misbooked.add(txID);
        return;
      case 'lost':
      case 'unanswered':
      case 'either':
        if (delta && this.#mayGiveBack(target)) wallet?.branch({ txID, delta, kind: money });
        if (target) allowAsTaken(target);
        return;
    }
  }

  /**
   * Applies a refund that was answered 200. The bet is given back. If the bet has not arrived at the operator yet, the operator
   * must never take its amount.
   */
  #giveBack(planned: PlannedCall, refund: Transaction, target: Transaction | undefined): void {
    const { key } = planned.step;
    if (!target) {
      const later = planned.step.refund?.kind === 'step' ? planned.target?.step.txID : undefined;
      if (later) this.#blocked.add(later);
      return;
    }
    // `planned` may be a repeat after the end of the scenario. Only the first call knows its round.
    const isRegular =
      !planned.roundSettled &&
      !refund.planned.roundSettled &&
      target.planned.step.call === 'bet' &&
      sameAmount(refund.amount, target.amount) &&
      !this.#misbooked.has(target.txID);
    const isFree = target.planned.step.type === 'free';
    const isSameWallet = isFree || target.wallet === refund.wallet;
    const { state, money } = reversalOf(target.state, { isRegular, isSameWallet }, JUDGE_TRANSACTIONS);
    if (money === 'undecided') target.wallet?.setUnknown(key);
    else if (money === 'settles') target.wallet?.settle(key, target.txID, false);
    else if (money === 'either')
      target.wallet?.branch({ txID: refund.txID, delta: target.effect.negated(), kind: 'either' });
    else if (money === 'moves' && isFree) this.#giveBackFree(key, target);
    else if (money === 'moves') target.wallet?.move(key, target.effect.negated());
    if (money === 'moves' && !isFree) allowAsTaken(target);
    if (state === 'reversed') this.#markReversed(target, key);
  }

  /** Marks a bet as given back. Other refunds of this bet whose outcome is unknown now count as refunds that paid nothing. */
  #markReversed(target: Transaction, step: string): void {
    target.state = 'reversed';
    this.#blocked.add(target.txID);
    for (const { planned, state, txID, wallet } of this.#byTxID.values())
      if (state === 'unknown' && planned.step.call === 'refund' && this.#targetOf(planned) === target)
        wallet?.settle(step, txID, false);
  }

  /**
   * False for a refund of a free bet if no read has shown that the bet took money. Then the refund leads to no balance that is not
   * possible already: the balance with the free bet, or the balance without it.
   */
  #mayGiveBack(target: Transaction | undefined): boolean {
    return target?.planned.step.type !== 'free' || this.#freeBets.has(target.txID);
  }

  #giveBackFree(key: string, target: Transaction): void {
    const open = target.wallet?.undo(target.txID);
    // The refund gives back only what the free bet took. `#freeBets` contains the free bets that took money, as a read has shown.
    // If the effect is still open, no read has shown it yet.
    if (!open && this.#freeBets.has(target.txID)) target.wallet?.move(key, target.effect.negated());
  }

  /** Applies the answer to a call that was sent again. */
  #again(seen: ObservedCall, earlier: Transaction): void {
    const { planned, answer, reading } = seen;
    const { key } = planned.step;
    if (earlier.state === 'refused' || earlier.state === 'unknown') this.#byRepeat.set(key, earlier);
    if (!planned.signedRight) {
      if (answer === 'accepted' && earlier.state !== 'applied') earlier.wallet?.setUnknown(key);
      return;
    }
    if (earlier.state === 'refused') {
      this.#first(seen, earlier);
      return;
    }
    const facts = this.#factsOf(earlier.planned);
    if (!facts) return;
    if (answer === 'accepted') this.#note(earlier, answer, reading);
    const { state, money } = nextState(earlier.state, facts, answer, reading?.status, JUDGE_TRANSACTIONS);
    earlier.state = state;
    if (money === 'undecided') {
      earlier.wallet?.setUnknown(key);
      return;
    }
    if (money === 'gives-back') {
      const target = this.#targetOf(planned);
      const effect = earlier.wallet?.settle(key, earlier.txID, true);
      if (effect && target) {
        allowAsTaken(target);
        this.#markReversed(target, key);
      } else this.#giveBack(planned, earlier, target);
      return;
    }
    // The free bet or free win was carried out. The contract does not say whether it moves money.
    if (money === 'either') earlier.wallet?.settle(key, earlier.txID, false);
    this.#book(planned, earlier, money);
  }

  #targetOf(planned: PlannedCall): Transaction | undefined {
    const refund = (planned.source ?? planned).step.refund;
    return refund?.kind === 'step' ? this.#byStep.get(refund.of) : undefined;
  }

  #note(transaction: Transaction, answer: Answer, reading: ReplyReading | undefined): void {
    transaction.answer = answer;
    if (answer === 'accepted') transaction.reply ??= reading;
  }
}

/**
 * The refund of a bet that took a wrong amount may give back what the bet took, or the amount of the bet. The wallet already includes
 * the amount of the bet, so this function adds the difference as a change that the next read decides.
 */
function allowAsTaken({ txID, taken, effect, wallet }: Transaction): void {
  if (!taken) return;
  const difference = `${txID} as taken`;
  wallet?.undo(difference);
  wallet?.branch({ txID: difference, delta: taken.plus(effect), kind: 'either' });
}

/**
 * True for a refund of a bet that comes later, if the operator did not carry out the refund properly. A 401 and a temporary error say
 * that the operator did nothing.
 */
function isFailedAhead({ targetIsLater }: PlannedCall, answer: Answer, reading: ReplyReading | undefined): boolean {
  if (!targetIsLater || answer === 'accepted' || answer === 'refused') return false;
  return answer !== 'declined' || !isTemporary(reading?.status);
}

/** True if the call has a body or query that the service would not send. */
function deviatesInContent(planned: PlannedCall): boolean {
  const { body, query } = planned.step.deviations;
  return body !== undefined || query !== undefined;
}

function sameAmount(a: Money | undefined, b: Money | undefined): boolean {
  return a !== undefined && b !== undefined && a.equals(b);
}
