import { monitorEventLoopDelay } from 'node:perf_hooks';
import { setTimeout as sleep } from 'node:timers/promises';
import { Money } from '../contract/money.ts';
import { LineWriter } from '../journal/load/line-writer.ts';
import { readOrigin, splitUrl } from '../wire/origin.ts';
import { routeOf, type WireOptions } from '../wire/wire.ts';
import { type LoadDenomination, WindowAmounts } from './amounts.ts';
import { Caller, type LoadSession } from './caller.ts';
import { Crashes } from './cause/crashes.ts';
import { MAX_COMPARED, withWrongWallets } from './cause/wrong-wallets.ts';
import { Connections, type NetworkCall } from './connections.ts';
import { Findings } from './findings.ts';
import type { LoadContext, Remark } from './load-context.ts';
import { Measures, type SecondListener, type TimeListener } from './measures.ts';
import type { Mix } from './mix.ts';
import { type MoneyProblem, withoutChance } from './money-problem.ts';
import { OperatorTxIDs } from './operator-tx-ids.ts';
import { Player, type PlayerEnd } from './player.ts';
import { Random } from './random.ts';
import { RecentTransactions } from './recent-transactions.ts';
import { type Endpoint, Requests } from './requests.ts';
import { type Arrivals, Schedule } from './schedule.ts';
import { UnusualReplies } from './unusual-replies.ts';
import { Wallet } from './wallet.ts';

/** The sessions of one wallet: one player in one currency. */
export interface LoadWallet {
  readonly player: string;
  readonly currency: string | undefined;
  readonly sessions: readonly { readonly sessionID: string; readonly index: number }[];
}

export interface LoadOptions {
  readonly endpoint: Endpoint;
  readonly wire: WireOptions;
  readonly wallets: readonly LoadWallet[];
  readonly arrivals: Arrivals;
  readonly durationMs: number;
  readonly mix: Mix;
  readonly campaign: string | null;
  /** True if accounts have a credit line, so that a bet above the balance may be accepted. */
  readonly credit: boolean;
  readonly deadlineMs: number;
  readonly lingerMs: number;
  readonly seed: string;
  /** The id of the run if each call gets a `traceparent` header. Absent: no call gets one. */
  readonly tracedRunID?: string | undefined;
  /** The numbers of the calls in the journal. If several workers write one journal, each of them has its own numbers. */
  readonly numbers: { readonly after: number; readonly step: number };
  /** The time of the first event of the journal, in milliseconds of this process or thread. */
  readonly origin: number;
  /** Returns the stake and the smallest amount for a currency. `decimals` is the number of decimals in its balances. */
  readonly denominationOf: (currency: string | undefined, decimals: number) => LoadDenomination;
  /** Removes the secrets from a text of the operator, before the text is written to the journal. */
  readonly scrub: (text: string) => string;
  /**
   * Writes lines without secrets to the journal. When this function returns, the operating system must have the lines. The bytes
   * are valid only during the call.
   */
  readonly write: (lines: Buffer) => void;
  /** Ends the load early when it is aborted. Open rounds are still completed, and balances compared. */
  readonly signal: AbortSignal;
  readonly onProgress: (progress: LoadProgress) => void;
  /** Is called when the opening balances are known. The load begins when the promise is fulfilled. */
  readonly onOpened?: () => Promise<void>;
  /** Is called when the load begins. */
  readonly onBegin: () => void;
  /** Is called with each second of the load that has passed. */
  readonly onSecond?: SecondListener;
  /** Is called with each recorded time. */
  readonly onTime?: TimeListener;
  /** Returns false as soon as no more calls may be sent. Absent: calls may be sent until the end of the test. */
  readonly mayLeave?: () => boolean;
  /** Is called when the load ends, before open rounds are completed. */
  readonly onEnd: () => Promise<void>;
  /** Is called when `signal` is aborted, with what the test has found so far. */
  readonly onInterrupted?: (soFar: LoadOutcome) => void;
}

/** The state of a load test for the live line. */
export interface LoadProgress {
  readonly phase: 'opening' | 'load' | 'closing';
  /** Number of calls that were due in the same second as `last`. Without `last`, the rate at this moment. Null for a closed model. */
  readonly asked: number | null;
  readonly elapsedMs: number;
  readonly errors: number;
  readonly moneyProblems: number;
  /** The last second that has passed: the number of calls, and the 99th percentile of their response times in milliseconds. */
  readonly last: { readonly sent: number; readonly p99: number | null } | null;
}

