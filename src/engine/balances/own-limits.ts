import type { Exchange } from '../../journal/exchange.ts';
import { type OwnDecline, wordsOf } from '../../judge/policy/own-limits.ts';
import { readReply } from '../../reply/read.ts';

/** Maximum number of comparisons for declines with the same words. */
const MAX_COMPARISONS = 3;

/**
 * Remembers over a run which declines come from a limit of the operator: it has declined plain bets in the same words. Such a
 * limit may need a pause between two bets, or only one open round.
 */
export class OwnLimits {
  readonly #known = new Set<string>();
  readonly #comparisons = new Map<string, number>();

  /**
   * Returns whether a limit of the operator is the reason of a decline.
   *
   * @param plainBets places plain bets, to compare their replies with the decline
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
