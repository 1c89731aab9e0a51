/** All checks, in the order in which they depend on each other. */
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
  'target',
] as const;

export type CheckName = 'configuration' | (typeof CHECK_NAMES)[number];

/**
 * `good`: in order. `warn`: a run is possible. `bad`: must be fixed. `unreachable`: must be fixed before any call can be
 * answered. `not-tried`: an earlier check failed, so this one is not possible. `not-needed`: there is nothing to check.
 */
export const CHECK_STATES = ['good', 'warn', 'bad', 'unreachable', 'not-tried', 'not-needed'] as const;

export type CheckState = (typeof CHECK_STATES)[number];

/** The result of one check. */
export interface Check {
  readonly name: CheckName;
  /** The sessionID if there is one check per session; null: there is only one. */
  readonly about: string | null;
  readonly state: CheckState;
  /** The observation. Text of others in it is not escaped yet. */
  readonly seen: string;
  /** The advice; null: none. */
  readonly advice: string | null;
}

/** Creates the result of a check that exists only once. */
export function check(name: CheckName, state: CheckState, seen: string, advice: string | null = null): Check {
  return { name, about: null, state, seen, advice };
}

/** The first check that must be fixed; null: none. */
export function firstToFix(checks: readonly Check[]): Check | null {
  return checks.find(({ state }) => state === 'bad' || state === 'unreachable') ?? null;
}
