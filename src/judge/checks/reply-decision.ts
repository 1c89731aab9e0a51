import type { RuleId } from '../../contract/catalogue.ts';
import { isFormRejected } from '../../reply/status.ts';
import { breach, type Decision } from '../decision.ts';
import { describeOutcome, type ObservedCall } from '../observed-call.ts';
import type { RuleCheck } from './check.ts';
import { otherWalletTooLow } from './insufficient-funds.ts';

/** Judges one rule by the reply. undefined: the reply decides nothing, or a later read decides. */
export function decisionOf(rule: RuleId, check: RuleCheck, observed: ObservedCall): Decision | undefined {
  // Without a reply there is nothing to decide, except that a body may not be in the coding that its headers name.
  if (observed.answer === 'lost' && !observed.closesConnection)
    return rule === 'reply.json' && isGarbled(observed) ? breachOfCoding(observed) : undefined;
  const decision = check.reply?.(observed);
  const ofForm =
    isFormRejected(observed.reading?.status) && rule !== 'signature.accepted' && !rule.startsWith('reply.');
  // A bet that was wrongly declined with `insufficient_funds` shows nothing about the rule that it should test.
  if (
    observed.isWronglyDeclined &&
    !rule.startsWith('reply.') &&
    (decision?.kind === 'breach' || decision?.kind === 'warn')
  )
    return { kind: 'undecided', reason: `it was ${describeOutcome(observed)}, although the balance was high enough` };
  const poor = otherWalletTooLow(observed);
  if (poor && !rule.startsWith('reply.') && decision?.kind === 'breach') return { kind: 'skip', reason: poor };
  return decision && ofForm ? afterFormRejection(decision) : decision;
}

/** True if a complete 200 came, but its body is not in the coding that its headers name. This is not a connection error. */
export function isGarbled({ exchange: { outcome } }: ObservedCall): boolean {
  return outcome.kind === 'none' && outcome.reason === 'bad-encoding' && outcome.head?.status === 200;
}

function breachOfCoding({ exchange: { outcome } }: ObservedCall): Decision {
  return breach(
    'the body of a 200 is in the coding that its headers name',
    outcome.kind === 'none' ? outcome.detail : 'it is not',
  );
}

/** Changes a decision about a call whose form was rejected: the operator did not look at its content, so it proves less. */
function afterFormRejection(decision: Decision): Decision {
  switch (decision.kind) {
    case 'breach':
      return { ...decision, causes: [...(decision.causes ?? []), 'signature.accepted'] };
    case 'warn':
      return { kind: 'undecided', reason: decision.actual };
    case 'pass':
    case 'note':
    case 'skip':
    case 'undecided':
      return decision;
  }
}
