import type { CallName } from '../../contract/call-name.ts';
import type { RuleId } from '../../contract/catalogue.ts';
import { Money } from '../../contract/money.ts';
import { amountIn, bodyFields } from '../../journal/call-amount.ts';
import type { JournalEvent, Received } from '../../journal/event.ts';
import { type Body, bodyText, type Reply } from '../../journal/exchange.ts';
import type { Finding } from '../../journal/finding.ts';
import { CallsInFlight } from '../../journal/network/calls-in-flight.ts';
import { isProbe, PlannedCalls } from '../../judge/planned-calls.ts';
import { describeAnswer } from '../../reply/problems.ts';
import { readReply } from '../../reply/read.ts';
import { isSuccess } from '../../reply/status.ts';
import type { Plan } from '../../scenario/plan/plan.ts';
import { isOfService, plannedOf } from './sent-calls.ts';

/** Maximum number of bets, wins and refunds of one scenario that are kept. A scenario may repeat a call very often. */
const MAX_CALLS = 2000;
/** An operator may decline a win that is much higher than its bet. */
const MAX_WIN_OF_BET = Money.of('10');

/**
 * A bet, win or refund that was answered. It does not contain the headers of the call and the reply, because thousands of them would
 * need much memory.
 */
interface Answered {
  readonly id: string;
  readonly call: CallName;
  readonly step: string | null;
  readonly body: Body | null;
  /** The status of the reply. Undefined if no reply came. */
  readonly status: number | undefined;
  /** The reply, if it says that the operator does not find something. */
  readonly notFound: Reply | undefined;
  /** Number of earlier replies at the time when the call was sent. */
  readonly sentAfter: number;
}

/** A call that was not answered yet. */
interface InFlight {
  readonly scenario: string;
  readonly call: Pick<Answered, 'id' | 'call' | 'step' | 'body' | 'sentAfter'>;
}

/** The calls of one scenario, in the order of their replies. */
interface ScenarioCalls {
  readonly answered: Answered[];
  hasNotFound: boolean;
}

/** The fields of a call that say to which other calls it belongs. */
interface Transaction extends Answered {
  readonly txID: unknown;
  readonly origTxID: unknown;
  readonly roundID: unknown;
  readonly sessionID: unknown;
  readonly type: unknown;
  readonly frID: unknown;
  readonly amount: Money | undefined;
}

/** The right answer to a call, and the rule that requires it. */
interface Duty {
  readonly rule: RuleId;
  readonly expected: string;
}

/**
 * Finds wins and refunds that were answered 404 or 410 although the operator had to carry them out, if no rule has judged the reply.
 * croupier sends such a call again if another call may have been in progress, and judges only the last reply. It judges no replies
 * to the calls with which it completes rounds and restores balances.
 *
 * An operator may decline a call for a moment because another call is in progress. But 404 and 410 say that the operator does not find
 * something, and the contract says that a refund is answered 200 also then.
 */
export class NotFoundReplies {
  readonly #inFlight = new CallsInFlight<InFlight>();
  readonly #scenarios = new Map<string, ScenarioCalls>();

  /** Notes the calls of the run and their replies. */
  note(event: JournalEvent): void {
    if (event.event === 'received') this.#received(event);
    else if (event.event === 'sending' && event.scenario !== null && event.call !== 'balance') {
      // Calls with a wrong signature move nothing.
      if (event.signed !== undefined) return;
      const { id, scenario, call, step, request } = event;
      const sentAfter = this.#scenarios.get(scenario)?.answered.length ?? 0;
      this.#inFlight.set(id, { scenario, call: { id, call, step, body: request.body, sentAfter } });
    }
  }

  /**
   * Returns the finding about a scenario after its last attempt. Returns undefined if there is none, or if the rule has already
   * failed.
   */
  findingOf(scenario: string, plan: Plan, findings: readonly Finding[]): Finding | undefined {
    const calls = this.#scenarios.get(scenario);
    this.#scenarios.delete(scenario);
    if (!calls?.hasNotFound) return;
    const plannedCalls = new PlannedCalls(plan);
    const { needs } = plan;
    // The contract does not say what the operator owes after the end of a session.
    const isExpired = [needs, ...needs.sessions.values()].some(({ state }) => state === 'expired');
    // A call that the service never sends may have an effect on all later calls of the scenario.
    if (isExpired || plannedCalls.calls.some(({ step }) => isProbe(step))) return;
    const transactions = calls.answered.map(transactionOf);
    for (const [index, one] of transactions.entries()) {
      if (!one.notFound) continue;
      const planned = plannedOf(one, plannedCalls);
      if (!isOfService(planned)) continue;
      const duty = dutyOf(one, index, transactions);
      if (!duty || findings.some(({ rule, verdict }) => rule === duty.rule && verdict === 'fail')) continue;
      return {
        rule: duty.rule,
        verdict: 'fail',
        endpoint: null,
        step: one.step,
        place: planned?.step.place ?? plan.place,
        exchange: one.id,
        expected: duty.expected,
        actual: describe(one.notFound),
        causes: [],
      };
    }
    return undefined;
  }

