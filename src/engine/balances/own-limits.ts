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
}

/**
 * Remembers which declines of a run come from a limit of the operator, such as a pause between two bets, or only one open round. A
 * decline comes from a limit if the operator also declines plain bets with the same text. A declined free bet also comes from a
 * limit if the operator accepts the next free bet.
 */
export class OwnLimits {
  readonly #known = new Set<string>();
  readonly #comparisons = new Map<string, number>();

  /**
   * Returns how croupier knows that the operator declined a bet because of one of its own limits. undefined if it is not known.
   *
   * @param bets places bets; `limitOf` compares their replies with the decline
   */
  async limitOf({ words, isPlain, isFree }: OwnDecline, bets: BetsToCompare): Promise<OwnLimit | undefined> {
    if (isPlain) this.#known.add(words);
    if (this.#known.has(words)) return 'every-bet';
    const comparisons = this.#comparisons.get(words) ?? 0;
    if (comparisons >= MAX_COMPARISONS) return undefined;
    this.#comparisons.set(words, comparisons + 1);
    const isSame = (await bets.plainBets()).some(
      ({ outcome }) => outcome.kind === 'reply' && wordsOf(readReply(outcome.reply)) === words,
    );
    if (isSame) {
      this.#known.add(words);
      return 'every-bet';
    }
    return isFree && isSuccess(replyStatus(await bets.freeBet())) ? 'now-and-then' : undefined;
  }
}
