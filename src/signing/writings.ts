/** One text form in which a signature may be written. */
export interface Writing {
  readonly id: string;
  /** The wrong text form as a sentence for the operator; null for the correct form. */
  readonly mistake: string | null;
  /** Returns the bytes of the signature, or undefined if the text does not have this form. */
  read(text: string): Uint8Array | undefined;
  /** True if the text contains only the first bytes of the signature. */
  readonly isPart?: true;
}

const LOWER = /^(?:[0-9a-f]{2})+$/;
const ANY_CASE = /^(?:[0-9a-fA-F]{2})+$/;
const MIN_PART_BYTES = 8;

function hexBytes(text: string, form: RegExp): Uint8Array | undefined {
  return form.test(text) && text.length >= 32 ? Buffer.from(text, 'hex') : undefined;
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
    id: 'part',
    mistake: 'Only the beginning of the signature is given. A whole signature has 64 hexadecimal digits.',
    isPart: true,
    read: (text) =>
      ANY_CASE.test(text) && text.length >= 2 * MIN_PART_BYTES && text.length < 64
        ? Buffer.from(text, 'hex')
        : undefined,
  },
];
