/**
 * The kind of an effect that may or may not have happened.
 *
 * - `lost`: a bet without a known outcome. Its debit may come at any time until its refund is answered 200. A balance that is
 *   lower by its amount proves it; an unchanged balance proves nothing.
 * - `unanswered`: a win or a refund without a known outcome. It stays open until it is sent again and answered 200.
 * - `either`: the contract leaves it to the operator. The next read of the balance decides.
 */
export type EffectKind = 'lost' | 'unanswered' | 'either';

/** Whether an effect may still happen after a read of the balance that does not show it. */
export const MAY_HAPPEN_LATER: Readonly<Record<EffectKind, boolean>> = { lost: true, unanswered: true, either: false };

/** Decides how a set of worlds treats reads, and how large it may become. */
export interface WorldsPolicy {
  /**
   * Which open effects a read of the balance closes.
   *
   * - `proven`: every effect that is part of each combination with this sum happened, and every `either` effect that is part
   *   of none never did. The others stay open.
   * - `either`: every effect of kind `either`, by the first combination with this sum. The others stay open until their call
   *   is answered, whatever the balance shows.
   */
  readonly readCloses: 'proven' | 'either';
  /** Maximum number of open effects. A further one is not tracked: the next read is right whatever it shows. */
  readonly maxEffects: number;
  /** Maximum number of possible balances. If there are more, none is listed, and no read fits. */
  readonly maxBalances: number;
}

/**
 * The policy of the judge. It has to know as early as possible whether a balance is wrong, so a read that proves an effect ends
 * the doubt. It looks at every combination of the open effects, hence the small number.
 */
export const JUDGE_WORLDS: WorldsPolicy = { readCloses: 'proven', maxEffects: 10, maxBalances: 2 ** 10 };

/**
 * The policy of `settle` and `--after`. They must not pay anything twice, so an open call stays open until it is answered. A
 * run may leave hundreds of open calls, which often have the same amount: sums are counted, not combinations.
 */
export const JOURNAL_WORLDS: WorldsPolicy = {
  readCloses: 'either',
  maxEffects: Number.POSITIVE_INFINITY,
  maxBalances: 4096,
};

/** Decides what an answer means if the contract does not. */
export interface TransactionPolicy {
  /**
   * The change of money by a call that the contract leaves open: a win without a bet, a declined call that is sent again, a
   * refund of a settled round or of another amount.
   *
   * - `undecided`: any amount. Nothing may be concluded from the next balance.
   * - `by-amount`: the amount of the call or nothing. It is enough for an estimate, and keeps the balance known.
   */
  readonly leftOpen: 'undecided' | 'by-amount';
  /**
   * The meaning of a temporary error or a 409 (`isWorthRetrying`) as answer to a bet. By the contract such a bet has taken
   * nothing; in fact the wallet behind a gateway may still carry it out. `mayHaveBeenProcessed` says why this has two answers.
   */
  readonly temporaryErrorOfBet: 'declined' | 'unknown';
}

/** The policy of the judge, which compares the operator with the contract. */
export const JUDGE_TRANSACTIONS: TransactionPolicy = { leftOpen: 'undecided', temporaryErrorOfBet: 'declined' };

/** The policy of `settle` and `--after`, which have to expect what operators really do. */
export const JOURNAL_TRANSACTIONS: TransactionPolicy = { leftOpen: 'by-amount', temporaryErrorOfBet: 'unknown' };
