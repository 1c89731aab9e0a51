import type { RecordableHistogram } from 'node:perf_hooks';
import { CALL_NAMES } from '../contract/call-name.ts';
import { Money } from '../contract/money.ts';
import type { LoadFacts } from '../journal/load/result.ts';
import type { Limit } from './limits.ts';
import { type CallTimes, type ErrorKind, type Measures, type SecondOfTest, setPercentiles, times } from './measures.ts';
import { checkedLimit, isBottleneck, MAX_PROBLEMS, rounded, roundedSecond, seconds, timesOf } from './result.ts';
import type { Arrivals } from './schedule.ts';

/** The result of one worker. */
export interface LoadPart {
  readonly facts: LoadFacts;
  readonly byCall: Measures['byCall'];
  /** The number of the worker's last call in the journal. */
  readonly lastNumber: number;
}

/** The whole load, of which each part has a share. */
interface WholeLoad extends Pick<LoadFacts['load'], 'interrupted' | 'workers'> {
  readonly arrivals: Arrivals;
  readonly limits: readonly Limit[];
  /** True if the test was interrupted, and the open rounds are not completed yet. */
  readonly isStopping: boolean;
  readonly disturbances: readonly LoadFacts['load']['disturbances'][number][];
}

/**
 * Joins the facts of workers. All numbers are the exact sums of the numbers of the workers. All times are those of the calls of all
 * workers together.
 *
 * @param parts the parts of the workers. Must not be empty
 * @param inSeconds the seconds of all workers together
 */
export function joinedFacts(
  parts: readonly LoadPart[],
  inSeconds: readonly SecondOfTest[],
  { arrivals, limits, interrupted, isStopping, disturbances, workers }: WholeLoad,
): LoadFacts {
  const all = parts.map(({ facts }) => facts);
  const [first] = all;
  if (!first) throw new RangeError('there is no part to join');
  const sum = (numberOf: (facts: LoadFacts) => number): number => all.reduce((total, one) => total + numberOf(one), 0);
  const most = (numberOf: (facts: LoadFacts) => number): number => Math.max(...all.map(numberOf));
  const [ranMs, scheduled, neverSent] = [
    most(({ load }) => load.ranMs),
    sum(({ rate }) => rate.scheduled),
    sum(({ rate }) => rate.neverSent),
  ];
  const [late, eventLoopP99Ms, stalledMs] = [
    sum(({ rate }) => rate.lateForCroupier),
    most(({ croupierItself }) => croupierItself.eventLoopP99Ms),
    most(({ croupierItself }) => croupierItself.stalledMs),
  ];
  const errors = summed(
    all.flatMap((one) => one.errors),
    ({ kind }) => kind,
  );
  const measured = {
    byCall: joinedTimes(parts.map(({ byCall }) => byCall)),
    calls: sum(({ rate }) => rate.calls),
    brokenOnPurpose: sum((one) => one.brokenOnPurpose),
    errors: new Map(errors.map(({ kind, count }) => [kind as ErrorKind, count])),
  };
  const own = { p99Ms: eventLoopP99Ms, stalledShare: stalledMs / Math.max(1, ranMs) };
  return {
    ...first,
    load: {
      ...first.load,
      arrivals: arrivals.kind === 'recorded' ? { kind: 'recorded', calls: arrivals.offsets.length } : arrivals,
      ranMs,
      reconcileMs: most(({ load }) => load.reconcileMs),
      interrupted,
      ...(isStopping && { isStopping }),
      disturbances: [...disturbances],
      workers,
    },
    money: joinedMoney(all.map(({ money }) => money)),
    rate: {
      asked: arrivals.kind === 'closed' ? null : rounded((scheduled + neverSent) / seconds(ranMs)),
      got: rounded(scheduled / seconds(ranMs)),
      calls: measured.calls,
      scheduled,
      lateForPlayers: sum(({ rate }) => rate.lateForPlayers),
      lateForCroupier: late,
      neverSent,
    },
    times: timesOf(measured),
    errors: errors.sort((one, other) => other.count - one.count),
    brokenOnPurpose: measured.brokenOnPurpose,
    declinedBets: sum((one) => one.declinedBets),
    freeRounds: first.freeRounds && {
      campaign: first.freeRounds.campaign,
      bets: sum(({ freeRounds }) => freeRounds?.bets ?? 0),
      declined: sum(({ freeRounds }) => freeRounds?.declined ?? 0),
    },
    limits: limits.map((limit) => checkedLimit(limit, measured, own)),
    findings: summed(
      all.flatMap(({ findings }) => findings).sort((one, other) => one.atMs - other.atMs),
      ({ rule, call, verdict }) => `${rule} ${call} ${verdict}`,
    ),
    croupierItself: {
      eventLoopP99Ms,
      stalledMs,
      // Each worker measures the time of the whole process.
      cpu: most(({ croupierItself }) => croupierItself.cpu),
      isBottleneck: isBottleneck(late, scheduled, eventLoopP99Ms),
    },
    sessionsEnded: all.flatMap(({ sessionsEnded }) => sessionsEnded),
    seconds: inSeconds.map(roundedSecond),
  };
}

