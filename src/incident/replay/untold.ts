import type { ToldCall } from '../story/told-call.ts';
import type { Signing } from './signing.ts';

/** So many calls are named; of more it is said how many they are. */
const MOST_NAMED = 8;

/** What the record leaves out, so that something else had to be played: sentences for a person. */
export function untoldOf(calls: readonly ToldCall[], signing: Signing): readonly string[] {
  const moving = calls.filter(({ seen }) => seen.call !== 'balance' && !seen.whole);
  const without = (field: 'amount' | 'txID' | 'roundID', among: readonly ToldCall[]): readonly ToldCall[] =>
    among.filter(({ seen }) => seen[field] === null);
  return [
    note(
      without('amount', moving),
      (which) => `What ${which} moved is not in the record: the stake of the test is played, of a refund its bet.`,
    ),
    note(
      without('txID', moving),
      (which) => `The txID of ${which} is not in the record: each is taken for a transaction of its own.`,
    ),
    note(
      moving.filter(({ seen }) => seen.call === 'refund' && seen.origTxID === null),
      (which) => `Which bet ${which} gave back is not in the record: one of an unknown bet is played.`,
    ),
    note(
      without('roundID', moving).filter(({ seen }) => seen.call !== 'refund'),
      (which) =>
        `The round of ${which} is not in the record: each bet is played in a round of its own, and a win in one without a bet.`,
    ),
    note(
      calls.filter(({ seen }) => seen.sessionID === null),
      (which) => `The session of ${which} is not in the record: the main one of the test is played.`,
    ),
    note(
      calls.length === 1 ? [] : calls.filter(({ atMs }) => atMs === null),
      (which) => `When ${which} was made is not in the record: no gap is kept there.`,
    ),
    note(
      calls.filter((call) => isOfInterest(call) && !signing.has(call.number)),
      (which) => `Whether ${which} was signed right can't be told here: it is played with a right signature.`,
    ),
  ].filter((text) => text !== null);
}

function note(calls: readonly ToldCall[], say: (which: string) => string): string | null {
  if (calls.length === 0) return null;
  if (calls.length > MOST_NAMED) return say(`${calls.length} calls`);
  const numbers = calls.map(({ number }) => String(number));
  const last = numbers.pop();
  return say(numbers.length === 0 ? `call ${last}` : `calls ${numbers.join(', ')} and ${last}`);
}

/** A signature may be why it was refused, or would explain an answer that nobody wrote down. */
function isOfInterest({ seen, status, ending }: ToldCall): boolean {
  return status === 401 || (ending === 'unknown' && seen.exchange.request.headers !== null);
}
