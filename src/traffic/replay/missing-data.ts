import type { LoggedCall } from '../calls/logged-call.ts';
import type { Signing } from './signing.ts';

/** Maximum number of calls that are listed. If there are more, only their number is given. */
const MAX_NAMED = 8;

/** Describes the data that is missing in the record, and what croupier sends instead in the replay. */
export function missingData(calls: readonly LoggedCall[], signing: Signing): readonly string[] {
  const moving = calls.filter(({ seen }) => seen.call !== 'balance' && !seen.whole);
  const without = (field: 'amount' | 'txID' | 'roundID', among: readonly LoggedCall[]): readonly LoggedCall[] =>
    among.filter(({ seen }) => seen[field] === null);
  return [
    describe(
      without('amount', moving),
      (which) =>
        `The amount of ${which} is not in the record. croupier uses the stake of the test instead. For a refund, croupier uses the amount of its bet.`,
    ),
    describe(
      without('txID', moving),
      (which) => `The txID of ${which} is not in the record, so each call is replayed as a new transaction.`,
    ),
    describe(
      moving.filter(({ seen }) => seen.call === 'refund' && seen.origTxID === null),
      (which) =>
        `The record does not say which bet is refunded by ${which}, so a refund of an unknown bet is replayed.`,
    ),
    describe(
      without('roundID', moving).filter(({ seen }) => seen.call !== 'refund'),
      (which) =>
        `The round of ${which} is not in the record. Each bet is replayed in a new round, and each win in a round without a bet.`,
    ),
    describe(
      calls.filter(({ seen }) => seen.sessionID === null),
      (which) => `The session of ${which} is not in the record, so the main session of the test is used.`,
    ),
    describe(
      calls.length === 1 ? [] : calls.filter(({ atMs }) => atMs === null),
      (which) => `The record has no time for ${which}, so the replay makes no pause there.`,
    ),
    describe(
      calls.filter((call) => mayDependOnSignature(call) && !signing.has(call.number)),
      (which) => `The signature of ${which} can't be verified, so the replay uses a correct signature.`,
    ),
  ].filter((text) => text !== null);
}

function describe(calls: readonly LoggedCall[], say: (which: string) => string): string | null {
  if (calls.length === 0) return null;
  if (calls.length > MAX_NAMED) return say(`${calls.length} calls`);
  const numbers = calls.map(({ number }) => String(number));
  const last = numbers.pop();
  return say(numbers.length === 0 ? `call ${last}` : `calls ${numbers.join(', ')} and ${last}`);
}

/** True if a wrong signature may be the cause of the call's reply: the reply is a 401, or was not logged. */
function mayDependOnSignature({ seen, status, ending }: LoggedCall): boolean {
  return status === 401 || (ending === 'unknown' && seen.exchange.request.headers !== null);
}
