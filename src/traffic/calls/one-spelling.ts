import type { LogPlace } from '../logged-exchange.ts';
import type { RecordedCall } from '../recorded-call.ts';

/** The calls with one spelling for each id. */
interface Respelled {
  readonly calls: readonly RecordedCall[];
  /** The places of the calls with an id that the same side spells differently on another line. */
  readonly doubtful: ReadonlySet<LogPlace>;
}

const UUID = /^[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}$/i;

/**
 * Gives each id one spelling: the first one in the logs. Some programs write a UUID in upper case and others in lower case, so the
 * logs of two sides can spell the same id differently.
 */
export function withOneSpelling(calls: readonly RecordedCall[]): Respelled {
  const spellings = new Map<string, string>();
  const ofSide = new Map<string, string>();
  const doubtful = new Set<LogPlace>();
  let isChanged = false;
  const respelled = calls.map((call) => {
    const { side, place } = call.exchange;
    const spelled = (id: string | null): string | null => {
      if (id === null || !UUID.test(id)) return id;
      const plain = id.toLowerCase();
      if (firstOf(ofSide, `${side} ${plain}`, id) !== id) doubtful.add(place);
      return firstOf(spellings, plain, id);
    };
    const [txID, origTxID, roundID] = [spelled(call.txID), spelled(call.origTxID), spelled(call.roundID)];
    if (txID === call.txID && origTxID === call.origTxID && roundID === call.roundID) return call;
    isChanged = true;
    return { ...call, txID, origTxID, roundID };
  });
  return { calls: isChanged ? respelled : calls, doubtful };
}

/** Returns the value that was noted first for a key. */
function firstOf(noted: Map<string, string>, key: string, value: string): string {
  const first = noted.get(key);
  if (first === undefined) noted.set(key, value);
  return first ?? value;
}
