import type { FinishedRun } from '../history/record.ts';
import type { Retention } from '../history/retention.ts';

/** The variable with which a worker tells its runs how long its lease lasts, in ms. */
export const LEASE_VARIABLE = 'CROUPIER_LEASE';

/** A message of a run to its worker. */
export type FromRun =
  /** Asks whether the calls in the journal may leave. */
  | { readonly kind: 'pass'; readonly id: number }
  | { readonly kind: 'finished'; readonly run: FinishedRun; readonly retention: Retention };

/** A message of a worker to its run. */
export type FromWorker =
  /** The calls may be sent. The worker holds the lease for at least `heldMs` milliseconds from the time of the question. */
  { readonly kind: 'passed'; readonly id: number; readonly heldMs: number } | { readonly kind: 'lost' };
