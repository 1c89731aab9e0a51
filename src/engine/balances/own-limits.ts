import type { Money } from '../../contract/money.ts';
import type { Exchange } from '../../journal/exchange.ts';
import type { OwnLimit } from '../../judge/observed-call.ts';
import { type OwnDecline, wordsOf } from '../../judge/policy/own-limits.ts';
import { readReply } from '../../reply/read.ts';
import { isSuccess, replyStatus } from '../../reply/status.ts';

/** Maximum number of times that declines with the same text are compared with other bets. */
const MAX_COMPARISONS = 3;

/** Places bets with which a declined bet is compared. */
export interface BetsToCompare {
  /** Places plain bets until the operator declines one. */
  plainBets(): Promise<readonly Exchange[]>;
  /** Places one more free bet of the campaign. */
  freeBet(): Promise<Exchange>;
  /** Places a plain bet of this amount. If `isShort`, writes no zeros at the end. undefined if the balance is too low. */
  betOf(amount: Money, isShort: boolean): Promise<Exchange | undefined>;
}

/**
 * Remembers which declines of a run come from a limit of the operator, such as a pause between two bets, or only one open round. A
 * decline comes from a limit if the operator also declines plain bets with the same text. A declined free bet also comes from a
 * limit if the operator accepts the next free bet, and a decline of an amount if other bets show that amounts must be multiples of
 * a step.
 *
 * Each currency is compared for itself, because operators set their limits by currency, and often decline bets for several reasons
 * with one text. For example, an operator that accepts only whole amounts declines each plain bet of 0.0001 BTC with the text with
 * which it wrongly declines a bet of 1.50 USD.
 */
export class OwnLimits {
  /** The texts with which the operator also declines plain bets. Each text follows the code of a currency, as in all fields. */
  readonly #known = new Set<string>();
  /** The kinds of declines for which a comparison has shown that amounts must be multiples of a step. */
  readonly #steps = new Set<string>();
  readonly #comparisons = new Map<string, number>();

  /**
   * Returns how croupier knows that the operator declined a bet because of one of its own limits. undefined if it is not known.
   *
   * @param currency the code of the currency; undefined if none is configured
   * @param bets places bets; `limitOf` compares their replies with the decline
   */
  async limitOf(
    { words, isPlain, isFree, steps }: OwnDecline,
    currency: string | undefined,
    bets: BetsToCompare,
  ): Promise<OwnLimit | undefined> {
    const decline = `${currency ?? ''} ${words}`;
    if (isPlain) this.#known.add(decline);
    if (this.#known.has(decline)) return 'every-bet';
    // An operator that accepts no decimals declines a low bet with the same words as a bet that is too high. So the two ways to
    // compare bets (`sign`) are counted separately.
    const kind = `${steps?.sign} ${decline}`;
    if (this.#steps.has(kind)) return 'steps';
    const comparisons = this.#comparisons.get(kind) ?? 0;
    if (comparisons >= MAX_COMPARISONS) return undefined;
    this.#comparisons.set(kind, comparisons + 1);
    if ((await bets.plainBets()).some((bet) => isDeclinedWith(words, bet))) {
      this.#known.add(decline);
      return 'every-bet';
    }
    if (isFree) return isSuccess(replyStatus(await bets.freeBet())) ? 'now-and-then' : undefined;
    for (const amount of steps?.amounts ?? []) {
      const bet = await bets.betOf(amount, steps?.isShort === true);
      if (!bet) continue;
      const isStep = steps?.sign === 'accepted' ? isSuccess(replyStatus(bet)) : isDeclinedWith(words, bet);
      if (!isStep) continue;
      this.#steps.add(kind);
      return 'steps';
    }
    return undefined;
  }
}

function isDeclinedWith(words: string, { outcome }: Exchange): boolean {
  return outcome.kind === 'reply' && wordsOf(readReply(outcome.reply)) === words;
}
