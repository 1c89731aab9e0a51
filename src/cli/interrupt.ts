import { EXIT } from '../app/exit-status.ts';
import { shownPath } from '../app/files.ts';
import type { Stdio } from '../app/stdio.ts';
import { quoteWord } from '../report/curl.ts';

type Signal = 'SIGINT' | 'SIGTERM';

/** Two signals within this number of milliseconds count as one, because a person cannot press Ctrl-C twice so fast. */
const SAME_SIGNAL_MS = 100;

/** The handling of SIGINT and SIGTERM while a command runs. */
export interface Interrupt {
  /** Aborted by the first signal. The reason is the name of the system's signal. */
  readonly signal: AbortSignal;
  /** Stops the handling. From then on, a signal ends the process at once. */
  dispose(): void;
}

/**
 * Handles SIGINT and SIGTERM. The first signal asks for an orderly end, and the second one ends the process at once.
 * The journal is complete up to that moment.
 *
 * @param notice the text to print at the first signal
 * @param atOnce returns the text to print at the second signal
 */
export function listenForInterrupt(
  stdio: Stdio,
  notice: string,
  atOnce: () => string = () => 'Ended at once.\n',
): Interrupt {
  const controller = new AbortController();
  let first = 0;
  const onSignal = (name: Signal) => {
    if (controller.signal.aborted) {
      // A shell may send a signal to the process and to its group. The process then gets two signals for one request.
      if (performance.now() - first < SAME_SIGNAL_MS) return;
      stdio.err.write(atOnce());
      process.exit(EXIT[name]);
    }
    first = performance.now();
    stdio.err.write(notice);
    controller.abort(name);
  };
  process.on('SIGINT', onSignal);
  process.on('SIGTERM', onSignal);
  return {
    signal: controller.signal,
    dispose: () => {
      process.off('SIGINT', onSignal);
      process.off('SIGTERM', onSignal);
    },
  };
}

/**
 * Returns the message for a run that is ended at once. An operator may then have bets that were not refunded, so the
 * message names `croupier settle`. The money of the embedded operator ends with the process.
 *
 * @param journal the path of the latest journal; undefined if there is none
 */
export function endedAtOnce(
  journal: string | undefined,
  { isEmbedded, stdio }: { readonly isEmbedded: boolean; readonly stdio: Stdio },
): string {
  if (journal === undefined) return 'Ended at once, before anything was sent.\n';
  const file = quoteWord(shownPath(journal, stdio.cwd));
  return `Ended at once. ${isEmbedded ? 'Journal:' : 'To settle what the run still owes: croupier settle'} ${file}\n`;
}

/** Returns a promise that resolves when the signal is aborted. */
export function untilAborted(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve();
    else signal.addEventListener('abort', () => resolve(), { once: true });
  });
}
