import { EXIT } from '../app/exit-status.ts';
import { shownPath } from '../app/files.ts';
import type { Stdio } from '../app/stdio.ts';
import { quoteWord } from '../report/curl.ts';

type Signal = 'SIGINT' | 'SIGTERM';

/** Signals with a shorter gap count as one, because a person cannot type faster. */
const SAME_SIGNAL_MS = 100;

/** The handling of SIGINT and SIGTERM while a command runs. */
export interface Interrupt {
  /** Aborted by the first signal, with the signal's name as its reason. */
  readonly signal: AbortSignal;
  /** Stops the handling: signals end the process again. */
  dispose(): void;
}

/**
 * The first SIGINT or SIGTERM asks for an orderly end, the second one ends the process at once. The journal is complete up to
 * that moment.
 *
 * @param notice printed at the first signal
 * @param atOnce gives the text that is printed at the second one
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
      // A shell or a supervisor may signal the process and its group: two signals, but one request.
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
 * The message for a run that is ended at once. It may leave money unsettled, except at the embedded operator, whose money ends
 * with the process.
 *
 * @param journal the latest journal; undefined: there is none
 */
export function endedAtOnce(
  journal: string | undefined,
  { isEmbedded, stdio }: { readonly isEmbedded: boolean; readonly stdio: Stdio },
): string {
  if (journal === undefined) return 'Ended at once, before anything was sent.\n';
  const file = quoteWord(shownPath(journal, stdio.cwd));
  return `Ended at once. ${isEmbedded ? 'Journal:' : 'To settle what the run still owes: croupier settle'} ${file}\n`;
}

/** Resolves when the signal is aborted. */
export function untilAborted(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve();
    else signal.addEventListener('abort', () => resolve(), { once: true });
  });
}
