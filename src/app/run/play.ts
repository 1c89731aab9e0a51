import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { rmSync } from 'node:fs';
import { LaterEvents } from '../../engine/run/later-events.ts';
import { run } from '../../engine/run/run.ts';
import { runStarted } from '../../engine/run/run-started.ts';
import type { RunOptions } from '../../engine/run-options.ts';
import { conclude } from '../../journal/conclusion.ts';
import { type JournalEvent, type Sending, type StopSignal, stopSignalOf } from '../../journal/event.ts';
import type { Finding } from '../../journal/finding.ts';
import { type Fold, foldJournal, startFold } from '../../journal/fold.ts';
import { CallsInFlight } from '../../journal/network/calls-in-flight.ts';
import { readJournal } from '../../journal/read.ts';
import type { OpenJournal } from '../../report/options.ts';
import { processNow } from '../../wire/clock.ts';
import { notices, openJournal, textOfFile, thisProcess } from '../journal-files.ts';
import type { HeldLocks } from '../lock/held-locks.ts';
import type { LockSettings } from '../lock/lock-folder.ts';
import { lockPlayers } from '../lock/player-locks.ts';
import { PlayersInUse } from '../lock/players-in-use.ts';
import type { Stdio } from '../stdio.ts';
import { pauseNotices } from './pause-notice.ts';

/** Shows the progress of a run to a person. */
export interface Progress {
  on(event: JournalEvent): void;
  /** Writes lines above the progress line. */
  print(text: string): void;
  /** Removes the progress line. */
  end(): void;
}

/** A progress display that shows nothing. */
export const SILENT: Progress = { on: () => {}, print: () => {}, end: () => {} };

/** The run of one client, and what happens to its events. */
export interface Play {
  readonly options: Omit<RunOptions, 'record' | 'uuid' | 'now'>;
  /** If this signal is aborted, the run ends at once. The journal then has no end event, as after a kill. */
  readonly atOnce?: AbortSignal;
  /** The path of the journal; undefined for a new file in .croupier/ of the working directory. */
  readonly journal: string | undefined;
  readonly stdio: Pick<Stdio, 'cwd' | 'err'>;
  /** The settings of the locks, and the name of this command. Other commands that wait for the players print this name. */
  readonly lock: LockSettings & { readonly command: string };
  readonly scrub: (text: string) => string;
  readonly progress: Progress;
  /**
   * Is called with the run so far when `options.signal` interrupts the run. The caller of croupier may kill it before the run has
   * sent everything that it owes.
   */
  readonly onInterrupted?: ((soFar: RunSoFar) => Promise<void>) | undefined;
  /** Is called with the path of the journal before the first call is sent. */
  readonly onJournal?: (file: string) => void;
  /** Is called after each exchange; undefined unless `--verbose` is given. */
  readonly onExchange: ((sending: Sending, received: Extract<JournalEvent, { event: 'received' }>) => void) | undefined;
  /** Is called with each finding, after the exchange of the finding; undefined unless `--verbose` is given. */
  readonly onFinding?: ((finding: Finding) => void) | undefined;
}

/** A run with its journal and its result at one moment. */
export interface RunSoFar {
  readonly journal: string;
  readonly open: OpenJournal;
  readonly fold: Fold;
}

/** A finished run with its journal and its result. */
export interface Played extends RunSoFar {
  readonly status: number;
  /** The error that stopped the engine; undefined if no error did. The events before the error still count. */
  readonly failure: unknown;
}

/**
 * Judges one client and writes the journal.
 *
 * @throws UsageError when the journal can't be created, before any call is sent
 * @throws the error of the engine when the run could not begin
 */
