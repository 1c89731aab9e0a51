import { createHash } from 'node:crypto';
import { signBody } from '../contract/signature.ts';
import type { SignKind } from './sign-kind.ts';

const KEPT_DIGITS = 8;
const EMPTY_OBJECT = Buffer.from('{}');

/** Another digit in place of each. */
function changed(digits: string): string {
  return digits.replace(/[0-9a-f]/g, (digit) => (Number.parseInt(digit, 16) ^ 1).toString(16));
}

/**
 * The value of the signature header, or undefined when there is to be none. The same arguments give the same value.
 *
 * @param otherKey another client's key, for `other-client`
 * @throws TypeError for `other-client` without another key
 */
export function signatureFor(
  kind: SignKind,
  payload: Uint8Array,
  key: string,
  otherKey: string | undefined,
): string | undefined {
  const right = signBody(payload, key);
  switch (kind) {
    case 'valid':
      return right;
    case 'missing':
      return undefined;
    case 'empty':
      return '';
    case 'garbage':
      return createHash('sha256').update(right).digest('hex');
    case 'malformed':
      return 'not-a-signature';
    case 'wrong-key':
      return signBody(payload, `${key}?`);
    case 'other-client':
      if (otherKey === undefined) throw new TypeError("to sign as another client, that client's key is needed");
      return signBody(payload, otherKey);
    case 'truncated':
      return right.slice(0, right.length / 2);
    case 'prefix':
      return right.slice(0, KEPT_DIGITS) + changed(right.slice(KEPT_DIGITS));
    case 'suffix':
      return changed(right.slice(0, -KEPT_DIGITS)) + right.slice(-KEPT_DIGITS);
    case 'one-off':
      return right.slice(0, -1) + changed(right.slice(-1));
    case 'upper-case':
      return right.toUpperCase();
    case 'base64':
      return Buffer.from(right, 'hex').toString('base64');
    case 'of-other-body':
      return signBody(EMPTY_OBJECT, key);
  }
}