/** One wallet at the end of a load test. */
export interface LoadedWallet {
  readonly player: string;
  readonly currency: string | undefined;
  readonly decimals: number;
  readonly opening: Money;
  readonly staked: Money;
  readonly won: Money;
  readonly refunded: Money;
  readonly expected: Money;
  /** The state at the end. `playing`: the test was interrupted, and the balance is not compared yet. */
  readonly end: PlayerEnd | { readonly kind: 'playing' };
}

/** Everything that a load test has found out. */
export interface LoadOutcome {
  readonly wallets: readonly LoadedWallet[];
  /** The players whose balance could not be read at the beginning, with the reason. */
  readonly unopened: readonly { readonly player: string; readonly reason: string }[];
  readonly measures: Measures;
  readonly findings: Findings;
  readonly problems: readonly MoneyProblem[];
  readonly schedule: Schedule;
  readonly neverSent: number;
  /** Number of calls that left during the load. */
  readonly scheduled: number;
  readonly sessionsEnded: readonly string[];
  readonly remarks: Readonly<Record<Remark, number>>;
  readonly campaign: string | null;
  readonly ranMs: number;
  /** The number of the last call in the journal. */
  readonly lastNumber: number;
  readonly reconcileMs: number;
  readonly eventLoopP99Ms: number;
  /** The time in which this process stood still during the load, in milliseconds. */
  readonly stalledMs: number;
  /** Share of one core that this process used during the load. */
  readonly cpu: number;
}

/** Time for which opening balances are tried, in milliseconds. */
const OPENING_MS = 10_000;
const OPENING_PAUSE_MS = 500;
/**
 * Maximum time after the load until everything is completed, in milliseconds. It is added to twice the time for late debits.
 */
const CLOSING_MS = 30_000;
const PROGRESS_MS = 500;
const OFFSET_STEP = 7;
const MAX_OFFSET = 50;
const LOOP_RESOLUTION_MS = 5;

/**
 * Runs one load test: reads the opening balances, sends calls for the duration, completes the open rounds, and compares every
 * balance.
 */
export async function runLoad(options: LoadOptions): Promise<LoadOutcome> {
  const test = new LoadTest(options);
  try {
    return await test.run();
  } finally {
    test.close();
  }
}

/** The measured values of the time in which calls were due. */
interface LoadTime extends Pick<LoadOutcome, 'ranMs' | 'scheduled' | 'eventLoopP99Ms' | 'stalledMs' | 'cpu'> {
  /** The end of this time. */
  readonly end: number;
  /** The times at which calls were due that never left. */
  readonly overdue: readonly number[];
}

interface OpenedWallet {
  readonly wallet: LoadWallet;
  readonly opening: Money;
  readonly decimals: number;
  readonly player: Player;
}

class LoadTest {
  readonly #options: LoadOptions;
  readonly #connections: Connections;
  readonly #context: LoadContext;
  readonly #schedule: Schedule;
  readonly #measures: Measures;
  readonly #outbox: Outbox;
  readonly #problems: MoneyProblem[] = [];
  readonly #sessionsEnded: string[] = [];
  readonly #origin: number;
  readonly #pauses = new Pauses();
  readonly #stalls = new Stalls();
  readonly #loop = monitorEventLoopDelay({ resolution: LOOP_RESOLUTION_MS });
  #wallets: readonly OpenedWallet[] = [];
  #unopened: LoadOutcome['unopened'] = [];
  #cpuBefore = process.cpuUsage();
  /** Undefined until the load ends. */
  #loadTime: LoadTime | undefined;
  #phase: LoadProgress['phase'] = 'opening';
  #loadStart = Number.NaN;
  #number = 0;
  readonly #remarks: Record<Remark, number> = { healed: 0, 'declined-round': 0, 'declined-free-bet': 0, 'free-bet': 0 };