/** Joins items with the same key. The result is the first of these items, with the sum of all counts. */
function summed<Item extends { readonly count: number }>(
  items: readonly Item[],
  keyOf: (item: Item) => string,
): Item[] {
  return [...Map.groupBy(items, keyOf).values()].flatMap(([first, ...others]) =>
    first ? [{ ...first, count: others.reduce((total, { count }) => total + count, first.count) }] : [],
  );
}

function joinedMoney(all: readonly LoadFacts['money'][]): LoadFacts['money'] {
  const sum = (numberOf: (money: LoadFacts['money']) => number): number =>
    all.reduce((total, one) => total + numberOf(one), 0);
  const problems = all.flatMap((one) => one.problems).sort((one, other) => one.atMs - other.atMs);
  return {
    players: sum(({ players }) => players),
    verified: sum(({ verified }) => verified),
    transactions: sum(({ transactions }) => transactions),
    byCurrency: [
      ...Map.groupBy(
        all.flatMap(({ byCurrency }) => byCurrency),
        ({ currency }) => currency,
      ).values(),
    ].map(joinedCurrency),
    problems: problems.slice(0, MAX_PROBLEMS),
    problemCount: sum(({ problemCount }) => problemCount),
    owed: all.flatMap(({ owed }) => owed),
    unread: all.flatMap(({ unread }) => unread),
    unreadReason: all.find(({ unreadReason }) => unreadReason !== null)?.unreadReason ?? null,
    healed: sum(({ healed }) => healed),
  };
}

type CurrencySums = LoadFacts['money']['byCurrency'][number];

function joinedCurrency(parts: readonly CurrencySums[]): CurrencySums {
  const decimals = Math.max(...parts.map(({ opening }) => opening.split('.')[1]?.length ?? 0));
  const sum = (amountOf: (part: CurrencySums) => string): string =>
    parts.reduce((total, part) => total.plus(signedMoney(amountOf(part))), Money.zero).format(decimals);
  return {
    currency: parts[0]?.currency ?? null,
    opening: sum(({ opening }) => opening),
    staked: sum(({ staked }) => staked),
    won: sum(({ won }) => won),
    refunded: sum(({ refunded }) => refunded),
    expected: sum(({ expected }) => expected),
    shown: parts.some(({ shown }) => shown === null) ? null : sum(({ shown }) => shown ?? '0'),
    difference: sum(({ difference }) => difference),
  };
}

/** Reads an amount of a result, which may be negative. */
function signedMoney(text: string): Money {
  return text.startsWith('-') ? Money.of(text.slice(1)).negated() : Money.of(text);
}

function joinedTimes(all: readonly Measures['byCall'][]): Measures['byCall'] {
  const joined = (histogramOf: (byCall: Measures['byCall']) => RecordableHistogram): RecordableHistogram => {
    const total = times();
    for (const one of all) if (histogramOf(one).count > 0) total.add(histogramOf(one));
    return total;
  };
  return Object.fromEntries(
    CALL_NAMES.map((call): [string, CallTimes] => [
      call,
      { service: joined((one) => one[call].service), response: joined((one) => one[call].response) },
    ]),
  ) as Measures['byCall'];
}

/**
 * Joins the measured values of several workers, second by second, while the load runs. So the times of only a few seconds are in
 * memory.
 */
export class JoinedSeconds {
  /** The seconds that at least one worker has finished. */
  readonly seconds: SecondOfTest[] = [];
  readonly #responses = new Map<number, { readonly times: RecordableHistogram; parts: number }>();
  readonly #count: number;

  /** @param count the number of workers */
  constructor(count: number) {
    this.#count = count;
  }

  /** Adds a second of one worker. */
  add({ second, asked, sent, errors }: SecondOfTest, responses: RecordableHistogram): void {
    const whole = this.#secondOf(second);
    const joined = this.#responses.get(second) ?? { times: times(), parts: 0 };
    this.seconds[second] = {
      ...whole,
      asked: asked === null ? null : (whole.asked ?? 0) + asked,
      sent: whole.sent + sent,
      errors: whole.errors + errors,
    };
    if (responses.count > 0) joined.times.add(responses);
    joined.parts += 1;
    this.#responses.set(second, joined);
    if (joined.parts === this.#count) this.#close(second, joined.times);
  }

  /** Ends the seconds that some workers have not reached. */
  end(): void {
    for (const [second, joined] of this.#responses) this.#close(second, joined.times);
  }

  #secondOf(number: number): SecondOfTest {
    while (this.seconds.length <= number) {
      const second = this.seconds.length;
      this.seconds.push({ second, asked: null, sent: 0, errors: 0, p50: null, p99: null, p999: null });
    }
    return this.seconds[number] as SecondOfTest;
  }

  #close(second: number, responses: RecordableHistogram): void {
    setPercentiles(this.#secondOf(second), responses);
    this.#responses.delete(second);
  }
}
