import type { RuleId } from '../../contract/catalogue.ts';
import { plural } from '../../contract/plural.ts';
import type { LoggedCall } from '../calls/logged-call.ts';
import type { IncidentTimeline } from '../timeline/timeline.ts';
import { idsOf, noReplyReason } from './compare.ts';
import { isAboutReply } from './reproduction.ts';
import { type Signing, signatureRuleBroken } from './signing.ts';

/** The timeline of an incident, and the results of verifying the signatures of its calls. */
export interface RecordedIncident {
  readonly timeline: IncidentTimeline;
  readonly signing: Signing;
}

/** The only status of a success (contract, Rules 1). */
const RIGHT_STATUS = 200;

/** The mistakes in the record. */
export interface RecordedMistakes {
  /** The broken rules. */
  readonly rules: readonly RuleId[];
  /** The broken rules, each with the call that broke it. */
  readonly breaches: readonly { readonly rule: RuleId; readonly call: number }[];
  /** Other rules that, if they are broken, explain one of the breaches. */
  readonly causes: readonly RuleId[];
  /** Numbers of the calls that broke them. */
  readonly calls: readonly number[];
  /** Numbers of the wrong calls that break only rules about the reply itself. */
  readonly wrongReplies: readonly number[];
  /**
   * Numbers of the other calls that got the same error and are of the same kind, or that are a wrong call without a reply, sent
   * before or again. Their errors have the same cause.
   */
  readonly alike: readonly number[];
  /** Numbers of the other calls whose replies may depend on a mistake. A fix may change these replies. */
  readonly affected: readonly number[];
}

/** Finds the mistakes in the record. */
export function recordedMistakes({ timeline, signing }: RecordedIncident): RecordedMistakes {
  // The run that wrote the journal has judged these calls. A warning of this run counts as a mistake too, because a fix must also
  // remove the cause of the warning.
  const judged = new Set(timeline.calls.flatMap(({ number, seen }) => (seen.exchange.isJudged ? [number] : [])));
  const wrongSignatures = timeline.calls.flatMap((call) => {
    const rule = signatureRuleBroken(call, signing.get(call.number));
    // A run has judged the signatures of its calls.
    return rule === null ? [] : [{ rule, call: call.number, causes: [], isOfRun: call.seen.exchange.isOfRun === true }];
  });
  const failing = [
    ...timeline.breaches.flatMap(({ rule, call, verdict, causes = [] }) =>
      verdict === 'fail' || judged.has(call) ? [{ rule, call, causes }] : [],
    ),
    ...wrongSignatures.filter(({ isOfRun }) => !isOfRun),
  ];
  const numbers = new Set(failing.map(({ call }) => call));
  const wrong = timeline.calls.filter(({ number }) => numbers.has(number));
  const others = timeline.calls.filter(({ number }) => !numbers.has(number));
  const sameError = others.filter((call) => wrong.some((one) => isSameError(one, call)));
  const alike = others.filter((call) =>
    wrong.some((one) => (isSameError(one, call) && isSameKind(one, call)) || isUnansweredCopy(one, call)),
  );
  // A run may send several calls that the operator may decline. If several of these calls get a wrong reply, the run reports only
  // the first call. So the other calls count as affected too.
  const tests = wrong.some(isTest) ? others.filter(isTest) : [];
  const sources = new Set([
    ...[...wrong, ...sameError, ...tests].map(({ number }) => number),
    ...wrongSignatures.map(({ call }) => call),
  ]);
  return {
    rules: [...new Set(failing.map(({ rule }) => rule))],
    breaches: failing.map(({ rule, call }) => ({ rule, call })),
    causes: [...new Set(failing.flatMap(({ causes }) => causes))],
    calls: [...numbers],
    wrongReplies: [...numbers].filter((number) =>
      failing.every(({ call, rule }) => call !== number || isAboutReply(rule)),
    ),
    alike: alike.map(({ number }) => number),
    affected: callsWithIdsOf(timeline, sources),
  };
}

/** True if the record has mistakes, and all of them are about replies alone. Then no money is owed, and each balance is right. */
export function areAboutReplies(incident: RecordedIncident): boolean {
  const { rules } = recordedMistakes(incident);
  const isAboutMoney = incident.timeline.wallets.some(
    ({ debts, possibleDebts, books }) => debts.length + possibleDebts.length + books.deviations.length > 0,
  );
  return rules.length > 0 && rules.every(isAboutReply) && !isAboutMoney;
}

/**
 * Returns the numbers of the bets that the operator perhaps took after their refund. No replay can make an operator take a bet so late.
 */
export function betsAfterRefund({ timeline }: RecordedIncident): readonly number[] {
  const causes = timeline.wallets
    .flatMap(({ debts, possibleDebts }) => [...debts, ...possibleDebts])
    .flatMap(({ deviation }) => (deviation ? [...deviation.causes, ...deviation.otherCauses.flat()] : []));
  const late = causes.filter(
    ({ rule, transaction }) => transaction.call === 'bet' && rule?.startsWith('refund.') === true,
  );
  return [...new Set(late.flatMap(({ transaction }) => transaction.attempts[0]?.number ?? []))];
}

/** A wrong call, and a right call of the same kind, by their numbers. */
export interface NowAndThen {
  readonly wrong: number;
  readonly right: number;
}

/** Returns the numbers of the calls that broke a rule, and of the calls that a debt is about or may come from. */
export function suspectedCalls(incident: RecordedIncident): ReadonlySet<number> {
  const suspects = incident.timeline.wallets
    .flatMap(({ debts, possibleDebts }) => [...debts, ...possibleDebts])
    .flatMap(({ transaction, deviation }) => [
      ...(transaction ? [transaction] : []),
      ...(deviation ? [deviation.causes, ...deviation.otherCauses].flat().map((cause) => cause.transaction) : []),
    ]);
  return new Set([
    ...recordedMistakes(incident).calls,
    ...suspects.flatMap(({ attempts }) => attempts.map(({ number }) => number)),
  ]);
}

