import { createHash, createHmac } from 'node:crypto';

/** One way to compute the bytes of a signature from a payload and a key. */
export interface Algorithm {
  readonly id: string;
  /** The wrong algorithm as a sentence for the operator; null for the correct algorithm. */
  readonly mistake: string | null;
  make(payload: Uint8Array, key: Uint8Array): Uint8Array;
}

const HASHES = [
  ['sha1', 'SHA-1'],
  ['sha512', 'SHA-512'],
  ['sha384', 'SHA-384'],
  ['sha224', 'SHA-224'],
  ['sha3-256', 'SHA3-256'],
  ['md5', 'MD5'],
] as const;

function hmac(hash: string, key: Uint8Array, payload: Uint8Array | string): Buffer {
  return createHmac(hash, key).update(payload).digest();
}

function plain(hash: string, parts: readonly (Uint8Array | string)[]): Buffer {
  const running = createHash(hash);
  for (const part of parts) running.update(part);
  return running.digest();
}

const SEPARATORS = [
  ['colon', ':'],
  ['point', '.'],
  ['bar', '|'],
  ['ampersand', '&'],
  ['line-break', '\n'],
  ['blank', ' '],
  ['hyphen', '-'],
] as const;

const PLAIN_HASHES = [['sha256', 'SHA-256'], ...HASHES] as const;

const CORRECT: Algorithm = { id: 'hmac-sha256', mistake: null, make: (payload, key) => hmac('sha256', key, payload) };

/** All algorithms that the search tries. The correct one is first. */
export const ALGORITHMS: readonly Algorithm[] = [
  CORRECT,
  ...HASHES.map(
    ([hash, name]): Algorithm => ({
      id: `hmac-${hash}`,
      mistake: `The HMAC was computed with ${name}. It must be computed with SHA-256 (HMAC-SHA256).`,
      make: (payload, key) => hmac(hash, key, payload),
    }),
  ),
  ...PLAIN_HASHES.flatMap(([hash, name]): Algorithm[] => [
    {
      id: `${hash}-key-before`,
      mistake: `The signature is a plain ${name} of the key followed by the payload. Use HMAC-SHA256 instead.`,
      make: (payload, key) => plain(hash, [key, payload]),
    },
    {
      id: `${hash}-key-after`,
      mistake: `The signature is a plain ${name} of the payload followed by the key. Use HMAC-SHA256 instead.`,
      make: (payload, key) => plain(hash, [payload, key]),
    },
    {
      id: `${hash}-without-key`,
      mistake: `The signature is a plain ${name} of the payload, without a key. Use HMAC-SHA256 with the key instead.`,
      make: (payload) => plain(hash, [payload]),
    },
  ]),
  ...SEPARATORS.flatMap(([id, mark]): Algorithm[] => [
    {
      id: `sha256-key-before-${id}`,
      mistake: `The signature is a plain SHA-256 of the key, ${JSON.stringify(mark)} and the payload. Use HMAC-SHA256 instead.`,
      make: (payload, key) => plain('sha256', [key, mark, payload]),
    },
    {
      id: `sha256-key-after-${id}`,
      mistake: `The signature is a plain SHA-256 of the payload, ${JSON.stringify(mark)} and the key. Use HMAC-SHA256 instead.`,
      make: (payload, key) => plain('sha256', [payload, mark, key]),
    },
  ]),
  {
    id: 'sha256-key-around',
    mistake: 'The signature is a plain SHA-256 of the key, the payload and the key again. Use HMAC-SHA256 instead.',
    make: (payload, key) => plain('sha256', [key, payload, key]),
  },
  {
    id: 'hmac-swapped',
    mistake: 'The key and the payload were swapped when the HMAC function was called.',
    make: (payload, key) => hmac('sha256', payload, key),
  },
  {
    id: 'hmac-twice-hex',
    mistake: 'The signature was written in hexadecimal and then signed again. Sign the payload only once.',
    make: (payload, key) => hmac('sha256', key, hmac('sha256', key, payload).toString('hex')),
  },
  {
    id: 'hmac-twice-bytes',
    mistake: 'The bytes of the signature were signed again. Sign the payload only once.',
    make: (payload, key) => hmac('sha256', key, hmac('sha256', key, payload)),
  },
  {
    id: 'sha256-of-hmac',
    mistake:
      'The correct signature, in hexadecimal, was hashed with SHA-256. Send the signature without this second step.',
    make: (payload, key) => plain('sha256', [hmac('sha256', key, payload).toString('hex')]),
  },
  {
    id: 'hmac-of-sha256-hex',
    mistake: 'The SHA-256 of the payload, in hexadecimal, was signed instead of the payload.',
    make: (payload, key) => hmac('sha256', key, plain('sha256', [payload]).toString('hex')),
  },
  {
    id: 'hmac-of-sha256-bytes',
    mistake: 'The SHA-256 of the payload was signed instead of the payload.',
    make: (payload, key) => hmac('sha256', key, plain('sha256', [payload])),
  },
  {
    id: 'hmac-of-md5-hex',
    mistake: 'The MD5 of the payload was signed instead of the payload.',
    make: (payload, key) => hmac('sha256', key, plain('md5', [payload]).toString('hex')),
  },
];
