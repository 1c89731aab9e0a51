import type { CallName } from '../contract/call-name.ts';
import type { QuietRead } from './quiet-read.ts';

/**
 * Which kinds of calls a run has seen to move exactly what they say, by wallet. These are in the right unit there, so that
 * no other unit explains a sum that is wrong.
 */
export class RightUnit {
  readonly #seen = new Set<string>();

  /**
   * A read that was as it must be. Only where all that was moved before it was of one kind: bets and their refunds come to
   * nothing in any unit.
   */
  saw({ wallet }: QuietRead, callOf: (step: string) => CallName | undefined): void {
    if (wallet.forks.length > 0 || wallet.openSince !== null) return;
    const kinds = new Set(wallet.moves.map(({ step }) => callOf(step)));
    const [kind] = kinds;
    if (kinds.size === 1 && kind !== undefined) this.#seen.add(`${kind} ${wallet.id}`);
  }

  has(kind: CallName, wallet: string): boolean {
    return this.#seen.has(`${kind} ${wallet}`);
  }
}
