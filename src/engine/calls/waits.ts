import { setTimeout as sleep } from 'node:timers/promises';
import type { Exchange } from '../../journal/exchange.ts';
import { retryAfterMs } from '../../journal/network/rate-limit.ts';

/**
 * Waits for the given time, so that findings are reliable. The first Ctrl-C does not end this wait. A second one ends the whole
 * process at once.
 */
export async function pause(ms: number): Promise<void> {
  // A timer may fire a millisecond early. Then a read after the pause might come too early to prove anything.
  const until = performance.now() + ms;
  for (let restMs = ms; restMs > 0; restMs = until - performance.now()) await sleep(Math.ceil(restMs));
}

/** Waits for the given time because the scenario asks for it. Ends early if the run is interrupted. */
export async function idle(ms: number, signal: AbortSignal): Promise<void> {
  if (ms <= 0 || signal.aborted) return;
  await sleep(ms, undefined, { signal }).catch((error: unknown) => {
    if (!signal.aborted) throw error;
  });
}

/** Maximum number of attempts at a scenario, if temporary errors leave it undecided. */
export const MAX_ATTEMPTS = 3;

/** Maximum number of retries of a call that the operator answers with "too busy". */
export const RETRIES = 3;

/** Returns the pause before the first retry, in milliseconds. The pause doubles before each further retry. */
export function firstRetryMs(deadlineMs: number): number {
  return deadlineMs * 0.02;
}

/**
 * Returns the pause in milliseconds before croupier sends a call again that was answered 429 or 503. This is the time that the
 * reply names in `Retry-After` (RFC 9110, 10.2.3), but at most the deadline. Without this header, each pause is twice as long as
 * the pause before.
 *
 * @param retry the number of earlier retries
 */
export function busyPauseMs({ outcome }: Exchange, retry: number, deadlineMs: number): number {
  const namedMs = outcome.kind === 'reply' ? (retryAfterMs(outcome.reply.headers) ?? 0) : 0;
  return Math.max(Math.min(namedMs, deadlineMs), firstRetryMs(deadlineMs) * 2 ** retry);
}

/** Maximum time to wait for a busy operator, as a multiple of the reply deadline. */
const MAX_DEADLINES = 3;

/**
 * Returns the time in milliseconds that the operator may still need for calls that were sent at once and timed out. An operator
 * that locks each player or `txID` processes such calls one after another. Without this wait, these calls would also delay the next
 * call until it times out. Then croupier would report the next call.
 */
export function queueWaitMs(exchanges: readonly Exchange[], deadlineMs: number): number {
  const late = exchanges.filter(({ outcome }) => outcome.kind === 'none' && outcome.reason === 'too-late').length;
  const answered = exchanges.filter(({ outcome }) => outcome.kind === 'reply').length;
  if (late === 0) return 0;
  // The operator finished the answered calls within one deadline. The estimate assumes that it needs the same time for each of the
  // other calls.
  return Math.min(MAX_DEADLINES * deadlineMs, (late * deadlineMs) / Math.max(1, answered));
}
