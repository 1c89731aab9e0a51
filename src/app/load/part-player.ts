import { hostname } from 'node:os';
import { setTimeout as sleep } from 'node:timers/promises';
import type { JournalFile } from '../../engine/run/journal-file.ts';
import type { ClientUnderTest } from '../../engine/run-options.ts';
import { compressedText } from '../../history/compression.ts';
import { LeaseLost } from '../../history/lease-lost.ts';
import { type Beat, beat, type HeldPart, type LoadState } from '../../history/loads.ts';
import type { LoadPart } from '../../load/joined-facts.ts';
import type { LoadProgress } from '../../load/load.ts';
import type { JobStore } from '../history/job-store.ts';
import { playPart } from './load-part.ts';
import { clockOffset, localTime } from './machine-clock.ts';
import type { PartOrder, PartResult, PartSecond } from './part-content.ts';
import { TimeCounts } from './time-counts.ts';

/** A worker renews its lease of a part regularly. After this time in ms without a renewal, the worker loses the part. */
export const PART_LEASE_MS = 15_000;
/** Time between two renewals of the lease while calls are due, and while the worker waits, in ms. */
export const BEAT_MS = 1000;
const WAITING_BEAT_MS = 100;
/** Time between two looks at the lease, in ms. */
const CHECK_MS = 200;

interface PartSettings {
  readonly store: JobStore;
  readonly client: ClientUnderTest;
  readonly journal: JournalFile;
  readonly scrub: (text: string) => string;
  /** Ends the part early when it is aborted. */
  readonly signal: AbortSignal;
}

/** The end of a part: with a result, or because the command that started the load no longer runs. */
export type PartEnd = 'done' | 'abandoned';

/**
 * Plays one part of a load that a command on another machine has started. Once in a second, stores in the database which calls were
 * made. No call waits for the database.
 *
 * @throws LeaseLost if the worker has lost the part. It then sends no further call
 */
export async function playHeldPart(part: HeldPart, settings: PartSettings): Promise<PartEnd> {
  const { store, signal } = settings;
  const offset = await clockOffset(store, signal);
  return new PartPlayer(part, settings, offset).play();
}

class PartPlayer {
  readonly #part: HeldPart;
  readonly #settings: PartSettings;
  /** The clock of the database is this many ms ahead. */
  readonly #offset: number;
  readonly #counts = new TimeCounts();
  readonly #begun = Promise.withResolvers<void>();
  readonly #closed = Promise.withResolvers<void>();
  readonly #stopped = new AbortController();
  readonly #lost = new AbortController();
  #wake = new AbortController();
  #phase: Beat['phase'] = 'taken';
  #isBeginKnown = false;
  #isAbandoned = false;
  #progress: LoadProgress | null = null;
  /** The result at the moment at which the part was stopped early, until it is stored. */
  #soFar: PartResult | undefined;
  #lines = '';
  #second = 0;
  #isFinished = false;
  readonly #lastBeat = Promise.withResolvers<void>();
  /**
   * The work that was not stored yet. It must not change until it is stored: an earlier attempt may have stored it although the
   * attempt failed.
   */
  #unsent: Beat['second'];
  /** The moment at which the lease ends, on two clocks: the clock that never jumps, and the time of day. */
  #until = { running: performance.now() + PART_LEASE_MS, ofDay: Date.now() + PART_LEASE_MS };

  constructor(part: HeldPart, settings: PartSettings, offset: number) {
    this.#part = part;
    this.#settings = settings;
    this.#offset = offset;
  }

