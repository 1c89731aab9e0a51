import { RULES } from '../contract/catalogue.ts';
import {
  type Attempt,
  addFinding,
  addPasses,
  addRace,
  addSum,
  countedAttempt,
  playedRounds,
  repetitionsOf,
  startAttempt,
} from './attempt.ts';
import { judgeBaseline, type KnownResult } from './baseline.ts';
import { type Cause, likelyCauses } from './cause.ts';
import {
  type Attributed,
  type BalanceOwed,
  type Found,
  type Intermittent,
  isOfEmbeddedOperator,
  type JournalEvent,
  type Labels,
  type MovedAlone,
  type Owed,
  type Raced,
  type RunEnded,
  type RunStarted,
  type ScenarioEnded,
  type Sending,
  type StopSignal,
  type SumFound,
} from './event.ts';
import { sessionNamedIn } from './exchange.ts';
import { EXPECTATION } from './finding.ts';
import {
  byGravity,
  flakyOutcome,
  type JudgedFinding,
  type JudgedOutcome,
  judgeOutcome,
  type RulePlace,
  rulePlaces,
} from './judged-outcome.ts';
import { startLabelTally } from './label-values.ts';
import { type CallLatency, startLatencyTally } from './latency.ts';
import { CallsInFlight } from './network/calls-in-flight.ts';
import { LatePeriods } from './network/late-periods.ts';
import { LostCalls } from './network/lost-calls.ts';
import { type PauseBetweenBets, PauseTally } from './network/pause-between-bets.ts';
import { RateLimit, type RateLimitSummary, rateLimitText } from './network/rate-limit.ts';
import { ServerErrors } from './network/server-errors.ts';
import { type UnknownPath, UnknownPathTally } from './network/unknown-path.ts';
import { type UnknownSessions, UnknownSessionTally } from './network/unknown-session.ts';
import { playedPlayers } from './results/played-players.ts';
import { countingAttributions, withoutRareFailures } from './results/rare-failures.ts';
import { untriedText } from './results/tried-checks.ts';
import { type RuleResult, ruleResult } from './rule-result.ts';
import { impliedOutcomes, type ScenarioResult, scenarioResult } from './scenario-result.ts';
import { EchoedSignatures } from './secrets/echoed-signatures.ts';

/**
 * Maximum number of different notices that are kept. Otherwise, an operator that causes a notice with each call could fill the
 * memory.
 */
const MAX_NOTICES = 100;
/** Maximum number of wrong sums of croupier's own wins that are kept. */
const MAX_OWN_SUMS = 200;

/**
 * The results of a run. Every report is made from these results. Their size depends on the plan, and not on the number of
 * exchanges.
 */
export interface Fold {
  readonly run: RunStarted;
  /** The event `run-ended`. Null if the run was cut off before it wrote this event. */
  readonly ended: RunEnded | null;
  /** The signal that has interrupted the run, if the run still sends what it owes. Undefined for every other run. */
  readonly stopping?: StopSignal;
  /** The results for every rule of the catalogue, in the order of the catalogue. */
  readonly rules: readonly RuleResult[];
  /** A small set of broken rules that explains all breaches. Rules about money come first. */
  readonly causes: readonly Cause[];
  /** The state of each known failure, in the order of the baseline. */
  readonly baseline: readonly KnownResult[];
  /** The results at each place at which a rule, or an expectation of a scenario, was tried. */
  readonly places: readonly RulePlace[];
  /** The expectations of scenarios that were not met or could not be decided. */
  readonly expectations: readonly JudgedFinding[];
  readonly scenarios: readonly ScenarioResult[];
  /** The races with at least one call that a finding refers to. */
  readonly races: readonly Raced[];
  /** The labels of the run with their values, by name. */
  readonly labels: Labels;
  readonly notices: readonly string[];
  /** The replies with which the operator limited the rate of calls. */
  readonly rateLimit: RateLimitSummary;
  /** The pause that the operator seems to require between two bets of a player. Null if it seems to require none. */
  readonly pauseBetweenBets: PauseBetweenBets | null;
  /** The first proof that somebody else moved a balance, or a sign if there is no proof. Null if there is neither. */
  readonly movedAlone: MovedAlone | null;
  /** The proof that failures come from the operator, even if they occur only now and then; null if there is none. */
  readonly intermittent: Intermittent | null;
  /** The number of periods of the run in which replies were late. */
  readonly latePeriods: number;
  /** The replies of a server that seems not to know the paths of the calls; null if it knows one. */
  readonly unknownPath: UnknownPath | null;
  /** The configured sessions that the operator does not know; null if there are none. */
  readonly unknownSessions: UnknownSessions | null;
  /** Calls that croupier must still send so that no player loses money. */
  readonly owed: readonly Owed[];
  /** Balances that differ from the balance before the run, even if each owed call is answered 200. */
  readonly owedBalances: readonly BalanceOwed[];
  /** False if the run was cut off, so that it may owe more than `owed` and `owedBalances` say. */
  readonly isOwedKnown: boolean;
  readonly exchanges: { readonly sent: number; readonly answered: number };
  /**
   * The signatures of croupier's calls that the operator has written into its replies. Reports for other people must not show these
   * signatures.
   */
  readonly echoedSignatures: ReadonlySet<string>;
  /** Response times of the operator for each call. */
  readonly latency: readonly CallLatency[];
}

