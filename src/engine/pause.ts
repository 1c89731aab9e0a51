import { setTimeout as sleep } from 'node:timers/promises';

/** A wait that makes findings sound: kept when the run is interrupted, and ended by a second signal. */
export async function pause(ms: number): Promise<void> {
  if (ms > 0) await sleep(ms);
}

/** A wait that a story asks for; an interrupted run needs it no more. */
export async function idle(ms: number, signal: AbortSignal): Promise<void> {
  if (ms <= 0 || signal.aborted) return;
  await sleep(ms, undefined, { signal }).catch((error: unknown) => {
    if (!signal.aborted) throw error;
  });
}