  #received({ id, outcome }: Received): void {
    const sent = this.#inFlight.take(id);
    if (!sent) return;
    const { scenario } = sent;
    const calls = this.#scenarios.get(scenario) ?? { answered: [], hasNotFound: false };
    this.#scenarios.set(scenario, calls);
    if (calls.answered.length >= MAX_CALLS) return;
    const reply = outcome.kind === 'reply' ? outcome.reply : undefined;
    const notFound = reply && isNotFound(sent.call.call, reply.status) ? reply : undefined;
    calls.answered.push({ ...sent.call, status: reply?.status, notFound });
    calls.hasNotFound ||= notFound !== undefined;
  }
}

function isNotFound(call: CallName, status: number): boolean {
  return call !== 'bet' && (status === 404 || status === 410);
}

function describe(reply: Reply): string {
  return `${describeAnswer(reply.status, readReply(reply))}; later, the operator carried out such a call`;
}

function transactionOf(answered: Answered): Transaction {
  const { body } = answered;
  const fields = body ? bodyFields(body) : undefined;
  const written = amountIn(fields)?.text;
  return {
    ...answered,
    txID: fields?.txID,
    origTxID: fields?.origTxID,
    roundID: fields?.roundID,
    sessionID: fields?.sessionID,
    type: fields?.type,
    frID: fields?.frID,
    amount: written === undefined ? undefined : Money.read(written),
  };
}

/**
 * Returns what the operator had to do with a call that it answered 404 or 410. Returns undefined if the call itself may be the
 * reason.
 */
function dutyOf(one: Transaction, index: number, all: readonly Transaction[]): Duty | undefined {
  const later = all.slice(index + 1);
  const isRepeated = later.some((other) => isSuccess(other.status) && hasSameBody(other, one));
  if (one.call === 'refund') return isRepeated ? dutyOfRefund(one, all) : undefined;
  // croupier sends the wins with which it completes rounds only once. If the operator later accepts a call of the same session, the
  // session had not ended.
  const goesOn = later.some((other) => isSuccess(other.status) && other.sessionID === one.sessionID);
  return isRepeated || (one.step === null && goesOn) ? dutyOfWin(one, all) : undefined;
}

function hasSameBody(one: Transaction, other: Transaction): boolean {
  const [a, b] = [one.body, other.body];
  return one.call === other.call && a !== null && b !== null && bodyText(a) === bodyText(b);
}

function dutyOfRefund(refund: Transaction, all: readonly Transaction[]): Duty | undefined {
  const ofBet = all.filter(({ call, origTxID }) => call === 'refund' && origTxID === refund.origTxID);
  // The service sends only one refund of a bet.
  if (ofBet.some(({ txID }) => txID !== refund.txID)) return undefined;
  const isKnown = all
    .slice(0, refund.sentAfter)
    .some((other) => other.call === 'bet' && other.txID === refund.origTxID && isSuccess(other.status));
  return isKnown
    ? { rule: 'refund.restore', expected: 'the refund of an accepted bet is answered 200' }
    : { rule: 'refund.unknown', expected: 'a refund is answered 200, also if the operator does not find its bet' };
}

/** Returns the duty for a win of 0, or for a win that is not much higher than the only bet of its round. */
function dutyOfWin(win: Transaction, all: readonly Transaction[]): Duty | undefined {
  const ofRound = all.filter(({ roundID, sessionID }) => roundID === win.roundID && sessionID === win.sessionID);
  const [bet, ...others] = ofRound.filter((other) => !hasSameBody(other, win));
  const isOfBet =
    win.roundID !== undefined &&
    others.length === 0 &&
    bet?.call === 'bet' &&
    isSuccess(bet.status) &&
    all.indexOf(bet) < win.sentAfter &&
    !all.some(({ origTxID }) => origTxID === bet.txID);
  if (!isOfBet || win.type !== 'regular' || win.frID !== undefined || !win.amount || !bet.amount) return undefined;
  if (win.amount.isZero()) return { rule: 'win.zero', expected: 'a win of 0 is answered 200' };
  if (win.amount.compare(bet.amount.times(MAX_WIN_OF_BET)) > 0) return undefined;
  return { rule: 'win.credit', expected: 'a win in a round whose bet was accepted is answered 200' };
}
