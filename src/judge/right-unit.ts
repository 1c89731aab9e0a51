import type { CallName } from '../contract/call-name.ts';
import type { QuietRead } from './quiet-read.ts';

/**
 * Which kinds of calls a run has seen to move exactly what they say, by wallet. These are in the right unit there, so that
 * no other unit explains a sum that is wrong.
 */
export class RightUnit {
  /** The kinds of calls by wallet. */
  readonly #seen = new Map<string, Set<CallName>>();

  /**
   * A read that was as it must be. Only where all that was moved before it was of one kind: bets and their refunds come to
   * nothing in any unit.
   */
  saw({ wallet }: QuietRead, callOf: (step: string) => CallName | undefined): void {
    if (wallet.forks.length > 0 || wallet.openSince !== null) return;
    const kinds = new Set(wallet.moves.map(({ step }) => callOf(step)));
    const [kind] = kinds;
    if (kinds.size !== 1 || kind === undefined) return;
    const known = this.#seen.get(wallet.id);
    if (known) known.add(kind);
    else this.#seen.set(wallet.id, new Set([kind]));
  }

  /**
   * True where such calls are in the right unit: seen in this wallet, or in another while this one is right about the
   * other kind. A currency in a unit of its own is in it for bets and wins alike, and a kind of calls in every wallet.
   */
  has(kind: CallName, wallet: string): boolean {
    const known = this.#seen.get(wallet);
    if (known?.has(kind)) return true;
    const other = kind === 'bet' ? 'win' : 'bet';
    return known?.has(other) === true && [...this.#seen.values()].some((kinds) => kinds.has(kind));
  }
}
