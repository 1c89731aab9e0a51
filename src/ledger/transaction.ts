import type { Answer } from '../reply/classify.ts';
import { isWorthRetrying, type Status } from '../reply/status.ts';
import type { EffectKind, TransactionPolicy } from './policies.ts';

/**
 * The state of a transaction at an operator that keeps the contract, as far as its answers show the state.
 *
 * - `sent`: not answered yet
 * - `applied`: answered 200, so the money was taken or credited
 * - `none`: answered with an error that means that nothing was done
 * - `refused`: answered 401, so its txID can still be used
 * - `unknown`: it may have been carried out, or may still be carried out later
 * - `reversed`: a bet whose refund was answered 200. If the bet arrives only now, it takes nothing (contract, Rules 3)
 */
export type TransactionState = 'sent' | 'applied' | 'none' | 'refused' | 'unknown' | 'reversed';

/**
 * The change of the player's money by one answer.
 *
 * - `nothing`: the amount has not moved
 * - `moves`: the amount has certainly moved
 * - `lost`, `unanswered`, `either`: the amount may have moved, see {@link EffectKind}
 * - `settles`: an amount that may have moved before has certainly moved
 * - `gives-back`: a refund was carried out, see {@link reversalOf}
 * - `undecided`: the contract does not say how much moved
 */
export type MoneyChange = EffectKind | 'nothing' | 'moves' | 'settles' | 'gives-back' | 'undecided';

export interface Transition {
  readonly state: TransactionState;
  readonly money: MoneyChange;
}

export interface BetFacts {
  readonly call: 'bet';
  /** True for a bet of a free round: the operator decides whether it moves money. */
  readonly isFree: boolean;
  /** True if the operator has to decline the bet, for example because the balance is too low. */
  readonly mustBeDeclined: boolean;
}

export interface WinFacts {
  readonly call: 'win';
  readonly isFree: boolean;
  /** True if the round of the win has an accepted bet that was not refunded. */
  readonly hasBet: boolean;
  /** True if wins of free rounds have already credited the amount of this win. */
  readonly isPaidAlready: boolean;
  /** True if the contract requires that the win is answered 200. */
  readonly mustBeAccepted: boolean;
}

export interface RefundFacts {
  readonly call: 'refund';
  /** The transaction that the refund names. undefined if no transaction with this txID was sent. */
  readonly target: RefundTarget | undefined;
  readonly mustBeAccepted: boolean;
}

interface RefundTarget {
  readonly state: TransactionState;
  /**
   * True if the refund is an ordinary one, which gives back its bet. False for a refund of a win, and for a refund whose effect the
   * contract does not define.
   */
  readonly isRegular: boolean;
}

/** The facts of a call that are needed to interpret its answer. */
export type CallFacts = BetFacts | WinFacts | RefundFacts;

/**
 * Returns the next state of a transaction and the change of money, after one answer. The call must be one that the service sends.
 * It must be signed correctly, and it may have reached the operator.
 *
 * @param status the status of the reply; undefined if there was no reply
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
      // The service never sends a declined call again. So the contract does not define what happens if such a call is sent again.
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
 * Returns the new state of a bet when its refund is answered 200, and the change of money. `moves` and `either` are about the
 * amount to give back. `settles` is for a bet whose outcome is unknown: its open effect will never happen, because after the refund
 * the bet takes nothing. @param isRegular false if the contract does not define what the refund gives back (a settled round,
 * another amount) @param isSameWallet false if the refund was sent in a session of another wallet
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

/** The meaning of an answer for the money. `unknown` if the answer does not show whether the call was carried out. */
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
      // The service sends a failed win again until it is answered 200. So the operator may already have credited the win.
      return { state: 'unknown', money: 'unanswered' };
    case 'unknown':
      return { state: 'unknown', money: 'unanswered' };
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
      // The bet of this refund is not known. With the policy for journals (`by-amount`), the bet may still follow later, so the
      // state is `unknown`.
      if (!target) return { state: leftOpen === 'undecided' ? 'none' : 'unknown', money: 'nothing' };
      return { state: 'unknown', money: changed('unanswered') };
  }
}

/**
 * Returns the transition of a call whose outcome was unknown, and that was sent again and answered 200. The operator decides
 * whether a free bet or a free win moves money, as at the first answer. If free wins have already credited the amount of a win, its
 * credit would only be noted. So it must not look like a win that was paid twice because it was sent again.
 */
function settled(facts: CallFacts, { leftOpen }: TransactionPolicy): Transition {
  if (facts.call === 'refund') return { state: 'applied', money: 'gives-back' };
  const isWinWithoutBet = facts.call === 'win' && !facts.hasBet && leftOpen === 'by-amount';
  const isPaidAlready = facts.call === 'win' && facts.isPaidAlready;
  return { state: 'applied', money: facts.isFree || isWinWithoutBet || isPaidAlready ? 'either' : 'settles' };
}

function stillUnknown({ call }: CallFacts, meaning: Meaning, { leftOpen }: TransactionPolicy): Transition {
  // The operator answers the copy of a bet with status 200 and the body of an error. Perhaps it has not recognised the copy, and
  // has taken the bet twice.
  const isTwice = call === 'bet' && meaning === 'error-200' && leftOpen === 'by-amount';
  return { state: 'unknown', money: isTwice ? 'either' : 'nothing' };
}

/**
 * Changes the transition of a call that was first answered with an error and then sent again. If the operator now accepts the call,
 * the call may or may not move its amount.
 */
function sentAgain({ state, money }: Transition): Transition {
  return { state, money: money === 'moves' ? 'either' : money };
}
