import { setTimeout as sleep } from 'node:timers/promises';
import type { JournalFile } from '../../engine/run/journal-file.ts';
import {
  addLoad,
  addStep,
  endLoad,
  type LoadClient,
  type PartState,
  partsOf,
  secondsAfter,
  sendToWorkers,
} from '../../history/loads.ts';
import type { RunStarted } from '../../journal/event.ts';
import { JoinedSeconds, type LoadPart } from '../../load/joined-facts.ts';
import { noTimes } from '../../load/measures.ts';
import { type LoadShare, sharesOf } from '../../load/shares.ts';
import type { JobStore } from '../history/job-store.ts';
import type { LoadHooks, LoadOrder } from './load-part.ts';
import { JoinedProgress, type WorkersEnd, type WorkersSettings } from './load-workers.ts';
import { clockOffset } from './machine-clock.ts';
import type { PartOrder, PartResult, PartSecond } from './part-content.ts';
import { addCalls, histogramOf } from './time-counts.ts';

/**
 * If the command that started a load does not renew its entry in the database for this time in ms, the load counts as abandoned.
 */
const ALIVE_MS = 15_000;
/** Time between two looks at the parts, in ms. */
const POLL_MS = 200;
/**
 * Time from the moment at which all workers are ready until the load begins, in ms. All workers must get the message before this
 * time is over.
 */
const BEGIN_MS = 1500;
/**
 * A worker may vanish during the load. This is the maximum time in ms for which the command waits until another worker has settled
 * the players of the vanished worker.
 */
const SETTLE_MS = 60_000;

interface SharedLoadSettings extends Pick<LoadHooks, 'signal' | 'onProgress' | 'onBegin' | 'onEnd'> {
  readonly count: number;
  /** The journal that gets the lines of all workers. */
  readonly written: JournalFile;
  /** Prints a line for the user. */
  readonly say: (text: string) => void;
}

/** A load whose players belong to workers on other machines. The workers find their parts in a database. */
export class SharedLoad {
  readonly #store: JobStore;
  readonly #load: number;
  readonly #settings: SharedLoadSettings;
  #step = 0;

  private constructor(store: JobStore, load: number, settings: SharedLoadSettings) {
    this.#store = store;
    this.#load = load;
    this.#settings = settings;
  }

  /** Adds a load to the database. */
  static async start(
    store: JobStore,
    client: LoadClient,
    started: RunStarted,
    settings: SharedLoadSettings,
  ): Promise<SharedLoad> {
    const text = JSON.stringify(started);
    const load = await store.untilDone((history) => addLoad(history, client, text, ALIVE_MS), settings.signal);
    return new SharedLoad(store, load, settings);
  }

