import type { RuleId } from '../../contract/catalogue.ts';
import { isFormRejected } from '../../reply/status.ts';
import { breach, type Decision } from '../decision.ts';
import { describeOutcome, type ObservedCall } from '../observed-call.ts';
import type { RuleCheck } from './check.ts';
import { otherWalletTooLow } from './insufficient-funds.ts';

/** Judges one rule by the reply. Returns undefined if the reply does not decide the rule. A later balance read may decide it. */
export function decisionOf(rule: RuleId, check: RuleCheck, observed: ObservedCall): Decision | undefined {
  // A call without a readable reply decides only one rule: the body of a reply must be in the coding that its headers name.
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
    return {
      kind: 'undecided',
      reason: `the bet was ${describeOutcome(observed)}, although the balance was high enough`,
    };
  const poor = otherWalletTooLow(observed);
  if (poor && !rule.startsWith('reply.') && decision?.kind === 'breach') return { kind: 'skip', reason: poor };
  const judged = decision && ofForm ? afterFormRejection(decision) : decision;
  return (judged?.kind === 'breach' || judged?.kind === 'warn') && movedNothing(observed)
    ? { ...judged, noMoney: true }
    : judged;
}

/**
 * True if the call was not carried out by its own reply, and nobody is owed money because of that: a bet, a call that must not be
 * carried out, or a repeated call whose first was carried out. If money moved all the same, a balance shows it.
 */
function movedNothing({ answer, closesConnection, planned, earlier }: ObservedCall): boolean {
  if (answer !== 'declined' && answer !== 'failed' && answer !== 'refused' && !closesConnection) return false;
  const { step, signedRight } = planned;
  const isRepeated = step.origin.kind !== 'fresh' && earlier?.answer === 'accepted';
  return (
    step.call === 'balance' || step.call === 'bet' || !signedRight || isRepeated || step.expect.outcome !== 'accepted'
  );
}

/**
 * True if a complete 200 came whose body is not in the coding that its headers name. This is a fault of the reply, not of the
 * connection.
 */
export function isGarbled({ exchange: { outcome } }: ObservedCall): boolean {
  return outcome.kind === 'none' && outcome.reason === 'bad-encoding' && outcome.head?.status === 200;
}

function breachOfCoding({ exchange: { outcome } }: ObservedCall): Decision {
  return breach(
    'the body of a 200 is in the coding that its headers name',
    outcome.kind === 'none' ? outcome.detail : 'the body is not in that coding',
  );
}

/**
 * Changes the decision about a call whose method, media type or length was rejected. The operator did not look at the content,
 * so the reply proves less.
 */
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
