import type { CallName } from '../contract/call-name.ts';
import type { Money } from '../contract/money.ts';
import { mayHaveArrived } from './answer.ts';
import type { Answer, Seen } from './check.ts';
import type { ReplyReading } from './reading.ts';
import type { Part } from './story.ts';
import type { Transaction } from './transaction.ts';
import type { Wallet } from './wallet.ts';

/**
 * What our transactions have become, and what a conforming operator's wallets must hold because of it.
 *
 * Each method follows one call and its answer; between them they are the contract's table of states, seen from the money.
 */
export class Effects {
  readonly #byTxID = new Map<string, Transaction>();
  readonly #byStep = new Map<string, Transaction>();
  /** By the step that sent one again, when that is what moved money. */
  readonly #byRepeat = new Map<string, Transaction>();
  /** Transactions whose refund was answered 200 before they came: whatever comes later takes nothing. */
  readonly #barred = new Set<string>();
  /** What free wins of the story have credited: a withdrawal must not pay it again. */
  readonly #freeWins = new Set<string>();
  /** Transactions that moved something else than their amount. */
  readonly #misbooked = new Set<string>();
  /** Free bets that were seen to take money. */
  readonly #freeBets = new Set<string>();

  ofStep(key: string): Transaction | undefined {
    return this.#byStep.get(key);
  }

  ofTxID(txID: string): Transaction | undefined {
    return this.#byTxID.get(txID);
  }

  /** What kind of call a step was, one that sent another again included. */
  callOf(key: string): CallName | undefined {
    return (this.#byStep.get(key) ?? this.#byRepeat.get(key))?.part.step.call;
  }

  all(): Iterable<Transaction> {
    return this.#byTxID.values();
  }

  /** Forgets a transaction that nothing can refer to any more, so that long stories need no memory. */
  forget(transaction: Transaction): void {
    this.#byTxID.delete(transaction.txID);
    this.#byStep.delete(transaction.part.step.key);
  }

  /** Follows a call; `wallet` is null for a session that the operator never issued. */
  follow(seen: Seen, wallet: Wallet | null): void {
    const { part, answer, reading } = seen;
    const { step } = part;
    if (step.call === 'balance') return;
    if (step.origin.kind === 'earlier') {
      if (answer !== 'accepted' && wallet && mayHaveArrived(seen.exchange) && !reading) wallet.leaveOpen(step.key);
      return;
    }
    const earlier = seen.earlier;
    if (part.source && earlier) {
      this.#again(seen, earlier);
      return;
    }
    if (part.namesake && earlier) {
      // Another call under a used txID moves nothing; across calls the contract leaves it open.
      if (part.namesake.step.call !== step.call) wallet?.leaveOpen(step.key);
      else if (earlier.state === 'refused' || earlier.state === 'none') wallet?.leaveOpen(step.key);
      return;
    }
    const same = step.txID === null ? undefined : this.#byTxID.get(step.txID);
    if (same?.part.step.call === step.call && same.state === 'applied') {
      // Of two under one txID that were sent at once, the other was answered 200 and is followed first: they are one.
      this.#byStep.set(step.key, same);
      return;
    }
    const transaction: Transaction = {
      txID: step.txID ?? `step ${step.key}`,
      part,
      amount: seen.amount,
      wallet,
      effect: seen.effect,
      state: 'none',
      answer,
      reply: undefined,
    };
    this.#byTxID.set(transaction.txID, transaction);
    this.#byStep.set(step.key, transaction);
    this.#first(seen, transaction);
  }

  /** A quiet read has told that an effect happened (or that it did not, and will not). */
  learned(txID: string, happened: boolean): void {
    const transaction = this.#byTxID.get(txID);
    if (!transaction) return;
    if (transaction.part.step.type === 'free') {
      if (happened) (transaction.part.step.call === 'win' ? this.#freeWins : this.#freeBets).add(txID);
      return;
    }
    if (transaction.state !== 'unknown' || !happened) return;
    transaction.state = 'applied';
    const target = transaction.part.step.call === 'refund' ? this.#targetOf(transaction.part) : undefined;
    if (target) this.#isReversed(target, transaction.part.step.key);
  }

  /** A quiet read has shown that the call did not move what it says. */
  misbooked(step: string): void {
    const transaction = this.#byStep.get(step);
    if (transaction) this.#misbooked.add(transaction.txID);
  }

  /** A quiet read has shown that a call was carried out although it was refused: what it was to do is done. */
  carriedOut(step: string): void {
    const transaction = this.#byStep.get(step);
    if (transaction?.state !== 'refused') return;
    transaction.state = 'applied';
    const target = this.#targetOf(transaction.part);
    if (target) target.state = 'reversed';
  }

  get freeBetsTakeMoney(): boolean {
    return this.#freeBets.size > 0;
  }

  #first(seen: Seen, transaction: Transaction): void {
    const { part, answer, reading } = seen;
    this.#note(transaction, answer, reading);
    if (!mayHaveArrived(seen.exchange)) {
      transaction.state = 'none';
      return;
    }
    if (!part.signedRight) {
      this.#signedWrong(transaction, answer, part);
      return;
    }
    // What failed at the operator's, and not for what it says, may have been carried out.
    const answered =
      answer === 'refused' || answer === 'error-200' || (answer === 'declined' && (reading?.status ?? 500) < 500);
    if (deviatesInContent(part) && (answered || part.step.expect.outcome !== 'accepted')) {
      this.#odd(transaction, answer, part);
      return;
    }
    switch (part.step.call) {
      case 'bet':
        this.#bet(transaction, answer, part);
        break;
      case 'win':
        this.#win(transaction, answer, part, reading !== undefined);
        break;
      case 'refund':
        this.#refund(seen, transaction, answer);
        break;
      case 'balance':
        break;
    }
  }

  #signedWrong(transaction: Transaction, answer: Answer, part: Part): void {
    transaction.state = answer === 'refused' ? 'refused' : answer === 'accepted' ? 'applied' : 'none';
    // What a call did that should have been refused is anybody's guess.
    if (answer === 'accepted' || answer === 'error-200' || answer === 'late' || answer === 'lost') {
      transaction.wallet?.leaveOpen(part.step.key);
      const target = this.#targetOf(part);
      target?.wallet?.leaveOpen(part.step.key);
      if (target && answer === 'accepted') target.state = 'reversed';
    }
  }