  /**
   * Hands out the shares of a load, waits until the workers have played them, and joins what they have written.
   *
   * @param onInterrupted is called once after `signal` is aborted, with the results so far of the workers that still have a part
   */
  async play(order: LoadOrder, onInterrupted: WorkersSettings['onInterrupted']): Promise<WorkersEnd> {
    const { count, signal, say, onBegin, onEnd } = this.#settings;
    this.#step += 1;
    const shares = sharesOf(order.wallets, order.arrivals, count);
    const offset = await clockOffset(this.#store, signal);
    const orders = shares.map((share, at) => JSON.stringify(orderOf(order, share, { at, count, offset })));
    const [load, step] = [this.#load, this.#step];
    await this.#store.untilDone((history) => addStep(history, load, step, orders), signal);
    const parts = new JoinedParts(this.#settings, count, onInterrupted);
    let joined = 0;
    await this.#until(parts, (states) => {
      const now = states.filter(({ worker }) => worker !== null).length;
      if (now > joined && step === 1)
        say(count === 1 ? 'The worker has joined.' : `${now} of ${count} workers have joined.`);
      joined = now;
      return (
        signal.aborted || states.every((one) => one.state !== 'waiting' && (one.phase !== 'taken' || !isHeld(one)))
      );
    });
    if (signal.aborted) await this.#send({ stopped: 1 });
    else {
      await this.#send({ beginInMs: BEGIN_MS });
      await sleep(BEGIN_MS, undefined, { signal }).catch(() => {});
      if (!signal.aborted) onBegin();
    }
    let isStopped = signal.aborted;
    const stopOnSignal = async (): Promise<void> => {
      if (signal.aborted && !isStopped) await this.#send({ stopped: 1 });
      isStopped = signal.aborted;
    };
    await this.#until(parts, async (states) => {
      await stopOnSignal();
      return states.every((one) => one.phase === 'ended' || !isHeld(one));
    });
    await onEnd();
    await this.#send({ closed: 1 });
    const states = await this.#until(parts, async (all) => {
      await stopOnSignal();
      return all.every((one) => !isHeld(one));
    });
    return parts.end(await this.#settled(parts, states), shares);
  }

  /** Ends the load. The workers then end too. */
  async end(): Promise<void> {
    await this.#store
      .untilDone((history) => endLoad(history, this.#load), AbortSignal.timeout(ALIVE_MS))
      .catch(() => {});
  }

  /**
   * If a worker has vanished, waits until another worker has settled the players of the vanished worker. If no worker is settling
   * them after `SETTLE_MS`, stops waiting. Returns the latest states of the parts.
   */
  async #settled(parts: JoinedParts, states: readonly PartState[]): Promise<readonly PartState[]> {
    const isOpen = (one: PartState) => one.state === 'lost' || one.state === 'settling';
    if (!states.some(isOpen)) return states;
    this.#settings.say('A worker has vanished. Waiting for another worker to settle its players.');
    const until = performance.now() + SETTLE_MS;
    return this.#until(
      parts,
      (all) => !all.some(isOpen) || (performance.now() > until && !all.some(({ state }) => state === 'settling')),
    );
  }

  async #send(message: Parameters<typeof sendToWorkers>[2]): Promise<void> {
    await this.#store.untilDone((history) => sendToWorkers(history, this.#load, message));
  }

  /** Looks at the parts again and again, and joins what the workers have written, until a condition holds. */
  async #until(
    parts: JoinedParts,
    isReached: (states: readonly PartState[]) => boolean | Promise<boolean>,
  ): Promise<readonly PartState[]> {
    const place = { load: this.#load, step: this.#step, aliveMs: ALIVE_MS };
    for (;;) {
      const states = await this.#store.untilDone((history) => partsOf(history, place));
      for (const { id, number } of states)
        parts.add(number, await this.#store.untilDone((history) => secondsAfter(history, id, parts.latest(number))));
      if (this.#settings.signal.aborted) parts.publishSoFar(states);
      if (await isReached(states)) return states;
      await sleep(POLL_MS);
    }
  }
}

/** True while a worker plays a part. */
function isHeld({ state }: PartState): boolean {
  return state === 'playing';
}

/** Reads the result of a part. Undefined if there is none yet. */
function resultIn(result: string | null): PartResult | undefined {
  return result === null ? undefined : (JSON.parse(result) as PartResult);
}

/** Returns the order for one part, without the endpoint and its key. */
function orderOf(
  { endpoint: _endpoint, wire: _wire, originEpochMs, ...order }: LoadOrder,
  share: LoadShare,
  { at, count, offset }: { readonly at: number; readonly count: number; readonly offset: number },
): PartOrder {
  return {
    ...order,
    ...share,
    // Numbers of the calls: the first worker has the numbers 1, 1 + count, 1 + 2 * count and so on.
    numbers: { after: order.numbers.after + at + 1 - count, step: count },
    originAt: originEpochMs + offset,
  };
}

/** Joins what the workers of one step have written. */
class JoinedParts {
  readonly #written: JournalFile;
  readonly #progress: JoinedProgress;
  readonly #seconds: JoinedSeconds;
  readonly #latest: number[];
  readonly #times: LoadPart['byCall'][];
  /** The result of each part at the moment at which the part was stopped early. */
  readonly #soFar = new Map<number, PartResult>();
  readonly #onInterrupted: WorkersSettings['onInterrupted'];
  #isPublished = false;

  constructor(
    { written, onProgress }: SharedLoadSettings,
    count: number,
    onInterrupted: WorkersSettings['onInterrupted'],
  ) {
    this.#onInterrupted = onInterrupted;
    this.#written = written;
    this.#progress = new JoinedProgress(onProgress);
    this.#seconds = new JoinedSeconds(count);
    this.#latest = Array.from({ length: count }, () => -1);
    this.#times = Array.from({ length: count }, () => noTimes());
  }

  /** The number of the latest text of a part that was added; -1 if there is none. */
  latest(part: number): number {
    return this.#latest[part] ?? -1;
  }

  add(part: number, texts: readonly string[]): void {
    const times = this.#times[part];
    for (const text of texts) {
      const { journal, progress, seconds, byCall, soFar } = JSON.parse(text) as PartSecond;
      if (journal !== '') this.#written.appendLines(journal);
      if (progress) this.#progress.add(part, progress);
      for (const { second, responses } of seconds) this.#seconds.add(second, histogramOf(responses));
      if (times) addCalls(byCall, times);
      if (soFar) this.#soFar.set(part, soFar);
    }
    this.#latest[part] = this.latest(part) + texts.length;
  }

  /** Calls `onInterrupted` as soon as each worker that still has its part has stored its result so far, or its result. */
  publishSoFar(states: readonly PartState[]): void {
    const results = states
      .filter((one) => one.state === 'done' || isHeld(one))
      .map(({ number, result }) => ({ number, result: resultIn(result) ?? this.#soFar.get(number) }));
    if (this.#isPublished || results.length === 0 || results.some(({ result }) => result === undefined)) return;
    this.#isPublished = true;
    this.#onInterrupted(
      results.flatMap(({ number, result }) => this.#partOf(number, result)),
      this.#seconds.seconds,
    );
  }

  /** Returns a list with the part, or an empty list if there is no result. */
  #partOf(number: number, result: PartResult | undefined): LoadPart[] {
    const byCall = this.#times[number];
    return result && byCall ? [{ ...result, byCall }] : [];
  }

  end(states: readonly PartState[], shares: readonly LoadShare[]): WorkersEnd {
    this.#seconds.end();
    const parts = states.flatMap(({ number, result }) => this.#partOf(number, resultIn(result)));
    const lost = states.flatMap(({ number, state, worker }) =>
      state === 'done' || state === 'waiting'
        ? []
        : [
            {
              wallets: shares[number]?.wallets ?? [],
              reason: `the worker ${worker ?? ''} gave no sign of life`,
              isSettled: state === 'settled',
            },
          ],
    );
    return { parts, lost, seconds: this.#seconds.seconds };
  }
}
