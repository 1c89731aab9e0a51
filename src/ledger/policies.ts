/**
 * The kind of an effect that may or may not have happened.
 *
 * - `lost`: a bet whose outcome is unknown. The bet may still take money at any time until its refund is answered 200. A balance
 *   that is lower by the amount of the bet proves that the bet took money. An unchanged balance does not prove that the bet will
 *   never take money
 * - `unanswered`: a win or a refund whose outcome is unknown. The effect stays open until the call is sent again and answered 200
 * - `either`: the contract lets the operator decide. The next balance read shows the decision
 */
export type EffectKind = 'lost' | 'unanswered' | 'either';

/** Says for each kind whether the effect may still happen if a balance read does not show it. */
export const MAY_HAPPEN_LATER: Readonly<Record<EffectKind, boolean>> = { lost: true, unanswered: true, either: false };

/**
 * Says how a balance read changes the possible balances of a wallet, and how many possible balances are kept at most.
 */
export interface WorldsPolicy {
  /**
   * The open effects that a balance read closes.
   *
   * - `proven`: an effect that is part of every combination with the balance that was read has happened. An `either`
   * effect that is part of no such combination never happened. All other effects stay open
   * - `either`: every effect of kind `either`, by the first combination with the balance that was read. All other
   * effects stay open until their call is answered, whatever the balance shows
   */
  readonly readCloses: 'proven' | 'either';
  /** Maximum number of open effects. If there are more, any balance counts as possible at the next read. */
  readonly maxEffects: number;
  /** Maximum number of possible balances. If there are more, the list of possible balances is empty. */
  readonly maxBalances: number;
}

/**
 * The policy of the judge. The judge must find a wrong balance as early as possible. So the judge closes an effect as soon as a
 * read proves the effect. The judge looks at every combination of open effects, so the maximum number of open effects is small.
 */
export const JUDGE_WORLDS: WorldsPolicy = { readCloses: 'proven', maxEffects: 10, maxBalances: 2 ** 10 };

/**
 * The policy of `settle` and `--after`. They must not pay anything twice, so an open call stays open until it is answered. A run
 * may leave hundreds of open calls, often with the same amount. So the different sums are kept instead of the combinations.
 */
export const JOURNAL_WORLDS: WorldsPolicy = {
  readCloses: 'either',
  maxEffects: Number.POSITIVE_INFINITY,
  maxBalances: 4096,
};

/** The decisions about answers whose meaning the contract does not define. */
export interface TransactionPolicy {
  /**
   * The amount that a call may move if the contract does not describe this call: a win without a bet, a declined call
   * that is sent again, or a refund of a settled round or of another amount.
   *
   * - `undecided`: any amount, so the next balance read can't be judged
   * - `by-amount`: the amount of the call or nothing. This is enough for an estimate, and keeps the balance known
   */
  readonly leftOpen: 'undecided' | 'by-amount';
  /**
   * The meaning of a temporary error or a 409 as the answer to a bet. By the contract, such a bet has taken nothing. In practice, a
   * wallet behind a gateway may still carry out the bet. `mayHaveBeenProcessed` explains both views.
   */
  readonly temporaryErrorOfBet: 'declined' | 'unknown';
}

/** The policy of the judge, which compares the operator with the contract. */
export const JUDGE_TRANSACTIONS: TransactionPolicy = { leftOpen: 'undecided', temporaryErrorOfBet: 'declined' };

/** The policy of `settle` and `--after`, which must expect what operators really do. */
export const JOURNAL_TRANSACTIONS: TransactionPolicy = { leftOpen: 'by-amount', temporaryErrorOfBet: 'unknown' };