  constructor(options: LoadOptions) {
    this.#options = options;
    this.#origin = options.origin;
    this.#number = options.numbers.after;
    const { endpoint, wire, arrivals, durationMs, deadlineMs, lingerMs, mix, campaign, credit } = options;
    const now = (): number => performance.now();
    this.#schedule = new Schedule(arrivals, durationMs, now);
    this.#measures = new Measures(
      () => this.#loadStart,
      (second) => this.#schedule.dueIn(second),
      options.onSecond,
      options.onTime,
    );
    this.#connections = new Connections({
      origin: readOrigin(splitUrl(endpoint.integratorBaseUrl).base),
      route: routeOf(wire),
      deadlineMs,
      mayLeave: options.mayLeave,
    });
    const lines = new LineWriter();
    this.#outbox = new Outbox(lines, options.write, (call) => this.#connections.send(call));
    this.#context = {
      requests: new Requests(endpoint, options.tracedRunID),
      schedule: this.#schedule,
      measures: this.#measures,
      findings: new Findings(),
      recent: new RecentTransactions(),
      crashes: new Crashes(),
      operatorTxIDs: new OperatorTxIDs(),
      unusualReplies: new UnusualReplies(),
      lines,
      mix,
      campaign,
      credit,
      deadlineMs,
      lingerMs,
      now,
      stamp: (time) => Math.max(0, Math.round(time - this.#origin)),
      nextNumber: () => {
        this.#number += options.numbers.step;
        return this.#number;
      },
      deliver: (call) => this.#outbox.send(call),
      scrub: options.scrub,
      sessionEnded: (sessionID) => this.#sessionsEnded.push(sessionID),
      moneyProblem: (problem) => {
        // Later wrong balances are not compared with each other. So croupier need not keep their transactions.
        this.#problems.push(this.#problems.length < MAX_COMPARED ? problem : { ...problem, missing: [] });
      },
      remark: (kind) => {
        this.#remarks[kind] += 1;
      },
      isOver: () => this.#pauses.isOver,
      wait: (ms) => this.#pauses.wait(ms),
    };
  }

  /** Runs the test. @throws the error of the journal, as soon as a line cannot be written */
  run(): Promise<LoadOutcome> {
    return Promise.race([this.#run(), this.#outbox.failed]);
  }

  async #run(): Promise<LoadOutcome> {
    const progress = setInterval(() => this.#tell(), PROGRESS_MS);
    const { signal, durationMs, lingerMs, onInterrupted } = this.#options;
    const onAbort = (): void => onInterrupted?.(this.#soFar());
    signal.addEventListener('abort', onAbort, { once: true });
    if (signal.aborted) onAbort();
    try {
      const { opened, unopened } = await this.#open();
      this.#wallets = opened;
      this.#unopened = unopened;
      // If this process stops unexpectedly later, the opening balances in the journal show how much the players are owed.
      this.#outbox.flush();
      await this.#options.onOpened?.();
      this.#loop.enable();
      this.#stalls.begin();
      this.#cpuBefore = process.cpuUsage();
      this.#loadStart = performance.now();
      this.#phase = 'load';
      if (opened.length > 0 && !signal.aborted) {
        this.#schedule.begin();
        this.#options.onBegin();
      }
      const playing = Promise.all(opened.map(({ player }) => player.play()));
      // If every session ends, the test ends too.
      if (opened.length > 0) await Promise.race([untilEnd(durationMs, signal), playing]);
      this.#loop.disable();
      this.#stalls.end();
      this.#loadTime = this.#timeSoFar();
      const { overdue, end } = this.#loadTime;
      for (const due of overdue) this.#measures.neverSent(due, end);
      this.#phase = 'closing';
      const over = setTimeout(() => this.#pauses.end(), 2 * lingerMs + CLOSING_MS);
      this.#schedule.stop();
      await this.#options.onEnd();
      await playing;
      if (opened.length > 0) await this.#context.wait(lingerMs);
      const wallets = await Promise.all(opened.map(async (one) => loadedWallet(one, await one.player.end())));
      clearTimeout(over);
      this.#measures.end();
      this.#outbox.flush();
      return this.#outcome(wallets, this.#loadTime);
    } finally {
      signal.removeEventListener('abort', onAbort);
      clearInterval(progress);
    }
  }

  /** Returns what the test has found so far, while it still runs. */
  #soFar(): LoadOutcome {
    const wallets = this.#wallets.map((one) => loadedWallet(one, { kind: 'playing' }));
    return this.#outcome(wallets, this.#loadTime ?? this.#timeSoFar());
  }

  #timeSoFar(): LoadTime {
    const end = performance.now();
    const ranMs = Number.isNaN(this.#loadStart) ? 0 : end - this.#loadStart;
    const used = process.cpuUsage(this.#cpuBefore);
    return {
      end,
      ranMs,
      scheduled: this.#schedule.given,
      overdue: [...this.#schedule.overdue()],
      // The histogram counts its own resolution as delay, so the resolution is subtracted.
      stalledMs: this.#stalls.totalMs,
      eventLoopP99Ms: Math.max(0, this.#loop.percentile(99) / 1e6 - LOOP_RESOLUTION_MS),
      cpu: (used.user + used.system) / 1000 / Math.max(1, ranMs),
    };
  }

  #outcome(wallets: readonly LoadedWallet[], { end, overdue, ...time }: LoadTime): LoadOutcome {
    return {
      wallets,
      unopened: this.#unopened,
      measures: this.#measures,
      findings: this.#context.findings,
      problems: withoutChance(withWrongWallets(this.#problems)),
      schedule: this.#schedule,
      sessionsEnded: this.#sessionsEnded,
      remarks: this.#remarks,
      campaign: this.#options.campaign,
      lastNumber: this.#number,
      neverSent: overdue.length,
      reconcileMs: performance.now() - end,
      ...time,
    };
  }

  close(): void {
    this.#pauses.end();
    this.#stalls.end();
    this.#outbox.close();
    this.#schedule.stop();
    this.#connections.close();
  }

  /** Reads the opening balance of every wallet. */
  async #open() {
    const opened: OpenedWallet[] = [];
    const unopened: { player: string; reason: string }[] = [];
    const until = performance.now() + OPENING_MS;
    await Promise.all(
      this.#options.wallets.map(async (wallet) => {
        const sessions = wallet.sessions.map(
          (session): LoadSession => ({ ...session, currency: wallet.currency, isOpen: true }),
        );
        const found = await this.#readOpening(wallet, sessions, until);
        if ('reason' in found) unopened.push({ player: wallet.player, reason: found.reason });
        else opened.push(this.#opened(wallet, sessions, found.opening));
      }),
    );
    return { opened, unopened };
  }

  #opened(wallet: LoadWallet, sessions: readonly LoadSession[], opening: Money): OpenedWallet {
    const denomination = this.#options.denominationOf(wallet.currency, opening.decimals());
    const caller = new Caller(this.#context, wallet.player, wallet.currency, new Wallet(opening));
    const player = new Player({
      context: this.#context,
      caller,
      sessions,
      denomination,
      amounts: new WindowAmounts(denomination, offsetOf(sessions[0]?.index ?? 0)),
      random: new Random(`${this.#options.seed} ${sessions[0]?.sessionID}`),
      opening,
    });
    return { wallet, opening, decimals: denomination.decimals, player };
  }

  async #readOpening(
    { player, currency }: LoadWallet,
    sessions: readonly LoadSession[],
    until: number,
  ): Promise<{ readonly opening: Money } | { readonly reason: string }> {
    const caller = new Caller(this.#context, player, currency, new Wallet(Money.zero));
    let before: Money | undefined;
    for (;;) {
      const session = sessions.find(({ isOpen }) => isOpen);
      if (!session) return { reason: 'the session has ended' };
      await this.#schedule.ticket();
      const { answer, status, balance, detail } = await caller.read(session, null, false);
      const shown = answer === 'accepted' ? balance : undefined;
      // Two reads must give the same balance. Some faulty operators reply with the balance of another player whose call is
      // processed at the same moment.
      if (shown && before?.equals(shown)) return { opening: shown };
      before = shown;
      if (shown && performance.now() < until) continue;
      const reason = shown
        ? 'the balance keeps changing'
        : status === undefined
          ? (detail ?? 'no reply')
          : `answered ${status}`;
      const isFinal = answer === 'refused' || answer === 'accepted' || answer === 'error-200';
      if (isFinal || performance.now() > until || this.#options.signal.aborted) return { reason };
      await this.#context.wait(OPENING_PAUSE_MS);
    }
  }

  #tell(): void {
    const elapsedMs = performance.now() - this.#loadStart;
    const last = this.#measures.seconds.at(-2);
    this.#options.onProgress({
      phase: this.#phase,
      errors: [...this.#measures.errors.values()].reduce((sum, count) => sum + count, 0),
      last: last ?? null,
      asked: last ? last.asked : this.#schedule.rateAt(elapsedMs),
      elapsedMs,
      moneyProblems: this.#problems.length,
    });
  }
}

/**
 * Sends a call only when the journal has its line. The lines of all calls of one turn of the event loop are written together,
 * because one write takes as long as several calls.
 */
class Outbox {
  readonly #lines: LineWriter;
  readonly #write: (lines: Buffer) => void;
  readonly #failure = Promise.withResolvers<never>();
  readonly #send: (call: NetworkCall) => void;
  #calls: NetworkCall[] = [];
  #isClosed = false;

  constructor(lines: LineWriter, write: (lines: Buffer) => void, send: (call: NetworkCall) => void) {
    this.#lines = lines;
    this.#write = write;
    this.#send = send;
  }

  /** Rejects if a line cannot be written. The calls that wait for this line are then not sent. */
  get failed(): Promise<never> {
    return this.#failure.promise;
  }

  /** Stops sending. */
  close(): void {
    this.#isClosed = true;
  }

  send(call: NetworkCall): void {
    if (this.#isClosed) return;
    this.#calls.push(call);
    if (this.#calls.length === 1) setImmediate(() => this.flush());
  }

  flush(): void {
    if (this.#isClosed) return;
    const lines = this.#lines.take();
    const calls = this.#calls;
    this.#calls = [];
    try {
      if (lines.length > 0) this.#write(lines);
    } catch (error) {
      this.#isClosed = true;
      this.#failure.reject(error instanceof Error ? error : new Error(String(error)));
      return;
    }
    for (const call of calls) this.#send(call);
  }
}

const STALL_TICK_MS = 50;
/** Shorter delays do not count as stalls. A busy machine has many of them. */
const MIN_STALL_MS = 250;

/** Measures for how long this process stands still, for example because the machine sleeps, or another program uses all cores. */
class Stalls {
  #timer: NodeJS.Timeout | undefined;
  #last = 0;
  totalMs = 0;

  begin(): void {
    this.#last = performance.now();
    this.#timer = setInterval(() => this.#tick(), STALL_TICK_MS);
  }

  end(): void {
    if (this.#timer === undefined) return;
    clearInterval(this.#timer);
    this.#timer = undefined;
    this.#tick();
  }

  #tick(): void {
    const now = performance.now();
    const delay = now - this.#last - STALL_TICK_MS;
    if (delay >= MIN_STALL_MS) this.totalMs += delay;
    this.#last = now;
  }
}

/**
 * The pauses of the players of a load test. All of them end when the test is over. A load test makes hundreds of pauses a second, and
 * an `AbortSignal` for each of them would need more time than the timer.
 */
class Pauses {
  readonly #ends = new Set<() => void>();
  #isOver = false;

  get isOver(): boolean {
    return this.#isOver;
  }

  /** Waits for a number of milliseconds, but not longer than until the test is over. */
  wait(ms: number): Promise<void> {
    if (this.#isOver) return Promise.resolve();
    return new Promise((resolve) => {
      const end = (): void => {
        clearTimeout(timer);
        this.#ends.delete(end);
        resolve();
      };
      const timer = setTimeout(end, ms);
      this.#ends.add(end);
    });
  }

  /** Ends all pauses, and those that are still to come. */
  end(): void {
    this.#isOver = true;
    for (const end of this.#ends) end();
  }
}

/**
 * Returns the number of units that is added to each amount of a player, so that players rarely bet the same amounts. It is small,
 * because an operator may limit the amount of bets.
 *
 * @param index the index of the first session of the player
 */
function offsetOf(index: number): number {
  return ((index + 1) * OFFSET_STEP) % MAX_OFFSET;
}

async function untilEnd(ms: number, signal: AbortSignal): Promise<void> {
  await sleep(ms, undefined, { signal }).catch(() => {});
}

function loadedWallet({ wallet, opening, decimals, player }: OpenedWallet, end: LoadedWallet['end']): LoadedWallet {
  const { staked, won, refunded, expected } = player.caller.wallet;
  return { player: wallet.player, currency: wallet.currency, decimals, opening, staked, won, refunded, expected, end };
}
