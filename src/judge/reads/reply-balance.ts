import type { CallName } from '../../contract/call-name.ts';
import type { RuleId } from '../../contract/catalogue.ts';
import type { Money } from '../../contract/money.ts';
import { PLAIN_EFFECTS } from '../attribution/candidates.ts';
import type { UnexpectedReply } from '../idle-read.ts';
import type { ObservedCall } from '../observed-call.ts';
import type { Transaction } from '../wallet/transaction.ts';
import type { Wallet } from '../wallet/wallet.ts';
import type { IdleReads } from './idle-reads.ts';

/**
 * Checks the balance in the reply to a call that was sent alone. If the contract does not allow this balance, the next read decides
 * whether only the reply is wrong.
 *
 * @param before `state`: the state of the transaction before this call; undefined for a new transaction. `isStored`: true if the
 * reply seems to be the stored reply to another call. Then its balance says nothing, and only the next read shows the effect
 * @returns the wallets that must be read at once
 */
export function judgeReplyBalance(
  observed: ObservedCall,
  wallet: Wallet | null,
  { state: before, isStored }: { readonly state: Transaction['state'] | undefined; readonly isStored: boolean },
  reads: IdleReads,
): Wallet[] {
  const { planned, reading, answer } = observed;
  const { step } = planned;
  if (!wallet || answer === 'broken' || step.origin.kind === 'earlier') return [];
  const isUnexpectedSuccess =
    answer === 'accepted' && step.expect.outcome !== 'accepted' && step.expect.outcome !== 'either';
  if (isUnexpectedSuccess || answer === 'error-200') return [wallet];
  // The operator may answer a repeated call with the balance that it had at the time of the first call.
  const replay = planned.source !== null && before !== 'refused' && before !== 'none';
  const said = reading?.balance.money;
  if (answer !== 'accepted' || replay || !said || planned.sameTxID) return [];
  // If the operator may not know the bet, its reply to the refund may have any balance, for example 0.
  const mustBeRight = step.call !== 'refund' || observed.target?.answer === 'accepted';
  if (isStored) wallet.forgetReply();
  else if (mustBeRight ? wallet.hear(said, step.origin.kind === 'fresh') : wallet.allows(said)) {
    if (mustBeRight && wallet.branches.length === 0) wallet.vouch(step.key);
    return [];
  }
  const rule = step.call === 'refund' ? ruleOfRefundReply(observed, wallet, said) : PLAIN_EFFECTS[step.call]?.rule;
  if (rule === undefined) return [];
  reads.unexpectedReply(wallet, {
    rule,
    ifReadFits: isStored ? 'nothing' : ifOnlyReplyIsWrong(step.call, rule),
    step,
    exchange: observed.exchange.id,
    said,
    expected: `the reply has the balance after the ${step.call}, ${wallet.possible().join(' or ')}`,
    actual: `the reply says ${reading?.balance.written}, and the next read shows another balance`,
  });
  return [wallet];
}

function ifOnlyReplyIsWrong(call: CallName, rule: RuleId): UnexpectedReply['ifReadFits'] {
  if (call !== 'refund') return 'breach';
  return rule === 'refund.restore' ? 'warn' : 'nothing';
}

/** Returns the rule that a wrong balance in the reply to a refund breaks. undefined if the contract allows that balance. */
function ruleOfRefundReply({ planned, target }: ObservedCall, wallet: Wallet, said: Money): RuleId | undefined {
  if (planned.step.refund?.kind !== 'step' || planned.refundsBefore > 0 || target?.state !== 'reversed')
    return undefined;
  switch (target.answer) {
    case 'accepted':
      return 'refund.restore';
    case 'broken':
    case 'late':
    case 'failed': {
      // If the operator does not know the bet, it may reply with 0. If the operator is still processing the bet, the balance may
      // already include the bet but not yet the refund.
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
