import type { JournalEvent } from '../journal/event.ts';
import type { Sink } from './stdio.ts';

/** Shows how far a run is. On a terminal one line that is drawn anew, elsewhere a line now and then. */
export interface Progress {
  on(event: JournalEvent): void;
  /** Writes lines above the progress line. */
  print(text: string): void;
  /** Takes the progress line away. */
  end(): void;
}

export const SILENT: Progress = { on: () => {}, print: () => {}, end: () => {} };

const FRAME_MS = 80;
const PLAIN_MS = 10_000;
const FRAMES = '⠋⠙⠹⠸⠼⠴⠦⠧⠇⠏';
const CLEAR_LINE = '\r\u001B[2K';

export function startProgress(sink: Sink): Progress {
  let total = 0;
  let done = 0;
  let calls = 0;
  let failing = 0;
  let current = '';
  let frame = 0;
  let shown = false;

  const summary = () => {
    const parts = [`${done}/${total} scenarios`, `${calls} call${calls === 1 ? '' : 's'}`];
    if (failing > 0) parts.push(`${failing} failing`);
    if (current !== '') parts.push(current);
    return parts.join(' · ');
  };
  const clear = () => {
    if (shown) sink.write(CLEAR_LINE);
    shown = false;
  };
  const draw = () => {
    frame = (frame + 1) % FRAMES.length;
    // One column is left free, so that no terminal wraps the line and leaves half of it behind.
    const line = `${FRAMES[frame]} ${summary()}`.slice(0, sink.columns - 1);
    sink.write(`${CLEAR_LINE}${line}`);
    shown = true;
  };
  const timer = setInterval(sink.tty ? draw : () => sink.write(`${summary()}\n`), sink.tty ? FRAME_MS : PLAIN_MS);
  timer.unref();

  return {
    on: (event) => {
      if (event.event === 'run-started') total = event.scenarios.length;
      else if (event.event === 'sending') calls += 1;
      else if (event.event === 'scenario-started') current = event.scenario;
      else if (event.event === 'scenario-ended') {
        done += 1;
        if (event.verdict === 'fail') failing += 1;
      }
    },
    print: (text) => {
      clear();
      sink.write(text);
    },
    end: () => {
      clearInterval(timer);
      clear();
    },
  };
}
