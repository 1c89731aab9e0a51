import type { Progress } from '../app/run/play.ts';
import type { Sink } from '../app/stdio.ts';
import { cutTo } from '../report/terminal/layout.ts';

/** Shows the progress of a run. A terminal gets one line that is redrawn; other output gets a line every 10 s. */
export function startProgress(sink: Sink): Progress {
  let total = 0;
  let done = 0;
  let calls = 0;
  let failing = 0;
  let current = '';

  const line = startProgressLine(sink, () => {
    const parts = [`${done}/${total} scenarios`, `${calls} call${calls === 1 ? '' : 's'}`];
    if (failing > 0) parts.push(`${failing} failing`);
    if (current !== '') parts.push(current);
    return parts.join(' · ');
  });

  return {
    ...line,
    on: (event) => {
      if (event.event === 'run-started') total = event.scenarios.length;
      else if (event.event === 'sending') calls += 1;
      else if (event.event === 'scenario-started') current = event.scenario;
      else if (event.event === 'scenario-ended') {
        done += 1;
        if (event.verdict === 'fail') failing += 1;
      }
    },
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
