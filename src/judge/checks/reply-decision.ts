import { type RuleId, ruleById } from '../../contract/catalogue.ts';
import { isFormRejected } from '../../reply/status.ts';
import { breach, type Decision, SHOWN_BY_PROBE } from '../decision.ts';
import { describeOutcome, type ObservedCall } from '../observed-call.ts';
import type { PlannedCall } from '../planned-calls.ts';
import type { RuleCheck } from './check.ts';
import { otherWalletTooLow } from './insufficient-funds.ts';
import { haveOtherAmounts } from './planned-amount.ts';

/** Judges one rule by the reply. Returns undefined if the reply does not decide the rule. A later balance read may decide it. */
export function decisionOf(rule: RuleId, check: RuleCheck, observed: ObservedCall): Decision | undefined {
  // An unreadable reply decides only one rule: the body of a reply must be in the coding that its headers name.
  if (observed.answer === 'lost' && !observed.closesConnection) {
    if (rule === 'reply.json' && isGarbled(observed)) return breachOfCoding(observed);
    // A repeated call must be answered 200. That it moved no money does not show this.
    return check.reply && isAnsweredReplay(rule) ? { kind: 'undecided', reason: describeOutcome(observed) } : undefined;
  }
  const decision = check.reply?.(observed);
  const ofForm =
    isFormRejected(observed.reading?.status) && rule !== 'signature.accepted' && !rule.startsWith('reply.');
  // A bet that was wrongly declined with `insufficient_funds` shows nothing about the rule that the bet tests.
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
  const said = decision && ofForm ? afterFormRejection(decision) : decision;
  const judged = said && isNeverSent(observed.planned) ? onlyWarning(rule, said) : said;
  return (judged?.kind === 'breach' || judged?.kind === 'warn') && movedNothing(observed)
    ? { ...judged, noMoney: true }
    : judged;
}

/** True for the rules by which a repeated call must be answered 200 and move no money. */
function isAnsweredReplay(rule: RuleId): boolean {
  return rule === 'idempotency.bet' || rule === 'idempotency.win' || rule === 'idempotency.refund';
}

/**
 * True for a call that the service never sends: a txID with another body, or a refund of a win, of another player's bet, or of
 * another amount. Calls with a changed body are not meant here: `isProbe` is true for them.
 */
export function isNeverSent({ step, sameTxID, target }: PlannedCall): boolean {
  if (sameTxID !== null) return true;
  if (step.call !== 'refund' || target === null) return false;
  return target.step.call === 'win' || target.step.session !== step.session || haveOtherAmounts(step, target.step);
}

/**
 * Turns the breach of a MUST rule into a warning, but only if the rule is about the form of a reply. The breach of a rule about the
 * call itself stays as it is, because the level of this rule already fits such calls.
 */
function onlyWarning(rule: RuleId, decision: Decision): Decision {
  if (decision.kind !== 'breach' || ruleById(rule).level !== 'MUST' || !/^(reply|money)\./.test(rule)) return decision;
  return { kind: 'warn', expected: decision.expected, actual: decision.actual, why: SHOWN_BY_PROBE };
}

/**
 * True if the reply says that the call was not carried out, and nobody loses money because of this. This can be true only for a
 * read, a new bet, or a call with a wrong signature. If such a call moves money in spite of its reply, another rule reports this.
 */
function movedNothing({ answer, closesConnection, planned: { step, signedRight } }: ObservedCall): boolean {
  if (answer !== 'declined' && answer !== 'failed' && answer !== 'refused' && !closesConnection) return false;
  return !signedRight || step.call === 'balance' || (step.call === 'bet' && step.origin.kind === 'fresh');
}

/**
 * True if a 200 arrived completely, but its body is not in the coding that its headers name. This is a fault of the reply and not
 * of the connection.
 */
export function isGarbled({ exchange: { outcome } }: ObservedCall): boolean {
  return outcome.kind === 'none' && outcome.reason === 'bad-encoding' && outcome.head?.status === 200;
}

function breachOfCoding({ exchange: { outcome } }: ObservedCall): Decision {
  return breach(
    'the body of a 200 is in the coding that its headers name',
    outcome.kind === 'none' ? outcome.detail.replace(/\.$/, '') : 'the body is not in that coding',
  );
}

/**
 * Changes the decision about a call that was rejected because of its method, media type or length. The operator did not look at the
 * content of such a call, so the reply proves less.
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
