import type { CallGate } from '../../engine/calls/call-gate.ts';
import type { FinishedRun } from '../../history/record.ts';
import type { Retention } from '../../history/retention.ts';

/** The lease under which a worker of the fleet lets this process judge one operator. */
export interface RunLease {
  /** Lets croupier send calls only as long as the worker holds the lease. */
  readonly gate: CallGate;
  /** Hands the finished run to the worker, which adds it to the history of the fleet. */
  finished(run: FinishedRun, retention: Retention): Promise<void>;
}
