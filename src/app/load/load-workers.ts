import type { RecordableHistogram } from 'node:perf_hooks';
import type { Worker } from 'node:worker_threads';
import { UnwritableJournal } from '../../engine/run/journal-file.ts';
import { JoinedSeconds, type LoadPart } from '../../load/joined-facts.ts';
import type { LoadProgress, LoadWallet } from '../../load/load.ts';
import type { SecondOfTest } from '../../load/measures.ts';
import { sharesOf } from '../../load/shares.ts';
import type { LoadHooks, LoadOrder } from './load-part.ts';

/** The order to a worker to play its share. */
export interface WorkerOrder {
  readonly order: LoadOrder;
  /** The path of the journal, to which all workers write. */
  readonly journalPath: string;
  /** The texts that must not be written to the journal. */
  readonly secrets: readonly string[];
}

/** A message from a worker. */
export type FromWorker =
  /** The opening balances are known. */
  | { readonly kind: 'opened' }
  | { readonly kind: 'progress'; readonly progress: LoadProgress }
  | { readonly kind: 'second'; readonly second: SecondOfTest; readonly responses: RecordableHistogram }
  /** The load has ended. The worker waits for `close`. */
  | { readonly kind: 'ended' }
  | { readonly kind: 'done'; readonly part: LoadPart }
  /** The result at the moment at which the load was stopped early. */
  | { readonly kind: 'interrupted'; readonly part: LoadPart }
  /** The journal can't be written any more. */
  | { readonly kind: 'unwritable'; readonly message: string; readonly code: string | undefined };

/** A message to a worker. */
export type ToWorker =
  /** The load begins at this time, in milliseconds since 1970. */
  | { readonly kind: 'begin'; readonly atEpochMs: number }
  /** Ends the load early. */
  | { readonly kind: 'stop' }
  /** The worker may complete its rounds. */
  | { readonly kind: 'close' };

/** A worker that ended before its result. */
export interface LostWorker {
  readonly wallets: readonly LoadWallet[];
  readonly reason: string;
  /**
   * The result if another worker has tried to settle the players of this worker: true if it has settled them, and false if it could
   * not. Absent: nobody has tried.
   */
  readonly isSettled?: boolean;
}

export interface WorkersEnd {
  readonly parts: readonly LoadPart[];
  readonly lost: readonly LostWorker[];
  readonly seconds: readonly SecondOfTest[];
}

export interface WorkersSettings extends Pick<LoadHooks, 'signal' | 'onProgress' | 'onBegin' | 'onEnd'> {
  /** Is called when `signal` is aborted, with the results so far of the workers that still run. */
  readonly onInterrupted: (parts: readonly LoadPart[], seconds: readonly SecondOfTest[]) => void;
  readonly count: number;
  readonly start: (order: WorkerOrder) => Worker;
  readonly journalPath: string;
  readonly secrets: readonly string[];
}

/** Time from the message to the workers until the load begins, in milliseconds. All workers must have the message by then. */
const START_MS = 50;

/**
 * Plays a load in several threads. Each thread has its own players, and they share nothing but the moment at which the load begins.
 * If a thread ends before its result, the other threads continue.
 *
 * @throws UnwritableJournal if a thread can't write the journal
 */
export async function playInWorkers(order: LoadOrder, settings: WorkersSettings): Promise<WorkersEnd> {
  const { count, signal, onBegin, onEnd } = settings;
  const shares = sharesOf(order.wallets, order.arrivals, count);
  const joined = new JoinedSeconds(count);
  const progress = new JoinedProgress(settings.onProgress);
  const threads = shares.map(
    (share, at) =>
      new LoadThread(
        settings.start({
          order: {
            ...order,
            ...share,
            // Numbers of the calls: the first worker has the numbers 1, 1 + count, 1 + 2 * count and so on.
            numbers: { after: order.numbers.after + at + 1 - count, step: count },
          },
          journalPath: settings.journalPath,
          secrets: settings.secrets,
        }),
        {
          onProgress: (state) => progress.add(at, state),
          onSecond: (second, responses) => joined.add(second, responses),
          journalPath: settings.journalPath,
        },
      ),
  );
  const tellAll = (message: ToWorker): void => {
    for (const thread of threads) thread.tell(message);
  };
  const stop = (): void => {
    tellAll({ kind: 'stop' });
    void Promise.all(threads.map(({ interrupted }) => interrupted)).then((parts) =>
      settings.onInterrupted(
        parts.filter((part) => part !== undefined),
        joined.seconds,
      ),
    );
  };
  try {
    signal.addEventListener('abort', stop, { once: true });
    if (signal.aborted) stop();
    await Promise.all(threads.map(({ opened }) => opened));
    if (!signal.aborted) onBegin();
    tellAll({ kind: 'begin', atEpochMs: performance.timeOrigin + performance.now() + START_MS });
    await Promise.all(threads.map(({ ended }) => ended));
    await onEnd();
    tellAll({ kind: 'close' });
    const results = await Promise.all(threads.map(({ done }) => done));
    joined.end();
    return {
      parts: results.flatMap((result) => ('part' in result ? [result.part] : [])),
      lost: results.flatMap((result, at) =>
        'reason' in result ? [{ wallets: shares[at]?.wallets ?? [], reason: result.reason }] : [],
      ),
      seconds: joined.seconds,
    };
  } finally {
    signal.removeEventListener('abort', stop);
    await Promise.all(threads.map((thread) => thread.close()));
  }
}

