import { canonicalJson } from '../../contract/canonical.ts';
import type { JsonValue } from '../../contract/json.ts';
import { queryPayload, SIGNATURE_HEADER, verifySignature } from '../../contract/signature.ts';
import type { SignatureState } from '../../journal/event.ts';
import { bodyText, header } from '../../journal/exchange.ts';
import type { SeenExchange } from '../seen.ts';

/** Keys that are at hand, for one address. */
export interface KeysAtHand {
  /** Those that its calls may be signed with. */
  readonly own: readonly string[];
  /** Those of other clients, which none of its calls may be signed with. */
  readonly others: readonly string[];
}

/** No key is at hand. */
export const NO_KEYS: KeysAtHand = { own: [], others: [] };

/** The keys for an address; null: it is not known. */
export type KeysOf = (url: string | null) => KeysAtHand;

type Signed = Pick<SeenExchange, 'request' | 'told' | 'verified'>;

/** What stands in logs instead of a signature that was to be kept out of them. */
const HIDDEN = /\*\*|\.\.\.|…|redact|filter|hidden|mask|removed|^x+$/i;

/** Whether a call was signed as the contract says, as far as what was written down and the keys at hand tell. */
export function signatureOf(exchange: Signed, keysOf: KeysOf): SignatureState {
  if (exchange.verified !== undefined) return exchange.verified;
  const { own } = keysOf(exchange.request.url);
  return verify(exchange, own);
}

/** True for a call that is signed with the key of another client than the one whose address was called. */
export function isSignedByOther(exchange: Signed, keysOf: KeysOf): boolean {
  return verify(exchange, keysOf(exchange.request.url).others) === 'right';
}

function verify(exchange: Signed, keys: readonly string[]): SignatureState {
  const { request, told } = exchange;
  const { headers } = request;
  // Without a single header nobody wrote them down; a list without ours says that it was not sent.
  const isListed = headers !== null && headers.length > 0;
  const signature = told.signature ?? (isListed ? header(headers, SIGNATURE_HEADER) : undefined);
  if (signature === undefined) return isListed ? 'missing' : 'unknown';
  if (signature.trim() === '') return 'missing';
  if (HIDDEN.test(signature)) return 'unknown';
  if (keys.length === 0) return 'unknown';
  const payloads = request.method === 'GET' ? queryOf(request.url) : bodiesOf(exchange);
  if (payloads.length === 0) return 'unknown';
  return payloads.some((payload) => keys.some((key) => verifySignature(payload, key, signature))) ? 'right' : 'wrong';
}

function queryOf(url: string | null): readonly string[] {
  const params = url === null ? undefined : URL.parse(url, 'http://unknown.invalid')?.searchParams;
  if (!params || params.size === 0) return [];
  try {
    return [queryPayload([...params])];
  } catch {
    // A name that occurs twice: what was signed then is anybody's guess.
    return [];
  }
}

/** The bytes of the body; what a log tells of a body was often written anew, so there its canonical form counts too. */
function bodiesOf({ request: { body }, told }: Signed): readonly (Uint8Array | string)[] {
  if (body === null || body === 'untold' || body.truncated) return [];
  if (body.encoding === 'base64') return [Buffer.from(body.data, 'base64')];
  const text = bodyText(body);
  if (told.signature === undefined) return [text];
  try {
    return [text, canonicalJson(JSON.parse(text) as JsonValue)];
  } catch {
    return [text];
  }
}
