import { EXIT } from '../app/exit-status.ts';
import { shownPath } from '../app/files.ts';
import type { Stdio } from '../app/stdio.ts';
import { STOP_SIGNALS, type StopSignal } from '../journal/event.ts';
import { quoteWord } from '../report/curl.ts';

/** Two signals within this number of milliseconds count as one signal, because a person cannot press Ctrl-C twice so fast. */
const SAME_SIGNAL_MS = 100;

/** The handling of the stop signals while a command runs. */
export interface Interrupt {
  /** Aborted by the first signal. The reason is the name of that signal, such as SIGINT. */
  readonly signal: AbortSignal;
  /** Aborted by the second signal, if the command asked for it. */
  readonly atOnce: AbortSignal;
  /** Stops the handling. After that, a signal ends the process at once. */
  dispose(): void;
}

/**
 * Handles SIGINT, SIGTERM and SIGHUP. The first signal asks for an orderly end, and the second one ends the process at once. The
 * journal is complete up to that moment.
 *
 * @param notice the text to print at the first signal
 * @param atOnce returns the text to print at the second signal
 * @param hasReport true if the command writes its report even after the second signal. Then only the third signal ends the process
 */
export function listenForInterrupt(
  stdio: Stdio,
  notice: string,
  atOnce: () => string = () => 'Ended at once.\n',
  hasReport = false,
): Interrupt {
  const controller = new AbortController();
  const second = new AbortController();
  let last = 0;
  const onSignal = (name: StopSignal) => {
    if (controller.signal.aborted) {
      // A shell may send a signal to the process and to its group. The process then gets two signals for one request.
      if (performance.now() - last < SAME_SIGNAL_MS) return;
      if (!second.signal.aborted) stdio.err.write(atOnce());
      if (!hasReport || second.signal.aborted) process.exit(EXIT[name]);
      last = performance.now();
      second.abort(name);
      return;
    }
    last = performance.now();
    stdio.err.write(notice);
    controller.abort(name);
  };
  for (const name of STOP_SIGNALS) process.on(name, onSignal);
  return {
    signal: controller.signal,
    atOnce: second.signal,
    dispose: () => {
      for (const name of STOP_SIGNALS) process.off(name, onSignal);
    },
  };
}

/**
 * Returns the message for a run that is ended at once. The operator may then have bets that were not refunded, so the message names
 * `croupier settle`. It does not for the embedded operator, whose money ends with the process.
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
