import type { RuleId } from '../../contract/catalogue.ts';
import { answerOfReply } from '../../reply/classify.ts';
import { type ReplyRule, type ReplyVerdict, verdictOn } from '../../reply/problems.ts';
import { isBusy, isClientError, isRedirect } from '../../reply/status.ts';
import { breach, type Decision, PASS } from '../decision.ts';
import { describeOutcome, type ObservedCall } from '../observed-call.ts';
import type { BalanceHypothesis } from '../pending-check.ts';
import type { PlannedCall, PlannedCalls } from '../planned-calls.ts';

/** The definition of how one rule is judged. */
export interface RuleCheck {
  /** Returns true if the step tests the rule. It looks at the plan only. */
  applies(planned: PlannedCall, plannedCalls: PlannedCalls): boolean;
  /** Judges the reply. undefined: the reply decides nothing, or a later read decides. */
  reply?(observed: ObservedCall): Decision | undefined;
  /** Returns the ways in which the next balance would be wrong if the rule were broken at this step. */
  hypotheses?(observed: ObservedCall): readonly BalanceHypothesis[];
  /** The right effect on the balance, as a clause. */
  readonly effect?: string;
  /** See {@link PendingCheck}. Left out: 0, and `read`. */
  readonly rank?: 0 | 1;
  readonly until?: 'linger';
  /** The step exists to observe the operator: its reply and its effect on the balance are noted. */
  readonly observed?: true;
  /** For an observed step: returns true if the sent call is what the rule is about. Left out: always. */
  isAbout?(observed: ObservedCall): boolean;
  /** The balance must not move, and if it does, the sum cannot be predicted. */
  readonly watched?: true;
  /**
   * The rule is decided only if the same endpoint accepted its control: the same call without the deviation. The control of
   * a higher tier has the deviations of the lower tiers. Example: text in an added field is compared with an added field.
   */
  readonly controlled?: 1 | 2 | 3;
}

export type GroupChecks<Group extends string> = { readonly [id in Extract<RuleId, `${Group}.${string}`>]: RuleCheck };

/** Rules whose breach makes the balance wrong, so that a bet of the whole balance, or of more, is not what it was meant to be. */
export const WRONG_BALANCES: readonly RuleId[] = [
  'balance.read',
  'balance.read-only',
  'bet.debit',
  'win.credit',
  'money.main-unit',
  'money.exact',
  'money.precision',
];

const LIMITS: readonly (string | undefined)[] = ['bet_limit', 'loss_limit', 'time_limit', 'account_blocked'];

/**
 * Returns the reason of the operator's own for declining a call: a limit, or too many requests. The operator may decline any
 * bet for such a reason, so the rule is then skipped. undefined: there is none.
 */
export function operatorLimit(observed: ObservedCall): string | undefined {
  const { reading } = observed;
  if (!reading || observed.answer === 'accepted') return undefined;
  if (LIMITS.includes(reading.code)) return `the operator declined it because of its own limit, \`${reading.code}\``;
  if (isBusy(reading.status)) return `the operator answered ${reading.status}, which it may do`;
  return undefined;
}

/**
 * Judges a reply by a rule about single replies. undefined: the rule does not apply.
 *
 * @param causes rules that explain a breach if they are broken too
 */
export function decisionOnReply(
  rule: ReplyRule,
  observed: ObservedCall,
  causes: readonly RuleId[] = [],
): Decision | undefined {
  const { reading, planned, currency } = observed;
  if (!reading) return undefined;
  const { call } = planned.step;
  const verdict = verdictOn(rule, {
    call,
    answer: answerOfReply(call, reading.status, reading),
    status: reading.status,
    reading,
    contentType: reading.contentType,
    currency,
    isBetKnown: isBetKnown(observed),
  });
  return decisionFrom(verdict, causes);
}

/** Converts the verdict on one reply to a decision of the judge. */
export function decisionFrom(verdict: ReplyVerdict, causes: readonly RuleId[] = []): Decision | undefined {
  if (verdict === undefined) return undefined;
  if (verdict === 'pass') return PASS;
  const { kind, expected, actual } = verdict;
  switch (kind) {
    case 'breach':
      return breach(expected, actual, causes);
    case 'warning':
      return { kind: 'warn', expected, actual };
    case 'note':
      return { kind: 'note', actual };
  }
}

