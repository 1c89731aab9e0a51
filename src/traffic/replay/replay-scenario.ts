import { RULES, type RuleId, ruleById } from '../../contract/catalogue.ts';
import { currencyByCode, haveSameForm } from '../../contract/currencies.ts';
import type { SignKind } from '../../contract/deviation.ts';
import type { JsonObject, JsonValue } from '../../contract/json.ts';
import { REPLY_DEADLINE_MS } from '../../contract/limits.ts';
import { Money } from '../../contract/money.ts';
import { applicableRules } from '../../judge/checks/checks.ts';
import { loadScenario } from '../../scenario/load.ts';
import { planScenario } from '../../scenario/plan/planner.ts';
import { literalText, type ScenarioDraft, writeScenario } from '../../scenario/write.ts';
import { type LoggedCall, met } from '../calls/logged-call.ts';
import type { RecordedCall } from '../recorded-call.ts';
import { idsOf, mustBeCutOff, nextRelated, noReplyReason, wasBrokenAfterSending } from './compare.ts';
import { requestEdits } from './request-edits.ts';
import { scarceBets } from './scarce-bets.ts';
import { haveSharedWallet } from './shared-wallet.ts';
import type { Signing } from './signing.ts';
import { pauseText, StepBuilder, StepDraft } from './step-builder.ts';

/**
 * The rule that the scenario tests if the recorded calls break no rule that the scenario can decide. Every scenario that moves
 * money can decide this rule.
 */
const ANY_RULE: RuleId = 'money.conservation';
/** The minimum balance of a session. Without it, the balance could be 0, and a bet of the whole balance would be a bet of 0. */
const SMALL_BALANCE = Money.of('1.00');
/** Minimum pause between calls in ms. Shorter pauses are left out, because sending a call takes about as much time. */
const MIN_PAUSE_MS = 100;

export interface ReplayScenarioOptions {
  readonly title: string;
  /** The rules that the record breaks. The scenario names only those that it can decide. */
  readonly broken: readonly RuleId[];
  /** Numbers of the calls with a wrong reply. */
  readonly wrong: ReadonlySet<number>;
  /** The kind of signature of each call, if it is known. */
  readonly signing: Signing;
  /** The factor by which pauses are shortened; null if there are no pauses. */
  readonly speed: number | null;
  /** The currency that the sessions of the test must have; null if any currency is allowed. */
  readonly currency: string | null;
  /** Returns the currency of the wallet of a call; null if it is not known. */
  readonly currencyOf: (call: LoggedCall) => string | null;
  /** The currencies of all sessions of the test; null if they are not known. */
  readonly offered: ReadonlySet<string> | null;
  /** True if the test has the key of a second client. */
  readonly hasOtherClient: boolean;
  /** The calls whose connection is broken directly after they are sent. If absent, no call. */
  readonly cutsOff?: CutOffCalls | undefined;
  readonly uuid: () => string;
}

/**
 * `unanswered`: the calls that had no reply, or no reply in time. `also-broken`: also the calls whose connection the service itself broke
 * after some time.
 */
export type CutOffCalls = 'unanswered' | 'also-broken';

/** A scenario made from recorded calls. */
export interface ReplayScenario {
  readonly draft: ScenarioDraft;
  /** The rules that the record breaks and that the scenario can't decide. */
  readonly untested: readonly RuleId[];
  /**
   * The calls that the scenario replays. If balance calls with the same result come one after another, only the first and the last
   * are replayed.
   */
  readonly calls: readonly LoggedCall[];
  /** The number of each call in the record, by the key of its step. */
  readonly numbers: ReadonlyMap<string, number>;
  /** Numbers of the calls that are sent in parallel. Their order at the operator is unknown. */
  readonly atOnce: ReadonlySet<number>;
  /** Numbers of the calls whose amount depends on the balance of the test session. */
  readonly ofBalance: ReadonlySet<number>;
  /** Numbers of the calls whose connection the replay breaks, because they had no reply, or no reply in time. */
  readonly cutOff: ReadonlySet<number>;
  /** The sum of all pauses in ms. */
  readonly waitsMs: number;
  /** The part of the recorded pause before a call that the replay leaves out, in ms. The key is the number of the call. */
  readonly leftOutMs: ReadonlyMap<number, number>;
}

