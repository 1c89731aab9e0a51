import { createHash, createHmac, createSecretKey, getHashes, type KeyObject } from 'node:crypto';

/** One way to compute the bytes of a signature from a payload and a key. */
export interface Algorithm {
  readonly id: string;
  /** The wrong algorithm as a sentence for the operator; null for the correct algorithm. */
  readonly mistake: string | null;
  make(payload: Uint8Array, key: Uint8Array): Uint8Array;
  /** True if the algorithm is not tried together with two other mistakes, because it occurs rarely. */
  readonly isRare?: true;
  /** True if the signature begins with the payload, so that its length depends on the payload. */
  readonly keepsPayload?: true;
}

const USUAL_HASHES = [
  ['sha1', 'SHA-1'],
  ['sha512', 'SHA-512'],
  ['sha384', 'SHA-384'],
  ['sha224', 'SHA-224'],
  ['sha3-256', 'SHA3-256'],
  ['md5', 'MD5'],
] as const;

const RARE_HASHES = [
  ['sha512-256', 'SHA-512/256'],
  ['sha3-512', 'SHA3-512'],
  ['blake2s256', 'BLAKE2s'],
  ['blake2b512', 'BLAKE2b'],
  ['ripemd160', 'RIPEMD-160'],
  ['sm3', 'SM3'],
] as const;

const KNOWN = new Set(getHashes().map((name) => name.toLowerCase()));
/** The hashes that this Node has. A Node with another OpenSSL may lack some hashes. */
const HASHES = RARE_HASHES.filter(([hash]) => KNOWN.has(hash));

/** The prepared form of each key, because an HMAC with the bytes of a key takes some five times as long. */
const PREPARED = new WeakMap<Uint8Array, KeyObject>();

function hmac(hash: string, key: Uint8Array, payload: Uint8Array | string): Buffer {
  let prepared = PREPARED.get(key);
  if (!prepared) {
    prepared = createSecretKey(key);
    PREPARED.set(key, prepared);
  }
  return createHmac(hash, prepared).update(payload).digest();
}

function plain(hash: string, parts: readonly (Uint8Array | string)[]): Buffer {
  const running = createHash(hash);
  for (const part of parts) running.update(part);
  return running.digest();
}

type Named = readonly [id: string, name: string];

/** Returns the HMAC with a wrong hash. */
function wrongHmac([hash, name]: Named): Algorithm {
  return {
    id: `hmac-${hash}`,
    mistake: `The HMAC was computed with ${name}. It must be computed with SHA-256 (HMAC-SHA256).`,
    make: (payload, key) => hmac(hash, key, payload),
  };
}

/** Returns three plain hashes: of the key and the payload, of the payload and the key, and of the payload alone. */
function plainHashes([hash, name]: Named): readonly Algorithm[] {
  return [
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
  ];
}

