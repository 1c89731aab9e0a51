import { createHmac, timingSafeEqual } from 'node:crypto';
import { canonicalJson } from './canonical.ts';

/** The header that carries the signature of a reverse call, and of an operator's request to the Core API. */
export const SIGNATURE_HEADER = 'X-REQUEST-SIGN';

const LOWER_CASE_HEX = /^[0-9a-f]{64}$/;

/** The signature of a body: lower-case hexadecimal HMAC-SHA256 of its exact bytes (contract, Authentication 1 and 2). */
export function signBody(body: Uint8Array, key: string | Uint8Array): string {
  return createHmac('sha256', key).update(body).digest('hex');
}

/**
 * What is signed of a GET: the canonical JSON object of all query parameters, decoded, every value as text (contract,
 * Authentication 3). Their order does not matter.
 *
 * @throws RangeError when a name occurs twice, because the object could then not hold all parameters
 * @throws NotCanonicalError when a name or value has a lone surrogate
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

/** The signature of a GET, over its {@link queryPayload}. Throws what that throws. */
export function signQuery(
  params: readonly (readonly [name: string, value: string])[],
  key: string | Uint8Array,
): string {
  return createHmac('sha256', key).update(queryPayload(params)).digest('hex');
}

/**
 * Whether a signature header belongs to a payload. Only lower-case hexadecimal is let in; how long the comparison takes
 * tells nothing about the right signature.
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
