import type { CallName } from '../../contract/call-name.ts';
import type { RuleId } from '../../contract/catalogue.ts';
import type { Stamps } from '../../journal/exchange.ts';
import { answerOfReply } from '../../reply/classify.ts';
import { type ReplyRule, type ReplyVerdict, verdictOn } from '../../reply/problems.ts';
import { isBusy, isClientError, isFormRejected, isRedirect, type Status } from '../../reply/status.ts';
import { breach, type Decision, PASS } from '../decision.ts';
import { describeOutcome, type ObservedCall } from '../observed-call.ts';
import type { BalanceHypothesis } from '../pending-check.ts';
import type { PlannedCall, PlannedCalls } from '../planned-calls.ts';

/** The definition of how one rule is judged. */
export interface RuleCheck {
  /** Returns true if the step tests the rule. Needs only the plan, so it can be called before any call is sent. */
  applies(planned: PlannedCall, plannedCalls: PlannedCalls): boolean;
  /** Judges the reply. Returns undefined if the reply does not decide the rule. A later balance read may decide it. */
  reply?(observed: ObservedCall): Decision | undefined;
  /** Returns the ways in which the next balance would be wrong if the rule were broken at this step. */
  hypotheses?(observed: ObservedCall): readonly BalanceHypothesis[];
  /** The right effect on the balance, as a clause. */
  readonly effect?: string;
  /**
   * If two rules explain a wrong balance, the rule with the lower rank is reported. 0: a rule that the scenario is about. 1: a rule
   * about every call of a kind. Left out: 0.
   */
  readonly rank?: 0 | 1;
  /** `linger` if only a late read decides the rule, when no call can take effect any more. Left out: the next read decides. */
  readonly until?: 'linger';
  /** True if the step only shows how the operator behaves. The reply and its effect on the balance are reported as a note. */
  readonly observed?: true;
  /**
   * Only for checks whose flag `observed` is true. Returns true if the rule is about the call that was sent. Left out: the rule is
   * about every call.
   */
  isAbout?(observed: ObservedCall): boolean;
  /** True if the balance must not change, and croupier cannot predict by how much a faulty operator would change it. */
  readonly watched?: true;
  /**
   * If set, the rule is decided only if the operator accepted a control call: the same call without the tested deviation. The
   * number is the tier of the deviation. If a step has deviations of several tiers, its control lacks only the deviation of the
   * highest tier. Example: for a call with special characters in an added field, the control is a call with plain text in this
   * field.
   */
  readonly controlled?: 1 | 2 | 3;
}

export type GroupChecks<Group extends string> = { readonly [id in Extract<RuleId, `${Group}.${string}`>]: RuleCheck };

/**
 * Rules whose breach makes the balances in replies wrong. If one of them is broken, a bet of the balance in the last reply may be
 * more or less than the real balance.
 */
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

/** True for a published code with which an operator declines a call because of its own limit. */
export function isLimitCode(code: string | undefined): boolean {
  return LIMITS.includes(code);
}

/**
 * True if the operator says in the reply that it is busy, or that it has a limit. If all repetitions of a call get such a reply,
 * they have one cause, whatever the first replies were.
 */
export function isExcuse({ reading }: ObservedCall): boolean {
  return (
    reading !== undefined && (isBusy(reading.status) || isLimitCode(reading.code) || reading.code === 'session_expired')
  );
}

/**
 * Returns the reason if the operator declined a call because of its own limit, or because of too many requests. The operator may
 * decline new bets and balance reads for such a reason. Then the rule is skipped. Returns undefined if there is no such reason.
 */
export function operatorLimit(observed: ObservedCall): string | undefined {
  const { reading, planned } = observed;
  if (!reading || observed.answer === 'accepted') return undefined;
  if (mayBeLimited(planned) && isLimitCode(reading.code))
    return `the operator declined the call because of its own limit, \`${reading.code}\``;
  if (mayBeLimited(planned) && isBusy(reading.status)) return busyReason(planned.step.call, reading.status);
  if (observed.ownLimit === 'every-bet')
    return `the operator declined the bet because of its own limit, and declines plain bets in the same words: ${describeOutcome(observed)}`;
  if (observed.ownLimit === 'now-and-then')
    return `the operator declined the bet because of its own limit, and accepted the next bet of this kind: ${describeOutcome(observed)}`;
  if (observed.ownLimit === 'steps')
    return `the operator declined the bet because its amount is no multiple of a step: ${describeOutcome(observed)}`;
  if (isEnded(observed)) return `the session has ended: ${describeOutcome(observed)}`;
  return undefined;
}

