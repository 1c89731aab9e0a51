/** How often a call is made again that the operator is too busy for. */
export const RETRIES = 3;

/** The pause before the first retry, in ms; before each further one it is twice as long. */
export function firstRetryMs(deadlineMs: number): number {
  return deadlineMs * 0.02;
}
