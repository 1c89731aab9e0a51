import { isRuleId, ruleById } from '../../contract/catalogue.ts';
import { isClientError, isServerError } from '../../reply/status.ts';
import type { LoggedCall } from '../calls/logged-call.ts';
import { type CallResult, type ComparedCall, type Failures, idsOf, isCutOff, nextRelated } from './compare.ts';

/** A pause of at least this length in ms can matter, for example because an operator forgets transactions. */
const LONG_PAUSE_MS = 500;

/** The parts of a replay that show whether it tested the recorded problem again. */
export interface Reproduction {
  readonly compared: readonly ComparedCall[];
  readonly past: Failures;
  /** The rules for which the replay has a verdict of its own. */
  readonly decided: ReadonlySet<string>;
  /**
   * The rules that were broken only by repeated calls in another session. For these rules, `untestedRepeats` decides whether they
   * were tested.
   */
  readonly rulesOfRepeats: ReadonlySet<string>;
  /**
   * Sentences that say why the replay does not show whether the operator now answers the wrong repeats in another session
   * correctly.
   */
  readonly untestedRepeats: readonly string[];
  /** Numbers of the calls that the replay sent in parallel. */
  readonly atOnce: ReadonlySet<number>;
  /** True if calls that the replay sent in parallel overlapped at least once. */
  readonly overlapped: boolean;
  /** The part of the recorded pause before a call that the replay left out, in ms, by the number of the call. */
  readonly leftOutMs: ReadonlyMap<number, number>;
  /** Numbers of the calls whose signature could be verified in the record. */
  readonly verified: ReadonlySet<number>;
  /** Numbers of the wrong calls that break only rules about the reply itself. */
  readonly wrongReplies: ReadonlySet<number>;
  /** The currencies of those recorded calls that were replayed in a session with another kind of currency. */
  readonly missingCurrencies: ReadonlySet<string>;
  /** Sentences that say that the operator perhaps makes an error only now and then. */
  readonly nowAndThen?: readonly string[];
}

/**
 * Returns the parts of the recorded problem that the replay did not repeat, as sentences without a full stop. The list is empty if
 * the replay tested each broken rule again in the situation of the record.
 */
export function notRepeated({
  compared,
  past,
  decided,
  rulesOfRepeats,
  untestedRepeats,
  atOnce,
  overlapped,
  leftOutMs,
  verified,
  wrongReplies,
  missingCurrencies,
  nowAndThen = [],
}: Reproduction): readonly string[] {
  const missing = [...past.rules]
    .filter((rule) => !decided.has(rule) && !rulesOfRepeats.has(rule))
    .map((rule) => `${rule} was not tested again`);
  missing.push(...untestedRepeats, ...nowAndThen);
  for (const currency of missingCurrencies)
    missing.push(`calls of the logs were in ${currency}, and the replay sent them in a session with another currency`);
  for (const { number, call, past: then, now } of compared) {
    if (!wrongReplies.has(number) || !isError(then.status) || !now || isError(now.status)) continue;
    missing.push(
      `in the logs, ${nameOf(call, number)} was answered ${then.status}, but in the replay without an error`,
    );
  }
  // A rule about the reply alone does not depend on the situation. So it is enough that the call was sent again and its new reply
  // was judged. If calls failed without a broken rule, such as a bet with a 500, no rule shows whether the cause of it is gone.
  if (past.rules.size > 0 && [...past.rules].every(isAboutReply)) return [...missing, ...lateBefore(compared)];
  const related = relatedCalls(compared, past.calls);
  for (const { number, call, past: then, now, wasScarce } of compared) {
    if (!related.has(number) || !now) continue;
    const name = nameOf(call, number);
    const kind = disturbance(then);
    if (isCutOff(then, now)) missing.push(...notCutOff(call, then, compared, past.rules));
    else if (kind !== null && disturbance(now) !== kind)
      missing.push(`in the logs, ${name} ${kind}, but in the replay it ${resultOf(now, then.status === null)}`);
    if (isAboutAccess(then.status) && !verified.has(number) && now.status !== then.status)
      missing.push(
        `in the logs, ${name} was answered ${then.status}, and the logs do not show whether its signature was right`,
      );
    if (wasScarce) missing.push(`in the logs, ${name} was higher than the balance, but in the replay it was not`);
  }
  const first = Math.min(...related);
  const last = Math.max(...related);
  for (const [number, ms] of leftOutMs) {
    if (ms >= LONG_PAUSE_MS && number > first && number <= last)
      missing.push(
        `in the logs, the pause before call ${number} was ${(ms / 1000).toFixed(1)} s longer than in this replay. To keep the pauses, replay without --no-wait and --speed`,
      );
  }
  // In the record, money was owed after these replies. So if all replies are the same, the same money is owed now.
  if (past.rules.has('money.conservation') && compared.every(({ verdict }) => verdict === 'same'))
    missing.push('every reply is as before, and money was owed after these replies');
  if (past.rules.has('money.main-unit') && hasVaryingDecimals(compared))
    missing.push(
      'in the logs, the balances of a player have different numbers of decimals. So the digits of a balance may decide whether it is wrong, and the replay has other balances',
    );
  const together = [...atOnce].filter((number) => related.has(number));
  if (together.length > 0 && !overlapped)
    missing.push(`in the logs, the calls ${together.join(', ')} overlapped, but in the replay they did not`);
  return missing;
}

