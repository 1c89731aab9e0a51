import type { Progress } from '../app/run/play.ts';
import type { Sink } from '../app/stdio.ts';
import { cutTo } from '../report/terminal/layout.ts';

/** Shows the progress of a run: on a terminal one line that is redrawn, elsewhere a line every 10 s. */
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
/** Columns for ora's symbol and the blanks behind it, and a free one so that no terminal breaks the line. */
const BESIDE = 4;

/** A line that shows progress: on a terminal ora redraws it, elsewhere it is written every 10 s. */
export interface ProgressLine {
  /** Writes lines above it. */
  print(text: string): void;
  /** Removes it. */
  end(): void;
}

/** @param text gives the text each time the line is drawn; empty: nothing is written yet */
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
  // Text that is written while ora draws appears above its line.
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
    // --watch reads the keys itself. A killed run must leave the cursor visible.
    discardStdin: false,
    hideCursor: false,
  }).start();
  signal.addEventListener('abort', () => line.stop(), { once: true });
}
