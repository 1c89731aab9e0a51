/** Time between two looks at the clock, in milliseconds. */
const TICK_MS = 100;
/**
 * If at least this time, in milliseconds, passes between two looks, the process counts as paused. On a machine that is only
 * busy, less time passes.
 */
const MIN_PAUSE_MS = 1000;

/** If the time between two looks is longer than usual by more than this number of milliseconds, the process counts as delayed. */
const TOLERANCE_MS = 20;

let last: number | null = null;
let paused = 0;
let delayed = 0;

function look(): number {
  const time = performance.now();
  if (last === null) setInterval(look, TICK_MS).unref();
  else if (time - last > MIN_PAUSE_MS) paused += time - last - TICK_MS;
  else if (time - last > TICK_MS + TOLERANCE_MS) delayed += time - last - TICK_MS;
  last = time;
  return time;
}

/**
 * Returns the time in milliseconds of a monotonic clock that stands still while this process can't run: after SIGSTOP,
 * or if the machine is overloaded. In such a pause croupier receives nothing, so the length of the pause says nothing
 * about an operator.
 */
export function processNow(): number {
  return look() - paused;
}

/** Returns the total length of all pauses of this process so far, in milliseconds. */
export function pausedMs(): number {
  look();
  return paused;
}

/**
 * Returns the total length of all shorter delays of this process so far, in milliseconds. The clock does not stand still during a
 * delay. But croupier notices bytes that arrive during a delay only when the delay ends.
 */
export function delayedMs(): number {
  look();
  return delayed;
}
