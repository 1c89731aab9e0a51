import { createHistogram, type RecordableHistogram } from 'node:perf_hooks';
import { CALL_NAMES, type CallName } from '../contract/call-name.ts';
import { Money } from '../contract/money.ts';
import { LOAD_FORMAT, type LoadFacts } from '../journal/load/result.ts';
import type { Limit } from './limits.ts';
import type { LoadedWallet, LoadOutcome } from './load.ts';
import type { Measures, SecondOfTest } from './measures.ts';
import type { MoneyProblem } from './money-problem.ts';
import type { Arrivals } from './schedule.ts';

/** The part of a result that is known before the test begins: the client and the planned load. */
export interface LoadSubject
  extends Pick<LoadFacts, 'croupier' | 'runID' | 'startedAt' | 'client' | 'journal' | 'seed'> {
  readonly arrivals: Arrivals;
  readonly durationMs: number;
  /** Returns a command for the user: it writes a scenario with the calls that a player made in the minute before a time. */
  readonly replayCommand: (player: string, atMs: number) => string;
}

/** Maximum number of wrong balances that a result describes. It counts all of them. */
export const MAX_PROBLEMS = 100;
/** If more than this share of the calls are sent late because of croupier, croupier counts as too slow. */
const MAX_LATE = 0.1;
/** Number of late calls that are ignored. A busy machine may cause this number of late calls, even in a short test. */
const FEW_LATE = 20;
/** If the event loop is delayed by at least this time, in milliseconds, no measured time can be trusted. */
const MAX_LOOP_DELAY_MS = 500;

/**
 * Turns the outcome of a load test into plain values. Facts about the whole load are not among these values: `joinedFacts` adds
 * limits, interruptions and disturbances.
 */
export function factsOf(outcome: LoadOutcome, subject: LoadSubject): LoadFacts {
  const { croupier, runID, startedAt, client, journal, seed, arrivals, durationMs } = subject;
  const { measures, schedule, wallets, problems, remarks, campaign } = outcome;
  const { eventLoopP99Ms, stalledMs, cpu, ranMs, reconcileMs, scheduled } = outcome;
  const late = schedule.lateForCroupier;
  return {
    format: LOAD_FORMAT,
    croupier,
    runID,
    startedAt,
    client,
    journal,
    seed,
    load: {
      arrivals: arrivals.kind === 'recorded' ? { kind: 'recorded', calls: arrivals.offsets.length } : arrivals,
      durationMs,
      ranMs: rounded(ranMs),
      reconcileMs: rounded(reconcileMs),
      interrupted: null,
      disturbances: [],
      workers: { count: 1, lost: [] },
    },
    search: null,
    money: {
      players: wallets.length,
      verified: wallets.filter(({ end }) => end.kind === 'verified').length,
      transactions: measures.accepted,
      byCurrency: currenciesOf(wallets, problems),
      problems: problems.slice(0, MAX_PROBLEMS).map((one) => problemOf(one, subject)),
      problemCount: problems.length,
      owed: wallets.flatMap(({ player, end, decimals }) =>
        end.kind === 'owing'
          ? end.transactions.map(({ call, txID, amount }) => ({ player, call, txID, amount: amount.format(decimals) }))
          : [],
      ),
      unread: [
        ...outcome.unopened.map(({ player }) => player),
        ...wallets.filter(({ end }) => end.kind === 'unread').map(({ player }) => player),
      ],
      unreadReason: outcome.unopened[0]?.reason ?? null,
      healed: remarks.healed,
    },
    rate: {
      asked: arrivals.kind === 'closed' ? null : rounded((scheduled + outcome.neverSent) / seconds(ranMs)),
      got: rounded(scheduled / seconds(ranMs)),
      calls: measures.calls,
      scheduled,
      lateForPlayers: schedule.lateForPlayers,
      lateForCroupier: late,
      neverSent: outcome.neverSent,
    },
    times: timesOf(measures),
    errors: [...measures.errors]
      .map(([kind, count]) => ({ kind, count }))
      .sort((one, other) => other.count - one.count),
    brokenOnPurpose: measures.brokenOnPurpose,
    declinedBets: remarks['declined-round'],
    freeRounds:
      campaign === null ? null : { campaign, bets: remarks['free-bet'], declined: remarks['declined-free-bet'] },
    limits: [],
    findings: [...outcome.findings.all()],
    croupierItself: {
      eventLoopP99Ms: rounded(eventLoopP99Ms),
      stalledMs: rounded(stalledMs),
      cpu: rounded(cpu),
      isBottleneck: isBottleneck(late, scheduled, eventLoopP99Ms),
    },
    sessionsEnded: [...outcome.sessionsEnded],
    seconds: measures.seconds.map(roundedSecond),
  };
}

