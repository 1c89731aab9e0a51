import type { RuleId } from '../contract/catalogue.ts';
import type { Money } from '../contract/money.ts';
import type { Seen } from './check.ts';
import type { QuietReads } from './quiet-reads.ts';
import { PLAIN_EFFECTS } from './suspects.ts';
import type { Transaction } from './transaction.ts';
import type { Wallet } from './wallet.ts';

/**
 * The balance of a reply to a call that was sent alone must be a possible one; if it isn't, the next read decides.
 *
 * @param before what the transaction was before this call, where it was sent before
 * @returns the wallets to be read at once
 */
export function unfitting(
  seen: Seen,
  wallet: Wallet | null,
  before: Transaction['state'] | undefined,
  reads: QuietReads,
): Wallet[] {
  const { part, reading, answer } = seen;
  const { step } = part;
  if (!wallet || answer === 'broken' || step.origin.kind === 'earlier') return [];
  const settledBySomebodyElse =
    answer === 'accepted' && step.expect.outcome !== 'accepted' && step.expect.outcome !== 'either';
  if (settledBySomebodyElse || answer === 'error-200') return [wallet];
  // The reply to what may have been carried out before tells the balance of then.
  const replay = part.source !== null && before !== 'refused' && before !== 'none';
  const said = reading?.balance.money;
  if (answer !== 'accepted' || replay || !said || part.namesake) return [];
  // The refund of a bet that the operator may not know can tell any balance, 0 for one.
  const mustTell = step.call !== 'refund' || seen.target?.answer === 'accepted';
  if (mustTell ? wallet.hear(said, step.origin.kind === 'fresh') : wallet.allows(said)) {
    if (mustTell && wallet.forks.length === 0) wallet.vouch(step.key);
    return [];
  }
  const rule = step.call === 'refund' ? oddRefund(seen, wallet, said) : PLAIN_EFFECTS[step.call]?.rule;
  if (rule === undefined) return [];
  reads.oddReply(wallet, {
    rule,
    ifReadFits: step.call !== 'refund' ? 'breach' : rule === 'refund.restore' ? 'warn' : 'nothing',
    step,
    exchange: seen.exchange.id,
    expected: `the reply tells the balance after the ${step.call}, ${wallet.possible().join(' or ')}`,
    actual: `it says ${reading?.balance.written}, and the next read says otherwise`,
  });
  return [wallet];
}

/** The rule under which the odd balance in the reply to a refund is told; undefined: it may be so. */
function oddRefund({ part, target }: Seen, wallet: Wallet, said: Money): RuleId | undefined {
  if (part.step.refund?.kind !== 'step' || part.refundsBefore > 0 || target?.state !== 'reversed') return undefined;
  switch (target.answer) {
    case 'accepted':
      return 'refund.restore';
    case 'broken':
    case 'late':
    case 'failed': {
      // The operator may not know the bet, or may only just be taking it.
      const taken = wallet.certain()?.plus(target.effect);
      if (said.isZero() || taken?.equals(said) !== false) return undefined;
      return target.answer === 'broken' ? 'refund.broken-connection' : 'refund.after-error';
    }
    case 'error-200':
    case 'refused':
    case 'declined':
    case 'lost':
      return undefined;
  }
}