/** True if the recorded balances of one wallet are written with different numbers of decimals. */
function hasVaryingDecimals(compared: readonly ComparedCall[]): boolean {
  const decimals = new Map<string | null, number>();
  return compared.some(({ call: { wallet, reading } }) => {
    if (reading?.balance.written === undefined) return false;
    const first = decimals.get(wallet) ?? reading.balance.decimals;
    decimals.set(wallet, first);
    return first !== reading.balance.decimals;
  });
}

/**
 * Returns the calls whose recorded reply came too late, and whose new reply came in time. A high load may have delayed the recorded
 * reply, and the replay does not have this load. So a reply in time does not show that the operator is fixed.
 */
function lateBefore(compared: readonly ComparedCall[]): readonly string[] {
  return compared.flatMap(({ number, call, past, now }) =>
    past.reason === 'too-late' && now && now.reason !== 'too-late'
      ? [
          `in the logs, ${nameOf(call, number)} had no reply in time, but in the replay it ${resultOf(now, true)}. One reply in time does not show that the operator always replies in time, for example under load`,
        ]
      : [],
  );
}

/**
 * In the logs, the call got no reply, or no reply in time. The replay broke the connection of the call instead. Returns one reason that says
 * what the replay did not test: the time of the reply, and whether the operator carried out this call before the next call of the
 * round. Returns no reason if neither matters.
 */
function notCutOff(
  call: LoggedCall,
  then: CallResult,
  compared: readonly ComparedCall[],
  broken: ReadonlySet<string>,
): readonly string[] {
  const next = nextRelated(
    call,
    compared.map((one) => one.call),
  );
  const endMs = endOfReply(call);
  const isBefore = endMs !== null && next?.atMs != null && endMs <= next.atMs;
  const untested: string[] = [];
  if (broken.has('reply.deadline') && then.reason === 'too-late')
    untested.push('The reply time of this call was not tested');
  if (next && !isBefore)
    untested.push(
      `In the replay, the operator may have carried out this call before ${nameOf(next, next.number)} came. The logs do not show whether this also happened in the incident`,
    );
  if (untested.length === 0) return [];
  const name = nameOf(call, call.number);
  return [`in the logs, ${name} ${disturbance(then)}, so the replay broke its connection. ${untested.join('. ')}`];
}

/** Returns the time of the operator's reply, by the log that shows it. Null if no log shows it. */
function endOfReply({ atMs, seen, alsoSeen }: LoggedCall): number | null {
  const ends = [seen, alsoSeen].flatMap((view) =>
    view?.exchange.answer.kind === 'reply' && view.exchange.tookMs !== null ? [view.exchange.tookMs] : [],
  );
  return atMs === null || ends.length === 0 ? null : atMs + Math.max(...ends);
}

/** True for a rule about the reply itself, which does not depend on the state of the wallet. */
export function isAboutReply(rule: string): boolean {
  return isRuleId(rule) && ruleById(rule).group === 'reply';
}

/**
 * Returns the calls that have the same round or the same transaction as a wrong call. Returns all calls if no wrong call is known.
 */
function relatedCalls(compared: readonly ComparedCall[], wrong: ReadonlySet<number>): ReadonlySet<number> {
  const keys = new Set(compared.filter(({ number }) => wrong.has(number)).flatMap(({ call }) => idsOf(call)));
  const related = compared.filter(({ call }) => keys.size === 0 || idsOf(call).some((key) => keys.has(key)));
  return new Set(related.map(({ number }) => number));
}

/**
 * Says how a call failed: it had no reply, or the reply was a 5xx. Such a failure may be the cause of later problems. Null for all
 * other results.
 */
function disturbance({ status, reason }: CallResult): string | null {
  if (reason === 'too-late') return 'had no reply in time';
  if (isServerError(status)) return `was answered ${status}`;
  return status === null && reason !== null ? 'had no reply' : null;
}

/** Says how a call ended in the replay. With `inTime`, also says that its reply was in time. */
function resultOf(now: CallResult, inTime: boolean): string {
  const answered = now.status === null ? 'had another result' : `was answered ${now.status}${inTime ? ' in time' : ''}`;
  return disturbance(now) ?? answered;
}

/** True for the statuses with which an operator refuses a signature: 401 as the contract requires, or wrongly 403. */
function isAboutAccess(status: number | null): boolean {
  return status === 401 || status === 403;
}

function isError(status: number | null): boolean {
  return isClientError(status) || isServerError(status);
}

function nameOf({ seen }: LoggedCall, number: number): string {
  return `call ${number} (${seen.amount === null ? seen.call : `${seen.call} of ${seen.amount}`})`;
}
