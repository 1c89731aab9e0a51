import { type Explanation, explain } from './explain.ts';
import { SCALES } from './main-unit.ts';
import type { Obligation } from './obligation.ts';
import type { QuietRead } from './quiet-read.ts';
import { rounded } from './rounding.ts';
import { isWrittenAsDouble } from './unexplained.ts';
import type { Wallet } from './wallet.ts';
import type { WalletMemory } from './wallet-memory.ts';

/**
 * The nearest suspects first: where a reply was the first to be wrong, what that call did, and then whatever no right
 * reply has spoken for. Only then anybody.
 *
 * @returns undefined: nothing of it explains what was read
 */
export function explainBySuspects(
  { wallet, value }: QuietRead,
  { odd, last }: Pick<WalletMemory, 'odd' | 'last'>,
  suspects: readonly Obligation[],
  proven: (rule: string) => boolean,
): Explanation | undefined {
  const pools = [
    odd ? suspects.filter(({ step }) => step.key === odd.step.key) : [],
    suspects.filter((one) => !isSpokenFor(one, wallet)),
    odd ? [] : suspects,
  ];
  const possible = wallet.possible();
  for (const pool of pools) {
    const explained = explain(value, possible, pool, proven);
    if (explained) return explained;
  }
  // Beside what went wrong, all may be in another unit.
  const before = proven('money.main-unit') ? last : undefined;
  for (const scale of before ? SCALES : []) {
    const meant = before?.plus(value.minus(before).shift(-scale)) ?? value;
    // Then the unit is all that is wrong.
    if (possible.some((one) => one.equals(meant))) return undefined;
    const explained = explain(meant, possible, pools[1] ?? [], proven);
    if (explained) return explained;
  }
  // Or the sum may not be exact.
  const about = rounded(value, wallet.unit);
  const near = possible.map((one) => rounded(one, wallet.unit));
  const isExact = about.equals(value) || near.some((one) => one.equals(about)) || !isWrittenAsDouble(value);
  return isExact ? undefined : explain(about, near, pools[1] ?? [], proven);
}

/** A right reply to a later call has it in. */
function isSpokenFor(one: Obligation, wallet: Wallet): boolean {
  return wallet.isConfirmed(one) || wallet.moves.some(({ step, confirmed }) => confirmed && step === one.step.key);
}