/** Rounds the rate and the times of a second. */
export function roundedSecond({ second, asked, sent, errors, p50, p99, p999 }: SecondOfTest): SecondOfTest {
  const orNull = (value: number | null): number | null => (value === null ? null : rounded(value));
  return { second, asked: orNull(asked), sent, errors, p50: orNull(p50), p99: orNull(p99), p999: orNull(p999) };
}

/** True if croupier was too slow for the load. `late` is the number of calls that left late because of croupier. */
export function isBottleneck(late: number, scheduled: number, eventLoopP99Ms: number): boolean {
  return late > Math.max(FEW_LATE, scheduled * MAX_LATE) || eventLoopP99Ms > MAX_LOOP_DELAY_MS;
}

/** Returns a duration in seconds, which is never 0. */
export function seconds(ms: number): number {
  return Math.max(1, ms) / 1000;
}

/** Rounds a measured value to three decimals. */
export function rounded(value: number): number {
  return Math.round(value * 1000) / 1000;
}

function currenciesOf(
  wallets: readonly LoadedWallet[],
  problems: readonly MoneyProblem[],
): LoadFacts['money']['byCurrency'] {
  return [...Map.groupBy(wallets, ({ currency }) => currency)].map(([currency, all]) => {
    const decimals = Math.max(...all.map((one) => one.decimals));
    const sum = (amountOf: (wallet: LoadedWallet) => Money): Money =>
      all.reduce((total, one) => total.plus(amountOf(one)), Money.zero);
    const difference = problems
      .filter((problem) => problem.currency === currency)
      .reduce((total, { shown, expected }) => total.plus(shown.minus(expected)), Money.zero);
    const shown = sum(({ expected }) => expected);
    return {
      currency: currency ?? null,
      opening: sum(({ opening }) => opening).format(decimals),
      staked: sum(({ staked }) => staked).format(decimals),
      won: sum(({ won }) => won).format(decimals),
      refunded: sum(({ refunded }) => refunded).format(decimals),
      expected: shown.minus(difference).format(decimals),
      shown: all.every(({ end }) => end.kind === 'verified') ? shown.format(decimals) : null,
      difference: difference.format(decimals),
    };
  });
}

function problemOf(problem: MoneyProblem, { replayCommand }: LoadSubject): LoadFacts['money']['problems'][number] {
  const { player, sessionID, currency, decimals, rule, expected, shown, suspicions, possible, atMs } = problem;
  return {
    player,
    sessionID,
    currency: currency ?? null,
    rule,
    expected: expected.format(decimals),
    shown: shown.format(decimals),
    difference: shown.minus(expected).format(decimals),
    transactions: suspicions.map(suspectOf),
    ...(possible !== undefined && { possibleTransactions: possible.map(suspectOf) }),
    isOneOfSeveral: problem.isOneOfSeveral,
    windowSize: problem.windowSize,
    atMs,
    isDrift: problem.isDrift,
    hasMovedInSilence: problem.hasMovedInSilence,
    ...(problem.otherPlayer !== undefined && { otherPlayer: problem.otherPlayer }),
    replay: replayCommand(player, atMs),
  };
}

function suspectOf({
  transaction: { call, txID, roundID, sessionID, amountText, sentAtMs },
  what,
  traceID,
}: MoneyProblem['suspicions'][number]): LoadFacts['money']['problems'][number]['transactions'][number] {
  return {
    call,
    txID,
    roundID,
    sessionID,
    amount: amountText,
    what,
    atMs: sentAtMs,
    ...(traceID !== undefined && { traceID }),
  };
}