/**
 * True for a new bet and for a balance read with the right signature. Every other call has one right answer, whatever limits the
 * operator has: a win, a refund, a call that is sent again, and a call with a wrong signature.
 */
function mayBeLimited({ step, signedRight, sameTxID }: PlannedCall): boolean {
  if (!signedRight || step.expect.outcome === 'refused') return false;
  return step.call === 'balance' || (step.call === 'bet' && step.origin.kind === 'fresh' && sameTxID === null);
}

/** Returns the reason why a call that was answered 429 or 503 decides nothing. */
export function busyReason(call: CallName, status: Status): string {
  return `the operator answered ${call === 'balance' ? 'GET' : 'POST'} /${call} with ${status}, because it is busy`;
}

/** True if a session was open when the run began, and the operator says that it has ended. Sessions may end during a run. */
export function isEnded({ answer, reading, isSessionEnded, planned: { step }, plannedCalls }: ObservedCall): boolean {
  if (answer !== 'declined' || reading?.code !== 'session_expired' || step.expect.outcome !== 'accepted') return false;
  const isTurnedAway = step.call === 'balance' || (step.call === 'bet' && step.origin.kind === 'fresh');
  if (!isTurnedAway && !isSessionEnded) return false;
  const { needs } = plannedCalls.plan;
  const need = step.session === 'main' ? needs : needs.sessions.get(step.session);
  return need?.state !== 'expired';
}

/**
 * Returns the reason if the operator declined a new bet with a 4xx, whatever its code and its message. The operator may decline any
 * bet because of limits that croupier does not know (docs/positions.md). Returns undefined for any other reply. Also returns
 * undefined if the reason is too little money or a wrong signature, because rules judge such a decline.
 */
export function ownDecline(observed: ObservedCall): string | undefined {
  const { answer, reading, planned } = observed;
  const { step } = planned;
  if (step.call !== 'bet' || step.type === 'free' || step.origin.kind !== 'fresh' || planned.sameTxID) return undefined;
  if (answer !== 'declined' || !planned.signedRight) return undefined;
  if (reading?.code === 'insufficient_funds' || isFormRejected(reading?.status)) return undefined;
  return `the operator declined the bet: ${describeOutcome(observed)}`;
}

/**
 * Judges a reply by a rule that looks at single replies. Returns undefined if the rule does not apply.
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
  // A wallet that mixes up calls that it handles at the same instant may also mix up their replies.
  const ofRace: readonly RuleId[] = planned.group === null ? [] : ['concurrency.no-lost-update'];
  return decisionFrom(verdict, [...causes, ...ofRace]);
}

/** Converts the verdict on one reply to a decision of the judge. */
export function decisionFrom(verdict: ReplyVerdict, causes: readonly RuleId[] = []): Decision | undefined {
  if (verdict === undefined) return undefined;
  if (verdict === 'pass') return PASS;
  const { expected, actual } = verdict;
  switch (verdict.kind) {
    case 'breach':
      return breach(expected, actual, causes);
    case 'warning':
      return { kind: 'warn', expected, actual, why: verdict.why };
    case 'note':
      return { kind: 'note', actual };
  }
}

/**
 * True for a refund whose bet the operator must know: the bet was answered 200, or a balance read showed that the bet
 * was taken.
 */
function isBetKnown({ target }: ObservedCall): boolean {
  return target?.state === 'applied' || target?.reply !== undefined;
}

/** True for a refund of a bet that the operator may not know. Then a breach of `refund.unknown` may explain a faulty reply. */
export function mayBeUnknown({ planned, target }: ObservedCall): boolean {
  return planned.step.call === 'refund' && target?.answer !== 'accepted';
}

/**
 * Returns the rules whose breach can explain why the reply to a repeated call has no txID. One possible cause: the operator does
 * not send its first reply again.
 */
export function causesInRepeat({ planned: { step, group }, reading, earlier }: ObservedCall): readonly RuleId[] {
  // The operator may send its first reply again. A first reply that was not a 200 may have had no txID. Then the reply to the
  // repeated call has no txID either.
  if (earlier?.reply && earlier.reply.status !== 200) return ['reply.success-is-200'];
  if (step.call === 'balance' || reading?.txID !== undefined) return [];
  // If copies are sent at the same instant, the operator may carry out any of them first. So any copy can be the repeated call.
  return group !== null || step.origin.kind !== 'fresh'
    ? [`idempotency.${step.call}`, 'idempotency.concurrent', 'free-rounds.replay']
    : [];
}