/**
 * Makes a scenario from recorded calls. The steps refer to other steps instead of recorded ids, aliases replace the sessions, and
 * pauses become waits.
 */
export function replayScenario(all: readonly LoggedCall[], options: ReplayScenarioOptions): ReplayScenario {
  const calls = withoutIdleReads(withoutSingleReads(withoutUnsent(all), options), options.signing);
  const groups = atOnce(calls, options.broken.some(isAboutOverlap));
  const scarce = scarceBets(groups);
  const cutOff = cutOffCalls(calls, options);
  const builder = new StepBuilder({ ...options, scarce, cutOff });
  const steps: (StepDraft | readonly StepDraft[] | AddedStep | number)[] = [];
  const leftOutMs = new Map<number, number>();
  let waitsMs = 0;
  let endMs: number | null = null;
  for (const group of groups) {
    const [first, ...others] = group;
    if (!first) continue;
    const recorded = gapMs(first, endMs);
    const gap = options.speed === null ? 0 : recorded / options.speed;
    if (recorded > gap) leftOutMs.set(first.number, recorded - gap);
    if (gap >= MIN_PAUSE_MS) {
      steps.push(gap);
      waitsMs += gap;
    }
    const before = steps.at(-1);
    const readsNeeded = sessionsOf(group.filter(({ number }) => scarce.has(number)));
    if (others.length === 0) {
      const step = builder.step(first);
      const undo = builder.undo(first, step);
      steps.push(...readsOf(readsNeeded, before, builder), step, ...(undo ? [{ json: undo }] : []));
    } else {
      // The overlap of calls is kept even if pauses are left out.
      const offsets = group.map(({ atMs }) => ((atMs ?? 0) - (first.atMs ?? 0)) / (options.speed ?? 1));
      waitsMs += offsets.at(-1) ?? 0;
      const parts = builder.stepsAtOnce(group, offsets);
      const [only] = parts;
      steps.push(...readsOf(readsNeeded, before, builder));
      steps.push(parts.length === 1 && only && only.numbers.length === 1 ? only : parts);
    }
    for (const call of group) {
      // A call whose connection is broken ends at once. So the time until the deadline becomes a pause.
      const end = cutOff.has(call.number) ? call.atMs : endOf(call);
      if (end !== null) endMs = Math.max(endMs ?? end, end);
    }
  }
  const numbers = new Map<string, number>();
  const together = new Set<number>();
  const written = steps.map((step, index): JsonObject => {
    const key = String(index + 1);
    if (typeof step === 'number') return { wait: pauseText(step) };
    if (!(step instanceof StepDraft) && 'json' in step) return step.json;
    if (step instanceof StepDraft) {
      addNumbers(numbers, key, step);
      return step.json();
    }
    for (const [at, part] of step.entries()) {
      addNumbers(numbers, `${key}.${at + 1}`, part);
      for (const number of part.numbers) together.add(number);
    }
    return { together: step.map((part) => part.json()) };
  });
  const draftWith = (rules: readonly RuleId[]): ScenarioDraft => ({
    title: literalText(options.title),
    rules,
    ...requirementsOf(calls, builder, scarce, options),
    // With `overlapping`, croupier adds no win of its own between two rounds when it repeats the calls. Such a win could hide the
    // incident.
    ...(hasSeveralRounds(calls) && { rounds: 'overlapping' }),
    steps: written,
  });
  const tested = options.broken.filter((rule) => rule !== 'reply.deadline' || !areAllCutOff(calls, cutOff));
  const decidable = decidableRules(draftWith([ANY_RULE]), { ...options, broken: tested });
  return {
    draft: draftWith(decidable),
    untested: options.broken.filter((rule) => !decidable.includes(rule)),
    calls,
    numbers,
    atOnce: together,
    ofBalance: builder.ofBalance,
    cutOff,
    waitsMs,
    leftOutMs,
  };
}

/**
 * Returns the numbers of the calls that got no reply, or no reply in time, and were followed by another call of the same round or
 * transaction. For the service, the outcome of such a call is unknown. The refund or the repetition of the call shows how the operator
 * handles this. If the missing reply is itself the mistake, the connections of all attempts of this call stay whole.
 */
