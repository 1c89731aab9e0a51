/** The exit statuses that several commands share. The status of a run comes from its conclusion. */
export const EXIT = {
  /** Wrong flags or files, or a file that cannot be written: nothing was sent, or a result is missing. */
  USAGE: 2,
  UNDECIDED: 3,
  /** A bug of croupier. */
  BUG: 70,
  /** 128 and the number of the signal. */
  SIGINT: 130,
  SIGTERM: 143,
} as const;

/**
 * The flags, the files or the configuration are wrong: exit status 2, and nothing was sent. The message says what to do. It
 * may have several lines.
 */
export class UsageError extends Error {
  override readonly name = 'UsageError';
}

/** The status after an interrupt. @param signal aborted with the name of the signal as its reason */
export function interruptedStatus({ reason }: AbortSignal): number {
  return reason === 'SIGTERM' ? EXIT.SIGTERM : EXIT.SIGINT;
}

/** The most severe first. */
const ORDER: readonly number[] = [EXIT.BUG, EXIT.SIGINT, EXIT.SIGTERM, EXIT.USAGE, 1, EXIT.UNDECIDED, 0];

/** The exit status of a command that did several things, each with its own status. */
export function worstStatus(statuses: readonly number[]): number {
  return ORDER.find((status) => statuses.includes(status)) ?? 0;
}