  async play(): Promise<PartEnd> {
    const { client, journal, scrub, signal } = this.#settings;
    const { originAt, ...order } = JSON.parse(this.#part.content) as PartOrder;
    const { integratorBaseUrl, integrationApiKey, paths, headers, contract } = client;
    const checking = setInterval(() => {
      if (!this.#mayLeave()) this.#lose();
    }, CHECK_MS);
    const onSignal = (): void => this.#stop();
    signal.addEventListener('abort', onSignal);
    const beating = this.#beatUntilLost();
    try {
      if (signal.aborted) this.#stop();
      const played = await playPart(
        {
          ...order,
          endpoint: { integratorBaseUrl, integrationApiKey, paths, headers, contract },
          wire: client.wire,
          originEpochMs: originAt - this.#offset,
        },
        {
          scrub,
          signal: this.#stopped.signal,
          // The journal has each call before its first byte leaves.
          write: (lines) => {
            if (!this.#mayLeave()) throw this.#lose();
            journal.appendLines(lines);
            this.#lines += lines.toString();
          },
          mayLeave: () => this.#mayLeave(),
          onTime: this.#counts.onTime,
          onSecond: this.#counts.onSecond,
          onProgress: (progress) => {
            this.#progress = { ...progress };
          },
          onOpened: () => {
            this.#enter('opened');
            return this.#begun.promise;
          },
          onBegin: () => {},
          onEnd: () => {
            this.#enter('ended');
            return this.#closed.promise;
          },
          onInterrupted: ({ facts, lastNumber }) => {
            this.#soFar = { facts, lastNumber };
          },
        },
      );
      await this.#finish(played);
      return this.#isAbandoned ? 'abandoned' : 'done';
    } catch (error) {
      this.#lose();
      throw error;
    } finally {
      signal.removeEventListener('abort', onSignal);
      clearInterval(checking);
      await beating;
    }
  }

  /** Stores the rest and the result. @throws LeaseLost if the worker has lost the part */
  async #finish({ facts, lastNumber }: LoadPart): Promise<void> {
    this.#isFinished = true;
    this.#wake.abort();
    await this.#lastBeat.promise;
    this.#lost.signal.throwIfAborted();
    const result: PartResult = { facts, lastNumber };
    // An earlier attempt may have failed. Then its data must be stored first.
    if (this.#unsent) await this.#beat();
    await this.#beat(JSON.stringify(result));
  }

  /** Gives signs of life until the part is finished or lost. */
  async #beatUntilLost(): Promise<void> {
    try {
      while (!this.#isFinished && !this.#lost.signal.aborted) {
        await this.#beat();
        this.#wake = new AbortController();
        const pause = this.#isBeginKnown && this.#phase === 'opened' ? BEAT_MS : WAITING_BEAT_MS;
        if (!this.#isFinished)
          await sleep(pause, undefined, { signal: AbortSignal.any([this.#wake.signal, this.#lost.signal]) }).catch(
            () => {},
          );
      }
    } catch {
      this.#lose();
    } finally {
      this.#lastBeat.resolve();
    }
  }

  /** Stores the work since the last time, and follows the commands of the load. @throws LeaseLost */
  async #beat(result?: string): Promise<void> {
    this.#unsent ??= this.#take();
    const latest: Beat = { second: this.#unsent, phase: this.#phase, result };
    const { state, asked } = await this.#settings.store.untilDone(async (history) => {
      const at = { running: performance.now(), ofDay: Date.now() };
      return { state: await beat(history, this.#part, latest, PART_LEASE_MS), asked: at };
    }, this.#lost.signal);
    if (this.#unsent) this.#second += 1;
    this.#unsent = undefined;
    this.#until = { running: asked.running + PART_LEASE_MS, ofDay: asked.ofDay + PART_LEASE_MS };
    this.#follow(state);
  }

  #take(): Beat['second'] {
    const { seconds, byCall } = this.#counts.take();
    const journal = this.#lines;
    const progress = this.#progress;
    const soFar = this.#soFar;
    this.#lines = '';
    this.#progress = null;
    this.#soFar = undefined;
    // The first text also says where the journal is.
    if (this.#second > 0 && journal === '' && seconds.length === 0 && !progress && !soFar) return undefined;
    const writtenTo = { host: hostname(), file: this.#settings.journal.path };
    const content: PartSecond = { progress, seconds, byCall, journal, writtenTo, soFar };
    return { number: this.#second, content: compressedText(JSON.stringify(content)) };
  }

  #follow({ beginAt, isStopped, isClosed, isAlive }: LoadState): void {
    if (!isAlive) {
      this.#isAbandoned = true;
      this.#stop();
      return;
    }
    if (beginAt !== null && !this.#isBeginKnown) {
      this.#isBeginKnown = true;
      void sleep(Math.max(0, beginAt - this.#offset - localTime())).then(() => this.#begun.resolve());
    }
    if (isStopped) {
      this.#stopped.abort();
      this.#begun.resolve();
    }
    if (isClosed) this.#closed.resolve();
  }

  /** Ends the part early, without the other workers. */
  #stop(): void {
    this.#stopped.abort();
    this.#begun.resolve();
    this.#closed.resolve();
  }

  #enter(phase: Beat['phase']): void {
    this.#phase = phase;
    this.#wake.abort();
  }

  /**
   * True if calls may still leave: this machine still has its part of the load. Both clocks must be before the end of the lease.
   * The time of day is needed, because the other clock may stand still while the machine sleeps. The other clock is needed, because
   * the time of day can be set back.
   */
  #mayLeave(): boolean {
    const { running, ofDay } = this.#until;
    return !this.#lost.signal.aborted && performance.now() < running && Date.now() < ofDay;
  }

  #lose(): LeaseLost {
    const error = new LeaseLost('the lease of this part of the load has ended');
    this.#lost.abort(error);
    this.#stop();
    return error;
  }
}
