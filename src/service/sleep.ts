import { setTimeout as timer } from 'node:timers/promises';

/** Waits for the given milliseconds, or until the signal is aborted. Never rejects. */
export type Sleep = (ms: number, signal?: AbortSignal) => Promise<void>;

/** Waits in real time. Tests replace it. */
export const sleep: Sleep = async (ms, signal) => {
  if (signal?.aborted) return;
  await timer(ms, undefined, signal && { signal }).catch((error: unknown) => {
    if (!signal?.aborted) throw error;
  });
};
