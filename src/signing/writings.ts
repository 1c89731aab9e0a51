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
   * Writes bytes in this form. Given only for a form in which different bytes can have the same text. For such a form
   * the texts are compared, and `read` only says whether the text can have this form. The letter case of hexadecimal
   * digits does not matter.
   */
  readonly write?: (bytes: Uint8Array, text: string) => string;
}

const LOWER = /^(?:[0-9a-f]{2})+$/;
const ANY_CASE = /^(?:[0-9a-fA-F]{2})+$/;
const MIN_PART_BYTES = 8;

function hexBytes(text: string, form: RegExp): Uint8Array | undefined {
  return form.test(text) && text.length >= 32 ? Buffer.from(text, 'hex') : undefined;
}

/**
 * The lengths of the hexadecimal text of usual hashes. Some programs omit zeros, which makes the text shorter. A text
 * of one of these lengths is complete.
 */
const WHOLE_LENGTHS: ReadonlySet<number> = new Set([32, 40, 64, 96, 128]);

/**
 * Recognises a text that may be a signature in a wrong hexadecimal form. The bytes of such a signature can't be read, so the caller
 * compares the texts. The 32 zero bytes that this function returns only take the place of the bytes.
 */
function lossyHex(text: string): Uint8Array | undefined {
  const isNegative = /^-[0-9a-f]{29,255}$/i.test(text);
  const isPositive = /^[0-9a-f]{30,256}$/i.test(text) && !WHOLE_LENGTHS.has(text.length);
  return isNegative || isPositive ? Buffer.alloc(32) : undefined;
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
    id: 'base64-in-one-case',
    mistake:
      'The signature is written in base64, and its letters were changed to one case. Write it in lower-case hexadecimal.',
    read: (text) => (/^(?:[a-z0-9+/]{43}|[A-Z0-9+/]{43})=$/.test(text) ? Buffer.alloc(32) : undefined),
    write: (bytes) => Buffer.from(bytes).toString('base64').toLowerCase(),
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
    id: 'sign-extended-hex',
    mistake:
      'Each byte was written as a signed whole number (f0 became fffffff0), as Integer.toHexString of a byte does in Java. Write each byte with two hexadecimal digits.',
    read: lossyHex,
    write: (bytes) => [...bytes].map((byte) => `${byte > 127 ? 'ffffff' : ''}${hexOf(byte)}`).join(''),
  },
  {
    id: 'sign-extended-unpadded-hex',
    mistake:
      'Each byte was written as a signed whole number without zeros before it (f0 became fffffff0, and 0a became a), as Integer.toHexString of a byte does in Java. Write each byte with two hexadecimal digits.',
    read: lossyHex,
    write: (bytes) => [...bytes].map((byte) => `${byte > 127 ? 'ffffff' : ''}${byte.toString(16)}`).join(''),
  },
  {
    id: 'decimal-number',
    mistake: 'The signature was written as a whole decimal number. Write each byte with two hexadecimal digits.',
    read: (text) => (/^\d{36,160}$/.test(text) ? Buffer.alloc(32) : undefined),
    write: (bytes) => wholeNumber(bytes).toString(10),
  },
  {
    id: 'list-of-numbers',
    mistake:
      'The bytes of the signature were written as a list of numbers. Write each byte with two hexadecimal digits.',
    read: (text) => {
      const inner = /^(?:\{"type":"Buffer","data":)?\[?\s?(-?\d{1,3}(?:(?:,\s?|\s)-?\d{1,3}){15,70})\s?\]?\}?$/.exec(
        text,
      )?.[1];
      return inner === undefined ? undefined : Buffer.from(inner.split(/,\s?|\s/).map(Number));
    },
  },
  {
    id: 'raw-bytes',
    mistake: 'The bytes of the signature were sent as they are. Write each byte with two hexadecimal digits.',
    read: (text) =>
      text.length >= 16 && text.length <= 64 && /[^ -~]/.test(text) && /^[\0-\u00ff]*$/.test(text)
        ? Buffer.from(text, 'latin1')
        : undefined,
  },
  {
    id: 'percent-encoded',
    mistake: 'The signature was percent-encoded. Write it in lower-case hexadecimal.',
    read: (text) => {
      const plain = /%(?:2[BF]|3D)/i.test(text) ? percentDecoded(text) : undefined;
      return plain === undefined ? undefined : base64Bytes(plain, /^[A-Za-z0-9+/]{16,}={0,2}$/, 'base64');
    },
  },
  {
    id: 'base32',
    mistake: 'The signature is written in base32. Write it in lower-case hexadecimal.',
    read: base32Bytes,
  },
  {
    id: 'hex-of-text',
    mistake:
      'The text of the signature was encoded again as hexadecimal. Send the lower-case hexadecimal of its bytes.',
    read: (text) => {
      const inner = hexBytes(text, ANY_CASE);
      const plain = inner && Buffer.from(inner).toString('latin1');
      return plain === undefined
        ? undefined
        : (hexBytes(plain, ANY_CASE) ?? base64Bytes(plain, /^[A-Za-z0-9+/]{43}=$/, 'base64'));
    },
  },
  {
    id: 'reversed-bytes',
    mistake: 'The bytes of the signature are in reverse order.',
    read: (text) => {
      const bytes = hexBytes(text, ANY_CASE);
      return bytes && Buffer.from(bytes).reverse();
    },
  },
  {
    id: 'reversed-text',
    mistake: 'The characters of the signature are in reverse order.',
    read: (text) => hexBytes(Array.from(text).toReversed().join(''), ANY_CASE),
  },
  {
    id: 'swapped-words',
    mistake: 'In each group of four bytes of the signature, the bytes are in reverse order (little endian).',
    read: (text) => {
      const bytes = hexBytes(text, ANY_CASE);
      return bytes && bytes.length % 4 === 0 ? Buffer.from(bytes).swap32() : undefined;
    },
  },
  {
    id: 'surrounded',
    mistake:
      'The signature has other text around it, or spaces in it. It must be 64 hexadecimal digits and nothing else.',
    read: (text) => {
      const joined = text.replaceAll(/\s/g, '');
      if (joined !== text && ANY_CASE.test(joined)) return hexBytes(joined, ANY_CASE);
      // If the text contains two signatures, which may be different, the first signature counts.
      const [, hex] = /(?:^|[^0-9a-fA-F])([0-9a-fA-F]{64})(?![0-9a-fA-F])/.exec(text) ?? [];
      if (hex !== undefined) return Buffer.from(hex, 'hex');
      const [, base64] = /(?:^|[^A-Za-z0-9+/])([A-Za-z0-9+/]{43}=)(?!=)/.exec(text) ?? [];
      return base64 === undefined ? undefined : Buffer.from(base64, 'base64');
    },
  },
  {
    id: 'part',
    mistake: 'Only the beginning of the signature is given. A whole signature has 64 hexadecimal digits.',
    isPart: true,
    read: (text) =>
      ANY_CASE.test(text) && text.length >= 2 * MIN_PART_BYTES && text.length < 128
        ? Buffer.from(text, 'hex')
        : undefined,
  },
  {
    id: 'part-without-pair',
    mistake:
      'Only the beginning of the signature is given, and its last byte is cut. A whole signature has 64 hexadecimal digits.',
    read: (text) => (/^[0-9a-f]{17,127}$/i.test(text) && text.length % 2 === 1 ? Buffer.alloc(32) : undefined),
    write: (bytes, text) => hexOfAll(bytes).slice(0, text.length),
  },
  {
    id: 'end-part',
    mistake: 'Only the end of the signature is given. A whole signature has 64 hexadecimal digits.',
    read: (text) => (/^[0-9a-f]{16,127}$/i.test(text) && text.length !== 64 ? Buffer.alloc(32) : undefined),
    write: (bytes, text) => (text.length >= 2 * bytes.length ? '' : hexOfAll(bytes).slice(-text.length)),
  },
];

function hexOf(byte: number): string {
  return byte.toString(16).padStart(2, '0');
}

function hexOfAll(bytes: Uint8Array): string {
  return Buffer.from(bytes).toString('hex');
}

function percentDecoded(text: string): string | undefined {
  try {
    return decodeURIComponent(text);
  } catch {
    return undefined;
  }
}

const BASE32 = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567';

/** Decodes base32 (RFC 4648, 6) with or without padding. */
function base32Bytes(text: string): Uint8Array | undefined {
  const digits = text.replace(/(?<!=)={1,6}$/, '').toUpperCase();
  if (digits.length < 26 || !/^[A-Z2-7]+$/.test(digits)) return undefined;
  const bits = Array.from(digits, (digit) => BASE32.indexOf(digit).toString(2).padStart(5, '0')).join('');
  const bytes = bits.slice(0, bits.length - (bits.length % 8)).match(/.{8}/g) ?? [];
  return Uint8Array.from(bytes, (byte) => Number.parseInt(byte, 2));
}