/** Builds a fold from the events of one run, which must be added in their order. */
export interface FoldBuilder {
  add(event: JournalEvent): void;
  /**
   * Returns the fold of all events so far.
   *
   * @throws Error if no `run-started` event was added
   */
  result(): Fold;
}

/** Starts a fold for the events of one run. */
export function startFold(): FoldBuilder {
  let run: RunStarted | null = null;
  let ended: RunEnded | null = null;
  let movedAlone: MovedAlone | null = null;
  let intermittent: Intermittent | null = null;
  let sent = 0;
  let answered = 0;
  const attempts = new Map<string, Attempt>();
  const attributions: Attributed[] = [];
  const ownSums: SumFound[] = [];
  const notices = new Set<string>();
  const owed = new Map<string, Owed>();
  const owedBalances = new Map<string, BalanceOwed>();
  let isOwedKnown = false;
  const latency = startLatencyTally();
  const rateLimit = new RateLimit();
  const serverErrors = new ServerErrors();
  const pauses = new PauseTally();
  const lost = new LostCalls();
  const unknownPath = new UnknownPathTally();
  const unknownSessions = new UnknownSessionTally();
  /** The times at which the replies ended that may be late, by exchange. */
  const lateEnds = new Map<string, number>();
  /** The exchanges of the findings about late replies. */
  const late = new Set<string | null>();
  const inFlight = new CallsInFlight<Sending>();
  const labels = startLabelTally();
  const echoes = new EchoedSignatures();

  const attemptOf = (scenario: string): Attempt => {
    let attempt = attempts.get(scenario);
    if (!attempt) {
      attempt = startAttempt(null);
      attempts.set(scenario, attempt);
    }
    return attempt;
  };

  /** The session of a call, and its player. A session without a named player counts as a player of its own. */
  const whoseCall = ({ request }: Sending): readonly [string, string] => {
    const sessionID = sessionNamedIn(request) ?? '';
    return [sessionID, run?.settings.sessions.find((one) => one.sessionID === sessionID)?.player ?? sessionID];
  };

  const isVoid = (event: Found | SumFound | Raced | ScenarioEnded): boolean => {
    const started = attempts.get(event.scenario)?.started;
    return started != null && started.attempt !== event.attempt;
  };

  const add = (event: JournalEvent): void => {
    latency.add(event);
    labels.add(event);
    echoes.add(event);
    switch (event.event) {
      case 'run-started':
        run = event;
        return;
      case 'notice':
        if (notices.size < MAX_NOTICES) notices.add(event.text);
        return;
      case 'scenario-started':
        attempts.set(event.scenario, startAttempt(event, attempts.get(event.scenario)));
        return;
      case 'sending':
        sent += 1;
        // An operator may answer 429 to a call with a wrong signature. Such a reply says nothing about the rate of calls.
        if (event.signed === undefined) {
          inFlight.set(event.id, event);
          if (event.call === 'bet') pauses.send(event, ...whoseCall(event));
        }
        return;
      case 'received': {
        const sending = inFlight.take(event.id);
        if (sending && sending.call !== 'balance') pauses.receive(sending, event, ...whoseCall(sending));
        if (event.outcome.kind === 'reply') {
          answered += 1;
          if (sending) {
            const { call, request } = sending;
            unknownPath.note(event.outcome);
            if (call === 'balance') unknownSessions.note(event.id, request, event.outcome);
            rateLimit.note({ atMs: event.stamps.end, call, ...event.outcome.reply });
            serverErrors.note(call, event.outcome.reply.status);
          }
        } else lost.note(event.outcome.reason);
        // The stamps of a late reply may be a little less than one deadline apart, because pauses of croupier are subtracted.
        if (run && event.stamps.end - event.stamps.start > run.settings.deadlineMs / 2)
          lateEnds.set(event.id, event.stamps.end);
        return;
      }
      case 'race':
        if (!isVoid(event)) addRace(attemptOf(event.scenario), event);
        return;
      case 'finding':
        if (isVoid(event)) return;
        addFinding(attemptOf(event.scenario), event.finding);
        if (event.finding.rule === 'reply.deadline' && event.finding.verdict === 'fail')
          late.add(event.finding.exchange);
        return;
      case 'wrong-sum':
        if (event.step === null) {
          if (ownSums.length < MAX_OWN_SUMS) ownSums.push(event);
        } else if (!isVoid(event)) addSum(attemptOf(event.scenario), event);
        return;
      case 'owed':
        if (event.open) owed.set(`${event.call} ${event.txID}`, event);
        else owed.delete(`${event.call} ${event.txID}`);
        return;
      case 'balance-owed':
        if (event.open) owedBalances.set(event.sessionID, event);
        else owedBalances.delete(event.sessionID);
        return;
      case 'owed-known':
        isOwedKnown = true;
        return;
      case 'scenario-ended':
        if (!isVoid(event)) {
          const attempt = attemptOf(event.scenario);
          attempt.ended = event;
          addPasses(attempt, event);
        }
        return;
      case 'blamed':
        attributions.push(event);
        return;
      case 'moved-alone':
        // A proof counts more than a sign.
        if (movedAlone === null || (movedAlone.onlyUnrepeated && !event.onlyUnrepeated)) movedAlone = event;
        return;
      case 'intermittent':
        intermittent = event;
        return;
      case 'run-ended':
        ended = event;
        return;
    }
  };

  const result = (): Fold => {
    if (run === null) throw new Error('the events have no run-started event, so there is no result');
    const isEmbedded = isOfEmbeddedOperator(run);
    return sumUp(run, ended, attempts, attributions, ownSums, {
      movedAlone,
      intermittent,
      latePeriods: periodsOf(late, lateEnds, run.settings.deadlineMs),
      notices: [
        ...notices,
        ...labels.changes(),
        ended?.how === 'unreachable' ? null : lost.text({ sent, answered }),
        limitNotice(rateLimit.summary),
        isEmbedded ? null : serverErrors.text,
      ].filter((text) => text !== null),
      labels: labels.result(run),
      rateLimit: rateLimit.summary,
      pauseBetweenBets: pauses.result,
      unknownPath: unknownPath.result,
      unknownSessions: unknownSessions.result(
        run.settings.sessions.flatMap(({ sessionID, state }) => (state === 'active' ? [sessionID] : [])),
      ),
      owed: isEmbedded ? [] : [...owed.values()],
      owedBalances: isEmbedded ? [] : [...owedBalances.values()],
      isOwedKnown: isOwedKnown || isEmbedded || ended !== null,
      exchanges: { sent, answered },
      echoedSignatures: echoes.all,
      latency: latency.result(run.settings.budgetMs ?? {}),
    });
  };

  return { add, result };
}

