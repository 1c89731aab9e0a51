import type { RuleId } from '../contract/catalogue.ts';
import type { Money } from '../contract/money.ts';
import { breach } from './check.ts';
import type { Docket } from './docket.ts';
import type { Effects } from './effects.ts';
import { type Breach, nearestDifference } from './explain.ts';
import type { Obligation } from './obligation.ts';
import type { QuietRead } from './quiet-read.ts';
import { mayBeRounded } from './rounding.ts';
import { PLAIN_EFFECTS } from './suspects.ts';
import { either } from './unexplained.ts';
import type { Wallet } from './wallet.ts';

/**
 * Says of one breach that it explains the balance that was read.
 *
 * @param rivals breaches that would explain it as well: their rules are named as causes
 */
export function blameExplained(
  { obligation, offset }: Breach,
  rivals: readonly Breach[],
  { wallet, value }: QuietRead,
  { docket, effects }: { readonly docket: Docket; readonly effects: Effects },
): void {
  if (obligation.reported) return;
  const possible = wallet.possible();
  const own = wallet.moves.map(({ step }) => effects.callOf(step));
  const causes = causesOf(obligation.rule, [
    // Where the player's own calls moved money too, it may be one of them that moved another sum.
    ...(obligation.rule === 'session.isolated' ? own.flatMap((call) => (call && PLAIN_EFFECTS[call]?.rule) ?? []) : []),
    ...rivals.flatMap((rival) => [rival.obligation.rule, ...(rival.offset.causes ?? [])]),
    ...(offset.causes ?? []),
    ...spoilersOf(wallet, offset.by),
    ...(mayBeRounded(nearestDifference(value, possible), value, wallet.unit) ? (['money.exact'] as const) : []),
  ]);
  docket.decide(
    { rule: obligation.rule, step: obligation.step, exchange: obligation.exchange },
    breach(
      `${obligation.expected}: the balance is ${either(possible)}`,
      `the balance is ${value}: ${offset.meaning}`,
      causes,
    ),
  );
}

/** Faults by which any number may be wrong: reads that cost money, and players who play with each other's. */
function spoilersOf(wallet: Wallet, by: Money): RuleId[] {
  // Reads that cost a player money, or pay a little.
  const isOfReads = by.isNegative() || by.equals(wallet.unit);
  const spoilers: RuleId[] = isOfReads ? ['balance.read-only'] : [];
  // A bet whose connection broke may still have been at work beside the calls that came after it, one that failed may not.
  const mayBeAtWork = ({ rule, until, offsets }: Obligation): boolean =>
    until === 'linger' &&
    (rule !== 'refund.after-error' ||
      offsets.some(({ causes }) => causes?.includes('concurrency.no-lost-update') === true));
  if (wallet.obligations.some(mayBeAtWork)) spoilers.push('concurrency.no-lost-update');
  return [...spoilers, 'session.isolated'];
}

/** What else may explain a number. */
function causesOf(rule: RuleId, others: readonly RuleId[]): RuleId[] {
  // An amount that is cut is both a bet that is not taken exactly and a sum that is not exact.
  const causes = rule === 'bet.decimal-amount' ? others.filter((other) => other !== 'money.exact') : others;
  return [...new Set(causes)].filter((cause) => cause !== rule);
}
