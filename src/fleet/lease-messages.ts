import type { FinishedRun } from '../history/record.ts';
import type { Retention } from '../history/retention.ts';

/** The variable with which a worker tells its runs how long its lease lasts, in ms. */
export const LEASE_VARIABLE = 'CROUPIER_LEASE';

/**
 * The exit status of a process that has lost its lease. No other process has this status (it is EX_TEMPFAIL of sysexits.h). So the
 * worker knows that the process has not completed its work, even if the worker itself still holds the lease.
 */
export const LEASE_LOST_STATUS = 75;

/** A message of a run to its worker. */
export type FromRun =
  /** Asks whether the calls in the journal may leave. */
  | { readonly kind: 'pass'; readonly id: number }
  | { readonly kind: 'finished'; readonly run: FinishedRun; readonly retention: Retention };

/** A message of a worker to its run. */
export type FromWorker =
  /** The calls may be sent. The worker holds the lease for at least `heldMs` milliseconds from the time of the question. */
  { readonly kind: 'passed'; readonly id: number; readonly heldMs: number } | { readonly kind: 'lost' };
