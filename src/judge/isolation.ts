import type { Seen } from './check.ts';
import type { Wallet } from './wallet.ts';

/**
 * Whatever a call moves, it moves in one wallet: the next read of the others tells.
 *
 * @param own the wallet of its session; null for a session that the operator never issued
 * @param wallets all of the story
 */
export function leaveOthersAlone(seen: Seen, own: Wallet | null, wallets: readonly Wallet[]): void {
  const { part, effect, exchange } = seen;
  // What a call has moved that should have been refused, and whose money it was, is anybody's guess.
  if (seen.answer === 'accepted' && (!part.signedRight || own === null)) {
    if (part.step.call === 'refund' && own === null) return;
    for (const wallet of wallets) wallet.leaveOpen(part.step.key);
    return;
  }
  if (own === null || effect.isZero() || part.step.call === 'balance' || seen.answer !== 'accepted') return;
  // Whose money a call moves whose signature was wrong is a matter of the signature.
  if (!part.signedRight) return;
  if (part.target && part.target.step.session !== part.step.session) return;
  for (const other of wallets) {
    if (other === own || !other.known) continue;
    other.owe({
      rule: 'session.isolated',
      endpoint: null,
      step: part.step,
      exchange: exchange.id,
      offsets: [
        {
          by: effect,
          meaning: `the ${part.step.call} of ${seen.amount} in another player's session moved this player's money`,
        },
      ],
      rank: 0,
      until: 'read',
      expected: "another player's balance is left alone",
      reported: false,
    });
  }
}
