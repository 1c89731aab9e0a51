import { randomUUID } from 'node:crypto';
import type { Configuration } from '../../../app/config/configuration.ts';
import { offering } from '../../../app/config/recorded-calls.ts';
import { UsageError } from '../../../app/exit-status.ts';
import type { Stdio } from '../../../app/stdio.ts';
import type { RuleId } from '../../../contract/catalogue.ts';
import type { LoggedCall } from '../../../traffic/calls/logged-call.ts';
import { type ReplayScenario, replayScenario } from '../../../traffic/replay/replay-scenario.ts';
import { isAboutReply } from '../../../traffic/replay/reproduction.ts';
import { type Signing, signatureRuleBroken, signingOf } from '../../../traffic/replay/signing.ts';
import type { IncidentTimeline } from '../../../traffic/timeline/timeline.ts';
import type { ReplayFlags } from './flags.ts';

/** The timeline of an incident, and the results of verifying the signatures of its calls. */
export interface RecordedIncident {
  readonly timeline: IncidentTimeline;
  readonly signing: Signing;
}

/**
 * Verifies the recorded signatures with the keys of the configuration and of the environment. The calls may have been
 * signed with one of these keys.
 */
export async function signingIn(
  { calls }: IncidentTimeline,
  flags: ReplayFlags,
  { config }: Configuration,
  stdio: Stdio,
): Promise<Signing> {
  const bases = (config.clients ?? []).map(
    ({ integratorBaseUrl }) => `${integratorBaseUrl.replace(/(?<!\/)\/+$/, '')}/`,
  );
  const { keys } = await offeredKeys(flags, stdio);
  return signingOf(calls, keys, (url) => bases.some((base) => url.startsWith(base)));
}

async function offeredKeys({ config }: ReplayFlags, stdio: Stdio): Promise<{ readonly keys: readonly string[] }> {
  const keysOf = await offering({ ...(config !== undefined && { config }) }, stdio);
  try {
    return { keys: keysOf('').keys.map(({ text }) => text) };
  } catch (error) {
    // Without a key, only malformed signatures can be recognised.
    if (error instanceof UsageError) return { keys: [] };
    throw error;
  }
}

/** The only status of a success (contract, Rules 1). */
const RIGHT_STATUS = 200;

/** The mistakes in the record. */
export interface RecordedMistakes {
  /** The broken rules. */
  readonly rules: readonly RuleId[];
  /** Numbers of the calls that broke them. */
  readonly calls: readonly number[];
  /** Numbers of those calls that break only rules about the reply itself. */
  readonly wrongReplies: readonly number[];
  /** Numbers of the other calls of the same kind that got the same error. They have the same cause. */
  readonly alike: readonly number[];
  /** Numbers of the other calls whose reply may depend on the mistake. A fix may change their replies. */
  readonly affected: readonly number[];
}

/** Finds the mistakes in the record. */
export function wrongIn({ timeline, signing }: RecordedIncident): RecordedMistakes {
  // The run that made the journal has judged these calls. A warning of the run is also a mistake that a fix must remove.
  const judged = new Set(timeline.calls.flatMap(({ number, seen }) => (seen.exchange.isJudged ? [number] : [])));
  const wrongSignatures = timeline.calls.flatMap((call) => {
    const rule = signatureRuleBroken(call, signing.get(call.number));
    // A run has judged the signatures of its calls.
    return rule === null ? [] : [{ rule, call: call.number, isOfRun: call.seen.exchange.isOfRun === true }];
  });
  const failing = [
    ...timeline.breaches.flatMap(({ rule, call, verdict }) =>
      verdict === 'fail' || judged.has(call) ? [{ rule, call }] : [],
    ),
    ...wrongSignatures.filter(({ isOfRun }) => !isOfRun),
  ];
  const numbers = new Set(failing.map(({ call }) => call));
  const wrong = timeline.calls.filter(({ number }) => numbers.has(number));
  const others = timeline.calls.filter(({ number }) => !numbers.has(number));
  const sameError = others.filter((call) => wrong.some((one) => isSameError(one, call)));
  const alike = sameError.filter((call) => wrong.some((one) => isSameError(one, call) && isSameKind(one, call)));
  // A run can send several calls that the operator may decline, and report only the first of them that is answered wrongly.
  const tests = wrong.some(isTest) ? others.filter(isTest) : [];
  const sources = new Set([
    ...[...wrong, ...sameError, ...tests].map(({ number }) => number),
    ...wrongSignatures.map(({ call }) => call),
  ]);
  return {
    rules: [...new Set(failing.map(({ rule }) => rule))],
    calls: [...numbers],
    wrongReplies: [...numbers].filter((number) =>
      failing.every(({ call, rule }) => call !== number || isAboutReply(rule)),
    ),
    alike: alike.map(({ number }) => number),
    affected: callsWithIdsOf({ timeline, signing }, sources),
  };
}

/** True if both calls got the same error: the same status other than 200 with the same code, or no reply for the same reason. */
function isSameError(a: LoggedCall, b: LoggedCall): boolean {
  if (a.status === RIGHT_STATUS || a.ending === 'unknown') return false;
  return a.status === b.status && a.code === b.code && reasonOf(a) === reasonOf(b);
}

/** True for a call with which a run tested the operator, and which the operator may decline. */
function isTest({ seen }: LoggedCall): boolean {
  return seen.exchange.mayBeDeclined === true;
}

function reasonOf({ seen }: LoggedCall): string | null {
  const { answer } = seen.exchange;
  return answer.kind === 'none' ? answer.reason : null;
}

/** True if the contract requires the same reply to both calls. A bet can be higher than the balance, and another one not. */
function isSameKind(a: LoggedCall, b: LoggedCall): boolean {
  return a.seen.call === b.seen.call && !(a.seen.call === 'bet' && a.code === 'insufficient_funds');
}

/** Returns the numbers of all calls that have an id in common with one of the given calls. */
export function callsWithIdsOf(
  { timeline: { calls } }: RecordedIncident,
  given: ReadonlySet<number>,
): readonly number[] {
  const ids = new Set(calls.filter(({ number }) => given.has(number)).flatMap(idsOf));
  return calls.flatMap((call) =>
    given.has(call.number) || idsOf(call).some((id) => ids.has(id)) ? [call.number] : [],
  );
}

function idsOf({ seen }: LoggedCall): readonly string[] {
  return [seen.txID, seen.origTxID, seen.roundID].flatMap((id) => id ?? []);
}

/**
 * Converts the incident into a scenario.
 *
 * @param currency the currency that the sessions of the test must have; null for any currency
 * @param hasOtherClient true if the test has the key of a second client
 */
export function replay(
  incident: RecordedIncident,
  { wait, speed }: ReplayFlags,
  currency: string | null,
  hasOtherClient: boolean,
): ReplayScenario {
  const { timeline, signing } = incident;
  const { rules, calls, alike } = wrongIn(incident);
  const [first] = timeline.calls;
  const named = timeline.wallets.flatMap(({ wallet }) => wallet ?? []);
  const who = named.length > 1 ? `${named.length} players` : (named[0] ?? 'a player');
  const when =
    first && first.atMs !== null
      ? ` on ${new Date(first.atMs).toISOString().slice(0, 16).replace('T', ' at ')} UTC`
      : '';
  return replayScenario(timeline.calls, {
    title: `Calls of ${who}${when}`,
    broken: rules,
    wrong: new Set([...calls, ...alike]),
    signing,
    speed: wait ? (speed ?? 1) : null,
    currency,
    hasOtherClient,
    uuid: randomUUID,
  });
}
