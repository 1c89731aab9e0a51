/**
 * Decides whether calls may be sent. A run of a fleet may send calls only as long as its worker holds the lease of the run.
 * Otherwise two workers could play with the same players at the same time.
 */
export interface CallGate {
  /**
   * Resolves when the calls that were recorded so far may leave. At this time, the journal with these calls is already stored where
   * other workers find it. If the calls may not leave, the promise never resolves and the process ends.
   */
  pass(): Promise<void>;
  /** Ends the process if calls may not leave any more. */
  check(): void;
}
