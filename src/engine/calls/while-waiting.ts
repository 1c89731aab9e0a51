/**
 * Does work after the next call was sent. Such work costs no time, because meanwhile croupier waits for the operator anyway.
 *
 * @param work must not throw
 */
export function whileWaiting(work: () => void): void {
  // The wire writes the next call only in the next turn of the event loop, after the callbacks that were planned before it. So the
  // work waits for the turn after that.
  setImmediate(() => setImmediate(work));
}