function cutOffCalls(
  calls: readonly LoggedCall[],
  { wrong, cutsOff }: Pick<ReplayScenarioOptions, 'wrong' | 'cutsOff'>,
): ReadonlySet<number> {
  if (cutsOff === undefined) return new Set();
  const wrongIds = new Set(calls.flatMap(({ number, seen }) => (wrong.has(number) ? (seen.txID ?? []) : [])));
  const isWrong = ({ number, seen }: LoggedCall): boolean =>
    wrong.has(number) || (seen.txID !== null && wrongIds.has(seen.txID));
  const unanswered = calls.filter(
    (call) =>
      (mustBeCutOff(call) && (isLate(call) || !isWrong(call))) ||
      (cutsOff === 'also-broken' && wasBrokenAfterSending(call)),
  );
  return new Set(unanswered.flatMap((call) => (nextRelated(call, calls) === undefined ? [] : [call.number])));
}

function isLate(call: LoggedCall): boolean {
  return call.ending === 'late' || noReplyReason(call) === 'too-late';
}

/** True if there are calls without a reply in time, and their connections are broken. Then no call shows how long the operator needs. */
function areAllCutOff(calls: readonly LoggedCall[], cutOff: ReadonlySet<number>): boolean {
  const late = calls.filter(isLate);
  return late.length > 0 && late.every(({ number }) => cutOff.has(number));
}

/**
 * Leaves out each call that never reached the operator, if another call of the same round or transaction followed. The operator does
 * not know such a call. If the replay sent it, its refund would no longer be the refund of an unknown bet.
 */
function withoutUnsent(calls: readonly LoggedCall[]): readonly LoggedCall[] {
  return calls.filter((call) => call.ending !== 'not-sent' || nextRelated(call, calls) === undefined);
}

/** A step that is not in the record, as data. */
interface AddedStep {
  readonly json: JsonObject;
}

function sessionsOf(calls: readonly LoggedCall[]): ReadonlySet<string | null> {
  return new Set(calls.map(({ seen }) => seen.sessionID));
}

/**
 * Returns the balance calls that must come before a step. If the step before it is already such a balance call, it is not repeated.
 */
function readsOf(sessions: ReadonlySet<string | null>, before: unknown, { aliases }: StepBuilder): AddedStep[] {
  return [...sessions].flatMap((sessionID) => {
    if (before instanceof StepDraft && before.isPlainRead && before.seen.sessionID === sessionID) return [];
    const alias = sessionID === null ? undefined : aliases.get(sessionID);
    return [{ json: { balance: alias === undefined || alias === 'main' ? null : { session: alias } } }];
  });
}

/**
 * Stores the number of the recorded call under the key of its step. If a step has several copies, each copy has its own key with a
 * number from 1.
 */
function addNumbers(numbers: Map<string, number>, key: string, part: StepDraft): void {
  const isMany = part.numbers.length > 1;
  for (const [index, number] of part.numbers.entries()) numbers.set(isMany ? `${key}x${index + 1}` : key, number);
}

function decidableRules(draft: ScenarioDraft, { broken, uuid }: ReplayScenarioOptions): readonly RuleId[] {
  const { scenario } = loadScenario(writeScenario(draft), 'replay.yaml', {
    id: 'replay',
    readFragment: () => undefined,
  });
  if (!scenario) return [ANY_RULE];
  const plan = planScenario(scenario, undefined, { uuid });
  const provable = applicableRules(plan, [...new Set(broken)]);
  if (provable.length > 0) return provable;
  const [any = ANY_RULE] = applicableRules(plan, [ANY_RULE, ...RULES.map(({ id }) => id)]);
  return [any];
}

/** If the only call of a session is a balance call that succeeded, leaves out this call. It shows nothing about the other calls. */
function withoutSingleReads(
  calls: readonly LoggedCall[],
  { wrong }: Pick<ReplayScenarioOptions, 'wrong'>,
): readonly LoggedCall[] {
  const bySession = Map.groupBy(calls, ({ seen }) => seen.sessionID);
  if (bySession.size === 1) return calls;
  return calls.filter(({ seen, ending, number }) => {
    const isSingle = seen.sessionID !== null && bySession.get(seen.sessionID)?.length === 1;
    return !(isSingle && seen.call === 'balance' && ending === 'accepted' && !wrong.has(number));
  });
}

