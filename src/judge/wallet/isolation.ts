import type { ObservedCall } from '../observed-call.ts';
import type { Wallet } from './wallet.ts';

/**
 * A call must not move money in the wallets of other players. Adds this check to the next read of every wallet except `own`.
 *
 * @param own the wallet of the session of the call; null if the operator never issued the session
 * @param wallets all wallets of the scenario
 * @param moving the wallets that have calls of their own at the same instant. The rules about concurrency judge these wallets.
 */
export function leaveOthersAlone(
  seen: ObservedCall,
  own: Wallet | null,
  wallets: readonly Wallet[],
  moving: ReadonlySet<Wallet | null> = new Set(),
): void {
  const { planned, effect, exchange } = seen;
  // If the operator accepted a call that it had to refuse, croupier cannot know which wallet the call changed, and by how much.
  if (seen.answer === 'accepted' && (!planned.signedRight || own === null)) {
    if (planned.step.call === 'refund' && own === null) return;
    for (const wallet of wallets) wallet.setUnknown(planned.step.key);
    return;
  }
  if (own === null || effect.isZero() || planned.step.call === 'balance' || seen.answer !== 'accepted') return;
  // The rules about signatures judge the effect of a call with a wrong signature.
  if (!planned.signedRight) return;
  if (planned.target && planned.target.step.session !== planned.step.session) return;
  for (const other of wallets) {
    if (other === own || !other.known || moving.has(other)) continue;
    other.expectLater({
      rule: 'session.isolated',
      endpoint: null,
      step: planned.step,
      exchange: exchange.id,
      hypotheses: [
        {
          by: effect,
          meaning: `the ${planned.step.call} of ${seen.amount} in another player's session moved this player's money`,
        },
      ],
      rank: 0,
      until: 'read',
      expected: "a call does not change another player's balance",
      reported: false,
    });
  }
}