/** True for a refund whose bet was answered 200, or whose bet was shown by a read to be taken. */
function isBetKnown({ target }: ObservedCall): boolean {
  return target?.state === 'applied' || target?.reply !== undefined;
}

/** True for a refund of a bet that the operator may not know. A poor reply to it is reported under the rule about such refunds. */
export function mayBeUnknown({ planned, target }: ObservedCall): boolean {
  return planned.step.call === 'refund' && target?.answer !== 'accepted';
}

/** Rules that explain why the reply to a repeat is incomplete: the operator does not answer it like the first call. */
export function causesInRepeat({ planned: { step, group }, reading, earlier }: ObservedCall): readonly RuleId[] {
  // If the first reply was not a 200, it may have had no body that could be repeated.
  if (earlier?.reply && earlier.reply.status !== 200) return ['reply.success-is-200'];
  if (step.call === 'balance' || reading?.txID !== undefined) return [];
  // Any copy that is sent at once may be the first that is carried out.
  return group !== null || step.origin.kind !== 'fresh'
    ? [`idempotency.${step.call}`, 'idempotency.concurrent', 'free-rounds.replay']
    : [];
}

/** Judges a call that must be answered 200. undefined: it was. */
export function check200(observed: ObservedCall, what: string): Decision | undefined {
  switch (observed.answer) {
    case 'accepted':
      return undefined;
    case 'late':
    case 'lost':
    case 'broken':
      return { kind: 'undecided', reason: `${what}: ${describeOutcome(observed)}` };
    case 'error-200':
      return breach(`${what} is carried out`, `${describeOutcome(observed)}: an error with status 200`, [
        'reply.error-is-not-200',
      ]);
    case 'refused':
    case 'declined':
    case 'failed': {
      const limit = operatorLimit(observed);
      if (limit) return { kind: 'skip', reason: limit };
      return breach(`${what} is answered 200`, describeOutcome(observed), causesOfRefusal(observed));
    }
  }
}

function causesOfRefusal(observed: ObservedCall): readonly RuleId[] {
  // If correct signatures are refused everywhere, that is one fault, and not one per kind of call.
  if (observed.answer === 'refused') return ['signature.accepted'];
  if (isRedirect(observed.reading?.status)) return ['reply.success-is-200'];
  if (observed.planned.step.call === 'refund' && observed.answer === 'declined')
    return causesOfDeclinedRefund(observed);
  // Each bet is within the balance that was read, so the operator uses another balance.
  return observed.reading?.code === 'insufficient_funds' ? WRONG_BALANCES : [];
}

/** The rule about ordinary refunds: if those are declined, a refund with a deviation is declined too. */
function causesOfDeclinedRefund({ target }: ObservedCall): readonly RuleId[] {
  switch (target?.answer) {
    case undefined:
      return ['refund.unknown'];
    case 'accepted':
      return ['refund.restore'];
    case 'broken':
    case 'error-200':
    case 'refused':
    case 'declined':
    case 'failed':
    case 'late':
    case 'lost':
      return [];
  }
}

/** Judges a call that must be answered with a 4xx. undefined: it was. */
export function check4xx(observed: ObservedCall, what: string): Decision | undefined {
  const { reading } = observed;
  if (!reading) {
    if (observed.closesConnection) return breach(`${what} is answered with a 4xx`, describeOutcome(observed));
    return observed.answer === 'late'
      ? breach(`${what} is answered with a 4xx`, describeOutcome(observed), ['reply.deadline'])
      : { kind: 'undecided', reason: `${what}: ${describeOutcome(observed)}` };
  }
  const limit = operatorLimit(observed);
  if (limit) return { kind: 'skip', reason: limit };
  if (isClientError(reading.status)) return undefined;
  return breach(
    `${what} is answered with a 4xx`,
    describeOutcome(observed),
    observed.answer === 'error-200' ? ['reply.error-is-not-200'] : [],
  );
}

/** The reason why free rounds cannot be judged with a campaign that was made up for the test. */
export const UNKNOWN_CAMPAIGN =
  'no campaign is configured, and the operator refused one that was made up (`freeRounds: { frID: … }` names one it knows)';