/**
 * Finds wrong calls that the operator answered right at another time: with the same amount, at the same place in a round, and also
 * sent only once. So the operator perhaps makes this error only now and then, and nothing can force the error. The wrong calls are
 * selected ones. The right calls may be any calls of the same wallet.
 */
export function wrongNowAndThen(incident: RecordedIncident): readonly NowAndThen[] {
  const { calls: selected, wallets } = incident.timeline;
  const calls = wallets.flatMap((verdict) => verdict.calls);
  const wrong = suspectedCalls(incident);
  const shown = new Set(selected.map(({ number }) => number));
  const placeOf = placesIn(calls);
  const places = new Map(calls.map((call) => [call.number, placeOf(call)]));
  const right = calls.filter(({ number, ending }) => !wrong.has(number) && ending === 'accepted');
  const isLike = (a: LoggedCall, b: LoggedCall): boolean =>
    places.get(a.number) === places.get(b.number) && isAlike(a, b);
  return calls.flatMap((call) => {
    if (!wrong.has(call.number) || !shown.has(call.number) || places.get(call.number) === null) return [];
    const alike = right.find((one) => isLike(one, call));
    return alike ? [{ wrong: call.number, right: alike.number }] : [];
  });
}

/** Says that the operator perhaps makes an error only now and then, as sentences. Empty if no wrong call shows this. */
export function nowAndThenText(found: readonly NowAndThen[]): readonly string[] {
  const [first] = found;
  if (!first) return [];
  const others = found.length === 1 ? '' : ` The same is true for ${plural(found.length - 1, 'more call')}.`;
  return [
    `In the logs, the operator perhaps handled call ${first.wrong} wrongly, but it handled call ${first.right} right, which is of the same kind and has the same amount.${others} Perhaps the operator makes this error only now and then`,
  ];
}

/**
 * Returns a function that names the place of a call in its round: the first bet, the first win after one bet, or the first refund of a
 * bet with a certain result. Null for all other places, for a bet or a win that was sent again, and for calls that croupier itself
 * sent.
 */
function placesIn(calls: readonly LoggedCall[]): (call: LoggedCall) => string | null {
  const ofTransaction = Map.groupBy(calls, ({ seen }) => seen.txID);
  const ofRound = Map.groupBy(calls, ({ seen }) => seen.roundID);
  return ({ number, seen }) => {
    const isSentByCroupier = seen.exchange.isOfRun === true || seen.exchange.isProbe === true;
    if (seen.call === 'balance' || seen.txID === null || isSentByCroupier) return null;
    const copies = ofTransaction.get(seen.txID) ?? [];
    if (seen.call === 'refund') {
      const bets = ofTransaction.get(seen.origTxID) ?? [];
      const [bet] = bets;
      const isOfBet = bet?.seen.call === 'bet' && bets.length === 1 && bet.number < number;
      return isOfBet && copies[0]?.number === number ? `refund after ${bet.ending}` : null;
    }
    if (copies.length > 1 || seen.roundID === null) return null;
    const [first, second] = ofRound.get(seen.roundID) ?? [];
    if (seen.call === 'bet') return first?.number === number ? 'bet' : null;
    return first?.seen.call === 'bet' && second?.number === number ? 'win' : null;
  };
}

function isAlike(a: LoggedCall, b: LoggedCall): boolean {
  const [one, other] = [a.amount, b.amount];
  return (
    a.seen.call === b.seen.call &&
    a.seen.type === b.seen.type &&
    a.wallet === b.wallet &&
    one !== null &&
    other !== null &&
    one.equals(other)
  );
}

/** True if both calls got the same error: the same status other than 200 with the same code, or no reply for the same reason. */
function isSameError(a: LoggedCall, b: LoggedCall): boolean {
  if (a.status === RIGHT_STATUS || a.ending === 'unknown') return false;
  return a.status === b.status && a.code === b.code && noReplyReason(a) === noReplyReason(b);
}

/** True if both are the same call, which was sent again, and neither of them got a reply. */
function isUnansweredCopy(a: LoggedCall, b: LoggedCall): boolean {
  if (noReplyReason(a) === null || noReplyReason(b) === null) return false;
  return a.seen.txID !== null && a.seen.txID === b.seen.txID && a.seen.call === b.seen.call;
}

/** True for a call with which a run tested the operator, and which the operator may decline. */
function isTest({ seen }: LoggedCall): boolean {
  return seen.exchange.mayBeDeclined === true;
}

/**
 * True if the contract requires the same reply to both calls, because both have the same name. Exception: false if the first call
 * is a bet that was declined with `insufficient_funds`. Another bet may be lower than the balance, and must then be accepted.
 */
function isSameKind(a: LoggedCall, b: LoggedCall): boolean {
  return a.seen.call === b.seen.call && !(a.seen.call === 'bet' && a.code === 'insufficient_funds');
}

/** Returns the numbers of all calls that have the same id as one of the given calls, in any of their ids. */
export function callsWithIdsOf({ calls }: IncidentTimeline, given: ReadonlySet<number>): readonly number[] {
  const ids = new Set(calls.filter(({ number }) => given.has(number)).flatMap(idsOf));
  return calls.flatMap((call) =>
    given.has(call.number) || idsOf(call).some((id) => ids.has(id)) ? [call.number] : [],
  );
}
