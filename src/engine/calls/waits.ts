import { setTimeout as sleep } from 'node:timers/promises';
import type { Exchange } from '../../journal/exchange.ts';

/** A wait that makes findings reliable. It continues when the run is interrupted; only a second signal ends it. */
export async function pause(ms: number): Promise<void> {
  if (ms > 0) await sleep(ms);
}

/** A wait that a scenario asks for. It ends when the run is interrupted. */
export async function idle(ms: number, signal: AbortSignal): Promise<void> {
  if (ms <= 0 || signal.aborted) return;
  await sleep(ms, undefined, { signal }).catch((error: unknown) => {
    if (!signal.aborted) throw error;
  });
}

/** Number of retries of a call for which the operator is too busy. */
export const RETRIES = 3;

/** Pause before the first retry, in ms. It doubles before each further retry. */
export function firstRetryMs(deadlineMs: number): number {
  return deadlineMs * 0.02;
}

/** Maximum wait for a busy operator, in deadlines. */
const MAX_DEADLINES = 3;

/**
 * Time that the operator may still need for calls at once that timed out, in ms. An operator with a lock per player or `txID`
 * works on them one after another. The next call would wait behind them, and its timeout would be blamed on that call.
 */
export function queueWaitMs(exchanges: readonly Exchange[], deadlineMs: number): number {
  const late = exchanges.filter(({ outcome }) => outcome.kind === 'none' && outcome.reason === 'too-late').length;
  const answered = exchanges.filter(({ outcome }) => outcome.kind === 'reply').length;
  if (late === 0) return 0;
  // The operator finished the answered calls within one deadline, so the others take as long per call.
  return Math.min(MAX_DEADLINES * deadlineMs, (late * deadlineMs) / Math.max(1, answered));
}