/** If the body of a reply cannot be read at all, returns the rule about this: the body may contain a txID that nobody can read. */
export function causesOfUnreadable({ reading }: ObservedCall): readonly RuleId[] {
  return reading?.problem && !reading.object ? ['reply.json'] : [];
}

/**
 * Judges a call that must be answered 200. Returns undefined if the call was accepted.
 *
 * @param what a noun phrase for the call, such as "a free bet"
 */
export function check200(observed: ObservedCall, what: string): Decision | undefined {
  if (observed.closesConnection) return breach(`${what} is answered 200`, describeOutcome(observed));
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
      if (limit) return { kind: 'skip', reason: limit, declined: true };
      return breach(`${what} is answered 200`, describeOutcome(observed), causesOfRefusal(observed));
    }
  }
}

function causesOfRefusal(observed: ObservedCall): readonly RuleId[] {
  // An operator that refuses every correct signature has one fault, and not one fault for each kind of call.
  if (observed.answer === 'refused') return ['signature.accepted'];
  if (isRedirect(observed.reading?.status)) return ['reply.success-is-200'];
  const { step } = observed.planned;
  if (step.call === 'refund' && observed.answer === 'declined')
    return [...causesOfDeclinedRefund(observed), ...causesOfDecimals(observed)];
  // If an operator declines every win, it also declines a win with a deviation.
  if (step.call === 'win' && step.origin.kind === 'fresh' && observed.answer === 'declined')
    return ['win.credit', ...causesOfDecimals(observed)];
  // The scenario never bets more than the balance that was read. So if the operator declines the bet because the balance is too
  // low, the operator uses another balance than the one that it showed.
  return observed.reading?.code === 'insufficient_funds' ? WRONG_BALANCES : [];
}

/** An operator that accepts only whole amounts in bets often accepts only whole amounts in wins and refunds too. */
function causesOfDecimals({ amount }: ObservedCall): readonly RuleId[] {
  return amount !== undefined && amount.decimals() > 0 ? ['bet.decimal-amount'] : [];
}

/**
 * Returns the rule about ordinary refunds. If an operator declines all ordinary refunds, it also declines a refund with a
 * deviation.
 */
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

/**
 * Judges a call that must be answered with a 4xx. Returns undefined if the status is right.
 *
 * @param what a noun phrase for the call, such as "a bet with a bad amount"
 */
export function check4xx(observed: ObservedCall, what: string): Decision | undefined {
  const { reading } = observed;
  if (!reading) {
    if (observed.closesConnection) return breach(`${what} is answered with a 4xx`, describeOutcome(observed));
    return observed.answer === 'late' && !mayBeOwnDelay(observed.exchange.stamps)
      ? breach(`${what} is answered with a 4xx`, describeOutcome(observed), ['reply.deadline'])
      : { kind: 'undecided', reason: `${what}: ${describeOutcome(observed)}` };
  }
  const limit =
    operatorLimit(observed) ?? (reading.status === 429 ? busyReason(observed.planned.step.call, 429) : undefined);
  if (limit) return { kind: 'skip', reason: limit, declined: true };
  if (isClientError(reading.status)) return undefined;
  return breach(
    `${what} is answered with a 4xx`,
    describeOutcome(observed),
    observed.answer === 'error-200'
      ? ['reply.error-is-not-200']
      : isRedirect(reading.status)
        ? ['reply.success-is-200']
        : [],
  );
}

/**
 * True for a late reply if croupier itself may be the reason: its process was paused, it could not read the reply in time, or it had
 * too many calls in flight.
 */
export function mayBeOwnDelay({ pausedMs, delayedMs, firstByte, isInQueue }: Stamps): boolean {
  return pausedMs !== undefined || isInQueue === true || (delayedMs !== undefined && firstByte !== null);
}

/** The reason why the rules about bets above the balance cannot be judged if accounts have a credit line. */
export const CREDIT =
  'the operator accepted bets above the balance, because the accounts have a credit line (`credit: true` in the configuration)';

/** The reason why free rounds cannot be judged if croupier invented the campaign for the test. */
export const UNKNOWN_CAMPAIGN =
  'the operator refused the made-up campaign of the test (set `freeRounds: { frID: … }` to a campaign that it knows)';
