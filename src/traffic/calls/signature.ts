import { queryOf } from '../../contract/query.ts';
import { type ReceivedRequest, SIGNATURE_HEADER, type SignatureState, verify } from '../../contract/signature.ts';
import { type HeaderList, header } from '../../journal/exchange.ts';
import type { LoggedExchange } from '../logged-exchange.ts';

/** The known keys for calls to one address. */
export interface AvailableKeys {
  /** The keys of the client at this address. Calls to the address must be signed with one of them. */
  readonly own: readonly string[];
  /** The keys of other clients. Calls to the address must not be signed with them. */
  readonly others: readonly string[];
}

/** The value for the case that no key is known. */
export const NO_KEYS: AvailableKeys = { own: [], others: [] };

/** Returns the keys for calls to an address. The address is null if it is unknown. */
export type KeysOf = (url: string | null) => AvailableKeys;

type Signed = Pick<LoggedExchange, 'request' | 'logged' | 'verified'>;

/** Verifies the signature of a call, as far as the log and the known keys allow it. */
export function signatureOf(exchange: Signed, keysOf: KeysOf): SignatureState {
  if (exchange.verified === undefined && !hasSignature(exchange)) return 'unknown';
  return exchange.verified ?? verify(received(exchange), keysOf(exchange.request.url).own);
}

/** True if a call is signed with the key of a different client than the client at the address of the call. */
export function isSignedByOther(exchange: Signed, keysOf: KeysOf): boolean {
  if (!hasSignature(exchange)) return false;
  const { others } = keysOf(exchange.request.url);
  return others.length > 0 && verify(received(exchange), others) === 'right';
}

/** False if the log does not show whether a call was signed. */
export function hasSignature({ request: { headers }, logged }: Signed): boolean {
  return logged.signature !== undefined || isListed(headers);
}

/**
 * An empty list means that the log has no headers. If the list has headers but no signature header, the call was sent without a
 * signature.
 */
function isListed(headers: Signed['request']['headers']): headers is HeaderList {
  return headers !== null && headers.length > 0;
}

function received({ request: { method, url, headers, body }, logged }: Signed): ReceivedRequest {
  const isWhole = body !== null && body !== 'unknown' && !body.truncated;
  return {
    method: method ?? 'POST',
    query: url === null ? null : queryOf(url),
    body: isWhole ? Buffer.from(body.data, body.encoding) : null,
    signature: logged.signature ?? (isListed(headers) ? header(headers, SIGNATURE_HEADER) : null),
    source: logged.signature === undefined ? 'record' : 'log',
  };
}
