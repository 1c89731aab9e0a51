/** One text form in which a signature may be written. */
export interface Writing {
  readonly id: string;
  /** The wrong text form as a sentence for the operator; null for the correct form. */
  readonly mistake: string | null;
  /** Returns the bytes of the signature, or undefined if the text does not have this form. */
  read(text: string): Uint8Array | undefined;
  /** True if the text contains only the first bytes of the signature. */
  readonly isPart?: true;
  /**
   * Writes bytes in this form. Given only for a form in which different bytes can have the same text: then the texts are compared, and
   * `read` only says whether the text can have this form.
   */
  readonly write?: (bytes: Uint8Array) => string;
}

const LOWER = /^(?:[0-9a-f]{2})+$/;
const ANY_CASE = /^(?:[0-9a-fA-F]{2})+$/;
const MIN_PART_BYTES = 8;

function hexBytes(text: string, form: RegExp): Uint8Array | undefined {
  return form.test(text) && text.length >= 32 ? Buffer.from(text, 'hex') : undefined;
}

/** Returns no real bytes, because they can't be read. The text is compared instead. */
function lossyHex(text: string): Uint8Array | undefined {
  return /^-?[0-9a-f]{30,64}$/.test(text) ? Buffer.alloc(32) : undefined;
}

function wholeNumber(bytes: Uint8Array): bigint {
  return BigInt(`0x${Buffer.from(bytes).toString('hex')}`);
}

function base64Bytes(text: string, form: RegExp, encoding: 'base64' | 'base64url'): Buffer | undefined {
  return form.test(text) ? Buffer.from(text, encoding) : undefined;
}

/** All text forms that the search tries. The correct one is first. */
export const WRITINGS: readonly Writing[] = [
  { id: 'hex', mistake: null, read: (text) => hexBytes(text, LOWER) },
  {
    id: 'upper-case-hex',
    mistake: 'The signature is written in upper-case hexadecimal. Write it in lower case.',
    read: (text) => hexBytes(text, ANY_CASE),
  },
  {
    id: 'base64',
    mistake: 'The signature is written in base64. Write it in lower-case hexadecimal.',
    read: (text) => base64Bytes(text, /^[A-Za-z0-9+/]{16,}={0,2}$/, 'base64'),
  },
  {
    id: 'base64url',
    mistake: 'The signature is written in base64url. Write it in lower-case hexadecimal.',
    read: (text) => base64Bytes(text, /^[A-Za-z0-9_-]{16,}={0,2}$/, 'base64url'),
  },
  {
    id: 'base64-of-hex',
    mistake: 'The hexadecimal signature was encoded again as base64. Send the lower-case hexadecimal text.',
    read: (text) => {
      const inner = base64Bytes(text, /^[A-Za-z0-9+/]{16,}={0,2}$/, 'base64');
      return inner && hexBytes(inner.toString('latin1'), ANY_CASE);
    },
  },
  {
    id: 'prefixed',
    mistake: 'The signature has a prefix, such as sha256=. It must be 64 hexadecimal digits and nothing else.',
    read: (text) => {
      const [, rest = ''] = /^(?:sha-?256=|hmac-?sha256[=: ]|v1=|0x|Bearer |Signature )(.+)$/i.exec(text) ?? [];
      return hexBytes(rest, ANY_CASE) ?? base64Bytes(rest, /^[A-Za-z0-9+/]{43}=$/, 'base64');
    },
  },
  {
    id: 'quoted',
    mistake: 'The signature is in quotation marks, or has spaces around it.',
    read: (text) => hexBytes(text.replace(/^["'\s]+|(?<!["'\s])["'\s]+$/g, ''), ANY_CASE),
  },
  {
    id: 'hyphenated',
    mistake:
      'The bytes of the signature are separated by hyphens, colons or spaces, as BitConverter.ToString does. Remove the separators.',
    read: (text) =>
      /^(?:[0-9A-Fa-f]{2}[-: ])+[0-9A-Fa-f]{2}$/.test(text)
        ? Buffer.from(text.replace(/[-: ]/g, ''), 'hex')
        : undefined,
  },
  {
    id: 'unpadded-hex',
    mistake:
      'The zeros at the beginning of some bytes are missing (0a became a). Write each byte with two hexadecimal digits.',
    read: lossyHex,
    write: (bytes) => [...bytes].map((byte) => byte.toString(16)).join(''),
  },
  {
    id: 'big-integer',
    mistake:
      'The signature was written as a whole number in hexadecimal, so the zeros at its beginning are missing. Write each byte with two hexadecimal digits.',
    read: lossyHex,
    write: (bytes) => wholeNumber(bytes).toString(16),
  },
  {
    id: 'signed-big-integer',
    mistake:
      'The signature was written as a signed whole number, as new BigInteger(bytes) does in Java. Write each byte with two hexadecimal digits.',
    read: lossyHex,
    write: (bytes) => BigInt.asIntN(bytes.length * 8, wholeNumber(bytes)).toString(16),
  },
  {
    id: 'part',
    mistake: 'Only the beginning of the signature is given. A whole signature has 64 hexadecimal digits.',
    isPart: true,
    read: (text) =>
      ANY_CASE.test(text) && text.length >= 2 * MIN_PART_BYTES && text.length < 64
        ? Buffer.from(text, 'hex')
        : undefined,
  },
];