export function timesOf({ byCall }: Pick<Measures, 'byCall'>): LoadFacts['times'] {
  const all = CALL_NAMES.map((call) => ({ call, ...byCall[call] }));
  const total = {
    call: 'all' as const,
    service: joined(all.map(({ service }) => service)),
    response: joined(all.map(({ response }) => response)),
  };
  return [...all, total]
    .filter(({ service, response }) => service.count > 0 || response.count > 0)
    .map(({ call, service, response }) => ({
      call,
      count: service.count,
      responses: response.count,
      service: percentilesOf(service),
      response: percentilesOf(response),
      serviceCurve: curveOf(service),
      responseCurve: curveOf(response),
    }));
}

/** Returns one histogram with the response times of one kind of call, or of all calls together. */
function responseTimes({ byCall }: Pick<Measures, 'byCall'>, call: CallName | 'all'): RecordableHistogram {
  return call === 'all' ? joined(CALL_NAMES.map((one) => byCall[one].response)) : byCall[call].response;
}

function joined(histograms: readonly RecordableHistogram[]): RecordableHistogram {
  const sum = createHistogram({ lowest: 1, highest: 3_600_000_000, figures: 3 });
  for (const one of histograms) if (one.count > 0) sum.add(one);
  return sum;
}

function percentilesOf(histogram: RecordableHistogram): LoadFacts['times'][number]['service'] {
  if (histogram.count === 0) return null;
  const at = (percentile: number): number => rounded(histogram.percentile(percentile) / 1000);
  return {
    p50: at(50),
    p90: at(90),
    p99: at(99),
    p999: at(99.9),
    p9999: at(99.99),
    max: rounded(histogram.max / 1000),
  };
}

/** Returns the points of a histogram's curve at 0, 50, 75, 87.5 … percent: each step is half of the rest to 100 percent. */
function curveOf(histogram: RecordableHistogram): LoadFacts['times'][number]['serviceCurve'] {
  if (histogram.count === 0) return [];
  return [...histogram.percentiles].map(([percentile, us]) => ({
    percentile: rounded5(percentile),
    ms: rounded(us / 1000),
  }));
}

function rounded5(value: number): number {
  return Math.round(value * 100_000) / 100_000;
}

/** The delays of croupier itself. */
export interface OwnDelays {
  /** The 99th percentile of the delays, in milliseconds. */
  readonly p99Ms: number;
  /** The share of the load in which croupier stood still. */
  readonly stalledShare: number;
}

/** After croupier has stood still, the calls of about the same time are late too. */
const LATE_AFTER_STALL = 2;

/**
 * Compares a limit with what was measured. The result is unknown in two cases: nothing was measured, or the delays of croupier
 * itself may have made a time too long. If croupier stood still for a while, the slowest calls of this share of the load may be slow
 * only for this reason.
 */
export function checkedLimit(
  limit: Limit,
  measures: Pick<Measures, 'byCall' | 'errors' | 'calls' | 'brokenOnPurpose'>,
  { p99Ms, stalledShare }: OwnDelays,
): LoadFacts['limits'][number] {
  const { text } = limit;
  switch (limit.kind) {
    case 'time': {
      const histogram = responseTimes(measures, limit.call);
      if (histogram.count === 0) return { limit: text, actual: null, unit: ' ms', isHeld: null };
      const timeAt = (percentile: number): number =>
        rounded((percentile === 100 ? histogram.max : histogram.percentile(percentile)) / 1000);
      const actual = timeAt(limit.percentile);
      const spared = limit.percentile - LATE_AFTER_STALL * stalledShare * 100;
      const isOwnDelay = actual - p99Ms < limit.belowMs || spared <= 0 || timeAt(spared) < limit.belowMs;
      const isHeld = actual < limit.belowMs || (isOwnDelay ? null : false);
      return { limit: text, actual, unit: ' ms', isHeld };
    }
    case 'errors': {
      const errors = [...measures.errors.values()].reduce((sum, count) => sum + count, 0);
      const calls = measures.calls - measures.brokenOnPurpose;
      if (calls === 0) return { limit: text, actual: null, unit: ' %', isHeld: null };
      const actual = rounded((errors / calls) * 100);
      return { limit: text, actual, unit: ' %', isHeld: actual < limit.belowPercent };
    }
  }
}
