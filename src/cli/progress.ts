import type { Progress } from '../app/run/play.ts';
import type { Sink } from '../app/stdio.ts';
import type { JournalEvent } from '../journal/event.ts';
import { cutTo } from '../report/terminal/layout.ts';

/**
 * The progress shows the time left only if the run takes at least this time, in milliseconds. A shorter run needs no estimate.
 */
const ESTIMATED_RUN_MS = 20_000;
/** The time after which an estimate is possible, in milliseconds. */
const ESTIMATE_AFTER_MS = 3_000;
/** The share of the scenarios after which an estimate is possible. Before that, a few slow scenarios would change it too much. */
const ESTIMATE_AFTER_SHARE = 1 / 3;

/** Counts the events of a run, and writes its progress as one line of text. */
export class RunProgress {
  readonly #done = new Set<string>();
  readonly #failing = new Set<string>();
  #total = 0;
  #calls = 0;
  #current = '';
  /** The times at which the first and the latest scenario began, in milliseconds of the run's clock. */
  #firstMs: number | null = null;
  #latestMs = 0;
  /** The shown estimate of the time left, in milliseconds. It never rises. Null as long as no estimate is shown. */
  #leftMs: number | null = null;

  on(event: JournalEvent): void {
    if (event.event === 'run-started') this.#total = event.scenarios.length;
    else if (event.event === 'sending') this.#calls += 1;
    else if (event.event === 'scenario-started') {
      this.#current = event.scenario;
      this.#firstMs ??= event.at;
      this.#latestMs = event.at;
      this.#estimate();
    } else if (event.event === 'scenario-ended') {
      // A scenario ends once for each attempt, and only its last attempt counts.
      this.#done.add(event.scenario);
      if (event.verdict === 'fail') this.#failing.add(event.scenario);
      else this.#failing.delete(event.scenario);
    }
  }

  text(): string {
    const parts = [
      `${this.#done.size}/${this.#total} scenarios`,
      `${this.#calls} call${this.#calls === 1 ? '' : 's'}`,
      ...(this.#failing.size > 0 ? [`${this.#failing.size} failing`] : []),
      ...this.#timeLeft(),
      ...(this.#current === '' ? [] : [this.#current]),
    ];
    return parts.join(' · ');
  }

  /**
   * Estimates the rest of the run again. Assumes that each scenario takes as long as the average of the finished scenarios. Ignores
   * an estimate that is higher than the previous estimate, because the reader already expects an earlier end.
   */
  #estimate(): void {
    const passedMs = this.#latestMs - (this.#firstMs ?? this.#latestMs);
    const done = this.#done.size;
    if (passedMs < ESTIMATE_AFTER_MS || done === 0 || done < this.#total * ESTIMATE_AFTER_SHARE) return;
    const leftMs = (passedMs / done) * (this.#total - done);
    if (this.#leftMs === null && passedMs + leftMs < ESTIMATED_RUN_MS) return;
    this.#leftMs = Math.min(leftMs, this.#leftMs ?? leftMs);
  }

  #timeLeft(): readonly string[] {
    const leftMs = this.#leftMs;
    if (leftMs === null || this.#done.size >= this.#total) return [];
    // The estimate is rounded. With exact seconds, the shown value would change with each scenario, and would look more exact than
    // it is.
    return leftMs < 60_000
      ? [`about ${Math.ceil(leftMs / 5000) * 5} s left`]
      : [`about ${Math.ceil(leftMs / 60_000)} min left`];
  }
}

/**
 * Returns a function that shows the progress of a client. A terminal gets one line that is redrawn; other output gets a line
 * every 10 s. Clients that play in parallel share the line.
 */
export function progressOfClients(): (sink: Sink, name: string | undefined) => Progress {
  const playing = new Map<RunProgress, string>();
  let line: ProgressLine | undefined;
  return (sink, name) => {
    const progress = new RunProgress();
    playing.set(progress, name === undefined ? '' : `${name}: `);
    const text = (): string => [...playing].map(([one, prefix]) => `${prefix}${one.text()}`).join(' | ');
    line ??= startProgressLine(sink, text);
    const shown = line;
    return {
      on: (event) => progress.on(event),
      print: (lines) => shown.print(lines),
      end: () => {
        playing.delete(progress);
        if (playing.size > 0) return;
        shown.end();
        line = undefined;
      },
    };
  };
}

const PLAIN_MS = 10_000;
/**
 * Number of columns beside the text: for ora's symbol, the spaces after it, and one free column so that no terminal
 * wraps the line.
 */
const BESIDE = 4;

/** A line that shows progress. On a terminal it is redrawn; elsewhere it is written every 10 s. */
export interface ProgressLine {
  /** Writes lines above the progress line. */
  print(text: string): void;
  /** Removes the progress line. */
  end(): void;
}

/** Starts a progress line. @param text returns the current text of the line; empty if there is nothing to show yet */
export function startProgressLine(sink: Sink, text: () => string): ProgressLine {
  const { terminal } = sink;
  if (terminal === undefined) {
    const timer = setInterval(() => {
      const line = text();
      if (line !== '') sink.write(`${line}\n`);
    }, PLAIN_MS);
    timer.unref();
    return { print: (lines) => sink.write(lines), end: () => clearInterval(timer) };
  }
  const ending = new AbortController();
  void drawn(terminal, () => cutTo(text(), Math.max(sink.columns - BESIDE, 1)), ending.signal);
  // While ora draws its line, it moves any other text above the line.
  return { print: (lines) => sink.write(lines), end: () => ending.abort() };
}

async function drawn(terminal: NodeJS.WriteStream, text: () => string, signal: AbortSignal): Promise<void> {
  const { default: ora } = await import('ora');
  if (signal.aborted) return;
  const line = ora({
    stream: terminal,
    suffixText: text,
    color: false,
    isEnabled: true,
    // ora must not read the keys, because --watch reads them. It must not hide the cursor, because a killed run could
    // not show it again.
    discardStdin: false,
    hideCursor: false,
  }).start();
  signal.addEventListener('abort', () => line.stop(), { once: true });
}
