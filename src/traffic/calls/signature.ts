import { queryOf } from '../../contract/query.ts';
import { type ReceivedRequest, SIGNATURE_HEADER, type SignatureState, verify } from '../../contract/signature.ts';
import { type HeaderList, header } from '../../journal/exchange.ts';
import { isSuccess } from '../../reply/status.ts';
import { readTree } from '../../signing/json-tree.ts';
import { JSON_WRITINGS } from '../../signing/rewritings.ts';
import { isFields, parsed } from '../json-fields.ts';
import type { LoggedExchange } from '../logged-exchange.ts';
import { isMasked } from '../masked.ts';

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

/**
 * Verifies the signature of a call, as far as the log and the known keys allow it. If a log may have written the body again, `wrong`
 * is not proven until another body of the log is signed right.
 */
export function signatureOf(
  exchange: Signed & Partial<Pick<LoggedExchange, 'answer'>>,
  keysOf: KeysOf,
): SignatureState {
  if (exchange.verified !== undefined) return exchange.verified;
  if (!hasSignature(exchange)) return 'unknown';
  const { own, areOfSeveral } = keysOf(exchange.request.url);
  const sent = received(exchange);
  const exact = verify({ ...sent, source: 'record' }, own);
  const state = exact === 'right' ? exact : verify(sent, own);
  const status = exchange.answer?.kind === 'reply' ? exchange.answer.status : undefined;
  // The key may belong to another client. Then the operator must answer 401.
  if (state === 'right' && status === 401 && areOfSeveral === true) return 'unknown';
  const text = sentText(exchange);
  if (text === null || exact === 'right' || (state !== 'right' && state !== 'wrong')) return state;
  if (isSignedByOther(exchange, keysOf)) return state;
  if (state === 'right' || (!isExact(exchange) && isSignedAsWritten(text, sent, own))) {
    // If a log has the bytes that were sent, the service has signed other bytes, and the operator may refuse them.
    const isRewritten = exchange.isBodyRewritten === true || /[\r\n]/.test(text);
    return isRewritten || isSuccess(status) ? 'right' : 'unknown';
  }
  if (hasMaskedValue(text)) return 'unknown';
  // The log has only the fields of the body. The sender may have written and signed them in another form.
  return isSuccess(status) && exchange.isBodyRewritten === true ? 'unknown' : 'wrong';
}

/** Returns the body of a POST as text. Null if it is not wholly known, or if there is none. */
export function sentText({ request: { method, body } }: Signed): string | null {
  if (method === 'GET' || body === null || body === 'unknown' || body.truncated) return null;
  return Buffer.from(body.data, body.encoding).toString();
}

/** True if the file has the body exactly as it was sent: it is no log, and nobody has changed the body. */
export function isExact({ logged, isBodyRewritten }: Signed): boolean {
  return logged.signature === undefined && isBodyRewritten !== true;
}

/** True if a key gives the signature for the fields of the body in the form of a JSON library. The log has another form. */
function isSignedAsWritten(text: string, sent: ReceivedRequest, keys: readonly string[]): boolean {
  const tree = readTree(text);
  if (tree?.kind !== 'object') return false;
  return JSON_WRITINGS.some(
    ({ write }) => verify({ ...sent, body: Buffer.from(write(tree)), source: 'wire' }, keys) === 'right',
  );
}

function hasMaskedValue(text: string): boolean {
  const fields = parsed(text);
  return isFields(fields) && Object.values(fields).some((value) => typeof value === 'string' && isMasked(value));
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
