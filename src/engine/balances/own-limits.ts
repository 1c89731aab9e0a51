import type { Exchange } from '../../journal/exchange.ts';
import { type OwnDecline, wordsOf } from '../../judge/policy/own-limits.ts';
import { readReply } from '../../reply/read.ts';

/** Maximum number of times that declines with the same text are compared with plain bets. */
const MAX_COMPARISONS = 3;

/**
 * Remembers which declines of a run come from a limit of the operator, such as a pause between two bets, or only one open round. A
 * decline comes from a limit if the operator also declines plain bets with the same text.
 */
export class OwnLimits {
  readonly #known = new Set<string>();
  readonly #comparisons = new Map<string, number>();

  /**
   * Returns true if the operator declined a call because of one of its own limits.
   *
   * @param plainBets places plain bets; `isLimit` compares their replies with the decline
   */
  async isLimit({ words, isPlain }: OwnDecline, plainBets: () => Promise<readonly Exchange[]>): Promise<boolean> {
    if (isPlain) this.#known.add(words);
    if (this.#known.has(words)) return true;
    const comparisons = this.#comparisons.get(words) ?? 0;
    if (comparisons >= MAX_COMPARISONS) return false;
    this.#comparisons.set(words, comparisons + 1);
    const isSame = (await plainBets()).some(
      ({ outcome }) => outcome.kind === 'reply' && wordsOf(readReply(outcome.reply)) === words,
    );
    if (isSame) this.#known.add(words);
    return isSame;
  }
}
