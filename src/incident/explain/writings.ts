/** One way in which a signature may have been written down. */
export interface Writing {
  readonly id: string;
  /** null: as it has to be. */
  readonly mistake: string | null;
  /** The bytes that the text stands for; undefined: it is not written so. */
  read(text: string): Uint8Array | undefined;
  /** Only the first bytes are there. */
  readonly isPart?: true;
}

const LOWER = /^(?:[0-9a-f]{2})+$/;
const ANY_CASE = /^(?:[0-9a-fA-F]{2})+$/;
const LEAST_PART = 8;

function hexBytes(text: string, form: RegExp): Uint8Array | undefined {
  return form.test(text) && text.length >= 32 ? Buffer.from(text, 'hex') : undefined;
}

function base64Bytes(text: string, form: RegExp, encoding: 'base64' | 'base64url'): Buffer | undefined {
  return form.test(text) ? Buffer.from(text, encoding) : undefined;
}

/** The right one first. */
export const WRITINGS: readonly Writing[] = [
  { id: 'hex', mistake: null, read: (text) => hexBytes(text, LOWER) },
  {
    id: 'upper-case-hex',
    mistake: 'The signature is written in upper-case hexadecimal; it has to be lower case.',
    read: (text) => hexBytes(text, ANY_CASE),
  },
  {
    id: 'base64',
    mistake: 'The signature is written in base64; it has to be lower-case hexadecimal.',
    read: (text) => base64Bytes(text, /^[A-Za-z0-9+/]{16,}={0,2}$/, 'base64'),
  },
  {
    id: 'base64url',
    mistake: 'The signature is written in base64url; it has to be lower-case hexadecimal.',
    read: (text) => base64Bytes(text, /^[A-Za-z0-9_-]{16,}={0,2}$/, 'base64url'),
  },
  {
    id: 'base64-of-hex',
    mistake: 'The hexadecimal signature was put into base64 once more; it has to be lower-case hexadecimal.',
    read: (text) => {
      const inner = base64Bytes(text, /^[A-Za-z0-9+/]{16,}={0,2}$/, 'base64');
      return inner && hexBytes(inner.toString('latin1'), ANY_CASE);
    },
  },
  {
    id: 'prefixed',
    mistake:
      'Something stands before the signature, such as sha256=; it has to be 64 hexadecimal digits and nothing else.',
    read: (text) => {
      const [, rest = ''] = /^(?:sha-?256=|hmac-?sha256[=: ]|v1=|0x|Bearer |Signature )(.+)$/i.exec(text) ?? [];
      return hexBytes(rest, ANY_CASE) ?? base64Bytes(rest, /^[A-Za-z0-9+/]{43}=$/, 'base64');
    },
  },
  {
    id: 'quoted',
    mistake: 'The signature stands in quotation marks, or has blanks around it.',
    read: (text) => hexBytes(text.replace(/^["'\s]+|["'\s]+$/g, ''), ANY_CASE),
  },
  {
    id: 'hyphenated',
    mistake: 'The digits of the signature are separated, as BitConverter.ToString does it.',
    read: (text) =>
      /^(?:[0-9A-Fa-f]{2}[-: ])+[0-9A-Fa-f]{2}$/.test(text)
        ? Buffer.from(text.replace(/[-: ]/g, ''), 'hex')
        : undefined,
  },
  {
    id: 'part',
    mistake: 'Only the beginning of the signature is there; it has 64 hexadecimal digits.',
    isPart: true,
    read: (text) =>
      ANY_CASE.test(text) && text.length >= 2 * LEAST_PART && text.length < 64 ? Buffer.from(text, 'hex') : undefined,
  },
];