export async function play({
  options,
  atOnce,
  journal,
  stdio,
  lock,
  scrub,
  progress,
  onInterrupted,
  onJournal,
  onExchange,
  onFinding,
}: Play): Promise<Played> {
  const written = openJournal(journal, lock.command, { cwd: stdio.cwd, scrub });
  const file = written.path;
  onJournal?.(file);
  const folding = startFold();
  const later = new LaterEvents((event) => folding.add(event));
  const inFlight = new CallsInFlight<Sending>();
  const found = new Map<string, readonly Finding[]>();
  let begun = false;
  let eventCount = 0;
  const pauseNotice = pauseNotices();
  const record = (given: JournalEvent) => {
    // After the run was cut off, nothing is written to the journal any more. The engine records each call before it sends the call.
    // So with this error, the engine sends no call that is not in the journal.
    if (atOnce?.aborted === true) throw new Error('the run was cut off');
    const event = given.event === 'run-started' ? { ...given, process: thisProcess() } : given;
    // The call after a reply needs its own event in the journal. So both events are written at once.
    if (event.event === 'received') written.appendSoon(event);
    else written.append(event);
    eventCount += 1;
    later.add(event);
    progress.on(event);
    if (event.event === 'run-started') {
      begun = true;
      for (const text of notices(options.client)) record({ event: 'notice', text });
    }
    const pause = pauseNotice(event);
    if (pause !== undefined) record(pause);
    if (!onExchange) return;
    if (event.event === 'sending') inFlight.set(event.id, event);
    else if (event.event === 'received') {
      const sending = inFlight.take(event.id);
      if (sending) onExchange(sending, event);
      for (const finding of found.get(event.id) ?? []) onFinding?.(finding);
      found.delete(event.id);
    } else if (event.event === 'finding') {
      const { finding } = event;
      const { exchange } = finding;
      // The engine judges a reply before it records the end of the exchange. So the finding is kept until this end is recorded.
      if (exchange !== null && inFlight.has(exchange)) found.set(exchange, [...(found.get(exchange) ?? []), finding]);
      else onFinding?.(finding);
    }
  };
  let failure: unknown;
  let locks: HeldLocks | undefined;
  let interrupted = Promise.resolve();
  const { client, signal } = options;
  const onInterruption = (): void => {
    if (!begun || !onInterrupted) return;
    written.flush();
    const soFar = readSoFar(file, eventCount, stopSignalOf(signal));
    // If somebody has removed the journal, only the reports of the finished run are written.
    interrupted = soFar.then(onInterrupted).catch(() => undefined);
  };
  signal.addEventListener('abort', onInterruption, { once: true });
  try {
    locks = await lockPlayers({ client, signal, command: lock.command, journal: file, stdio }, lock);
    const running = run({ ...options, record, uuid: randomUUID, now: processNow });
    await (atOnce ? Promise.race([running, once(atOnce, 'abort')]) : running);
  } catch (error) {
    if (error instanceof PlayersInUse) recordInUse(error, options, record);
    // If the run was ended at once, an error of the engine only results from this, so the error is ignored.
    else if (atOnce?.aborted !== true) failure = error;
  } finally {
    signal.removeEventListener('abort', onInterruption);
    // The reports of the finished run replace the reports of the run so far, so they must be written after them.
    await interrupted;
    try {
      if (written.close())
        progress.print('Somebody removed the journal during the run, so croupier has restored it.\n');
    } catch (error) {
      failure ??= error;
    }
    // The journal is closed first: as soon as `settle` has the players, it writes to the journal.
    locks?.release();
    progress.end();
  }
  if (!begun) {
    rmSync(file, { force: true });
    throw failure ?? new Error('the run ended before its first event was written');
  }
  later.flush();
  const fold = folding.result();
  return {
    journal: file,
    open: () => readJournal(textOfFile(file)),
    fold,
    status: conclude(fold).exitCode,
    failure,
  };
}

/**
 * Reads the first events of a journal that is still written.
 *
 * @param count the number of these events
 * @param stopping the signal that has interrupted the run
 */
async function readSoFar(journal: string, count: number, stopping: StopSignal): Promise<RunSoFar> {
  const open = () => firstOf(readJournal(textOfFile(journal)), count);
  return { journal, open, fold: { ...(await foldJournal(open())), stopping } };
}

async function* firstOf<One>(all: AsyncIterable<One>, count: number): AsyncGenerator<One> {
  let taken = 0;
  for await (const one of all) {
    yield one;
    taken += 1;
    if (taken >= count) return;
  }
}

/**
 * Records a run that could not begin because another command uses its players, or that was interrupted while it waited for them.
 */
function recordInUse({ message }: PlayersInUse, options: Play['options'], record: (event: JournalEvent) => void): void {
  record(runStarted({ ...options, uuid: randomUUID }));
  record(
    options.signal.aborted
      ? { event: 'run-ended', how: 'interrupted', signal: stopSignalOf(options.signal), detail: message, durationMs: 0 }
      : { event: 'run-ended', how: 'in-use', signal: null, detail: message, durationMs: 0 },
  );
}