/** Returns the number of periods in which replies were late. A finding may come before the event of its reply. */
function periodsOf(late: ReadonlySet<string | null>, ends: ReadonlyMap<string, number>, deadlineMs: number): number {
  const periods = new LatePeriods(deadlineMs);
  // If the end is not known, the late reply counts as a period of its own.
  for (const exchange of late) periods.add(ends.get(exchange ?? '') ?? Number.POSITIVE_INFINITY);
  return periods.count;
}

function limitNotice(summary: RateLimitSummary): string | null {
  const text = rateLimitText(summary);
  return (
    text && `${text}. croupier sent more calls per second than the operator accepts, and then slowed down by itself.`
  );
}

/**
 * Folds a whole journal.
 *
 * @throws Error if it has no `run-started` event
 */
export async function foldJournal(events: AsyncIterable<JournalEvent> | Iterable<JournalEvent>): Promise<Fold> {
  const folding = startFold();
  for await (const event of events) folding.add(event);
  return folding.result();
}

function sumUp(
  run: RunStarted,
  ended: RunEnded | null,
  attempts: ReadonlyMap<string, Attempt>,
  attributions: readonly Attributed[],
  ownSums: readonly SumFound[],
  rest: Pick<
    Fold,
    | 'labels'
    | 'movedAlone'
    | 'intermittent'
    | 'latePeriods'
    | 'pauseBetweenBets'
    | 'notices'
    | 'rateLimit'
    | 'unknownPath'
    | 'unknownSessions'
    | 'owed'
    | 'owedBalances'
    | 'isOwedKnown'
    | 'exchanges'
    | 'echoedSignatures'
    | 'latency'
  >,
): Fold {
  const { strict } = run.settings;
  const planned = new Map(run.scenarios.map((scenario) => [scenario.id, scenario]));
  for (const id of attempts.keys()) {
    // Some checks are about the run as a whole. They report their findings under the name of a scenario that is not in the plan.
    if (!planned.has(id)) planned.set(id, { id, title: id, place: { file: '', line: 1, column: 1 }, rules: [] });
  }
  const judgedWith = (used: readonly Attributed[]) =>
    [...planned.values()].map((scenario) => {
      const last = attempts.get(scenario.id);
      const counting = last && countedAttempt(last);
      const judged = (from: Attempt | undefined) =>
        [...(from?.outcomes.values() ?? [])].map((outcome) =>
          judgeOutcome(scenario.id, outcome, used, {
            strict,
            ...rest,
            timesAgain: from ? repetitionsOf(from, outcome) : 0,
          }),
        );
      const flaky = judged(counting?.flaky?.attempt).flatMap((outcome) =>
        flakyOutcome(outcome, run.settings.allowFlaky === true),
      );
      return { scenario, last, counting, judged: [...judged(counting?.attempt), ...flaky] };
    });
  const rounds = new Map([...attempts].map(([id, last]) => [id, playedRounds(last)]));
  const explainedIn = (all: ReturnType<typeof judgedWith>) =>
    withoutRareFailures(
      all.flatMap(({ judged }) => judged),
      run.baseline?.known ?? [],
      rounds,
    );
  const first = judgedWith(attributions);
  const counting = countingAttributions(attributions, first.flatMap(({ judged }) => judged).map(explainedIn(first)));
  const isSame = counting.length === attributions.length && counting.every((one, at) => one === attributions[at]);
  const played = isSame ? first : judgedWith(counting);
  const explained = explainedIn(played);
  const outcomes: JudgedOutcome[] = [];
  const scenarios: ScenarioResult[] = [];
  const races: Raced[] = [];
  for (const { scenario, last, counting, judged } of played) {
    const attempt = counting?.attempt;
    const own = judged.map(explained);
    outcomes.push(...own, ...impliedOutcomes(scenario, attempt, own));
    scenarios.push(scenarioResult(scenario, counting, own, ended, last?.started?.retry ?? 0));
    for (const one of [attempt, counting?.flaky?.attempt]) races.push(...(one ? racesWithFindings(one) : []));
  }
  const byRule = Map.groupBy(outcomes, (outcome) => outcome.rule);
  const places = rulePlaces(outcomes, ownSums, {
    known: run.baseline?.known ?? [],
    stakes: run.settings.stakes ?? {},
    played: playedPlayers({ scenarios, run }),
    whole: run.whole,
  });
  const placesOf = Map.groupBy(places, ({ rule }) => rule);
  const baseline = judgeBaseline({ run, ended, places });
  const rules = RULES.map((rule) =>
    ruleResult(rule, byRule.get(rule.id) ?? [], scenarios, {
      run,
      ended,
      baseline,
      places: placesOf.get(rule.id) ?? [],
    }),
  );
  const untried = untriedText(
    { scenarios, sessions: run.settings.sessions },
    { isPart: !run.whole && run.quick === undefined },
  );
  return {
    run,
    ended,
    rules,
    causes: likelyCauses(rules, outcomes, playedPlayers({ run, scenarios }), run.settings.stakes),
    baseline,
    places,
    expectations: (byRule.get(EXPECTATION) ?? []).flatMap((outcome) => outcome.findings).toSorted(byGravity),
    scenarios,
    races,
    ...rest,
    notices: [...rest.notices, ...(untried === null ? [] : [untried])],
  };
}

/** Returns the races of an attempt, but only those with a call to which a finding refers. */
function racesWithFindings({ races, outcomes }: Attempt): readonly Raced[] {
  const shown = new Set([...outcomes.values()].flatMap(({ samples }) => samples.map(({ exchange }) => exchange)));
  return races.filter(({ exchanges }) => exchanges.some((id) => shown.has(id)));
}
