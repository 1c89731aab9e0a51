import type { LockFile } from './lock-file.ts';

/** Locks that this process holds. */
export interface HeldLocks {
  /** Releases the locks, so that other processes can use what they protect. */
  release(): void;
}

/**
 * A holder renews the time of its lock file after this time in ms. Other machines and other containers cannot see whether the
 * process of the holder runs, so they look at the time of the file.
 */
const BEAT_MS = 10_000;

/** All locks of this process. */
const HELD = new Set<LockFile>();
let isBeating = false;

/** Renews the locks that this process has taken, until they are released or the process ends. */
export function hold(locks: readonly LockFile[]): HeldLocks {
  for (const one of locks) HELD.add(one);
  startBeating();
  return {
    release: () => {
      for (const one of locks) {
        HELD.delete(one);
        one.remove();
      }
    },
  };
}

function startBeating(): void {
  if (isBeating) return;
  isBeating = true;
  setInterval(() => {
    for (const one of HELD) one.beat();
  }, BEAT_MS).unref();
  // If a process exits at once, for example after a second Ctrl-C, it also releases its locks.
  process.on('exit', () => {
    for (const one of HELD) one.remove();
  });
}
