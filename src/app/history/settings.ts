import type { Retention } from '../../history/retention.ts';
import type { Config } from '../config/schema.ts';
import type { Stdio } from '../stdio.ts';

/** The flags of `run` and `load` that decide whether a run is added to the history. */
export interface HistoryFlags {
  /** False for `--no-history`. */
  readonly history?: boolean;
  /** True for a run against the embedded reference operator. */
  readonly reference?: boolean;
}

/** The number of runs, days and journals that a history keeps if the configuration has no other numbers. */
const HISTORY_DEFAULTS = { runs: 1000, days: 400, journals: 100 } as const;

/**
 * True unless the flag `--no-history` or the variable CROUPIER_HISTORY switches the history off. A run with `--reference` is
 * never added, because it says nothing about the user's wallet.
 */
export function isHistoryWanted({ history, reference }: HistoryFlags, { env }: Pick<Stdio, 'env'>): boolean {
  return reference !== true && history !== false && !/^(0|false|no|off)$/i.test(env.CROUPIER_HISTORY ?? '');
}

/** Returns the address of the database that has the history; undefined if the history is a file of the working directory. */
export function databaseIn({ env }: Pick<Stdio, 'env'>): string | undefined {
  return env.CROUPIER_DATABASE || undefined;
}

/** Returns the number of runs, days and journals that the history keeps. */
export function retentionOf({ history }: Pick<Config, 'history'>): Retention {
  const { runs, days, journals } = HISTORY_DEFAULTS;
  return {
    runs: history?.runs ?? runs,
    days: history?.days ?? days,
    journals: history?.journals ?? journals,
    now: Date.now(),
  };
}