/** Returns a plain hash of the key and the payload with a text between them. */
function separatedHashes([hash, name]: Named, [id, mark]: Named): readonly Algorithm[] {
  return [
    {
      id: `${hash}-key-before-${id}`,
      mistake: `The signature is a plain ${name} of the key, ${JSON.stringify(mark)} and the payload. Use HMAC-SHA256 instead.`,
      make: (payload, key) => plain(hash, [key, mark, payload]),
    },
    {
      id: `${hash}-key-after-${id}`,
      mistake: `The signature is a plain ${name} of the payload, ${JSON.stringify(mark)} and the key. Use HMAC-SHA256 instead.`,
      make: (payload, key) => plain(hash, [payload, mark, key]),
    },
  ];
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

const RARE_SEPARATORS = [
  ['comma', ','],
  ['semicolon', ';'],
  ['underscore', '_'],
  ['key-name', '&key='],
  ['secret-name', '&secret='],
] as const;

const SHA256 = ['sha256', 'SHA-256'] as const;
/** The other hashes that programs use with a separator between the key and the payload. */
const SEPARATED = [
  ['sha1', 'SHA-1'],
  ['md5', 'MD5'],
  ['sha512', 'SHA-512'],
] as const;

const CORRECT: Algorithm = { id: 'hmac-sha256', mistake: null, make: (payload, key) => hmac('sha256', key, payload) };

const RARE: readonly Algorithm[] = [
  {
    id: 'payload-and-hmac-of-nothing',
    mistake:
      'The payload was given to the function that returns the HMAC, such as Sum of Go. That function only puts the payload before the HMAC of nothing. Write the payload to the HMAC first, then call Sum(nil).',
    make: (payload, key) => Buffer.concat([payload, hmac('sha256', key, '')]),
    keepsPayload: true,
  },
  {
    id: 'payload-and-hmac',
    mistake:
      'The payload stands before its HMAC, because it was given again to the function that returns the HMAC, such as Sum of Go. Call Sum(nil).',
    make: (payload, key) => Buffer.concat([payload, hmac('sha256', key, payload)]),
    keepsPayload: true,
  },
  ...HASHES.map(wrongHmac),
  ...HASHES.flatMap(plainHashes),
  ...RARE_SEPARATORS.flatMap((mark) => separatedHashes(SHA256, mark)),
  ...SEPARATED.flatMap((hash) => [...SEPARATORS, ...RARE_SEPARATORS].flatMap((mark) => separatedHashes(hash, mark))),
  ...['', '&key=', '.', ':', '|'].flatMap((mark): Algorithm[] => [
    {
      id: 'hmac-key-after',
      mistake: `The key was added to the payload${mark === '' ? '' : ` (after ${JSON.stringify(mark)})`}, and both were signed. Sign only the payload.`,
      make: (payload, key) => hmac('sha256', key, Buffer.concat([payload, Buffer.from(mark), key])),
    },
    {
      id: 'hmac-key-before',
      mistake: `The key was put before the payload${mark === '' ? '' : ` (with ${JSON.stringify(mark)} between them)`}, and both were signed. Sign only the payload.`,
      make: (payload, key) => hmac('sha256', key, Buffer.concat([key, Buffer.from(mark), payload])),
    },
  ]),
  {
    id: 'hmac-of-upper-sha256',
    mistake: 'The SHA-256 of the payload, in upper-case hexadecimal, was signed instead of the payload.',
    make: (payload, key) => hmac('sha256', key, plain('sha256', [payload]).toString('hex').toUpperCase()),
  },
  {
    id: 'hmac-of-sha256-base64',
    mistake: 'The SHA-256 of the payload, in base64, was signed instead of the payload.',
    make: (payload, key) => hmac('sha256', key, plain('sha256', [payload]).toString('base64')),
  },
  {
    id: 'hmac-of-sha1-hex',
    mistake: 'The SHA-1 of the payload, in hexadecimal, was signed instead of the payload.',
    make: (payload, key) => hmac('sha256', key, plain('sha1', [payload]).toString('hex')),
  },
  {
    id: 'hmac-of-sha512-hex',
    mistake: 'The SHA-512 of the payload, in hexadecimal, was signed instead of the payload.',
    make: (payload, key) => hmac('sha256', key, plain('sha512', [payload]).toString('hex')),
  },
  {
    id: 'hmac-of-md5-bytes',
    mistake: 'The MD5 of the payload was signed instead of the payload.',
    make: (payload, key) => hmac('sha256', key, plain('md5', [payload])),
  },
  {
    id: 'hmac-twice-upper',
    mistake: 'The signature was written in upper-case hexadecimal and then signed again. Sign the payload only once.',
    make: (payload, key) => hmac('sha256', key, hmac('sha256', key, payload).toString('hex').toUpperCase()),
  },
  {
    id: 'hmac-twice-base64',
    mistake: 'The signature was written in base64 and then signed again. Sign the payload only once.',
    make: (payload, key) => hmac('sha256', key, hmac('sha256', key, payload).toString('base64')),
  },
  {
    id: 'sha256-of-hmac-bytes',
    mistake:
      'The bytes of the correct signature were hashed with SHA-256. Send the signature without this second step.',
    make: (payload, key) => plain('sha256', [hmac('sha256', key, payload)]),
  },
  {
    id: 'md5-of-hmac',
    mistake: 'The correct signature, in hexadecimal, was hashed with MD5. Send the signature without this second step.',
    make: (payload, key) => plain('md5', [hmac('sha256', key, payload).toString('hex')]),
  },
  ...(['sha256', 'md5', 'sha1'] as const).flatMap((hash): Algorithm[] => [
    {
      id: `${hash}-of-${hash}-and-key`,
      mistake: `The signature is a plain ${hash === 'sha256' ? 'SHA-256' : hash === 'md5' ? 'MD5' : 'SHA-1'} of the hash of the payload followed by the key. Use HMAC-SHA256 instead.`,
      make: (payload, key) => plain(hash, [plain(hash, [payload]).toString('hex'), key]),
    },
    {
      id: `${hash}-of-key-and-${hash}`,
      mistake: `The signature is a plain ${hash === 'sha256' ? 'SHA-256' : hash === 'md5' ? 'MD5' : 'SHA-1'} of the key followed by the hash of the payload. Use HMAC-SHA256 instead.`,
      make: (payload, key) => plain(hash, [key, plain(hash, [payload]).toString('hex')]),
    },
    {
      id: `${hash}-twice`,
      mistake: `The signature is a hash of a hash of the payload and the key. Use HMAC-SHA256 instead.`,
      make: (payload, key) => plain(hash, [plain(hash, [payload, key])]),
    },
    {
      id: `${hash}-twice-key-before`,
      mistake: `The signature is a hash of a hash of the key and the payload. Use HMAC-SHA256 instead.`,
      make: (payload, key) => plain(hash, [plain(hash, [key, payload])]),
    },
    {
      id: `${hash}-hex-twice`,
      mistake: `The signature is a hash of a hash, in hexadecimal, of the payload and the key. Use HMAC-SHA256 instead.`,
      make: (payload, key) => plain(hash, [plain(hash, [payload, key]).toString('hex')]),
    },
  ]),
];

/** All algorithms that the search tries. The correct one is first. */
export const ALGORITHMS: readonly Algorithm[] = [
  CORRECT,
  ...USUAL_HASHES.map(wrongHmac),
  ...[SHA256, ...USUAL_HASHES].flatMap(plainHashes),
  ...SEPARATORS.flatMap((mark) => separatedHashes(SHA256, mark)),
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
  ...RARE.map((algorithm): Algorithm => ({ ...algorithm, isRare: true })),
];
