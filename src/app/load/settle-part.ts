import { randomUUID } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import { hostname } from 'node:os';
import { AfterRun } from '../../engine/after/after-run.ts';
import { settleRun } from '../../engine/after/settle.ts';
import type { JournalFile } from '../../engine/run/journal-file.ts';
import type { ClientUnderTest } from '../../engine/run-options.ts';
import { compressedText } from '../../history/compression.ts';
import { LeaseLost } from '../../history/lease-lost.ts';
import { beat, endSettlement, type HeldPart, secondsAfter } from '../../history/loads.ts';
import type { JournalEvent, RunStarted } from '../../journal/event.ts';
import { eventProblem } from '../../journal/event-schema.ts';
import { readJournal } from '../../journal/read.ts';
import { renumbered } from '../../journal/renumbered.ts';
import { processNow } from '../../wire/clock.ts';
import type { JobStore } from '../history/job-store.ts';
import type { RunSettings } from '../run/settings.ts';
import type { PartOrder, PartSecond } from './part-content.ts';
import { BEAT_MS, PART_LEASE_MS } from './part-player.ts';
import { TimeCounts } from './time-counts.ts';

/** Time limit for the calls that a vanished worker owes, in ms. */
const TIME_MS = 60_000;
/** The calls of each settlement have numbers of their own, because one journal gets the settlements of all parts. */
const NUMBERS_OF_A_PART = 1_000_000;

interface SettlementSettings {
  readonly store: JobStore;
  readonly client: ClientUnderTest;
  readonly settings: RunSettings;
  readonly started: RunStarted;
  /** The journal of this worker. It has only the first event yet. */
  readonly journal: JournalFile;
  readonly signal: AbortSignal;
}

/**
 * Settles the players of a worker that has vanished, as `croupier settle` does: refunds their bets without a reply, sends their wins
 * again, completes their rounds and restores their balances.
 *
 * @returns true if nothing is owed any more
 * @throws LeaseLost if another worker has taken the settlement
 */
export async function settlePart(part: HeldPart, given: SettlementSettings): Promise<boolean> {
  const { store, client, settings, started, journal, signal } = given;
  const texts = await store.untilDone((history) => secondsAfter(history, part.id, -1), signal);
  const seconds = texts.map((one) => JSON.parse(one) as PartSecond);
  const stored = seconds.map((one) => one.journal).join('');
  const later = linesAfter(stored, seconds[0]?.writtenTo);
  const text = stored + (later ?? '');
  journal.appendLines(text);
  const afterRun = new AfterRun({ signedRight: () => true });
  for await (const event of readJournal([`${JSON.stringify(started)}\n${text}`], eventProblem)) afterRun.add(event);

  const sender = new SettlementSender(part, given, seconds.length, later ?? '');
  const beating = setInterval(() => void sender.send().catch(() => {}), BEAT_MS);
  try {
    const { deadlineMs, lingerMs } = JSON.parse(part.content) as PartOrder;
    const settled = await settleRun({
      ...settings,
      deadlineMs,
      lingerMs,
      client,
      afterRun,
      isCutOff: later === undefined,
      unanswered: afterRun.giveUp('the worker ended before an answer came'),
      timeMs: TIME_MS,
      record: (event) => {
        journal.append(event);
        sender.add(renumbered(event, { exchanges: (part.number + 1) * NUMBERS_OF_A_PART, connections: 0, ms: 0 }));
      },
      signal: AbortSignal.any([signal, sender.lost]),
      gate: { pass: () => sender.send(), check: () => sender.lost.throwIfAborted() },
      uuid: randomUUID,
      now: processNow,
    });
    await sender.send();
    const isSettled = settled.every(({ done }) => done);
    await store.untilDone((history) => endSettlement(history, part, isSettled), signal);
    return isSettled;
  } finally {
    clearInterval(beating);
  }
}

/**
 * Returns the lines that the vanished worker has written to its journal, but not to the database any more. Undefined if its journal
 * can't be read, because it is on another machine.
 */
function linesAfter(stored: string, place: PartSecond['writtenTo'] | undefined): string | undefined {
  if (place?.host !== hostname() || !existsSync(place.file)) return undefined;
  const written = readFileSync(place.file, 'utf8');
  const lines = written.slice(written.indexOf('\n') + 1, written.lastIndexOf('\n') + 1);
  return lines.startsWith(stored) ? lines.slice(stored.length) : undefined;
}

/** Stores the events of a settlement in the database, and keeps the lease. */
class SettlementSender {
  readonly #part: HeldPart;
  readonly #store: JobStore;
  readonly #journal: JournalFile;
  readonly #lost = new AbortController();
  #number: number;
  #lines: string;
  #sending: Promise<void> = Promise.resolve();

  /** @param number the number of the next text of the part @param lines lines that the database does not have yet */
  constructor(part: HeldPart, { store, journal }: SettlementSettings, number: number, lines: string) {
    this.#part = part;
    this.#store = store;
    this.#journal = journal;
    this.#number = number;
    this.#lines = lines;
  }

  /** Aborted when another worker has the settlement. */
  get lost(): AbortSignal {
    return this.#lost.signal;
  }

  add(event: JournalEvent): void {
    this.#lines += `${JSON.stringify(event)}\n`;
  }

  /** Stores all events so far, and renews the lease. @throws LeaseLost */
  send(): Promise<void> {
    const sent = this.#sending.then(() => this.#sendNow());
    this.#sending = sent.catch(() => {});
    return sent;
  }

  async #sendNow(): Promise<void> {
    this.lost.throwIfAborted();
    const lines = this.#lines;
    this.#lines = '';
    const content: PartSecond = {
      ...new TimeCounts().take(),
      progress: null,
      journal: lines,
      writtenTo: { host: hostname(), file: this.#journal.path },
    };
    const second =
      lines === '' ? undefined : { number: this.#number, content: compressedText(JSON.stringify(content)) };
    try {
      await this.#store.untilDone(
        (history) => beat(history, this.#part, { second, phase: 'ended' }, PART_LEASE_MS),
        AbortSignal.timeout(PART_LEASE_MS),
      );
    } catch (error) {
      this.#lost.abort(error instanceof LeaseLost ? error : new LeaseLost('the lease of this settlement has ended'));
      throw error;
    }
    if (second) this.#number += 1;
  }
}
