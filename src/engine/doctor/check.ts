/** What is looked at, in the order in which one thing needs the other. */
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
 * `good`: as it should be. `warn`: a run is possible. `bad`: must be mended. `unreachable`: must be mended, and until then
 * nobody can be asked. `not-tried`: an earlier check came out so that this one can't be made. `not-needed`: there is
 * nothing of the kind.
 */
export const CHECK_STATES = ['good', 'warn', 'bad', 'unreachable', 'not-tried', 'not-needed'] as const;

export type CheckState = (typeof CHECK_STATES)[number];

/** What one look brought. */
export interface Check {
  readonly name: CheckName;
  /** Which of several: the sessionID of a session. */
  readonly about: string | null;
  readonly state: CheckState;
  /** What was seen; text of others in it is not yet escaped. */
  readonly seen: string;
  /** What to do about it; null: nothing. */
  readonly advice: string | null;
}

/** A check of which there is only one. */
export function check(name: CheckName, state: CheckState, seen: string, advice: string | null = null): Check {
  return { name, about: null, state, seen, advice };
}

/** What must be mended before anything else; null: nothing must. */
export function firstToMend(checks: readonly Check[]): Check | null {
  return checks.find(({ state }) => state === 'bad' || state === 'unreachable') ?? null;
}