/** Leaves out each balance call between two other balance calls of the same session with the same result. */
function withoutIdleReads(calls: readonly LoggedCall[], signing: Signing): readonly LoggedCall[] {
  return calls.filter((call, index) => {
    const [before, after] = [calls[index - 1], calls[index + 1]];
    const isPlain = isPlainRead(call.seen, signing.get(call.number) ?? 'valid');
    return !(isPlain && before && after && isSameRead(before, call) && isSameRead(call, after));
  });
}

/** True for a balance call as the service sends it. */
function isPlainRead(seen: RecordedCall, sign: SignKind): boolean {
  return seen.call === 'balance' && sign === 'valid' && Object.keys(requestEdits(seen, sign)).length === 0;
}

function isSameRead(a: LoggedCall, b: LoggedCall): boolean {
  const areReads = a.seen.call === 'balance' && b.seen.call === 'balance' && a.seen.sessionID === b.seen.sessionID;
  return (
    areReads &&
    a.ending === 'accepted' &&
    b.ending === 'accepted' &&
    a.balance !== null &&
    b.balance !== null &&
    a.balance.equals(b.balance)
  );
}

function hasSeveralRounds(calls: readonly LoggedCall[]): boolean {
  return new Set(calls.flatMap(({ seen }) => (seen.call === 'bet' ? [seen.roundID] : []))).size > 1;
}

/** True for a rule that calls of several players can break only if they overlap. */
function isAboutOverlap(rule: RuleId): boolean {
  const { group } = ruleById(rule);
  return group === 'concurrency' || rule === 'session.isolated';
}

/**
 * Groups the calls that were in flight at the same time. Calls of different players form no group, because parallel calls lose their
 * order, and each player needs the order of the record.
 *
 * @param acrossPlayers true to group calls of different players too
 */
function atOnce(calls: readonly LoggedCall[], acrossPlayers: boolean): readonly (readonly LoggedCall[])[] {
  const groups: LoggedCall[][] = [];
  for (const call of calls) {
    const isNear = (other: LoggedCall): boolean => acrossPlayers || mayDepend(other, call);
    const last = groups.findLast((group) => group.some(isNear));
    if (last?.some((other) => isNear(other) && met(other, call) === 'yes' && !isGivenUp(other, call))) last.push(call);
    else groups.push([call]);
  }
  return groups;
}

/** True unless the two calls belong to different players and have no id in common. */
function mayDepend(a: LoggedCall, b: LoggedCall): boolean {
  const areOfPlayers = isOfPlayer(a) && isOfPlayer(b);
  return !areOfPlayers || a.wallet === b.wallet || idsOf(a).some((id) => idsOf(b).includes(id));
}

function isOfPlayer({ wallet }: LoggedCall): boolean {
  return wallet?.startsWith('player ') === true;
}

/**
 * Tolerance in ms for log times that are not precise. It is used to compare the time of a call with the time at which the service
 * stopped waiting.
 */
const CLOCK_SLACK_MS = 100;

/**
 * Returns the time at which the service stopped waiting for the reply: the end of the call or the deadline, whichever is earlier.
 * Returns null if the time of the call is unknown.
 */
function endOf({ atMs, seen }: LoggedCall): number | null {
  return atMs === null ? null : atMs + Math.min(seen.exchange.tookMs ?? 0, REPLY_DEADLINE_MS);
}

function isGivenUp(call: LoggedCall, before: LoggedCall): boolean {
  const end = endOf(call);
  return call.ending === 'late' && end !== null && before.atMs !== null && before.atMs >= end - CLOCK_SLACK_MS;
}

function gapMs({ atMs, seen }: LoggedCall, endMs: number | null): number {
  if (atMs === null || endMs === null) return 0;
  const gap = atMs - endMs;
  return gap > Math.max(1, seen.exchange.time?.precisionMs ?? 1) ? gap : 0;
}

