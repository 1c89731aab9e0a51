/**
 * A selection of calls. A call is selected if it matches every field of the selection. Times are in ms since 1970 by the
 * service's clock.
 */
export interface CallSelection {
  readonly player?: string | undefined;
  readonly session?: string | undefined;
  readonly round?: string | undefined;
  readonly tx?: string | undefined;
  readonly fromMs?: number | undefined;
  readonly toMs?: number | undefined;
}

/** The player and the currency of a session. A field is null if neither the configuration nor the options name it. */
export interface KnownSession {
  readonly player: string | null;
  readonly currency: string | null;
}
