import type { Stdio } from './stdio.ts';

type Signal = 'SIGINT' | 'SIGTERM';

/** The conventional statuses: 128 and the signal's number. */
const STATUS: Readonly<Record<Signal, number>> = { SIGINT: 130, SIGTERM: 143 };

/** Signals that are this close together are one: closer than anybody types. */
const SAME_WISH_MS = 100;

export interface Interrupt {
  /** Aborted with the signal's name as its reason. */
  readonly signal: AbortSignal;
  /** Signals end the process again as usual. */
  dispose(): void;
}

/**
 * The first SIGINT or SIGTERM asks for a neat end, the second ends at once; what the journal has by then is in the file.
 *
 * @param lastWords what is said at the second
 */
export function listenForInterrupt(
  stdio: Stdio,
  notice: string,
  lastWords: () => string = () => 'Ended at once.\n',
): Interrupt {
  const controller = new AbortController();
  let first = 0;
  const onSignal = (name: Signal) => {
    if (controller.signal.aborted) {
      // A shell or a supervisor signals the process and its group: the same wish, twice.
      if (performance.now() - first < SAME_WISH_MS) return;
      stdio.err.write(lastWords());
      process.exit(STATUS[name]);
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