function requirementsOf(
  calls: readonly LoggedCall[],
  { aliases, needsOtherClient }: StepBuilder,
  scarce: ReadonlyMap<number, Money>,
  options: ReplayScenarioOptions,
): { readonly needs?: JsonObject } {
  const { broken } = options;
  const [mainSession] = aliases.keys();
  const currencyCode = currencyOfMain(calls, mainSession, options);
  const needs: Record<string, JsonValue> = {};
  if (needsOtherClient) needs.client = 'other';
  const bets = calls.filter(
    ({ seen, done }) => seen.call === 'bet' && done !== 'no' && (seen.sessionID ?? mainSession) === mainSession,
  );
  // A bet whose amount depends on the balance needs no exact balance. But the balance must not be too low for this bet.
  const stakes = new Map(
    bets.map(({ seen, number, amount }) => [seen.txID ?? number, scarce.has(number) ? null : amount]),
  );
  const least = bets.reduce((most, { number }) => {
    const rest = scarce.get(number)?.negated();
    return rest && rest.compare(most) > 0 ? rest : most;
  }, Money.zero);
  const total = [...stakes.values()].reduce<Money>(
    (sum, amount) => (amount ? sum.plus(amount) : sum),
    scarce.size > 0 ? least.plus(SMALL_BALANCE) : Money.zero,
  );
  if (!total.isZero() && !total.isNegative()) needs.balance = total.format(2);
  const currency = currencyCode === null ? undefined : currencyByCode(currencyCode);
  if (currency)
    needs.currency = { kind: currency.type, ...(currency.decimals !== null && { decimals: currency.decimals }) };
  for (const [session, alias] of aliases) {
    if (alias === 'main') continue;
    const game =
      sharesRounds(calls, session, mainSession) && broken.includes('session.round-id-reuse') ? OTHER_GAME : {};
    const isSame = isSamePlayer(calls, session, mainSession);
    const other = otherCurrency(calls, session, mainSession, options);
    const currencyNeed = other === null ? {} : { currency: other };
    // If the players are unknown, the record shows only that there are two sessions. So the scenario does not say whether they have
    // the same player.
    needs[alias] =
      isSame === null
        ? { state: 'active', ...game, ...currencyNeed }
        : { player: isSame ? 'same' : 'other', ...game, ...currencyNeed };
  }
  return Object.keys(needs).length > 0 ? { needs } : {};
}

/** Returns the currency that the main session must have. Null if any currency is allowed. */
function currencyOfMain(
  calls: readonly LoggedCall[],
  mainSession: string | undefined,
  { currency, currencyOf, offered }: ReplayScenarioOptions,
): string | null {
  const first = calls.find(({ seen }) => seen.sessionID === mainSession);
  const own = first ? currencyOf(first) : null;
  if (own === null || own === currency) return currency;
  return offered === null || offered.has(own) ? own : null;
}

/**
 * Returns the currency of a session if its amounts look different from those of the main session, because the number of decimals or
 * the kind of the currency differs. Null if the test has no session in this currency.
 */
function otherCurrency(
  calls: readonly LoggedCall[],
  session: string,
  mainSession: string | undefined,
  { currencyOf, offered }: Pick<ReplayScenarioOptions, 'currencyOf' | 'offered'>,
): string | null {
  const [main, own] = [mainSession, session].map((id) => {
    const first = calls.find(({ seen }) => seen.sessionID === id);
    return first ? currencyOf(first) : null;
  });
  if (main == null || own == null || !currencyByCode(own) || haveSameForm(own, main)) return null;
  return offered === null || offered.has(own) ? own : null;
}

/** True if two sessions belong to one player. Null if the record does not show this. */
function isSamePlayer(calls: readonly LoggedCall[], a: string, b: string | undefined): boolean | null {
  if (b === undefined) return null;
  const [first, second] = [a, b].map((session) => calls.find(({ seen }) => seen.sessionID === session)?.wallet ?? '');
  if (first?.startsWith('player ') === true && second?.startsWith('player ') === true) return first === second;
  return haveSharedWallet(calls, a, b);
}

/** A round belongs to one game. So two sessions with the same round id must have different games. */
const OTHER_GAME = { game: 'other' };

function sharesRounds(calls: readonly LoggedCall[], a: string, b: string | undefined): boolean {
  const roundsOf = (sessionID: string | undefined): readonly string[] =>
    calls.flatMap(({ seen }) => (seen.sessionID === sessionID && seen.roundID !== null ? [seen.roundID] : []));
  const rounds = new Set(roundsOf(b));
  return roundsOf(a).some((round) => rounds.has(round));
}
