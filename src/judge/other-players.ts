import { breach } from './check.ts';
import type { Docket } from './docket.ts';
import type { Effects } from './effects.ts';
import { nearestDifference } from './explain.ts';
import type { QuietRead } from './quiet-read.ts';
import { either } from './unexplained.ts';
import type { Fork } from './wallet.ts';

/**
 * Nothing was sent in the player's own sessions, yet the balance is another one. Once that may be somebody else who uses
 * the session; where it comes at the same step by the same sum again, it is what was done for the other player.
 *
 * @returns true when it was told so
 */
export function tellOfOthers(
  { wallet, value, step, exchange }: QuietRead,
  seenBefore: (what: string) => boolean,
  docket: Docket,
): boolean {
  const possible = wallet.possible();
  const by = nearestDifference(value, possible);
  const others = wallet.obligations.at(-1);
  if (!others || !seenBefore(`${step.key} ${by}`)) return false;
  docket.decide(
    { rule: others.rule, step, exchange },
    breach(
      `${others.expected}: the balance is ${either(possible)}`,
      `the balance is ${value}, off by ${by}, though calls were sent in the other player's session only; it was so each time`,
      ['balance.read-only'],
    ),
  );
  return true;
}

/** A refund that another player's session sent was paid to the one whose bet it was: nothing is lost by it, but nobody asked. */
export function tellPaidOwner({ txID, kind }: Fork, { exchange }: QuietRead, effects: Effects, docket: Docket): void {
  const refund = kind === 'either' ? effects.ofTxID(txID) : undefined;
  if (refund?.part.step.call !== 'refund' || refund.part.target?.step.session === refund.part.step.session) return;
  docket.decide(
    { rule: 'refund.foreign-session', step: refund.part.step, exchange },
    {
      kind: 'warn',
      expected: 'a refund sent for one player that names the bet of another moves nothing',
      actual: 'the bet was given back to the player who had placed it',
    },
  );
}