type ThreadResult = { readonly part: LoadPart } | { readonly reason: string };

interface ThreadListener {
  readonly onProgress: (progress: LoadProgress) => void;
  readonly onSecond: (second: SecondOfTest, responses: RecordableHistogram) => void;
  readonly journalPath: string;
}

/** One thread. If a thread has ended, it counts as opened and ended. So the other threads need not wait for it. */
class LoadThread {
  readonly opened: Promise<void>;
  readonly ended: Promise<void>;
  readonly done: Promise<ThreadResult>;
  /** The result at the moment at which the load was stopped early. Undefined if the thread ended before. */
  readonly interrupted: Promise<LoadPart | undefined>;
  readonly #worker: Worker;

  constructor(worker: Worker, { onProgress, onSecond, journalPath }: ThreadListener) {
    this.#worker = worker;
    const [opened, ended, done] = [
      Promise.withResolvers<void>(),
      Promise.withResolvers<void>(),
      Promise.withResolvers<ThreadResult>(),
    ];
    const interrupted = Promise.withResolvers<LoadPart | undefined>();
    this.interrupted = interrupted.promise;
    this.opened = opened.promise;
    this.ended = ended.promise;
    this.done = done.promise;
    // The caller may still wait for another promise when one of these promises is rejected. Without this line, Node would then end
    // the process.
    for (const promise of [this.opened, this.ended, this.done]) promise.catch(() => {});
    const lose = (reason: string): void => {
      done.resolve({ reason });
      opened.resolve();
      ended.resolve();
      interrupted.resolve(undefined);
    };
    worker.on('error', (error) => lose(error instanceof Error ? error.message : String(error)));
    worker.on('exit', (status) => lose(`its thread ended with status ${status}`));
    worker.on('message', (message: FromWorker) => {
      switch (message.kind) {
        case 'opened':
          opened.resolve();
          break;
        case 'progress':
          onProgress(message.progress);
          break;
        case 'second':
          onSecond(message.second, message.responses);
          break;
        case 'ended':
          ended.resolve();
          break;
        case 'done':
          done.resolve({ part: message.part });
          break;
        case 'interrupted':
          interrupted.resolve(message.part);
          break;
        case 'unwritable': {
          const cause = Object.assign(new Error(message.message), { code: message.code });
          const failure = new UnwritableJournal(journalPath, cause);
          for (const { reject } of [opened, ended, done]) reject(failure);
          break;
        }
      }
    });
  }

  tell(message: ToWorker): void {
    this.#worker.postMessage(message);
  }

  async close(): Promise<void> {
    await this.#worker.terminate();
  }
}

/** Joins the progress of several workers for the live line. */
export class JoinedProgress {
  readonly #latest = new Map<number, LoadProgress>();
  readonly #onProgress: (progress: LoadProgress) => void;

  constructor(onProgress: (progress: LoadProgress) => void) {
    this.#onProgress = onProgress;
  }

  add(worker: number, progress: LoadProgress): void {
    this.#latest.set(worker, progress);
    const all = [...this.#latest.values()];
    const sum = (numberOf: (one: LoadProgress) => number): number =>
      all.reduce((total, one) => total + numberOf(one), 0);
    const highest = all.map(({ last }) => last?.p99 ?? null).filter((p99) => p99 !== null);
    this.#onProgress({
      phase: progress.phase,
      elapsedMs: progress.elapsedMs,
      asked: progress.asked === null ? null : sum(({ asked }) => asked ?? 0),
      errors: sum(({ errors }) => errors),
      moneyProblems: sum(({ moneyProblems }) => moneyProblems),
      last: progress.last && {
        sent: sum(({ last }) => last?.sent ?? 0),
        p99: highest.length > 0 ? Math.max(...highest) : null,
      },
    });
  }
}
