/** All checks. A check can depend only on checks before it. */
export const CHECK_NAMES = [
  'base-url',
  'resolution',
  'tcp',
  'proxy',
  'tls',
  'http',
  'redirects',
  'latency',
  'clock',
  'key',
  'session',
  'rate',
  'target',
] as const;

export type CheckName = 'configuration' | (typeof CHECK_NAMES)[number];

/**
 * `good`: nothing to do. `warn`: a run is possible. `bad`: must be fixed. `unreachable`: must be fixed before the server can
 * answer any call. `not-tried`: the check depends on an earlier check that failed. `not-needed`: there is nothing to check.
 */
export const CHECK_STATES = ['good', 'warn', 'bad', 'unreachable', 'not-tried', 'not-needed'] as const;

export type CheckState = (typeof CHECK_STATES)[number];

/** The result of one check. */
export interface Check {
  readonly name: CheckName;
  /** The sessionID, for a check that is made for each session. Null for all other checks. */
  readonly about: string | null;
  readonly state: CheckState;
  /** The observation, as text. It may quote text of the operator, which is not escaped yet. */
  readonly seen: string;
  /** The advice. Null if nothing needs to be done. */
  readonly advice: string | null;
}

/** Creates the result of a check that is made only once. */
export function check(name: CheckName, state: CheckState, seen: string, advice: string | null = null): Check {
  return { name, about: null, state, seen, advice };
}

/** Returns the first check that must be fixed. Null if none must be fixed. */
export function firstToFix(checks: readonly Check[]): Check | null {
  return checks.find(({ state }) => state === 'bad' || state === 'unreachable') ?? null;
}
