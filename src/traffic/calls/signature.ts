import { queryOf } from '../../contract/query.ts';
import { type ReceivedRequest, SIGNATURE_HEADER, type SignatureState, verify } from '../../contract/signature.ts';
import { type HeaderList, header } from '../../journal/exchange.ts';
import { isSuccess } from '../../reply/status.ts';
import type { LoggedExchange } from '../logged-exchange.ts';

/** The known keys for calls to one address. */
export interface AvailableKeys {
  /** The keys of the client at this address. Calls to the address must be signed with one of them. */
  readonly own: readonly string[];
  /** The keys of other clients. Calls to the address must not be signed with them. */
  readonly others: readonly string[];
  /** True if `own` may have keys of several clients, because the address does not show to which client a call belongs. */
  readonly areOfSeveral?: boolean;
}

/** The value for the case that no key is known. */
export const NO_KEYS: AvailableKeys = { own: [], others: [] };

/** Returns the keys for calls to an address. The address is null if it is unknown. */
export type KeysOf = (url: string | null) => AvailableKeys;

type Signed = Pick<LoggedExchange, 'request' | 'logged' | 'verified' | 'isBodyRewritten'>;

/** Verifies the signature of a call, as far as the log and the known keys allow it. */
export function signatureOf(
  exchange: Signed & Partial<Pick<LoggedExchange, 'answer'>>,
  keysOf: KeysOf,
): SignatureState {
  if (exchange.verified !== undefined) return exchange.verified;
  if (!hasSignature(exchange)) return 'unknown';
  const { own, areOfSeveral } = keysOf(exchange.request.url);
  const state = verify(received(exchange), own);
  const status = exchange.answer?.kind === 'reply' ? exchange.answer.status : undefined;
  // The key may belong to another client. Then the operator must answer 401.
  if (state === 'right' && status === 401 && areOfSeveral === true) return 'unknown';
  // The log has only the fields of the body. The sender may have written and signed them in another form.
  return state === 'wrong' && isSuccess(status) && exchange.isBodyRewritten === true ? 'unknown' : state;
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
