import type { RuleId } from '../contract/catalogue.ts';

/** The tag with which users add scenarios of their own to quick runs. */
const QUICK = 'quick';

/** The number of rounds of each race in a quick run. */
export const QUICK_RACE_ROUNDS = 2;

/**
 * The built-in scenarios of a quick run: for each MUST rule, a scenario that tests this rule with few calls and without long
 * waits.
 */
const QUICK_IDS: ReadonlySet<string> = new Set([
  'bet/insufficient-funds',
  'bet/exact-balance',
  'bet/decimals-of-crypto',
  'bet/many-in-round',
  'win/credit',
  'win/failed-keeps-bet',
  'win/retried',
  'win/many-in-round',
  'win/zero',
  'refund/broken-connection',
  'refund/one-of-many-without-round',
  'refund/restore',
  'refund/retried',
  'refund/unknown',
  'idempotency/after-refund',
  'idempotency/bet',
  'idempotency/concurrent#bet',
  'idempotency/durable',
  'idempotency/refund',
  'idempotency/win',
  'signature/client-key#bet',
  'signature/header-case',
  'signature/mismatch',
  'signature/query-further',
  'signature/raw-body',
  'signature/tampered-query',
  'signature/tampered-query-session',
  'signature/tampered-replay',
  'reply/success',
  'money/exact-cents',
  'money/exact-refund',
  'money/precision',
  'balance/read',
  'concurrency/no-overdraft',
  'concurrency/reads-between',
  'session/isolated',
  'session/round-id-reuse',
  'free-rounds/bet',
  'free-rounds/refund',
  'free-rounds/replay',
  'free-rounds/win',
  'launch/backend',
]);

/** Rules that the scenarios of a quick run also test, although no scenario of a quick run lists them. */
export const ALSO_TESTED: ReadonlySet<RuleId> = new Set([
  'balance.read-only',
  'bet.debit',
  'bet.decimal-amount',
  'money.conservation',
  'money.main-unit',
]);

/**
 * True if `croupier run --quick` plays the scenario.
 *
 * @param tags the tags of a scenario of a user; undefined for a built-in scenario
 */
export function isQuick(id: string, tags: readonly string[] | undefined): boolean {
  return tags ? tags.includes(QUICK) : QUICK_IDS.has(id);
}
