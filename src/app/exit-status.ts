import { STOP_STATUSES, stopSignalOf } from '../journal/event.ts';

/** The exit statuses that several commands share. The verdict of a run decides the other statuses. */
export const EXIT = {
  /** The flags or files are wrong and nothing was sent, or a result file could not be written. */
  USAGE: 2,
  UNDECIDED: 3,
  /** croupier stopped because of a bug in its own code. */
  BUG: 70,
  ...STOP_STATUSES,
} as const;

/**
 * An error in the flags, the files or the configuration. It gives exit status 2, and nothing was sent. The message says
 * what to do, and may have several lines.
 */
export class UsageError extends Error {
  override readonly name = 'UsageError';
}

/**
 * The files do not contain enough to decide anything, for example because croupier can't read their format. It gives exit status 3.
 * The message says what to do.
 */
export class UndecidedError extends Error {
  override readonly name = 'UndecidedError';
}

/**
 * Returns the exit status after an interrupt.
 *
 * @param signal an aborted AbortSignal. Its reason is the name of the signal of the operating system, such as SIGINT
 */
export function interruptedStatus(signal: AbortSignal): number {
  return STOP_STATUSES[stopSignalOf(signal)];
}

/** The exit statuses from the most severe to the least severe. */
const ORDER: readonly number[] = [EXIT.BUG, EXIT.SIGINT, EXIT.SIGTERM, EXIT.SIGHUP, EXIT.USAGE, 1, EXIT.UNDECIDED, 0];

/** Returns the most severe of several exit statuses. For a command that did several things. */
export function worstStatus(statuses: readonly number[]): number {
  return ORDER.find((status) => statuses.includes(status)) ?? 0;
}
