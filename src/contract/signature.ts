import { createHmac, type KeyObject, timingSafeEqual } from 'node:crypto';
import { canonicalJson } from './canonical.ts';
import { readJson } from './json.ts';
import { readQuery } from './query.ts';

/** The header that carries the signature of a reverse call, and of an operator's request to the Core API. */
export const SIGNATURE_HEADER = 'X-REQUEST-SIGN';

const LOWER_CASE_HEX = /^[0-9a-f]{64}$/;

/**
 * Returns the signature of a body: the HMAC-SHA256 of its exact bytes in lower-case hexadecimal (contract, Authentication 1
 * and 2).
 */
export function signBody(body: Uint8Array, key: string | Uint8Array | KeyObject): string {
  return createHmac('sha256', key).update(body).digest('hex');
}

/**
 * Returns the signed payload of a GET: the canonical JSON object of all decoded query parameters, with every value as text
 * (contract, Authentication 3). The order of the parameters does not matter.
 *
 * @throws RangeError if a name occurs twice, because an object cannot hold both values
 * @throws NotCanonicalError if a name or value has a lone surrogate
 */
export function queryPayload(params: readonly (readonly [name: string, value: string])[]): string {
  const object = Object.fromEntries(params);
  if (Object.keys(object).length !== params.length) {
    const names = params.map(([name]) => name);
    const twice = names.find((name, index) => names.indexOf(name) !== index);
    throw new RangeError(`the query parameter ${JSON.stringify(twice)} occurs more than once, so it cannot be signed`);
  }
  return canonicalJson(object);
}

/** Returns the signature of a GET, over its {@link queryPayload}. Throws the same errors as that function. */
export function signQuery(
  params: readonly (readonly [name: string, value: string])[],
  key: string | Uint8Array,
): string {
  return createHmac('sha256', key).update(queryPayload(params)).digest('hex');
}

/**
 * True if a signature header is right for a payload. Only lower-case hexadecimal is accepted. The comparison always takes the same
 * time, so that this time does not reveal the right signature.
 */
export function verifySignature(
  payload: Uint8Array | string,
  key: string | Uint8Array,
  header: string | undefined,
): boolean {
  if (header === undefined || !LOWER_CASE_HEX.test(header)) return false;
  const expected = createHmac('sha256', key).update(payload).digest();
  return timingSafeEqual(expected, Buffer.from(header, 'hex'));
}

/** The part of a reverse call that is signed, as far as it is known. */
interface SignedContent {
  /** The HTTP method. The signature of a GET covers its query. With any other method, it covers the body. */
  readonly method: string;
  /** The query, percent-encoded and without the question mark. null if unknown. */
  readonly query: string | null;
  /** All bytes of the body. null if there is no body, or if a part of the body is unknown. */
  readonly body: Uint8Array | null;
}

/** A reverse call from the wire or from a file. */
export interface ReceivedRequest extends SignedContent {
  /**
   * The value of the signature header. undefined if there is no such header, null if it is unknown whether the call has
   * this header.
   */
  readonly signature: string | undefined | null;
  /**
   * The source of the call.
   *
   * - `wire`: the call is exactly as it was sent
   * - `record`: a file such as a HAR, with the exact body. Headers may be masked and queries may be left out
   * - `log`: like `record`, but the body may have been parsed and written again
   */
  readonly source: 'wire' | 'record' | 'log';
}

/**
 * Returns the signed payload of a reverse call. This is the raw body of a POST (contract, Authentication 2), or the canonical
 * JSON of all query parameters of a GET (Authentication 3).
 *
 * @returns undefined if the payload is unknown, or if the query has no canonical form: a name occurs twice, or escapes are not
 * UTF-8
 */
export function signedPayload({ method, query, body }: SignedContent): Uint8Array | string | undefined {
  if (method !== 'GET') return body ?? undefined;
  if (query === null) return undefined;
  try {
    return queryPayload(readQuery(query));
  } catch {
    return undefined;
  }
}

/** Returns the signature that a reverse call must carry. undefined if its payload is unknown. */
export function rightSignature(content: SignedContent, key: string): string | undefined {
  const payload = signedPayload(content);
  return payload === undefined ? undefined : signBody(Buffer.from(payload), key);
}

/** True if one of the keys gives the signature of a reverse call, exactly as the contract says. */
export function isSigned(
  content: SignedContent & { readonly signature: string | undefined },
  keys: readonly string[],
): boolean {
  const payload = signedPayload(content);
  return payload !== undefined && isGivenBy(keys, payload, content.signature);
}

/**
 * Checks the signature of a call that croupier did not send. The result is `unknown`, so that no operator is reported wrongly,
 * in these cases:
 *
 * - No key is known, or the exact body, query or header is not known.
 * - The header is masked, which happens only in files.
 * - The signature fits the canonical form of the body, but not its bytes. Operators that parse the body and write it again
 * accept this signature, and others refuse it. If the body comes from a log, the log has written it again, and the result is
 * `right`.
 * - The digits are right, but in upper case. Some operators accept this.
 *
 * A missing signature is found even without a key.
 */
export function verify(request: ReceivedRequest, keys: readonly string[]): SignatureState {
  const { signature, source } = request;
  if (signature === null) return 'unknown';
  if (signature === undefined || signature.trim() === '') return 'missing';
  if (source !== 'wire' && isMasked(signature)) return 'unknown';
  // Access logs leave out the query.
  if (source !== 'wire' && request.method === 'GET' && request.query === '') return 'unknown';
  const payload = signedPayload(request);
  if (payload === undefined || keys.length === 0) return 'unknown';
  if (isGivenBy(keys, payload, signature)) return 'right';
  const canonical = request.method === 'GET' || request.body === null ? undefined : canonicalBody(request.body);
  if (source === 'log' && canonical !== undefined && isGivenBy(keys, canonical, signature)) return 'right';
  const lowerCase = signature.toLowerCase();
  return [payload, canonical].some((each) => each !== undefined && isGivenBy(keys, each, lowerCase))
    ? 'unknown'
    : 'wrong';
}

/**
 * Returns the canonical JSON of a body. undefined if the body has no canonical form, or if parsers may read the JSON in
 * different ways.
 */
export function canonicalBody(body: Uint8Array): string | undefined {
  const reading = readJson(body);
  if (reading.kind === 'refused') return undefined;
  try {
    return canonicalJson(reading.value);
  } catch {
    return undefined;
  }
}

/** True for a text that stands in a file instead of a signature, to keep the signature secret. */
export function isMasked(signature: string): boolean {
  return /[*…•]|\.\.\.|redact|filter|hidden|mask|removed|^x+$|x{4,}/i.test(signature);
}

function isGivenBy(keys: readonly string[], payload: Uint8Array | string, signature: string | undefined): boolean {
  return keys.some((key) => verifySignature(payload, key, signature));
}

/**
 * The result of checking the signature of a call that croupier did not send.
 *
 * - `right`: a known key gives this signature
 * - `wrong`: none of the known keys gives this signature
 * - `missing`: the call has no signature
 * - `unknown`: no key is known, the signed content is not fully known, or the contract does not say whether such a signature
 * is valid
 */
export const SIGNATURE_STATES = ['right', 'wrong', 'missing', 'unknown'] as const;

export type SignatureState = (typeof SIGNATURE_STATES)[number];
