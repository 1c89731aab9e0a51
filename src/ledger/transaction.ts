import type { Answer } from '../reply/classify.ts';
import { isWorthRetrying, type Status } from '../reply/status.ts';
import type { EffectKind, TransactionPolicy } from './policies.ts';

/**
 * The state of a transaction at an operator that keeps the contract, as far as its answers show it.
 *
 * - `sent`: not answered yet
 * - `applied`: answered 200, the money was taken or credited
 * - `none`: answered with an error that says that nothing was done
 * - `refused`: answered 401, so its txID is free
 * - `unknown`: it may have been carried out, now or later
 * - `reversed`: a bet whose refund was answered 200. If it arrives only now, it takes nothing (contract, Rules 3)
 */
export type TransactionState = 'sent' | 'applied' | 'none' | 'refused' | 'unknown' | 'reversed';

/**
 * The change of the player's money by one answer.
 *
 * - `nothing`
 * - `moves`: the amount has certainly moved
 * - `lost`, `unanswered`, `either`: the amount may have moved, see {@link EffectKind}
 * - `settles`: the amount, which may have moved before, has certainly moved
 * - `gives-back`: a refund was carried out, see {@link reversalOf}
 * - `undecided`: the contract leaves open how much moved
 */
export type MoneyChange = EffectKind | 'nothing' | 'moves' | 'settles' | 'gives-back' | 'undecided';

export interface Transition {
  readonly state: TransactionState;
  readonly money: MoneyChange;
}

export interface BetFacts {
  readonly call: 'bet';
  /** Part of a free round: the operator decides whether it moves money. */
  readonly isFree: boolean;
  /** The operator had to decline it, for example because the balance is too low. */
  readonly mustBeDeclined: boolean;
}

export interface WinFacts {
  readonly call: 'win';
  readonly isFree: boolean;
  /** Its round has an accepted bet that was not refunded. */
  readonly hasBet: boolean;
  /** Wins of free rounds have credited its amount already. */
  readonly isPaidAlready: boolean;
  /** The contract requires 200. */
  readonly mustBeAccepted: boolean;
}

export interface RefundFacts {
  readonly call: 'refund';
  /** The transaction that it names; undefined: none with this txID was sent. */
  readonly target: RefundTarget | undefined;
  readonly mustBeAccepted: boolean;
}

interface RefundTarget {
  readonly state: TransactionState;
  /** It is a bet that such a refund gives back. False for a win, and if the caller knows that the contract leaves it open. */
  readonly isRegular: boolean;
}

/** The facts of a call that are needed to interpret its answer. */
export type CallFacts = BetFacts | WinFacts | RefundFacts;

/**
 * The next state of a transaction, and the change of money, after one answer to it. It was signed correctly, it may have
 * arrived, and it is a call that the service sends.
 *
 * @param status of the reply; undefined: there was no reply
 */
export function nextState(
  state: TransactionState,
  facts: CallFacts,
  answer: Answer,
  status: Status,
  policy: TransactionPolicy,
): Transition {
  const meaning = meaningOf(facts.call, answer, status, policy);
  switch (state) {
    case 'applied':
    case 'reversed':
      return { state, money: 'nothing' };
    case 'unknown':
      return meaning === 'accepted' ? settled(facts, policy) : stillUnknown(facts, meaning, policy);
    case 'none':
      // The service does not send a declined call again, so the contract says nothing about it.
      if (policy.leftOpen === 'undecided') {
        return { state: meaning === 'accepted' ? 'applied' : 'none', money: 'undecided' };
      }
      return sentAgain(firstAnswer(facts, meaning, status, policy));
    case 'refused':
      return policy.leftOpen === 'undecided'
        ? firstAnswer(facts, meaning, status, policy)
        : sentAgain(firstAnswer(facts, meaning, status, policy));
    case 'sent':
      return firstAnswer(facts, meaning, status, policy);
  }
}

/**
 * The change of a bet's state and money when a refund of it is answered 200.
 *
 * `moves` and `either` are about the amount to give back. `settles` means that the open effect of the bet never happens: a
 * bet without a known outcome is gone when its refund is answered.
 *
 * @param isRegular false: the contract leaves open what such a refund gives back (a settled round, another amount)
 * @param isSameWallet false: the refund was sent in a session of another wallet
 */
export function reversalOf(
  state: TransactionState,
  { isRegular, isSameWallet }: { readonly isRegular: boolean; readonly isSameWallet: boolean },
  policy: TransactionPolicy,
): Transition {
  switch (state) {
    case 'applied':
      if (!isRegular) return { state: 'reversed', money: policy.leftOpen === 'undecided' ? 'undecided' : 'either' };
      if (isSameWallet) return { state: 'reversed', money: 'moves' };
      return { state: policy.leftOpen === 'undecided' ? 'applied' : 'reversed', money: 'either' };
    case 'unknown':
      return { state: 'reversed', money: 'settles' };
    case 'sent':
    case 'none':
    case 'refused':
    case 'reversed':
      return { state: 'reversed', money: 'nothing' };
  }
}