  /** A call that the service never sends: refused it moves nothing, accepted it is read what it moved. */
  #odd(transaction: Transaction, answer: Answer, part: Part): void {
    transaction.state = answer === 'refused' ? 'refused' : answer === 'accepted' ? 'applied' : 'none';
    if (answer !== 'declined' && answer !== 'refused') transaction.wallet?.leaveOpen(part.step.key);
  }

  #bet(transaction: Transaction, answer: Answer, part: Part): void {
    const { wallet, effect, txID } = transaction;
    const { key, type } = part.step;
    if (this.#barred.has(txID)) {
      transaction.state = 'reversed';
      return;
    }
    switch (answer) {
      case 'accepted':
        transaction.state = 'applied';
        if (type === 'free') wallet?.fork({ txID, delta: effect, kind: 'either' });
        // What it took for a bet that it should have declined is the operator's secret.
        else if (part.step.expect.outcome === 'declined') {
          wallet?.leaveOpen(key);
          this.#misbooked.add(txID);
        } else wallet?.move(key, effect);
        break;
      case 'refused':
        transaction.state = 'refused';
        break;
      case 'declined':
        transaction.state = 'none';
        break;
      case 'error-200':
        transaction.state = 'none';
        wallet?.fork({ txID, delta: effect, kind: 'either' });
        break;
      case 'failed':
      case 'late':
      case 'broken':
      case 'lost':
        transaction.state = 'unknown';
        wallet?.fork({ txID, delta: effect, kind: 'lost' });
        break;
    }
  }

  #win(transaction: Transaction, answer: Answer, part: Part, answered: boolean): void {
    const { wallet, effect, txID } = transaction;
    const { key, type, campaign } = part.step;
    if (part.step.winOf === undefined || part.roundRefunded) {
      transaction.state = answer === 'accepted' ? 'applied' : answered ? 'none' : 'unknown';
      wallet?.leaveOpen(key);
      return;
    }
    // A withdrawal pays what free wins have not credited yet.
    const isPaidAlready = campaign && type !== 'free' && this.#freeWins.size > 0;
    switch (answer) {
      case 'accepted':
        transaction.state = 'applied';
        if (type === 'free') wallet?.fork({ txID, delta: effect, kind: 'either' });
        else if (!isPaidAlready) wallet?.move(key, effect);
        break;
      case 'refused':
        transaction.state = 'refused';
        break;
      case 'declined':
      case 'error-200':
        if (part.step.expect.outcome !== 'accepted') {
          transaction.state = 'none';
          wallet?.fork({ txID, delta: effect, kind: 'either' });
          break;
        }
        // The service sends a failed win again until it is answered 200, so it may have been credited already.
        transaction.state = 'unknown';
        if (!isPaidAlready) wallet?.fork({ txID, delta: effect, kind: 'unanswered' });
        break;
      case 'failed':
      case 'late':
      case 'broken':
      case 'lost':
        transaction.state = 'unknown';
        if (!isPaidAlready) wallet?.fork({ txID, delta: effect, kind: 'unanswered' });
        break;
    }
  }

  #refund(seen: Seen, transaction: Transaction, answer: Answer): void {
    const { part } = seen;
    const { key, refund } = part.step;
    const target = this.#targetOf(part);
    if (answer === 'accepted') {
      transaction.state = 'applied';
      this.#reverse(part, transaction, target);
      return;
    }
    const open = part.step.expect.outcome !== 'accepted' && seen.reading !== undefined && answer !== 'failed';
    transaction.state = answer === 'refused' ? 'refused' : open || !target ? 'none' : 'unknown';
    if (answer === 'refused' || refund?.kind !== 'step' || target?.state !== 'applied' || !target.amount) return;
    const kind = open ? ('either' as const) : ('unanswered' as const);
    const fork = { txID: transaction.txID, delta: target.amount, kind };
    if (part.roundSettled || target.part.step.call !== 'bet') target.wallet?.leaveOpen(key);
    else target.wallet?.fork(fork);
  }

  /** The refund was answered 200: the bet is gone, or never was. */
  #reverse(part: Part, refund: Transaction, target: Transaction | undefined): void {
    const { key } = part.step;
    if (!target) {
      if (part.step.refund?.kind === 'step') {
        const later = part.target?.step.txID;
        if (later) this.#barred.add(later);
      }
      return;
    }
    const open =
      part.roundSettled ||
      target.part.step.call !== 'bet' ||
      !sameAmount(refund.amount, target.amount) ||
      this.#misbooked.has(target.txID);
    switch (target.state) {
      case 'applied':
        if (open) target.wallet?.leaveOpen(key);
        else if (target.part.step.type === 'free') this.#giveBackFree(key, target);
        else if (target.wallet !== refund.wallet) {
          target.wallet?.fork({ txID: refund.txID, delta: target.effect.negated(), kind: 'either' });
          return;
        } else target.wallet?.move(key, target.effect.negated());
        break;
      case 'unknown':
        target.wallet?.settle(key, target.txID, false);
        break;
      case 'none':
      case 'refused':
      case 'reversed':
        break;
    }
    this.#isReversed(target, key);
  }

  /** A bet is given back once: further refunds of it that are not answered yet pay nothing any more. */
  #isReversed(target: Transaction, step: string): void {
    target.state = 'reversed';
    this.#barred.add(target.txID);
    for (const { part, state, txID, wallet } of this.#byTxID.values())
      if (state === 'unknown' && part.step.call === 'refund' && this.#targetOf(part) === target)
        wallet?.settle(step, txID, false);
  }

  #giveBackFree(key: string, target: Transaction): void {
    const undecided = target.wallet?.settle(key, target.txID, false);
    // A read has told already that the free bet took its amount, unless the fork is still there or was denied.
    if (!undecided && this.#freeBets.has(target.txID)) target.wallet?.move(key, target.effect.negated());
  }

  #again(seen: Seen, earlier: Transaction): void {
    const { part, answer, reading } = seen;
    const { key, call } = part.step;
    if (earlier.state === 'refused' || earlier.state === 'unknown') this.#byRepeat.set(key, earlier);
    if (!part.signedRight) {
      if (answer === 'accepted' && earlier.state !== 'applied') earlier.wallet?.leaveOpen(key);
      return;
    }
    switch (earlier.state) {
      case 'refused':
        this.#first(seen, earlier);
        return;
      case 'none':
        // The service does not retry a declined bet, so the contract says nothing of it.
        earlier.wallet?.leaveOpen(key);
        if (answer === 'accepted') {
          this.#note(earlier, answer, reading);
          earlier.state = 'applied';
        }
        return;
      case 'unknown': {
        if (answer !== 'accepted') return;
        this.#note(earlier, answer, reading);
        if (call === 'refund') {
          const fork = earlier.wallet?.settle(key, earlier.txID, true);
          const target = this.#targetOf(part);
          earlier.state = 'applied';
          if (fork && target) this.#isReversed(target, key);
          else this.#reverse(part, earlier, target);
        } else if (earlier.part.step.type === 'free') {
          // It is done now, but the contract leaves open whether it moves anything.
          earlier.wallet?.settle(key, earlier.txID, false);
          earlier.wallet?.fork({ txID: earlier.txID, delta: earlier.effect, kind: 'either' });
          earlier.state = 'applied';
        } else {
          earlier.wallet?.settle(key, earlier.txID, true);
          earlier.state = 'applied';
        }
        return;
      }
      case 'applied':
      case 'reversed':
        if (answer === 'accepted') this.#note(earlier, answer, reading);
        return;
    }
  }

  #targetOf(part: Part): Transaction | undefined {
    const refund = (part.source ?? part).step.refund;
    return refund?.kind === 'step' ? this.#byStep.get(refund.of) : undefined;
  }

  #note(transaction: Transaction, answer: Answer, reading: ReplyReading | undefined): void {
    transaction.answer = answer;
    if (answer === 'accepted') transaction.reply ??= reading;
  }
}

/** True when the body or the query holds what the service would not send. */
function deviatesInContent(part: Part): boolean {
  const { body, query } = part.step.deviations;
  return body !== undefined || query !== undefined;
}

function sameAmount(a: Money | undefined, b: Money | undefined): boolean {
  return a !== undefined && b !== undefined && a.equals(b);
}
