import { canonicalJson } from '../../contract/canonical.ts';
import type { JsonValue } from '../../contract/json.ts';
import { queryPayload, SIGNATURE_HEADER, verifySignature } from '../../contract/signature.ts';
import type { SignatureState } from '../../journal/event.ts';
import { bodyText, header } from '../../journal/exchange.ts';
import type { SeenExchange } from '../seen.ts';

/** The keys that calls to an address may be signed with; null: the address is not known. */
export type KeysOf = (url: string | null) => readonly string[];

type Signed = Pick<SeenExchange, 'request' | 'told' | 'verified'>;

/** What stands in logs instead of a signature that was to be kept out of them. */
const HIDDEN = /\*\*|\.\.\.|…|redact|filter|hidden|mask|removed|^x+$/i;

/** Whether a call was signed as the contract says, as far as what was written down and the keys at hand tell. */
export function signatureOf(exchange: Signed, keysOf: KeysOf): SignatureState {
  const { request, told, verified } = exchange;
  if (verified !== undefined) return verified;
  const { headers } = request;
  // Without a single header nobody wrote them down; a list without ours says that it was not sent.
  const isListed = headers !== null && headers.length > 0;
  const signature = told.signature ?? (isListed ? header(headers, SIGNATURE_HEADER) : undefined);
  if (signature === undefined) return isListed ? 'missing' : 'unknown';
  if (signature.trim() === '') return 'missing';
  if (HIDDEN.test(signature)) return 'unknown';
  const keys = keysOf(request.url);
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