/** The meaning of an answer for the money. `unknown`: it does not show whether the call was carried out. */
type Meaning = 'accepted' | 'error-200' | 'refused' | 'declined' | 'unknown';

function meaningOf(call: CallFacts['call'], answer: Answer, status: Status, policy: TransactionPolicy): Meaning {
  switch (answer) {
    case 'accepted':
    case 'error-200':
    case 'refused':
      return answer;
    case 'declined':
      return call === 'bet' && policy.temporaryErrorOfBet === 'unknown' && isWorthRetrying(status)
        ? 'unknown'
        : 'declined';
    case 'failed':
    case 'late':
    case 'broken':
    case 'lost':
      return 'unknown';
  }
}

function firstAnswer(facts: CallFacts, meaning: Meaning, status: Status, policy: TransactionPolicy): Transition {
  switch (facts.call) {
    case 'bet':
      return answeredBet(facts, meaning);
    case 'win':
      if (facts.hasBet) return answeredWin(facts, meaning);
      return policy.leftOpen === 'undecided' ? undecidedWin(meaning, status) : winWithoutBet(meaning);
    case 'refund':
      return answeredRefund(facts, meaning, policy);
  }
}

function answeredBet({ isFree, mustBeDeclined }: BetFacts, meaning: Meaning): Transition {
  switch (meaning) {
    case 'accepted':
      return { state: 'applied', money: isFree ? 'either' : mustBeDeclined ? 'undecided' : 'moves' };
    case 'refused':
      return { state: 'refused', money: 'nothing' };
    case 'declined':
      return { state: 'none', money: 'nothing' };
    case 'error-200':
      return { state: 'none', money: 'either' };
    case 'unknown':
      return { state: 'unknown', money: 'lost' };
  }
}

function answeredWin({ isFree, isPaidAlready, mustBeAccepted }: WinFacts, meaning: Meaning): Transition {
  switch (meaning) {
    case 'accepted':
      return { state: 'applied', money: isFree ? 'either' : isPaidAlready ? 'nothing' : 'moves' };
    case 'refused':
      return { state: 'refused', money: 'nothing' };
    case 'declined':
    case 'error-200':
      if (!mustBeAccepted) return { state: 'none', money: 'either' };
      // The service sends a failed win again until it is answered 200, so it may have been credited already.
      return { state: 'unknown', money: isPaidAlready ? 'nothing' : 'unanswered' };
    case 'unknown':
      return { state: 'unknown', money: isPaidAlready ? 'nothing' : 'unanswered' };
  }
}

function undecidedWin(meaning: Meaning, status: Status): Transition {
  const answered = meaning === 'accepted' ? 'applied' : 'none';
  return { state: status == null ? 'unknown' : answered, money: 'undecided' };
}

function winWithoutBet(meaning: Meaning): Transition {
  switch (meaning) {
    case 'accepted':
      return { state: 'applied', money: 'either' };
    case 'refused':
      return { state: 'refused', money: 'nothing' };
    case 'declined':
    case 'error-200':
      return { state: 'none', money: 'nothing' };
    case 'unknown':
      return { state: 'unknown', money: 'unanswered' };
  }
}

function answeredRefund(
  { target, mustBeAccepted }: RefundFacts,
  meaning: Meaning,
  { leftOpen }: TransactionPolicy,
): Transition {
  const changed = (money: EffectKind): MoneyChange => {
    if (target?.state !== 'applied') return 'nothing';
    if (target.isRegular) return money;
    return leftOpen === 'undecided' ? 'undecided' : 'nothing';
  };
  switch (meaning) {
    case 'accepted':
      return { state: 'applied', money: 'gives-back' };
    case 'refused':
      return { state: 'refused', money: 'nothing' };
    case 'declined':
    case 'error-200':
      if (!mustBeAccepted) return { state: 'none', money: changed('either') };
      return { state: target ? 'unknown' : 'none', money: changed('unanswered') };
    case 'unknown':
      // There is nothing to give back, but a journal may contain the bet further on.
      if (!target) return { state: leftOpen === 'undecided' ? 'none' : 'unknown', money: 'nothing' };
      return { state: 'unknown', money: changed('unanswered') };
  }
}

/** A call without a known outcome was sent again and answered 200. */
function settled(facts: CallFacts, { leftOpen }: TransactionPolicy): Transition {
  if (facts.call === 'refund') return { state: 'applied', money: 'gives-back' };
  return { state: 'applied', money: facts.isFree && leftOpen === 'undecided' ? 'either' : 'settles' };
}

function stillUnknown({ call }: CallFacts, meaning: Meaning, { leftOpen }: TransactionPolicy): Transition {
  // An operator that answers an error with 200 may not recognise the copy, and may have taken the bet once more.
  const isTwice = call === 'bet' && meaning === 'error-200' && leftOpen === 'by-amount';
  return { state: 'unknown', money: isTwice ? 'either' : 'nothing' };
}

/** A call that was answered with an error before may not move its amount when it is accepted later. */
function sentAgain({ state, money }: Transition): Transition {
  return { state, money: money === 'moves' ? 'either' : money };
}
