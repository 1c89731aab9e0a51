import { createHash } from 'node:crypto';
import type { FixId } from './fixes.ts';

/** A key that the operator may have signed with. */
export interface OfferedKey {
  readonly text: string;
  /** A description of the key for people. It never contains the key itself. */
  readonly name: string;
  /** `integration` is for calls to the operator's wallet, and `api` is for the operator's own calls to the Core API. */
  readonly role: 'integration' | 'api' | 'unknown';
}

/** The bytes that may have been used as the key of the HMAC. */
export interface MadeKey {
  readonly id: string;
  /** The mistake as a sentence for the operator; null for the correct key. */
  readonly mistake: string | null;
  readonly fix: FixId;
  readonly name: string;
  readonly bytes: Uint8Array;
  /** True if the key is not tried together with two other mistakes, because it occurs rarely. */
  readonly isRare?: true;
}

interface KeyChange {
  readonly id: string;
  readonly mistake: string;
  readonly change: (text: string) => string | Uint8Array | undefined;
}

function digest(name: string, text: string): Buffer {
  return createHash(name).update(text).digest();
}

const HEX = /^(?:[0-9a-fA-F]{2})+$/;
const BASE64 = /^[A-Za-z0-9+/_-]{4,}={0,2}$/;

/** Changes that programs make to a key after they read it and before they use it. */
export const KEY_CHANGES: readonly KeyChange[] = [
  {
    id: 'key-lf',
    mistake: 'The line break at the end of the key file became part of the key.',
    change: (key) => `${key}\n`,
  },
  {
    id: 'key-crlf',
    mistake: 'The line break (CR LF) at the end of the key file became part of the key.',
    change: (key) => `${key}\r\n`,
  },
  { id: 'key-blank-after', mistake: 'The key was used with an extra space at its end.', change: (key) => `${key} ` },
  {
    id: 'key-blank-before',
    mistake: 'The key was used with an extra space at its beginning.',
    change: (key) => ` ${key}`,
  },
  {
    id: 'key-trimmed',
    mistake: 'The key was trimmed, but the white space at its beginning or end is part of the key.',
    change: (key) => key.trim(),
  },
  {
    id: 'key-bom',
    mistake: 'The byte order mark at the beginning of the key file became part of the key.',
    change: (key) => `\uFEFF${key}`,
  },
  {
    id: 'key-hex-decoded',
    mistake: 'The key was decoded from hexadecimal. Use the text of the key without decoding it.',
    change: (key) => (HEX.test(key) ? Buffer.from(key, 'hex') : undefined),
  },
  {
    id: 'key-base64-decoded',
    mistake: 'The key was decoded from base64. Use the text of the key without decoding it.',
    change: (key) => (BASE64.test(key) ? Buffer.from(key, 'base64') : undefined),
  },
  {
    id: 'key-hex-encoded',
    mistake: 'The key was encoded as hexadecimal. Use the text of the key without encoding it.',
    change: (key) => Buffer.from(key).toString('hex'),
  },
  {
    id: 'key-base64-encoded',
    mistake: 'The key was encoded as base64. Use the text of the key without encoding it.',
    change: (key) => Buffer.from(key).toString('base64'),
  },
  {
    id: 'key-uuid-bytes',
    mistake: 'The key was read as a UUID, and the 16 bytes of the UUID were used. Use the text of the key instead.',
    change: (key) => (/^[0-9a-f-]{36}$/i.test(key) ? Buffer.from(key.replaceAll('-', ''), 'hex') : undefined),
  },
  {
    id: 'key-without-hyphens',
    mistake: 'The hyphens were removed from the key.',
    change: (key) => key.replaceAll('-', ''),
  },
  { id: 'key-upper-case', mistake: 'The key was converted to upper case.', change: (key) => key.toUpperCase() },
  { id: 'key-lower-case', mistake: 'The key was converted to lower case.', change: (key) => key.toLowerCase() },
  {
    id: 'key-double-quoted',
    mistake: 'The key was read with the quotation marks around it.',
    change: (key) => `"${key}"`,
  },
  { id: 'key-single-quoted', mistake: 'The key was read with the apostrophes around it.', change: (key) => `'${key}'` },
  {
    id: 'key-percent-encoded',
    mistake: 'The key was percent-encoded.',
    change: (key) => encodeURIComponent(key.toWellFormed()),
  },
  {
    id: 'key-percent-decoded',
    mistake: 'The key was percent-decoded, so a plus or a percent sign in the key was lost.',
    change: percentDecoded,
  },
  {
    id: 'key-utf16le',
    mistake: 'The key was encoded as UTF-16 (Encoding.Unicode). Encode the key as UTF-8.',
    change: (key) => Buffer.from(key, 'utf16le'),
  },
  {
    id: 'key-latin1',
    mistake: 'The key was encoded as Latin-1. Encode the key as UTF-8.',
    change: (key) => Buffer.from(key, 'latin1'),
  },
  {
    id: 'key-sha256-hex',
    mistake: 'The key was hashed with SHA-256, and the hexadecimal hash was used as the key.',
    change: (key) => digest('sha256', key).toString('hex'),
  },
  {
    id: 'key-sha256-bytes',
    mistake: 'The key was hashed with SHA-256, and the bytes of the hash were used as the key.',
    change: (key) => digest('sha256', key),
  },
  { id: 'key-cut-last', mistake: 'The last character of the key is missing.', change: (key) => key.slice(0, -1) },
  { id: 'key-cut-first', mistake: 'The first character of the key is missing.', change: (key) => key.slice(1) },
];

/** Changes that occur rarely. They are not tried together with two other mistakes. */
const RARE_KEY_CHANGES: readonly KeyChange[] = [
  ...(
    [
      ['\r', 'a carriage return (CR) at its end'],
      ['\t', 'a tab at its end'],
      [';', 'a semicolon at its end'],
      [',', 'a comma at its end'],
      [':', 'a colon at its end'],
      ['=', 'an equals sign at its end'],
      ['\n\n', 'two line breaks at its end'],
      [String.raw`\n`, String.raw`the characters \n at its end`],
      ['\u00a0', 'a no-break space at its end'],
      ['\u200b', 'an invisible character (U+200B) at its end'],
    ] as const
  ).map(
    ([end, what]): KeyChange => ({
      id: 'key-with-end',
      mistake: `The key was used with ${what}.`,
      change: (key) => key + end,
    }),
  ),
  ...(
    [
      ['\u200b', 'an invisible character (U+200B)'],
      ['\u00a0', 'a no-break space'],
      ['\t', 'a tab'],
      ['Bearer ', 'the word Bearer'],
      ['key=', 'the text key='],
      ['INTEGRATION_API_KEY=', 'the name of its variable and an equals sign'],
      ['CROUPIER_KEY=', 'the name of its variable and an equals sign'],
      ['base64:', 'the text base64:'],
    ] as const
  ).map(
    ([begin, what]): KeyChange => ({
      id: 'key-with-beginning',
      mistake: `The key was used with ${what} before it.`,
      change: (key) => begin + key,
    }),
  ),
  ...(
    [
      ['`', '`', 'backticks'],
      ['<', '>', 'angle brackets'],
      ['[', ']', 'square brackets'],
      ['{', '}', 'braces'],
      ['“', '”', 'curly quotation marks'],
      ['‘', '’', 'curly apostrophes'],
      ["b'", "'", "the marks of Python's bytes (b'…')"],
    ] as const
  ).map(
    ([before, after, what]): KeyChange => ({
      id: 'key-in-marks',
      mistake: `The key was used with ${what} around it.`,
      change: (key) => before + key + after,
    }),
  ),
  {
    id: 'key-without-prefix',
    mistake: 'The first part of the key, up to a hyphen or underscore, is missing.',
    change: (key) => (/^[^-_]+[-_](?=.)/.test(key) ? key.replace(/^[^-_]+[-_]/, '') : undefined),
  },
  {
    id: 'key-without-suffix',
    mistake: 'The last part of the key, from a hyphen or underscore on, is missing.',
    change: (key) =>
      /.[-_][^-_]+$/.test(key) ? key.slice(0, Math.max(key.lastIndexOf('-'), key.lastIndexOf('_'))) : undefined,
  },
  ...['=', '#', '$', ' ', '&', '+', '/', ';', ':', '%', '"', "'", '\\', '\n'].map(
    (sign): KeyChange => ({
      id: 'key-cut-at-sign',
      mistake: `The key was cut at the sign ${JSON.stringify(sign)}, which is part of the key.`,
      change: (key) => (key.includes(sign) ? key.slice(0, key.indexOf(sign)) : undefined),
    }),
  ),
  ...[8, 16, 20, 24, 32, 64].map(
    (length): KeyChange => ({
      id: 'key-cut-at-length',
      mistake: `Only the first ${length} characters of the key were used.`,
      change: (key) => (key.length > length ? key.slice(0, length) : undefined),
    }),
  ),
  {
    id: 'key-base64-encoded',
    mistake: 'The key was encoded as base64 with a line break at the end. Use the text of the key without encoding it.',
    change: (key) => `${Buffer.from(key).toString('base64')}\n`,
  },
  {
    id: 'key-base64url-encoded',
    mistake: 'The key was encoded as base64url. Use the text of the key without encoding it.',
    change: (key) => Buffer.from(key).toString('base64url'),
  },
  {
    id: 'key-upper-hex-encoded',
    mistake: 'The key was encoded as upper-case hexadecimal. Use the text of the key without encoding it.',
    change: (key) => Buffer.from(key).toString('hex').toUpperCase(),
  },
  {
    id: 'key-base64-decoded-partly',
    mistake: 'The key was decoded from base64, although it has characters that base64 does not have.',
    change: (key) => Buffer.from(key, 'base64'),
  },
  {
    id: 'key-hex-decoded-partly',
    mistake: 'The key was decoded from hexadecimal up to the first character that is not hexadecimal.',
    change: (key) => Buffer.from(key, 'hex'),
  },
  {
    id: 'key-utf16be',
    mistake: 'The key was encoded as UTF-16 (big endian). Encode the key as UTF-8.',
    change: (key) => Buffer.from(key, 'utf16le').swap16(),
  },
  ...(
    [
      ['sha1', 'SHA-1'],
      ['sha512', 'SHA-512'],
      ['md5', 'MD5'],
    ] as const
  ).flatMap(([hash, name]): KeyChange[] => [
    {
      id: `key-${hash}-bytes`,
      mistake: `The key was hashed with ${name}, and the bytes of the hash were used as the key.`,
      change: (key) => digest(hash, key),
    },
    {
      id: `key-${hash}-hex`,
      mistake: `The key was hashed with ${name}, and the hexadecimal hash was used as the key.`,
      change: (key) => digest(hash, key).toString('hex'),
    },
  ]),
  {
    id: 'key-sha256-upper-hex',
    mistake: 'The key was hashed with SHA-256, and the upper-case hexadecimal hash was used as the key.',
    change: (key) => digest('sha256', key).toString('hex').toUpperCase(),
  },
  {
    id: 'key-sha256-base64',
    mistake: 'The key was hashed with SHA-256, and the hash in base64 was used as the key.',
    change: (key) => digest('sha256', key).toString('base64'),
  },
  { id: 'key-twice', mistake: 'The key was used twice in a row, as one key.', change: (key) => key + key },
  {
    id: 'key-reversed',
    mistake: 'The key was used backwards.',
    change: (key) => Array.from(key).toReversed().join(''),
  },
  {
    id: 'key-html-escaped',
    mistake: 'The key was escaped for HTML.',
    change: (key) =>
      key.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;'),
  },
  {
    id: 'key-plus-as-blank',
    mistake: 'The plus signs of the key were read as spaces.',
    change: (key) => key.replaceAll('+', ' '),
  },
  {
    id: 'key-slashes-escaped',
    mistake: 'The slashes of the key were written as \\/, as PHP writes them in JSON.',
    change: (key) => key.replaceAll('/', '\\/'),
  },
  {
    id: 'key-without-marks',
    mistake: 'Only the letters and digits of the key were used.',
    change: (key) => key.replaceAll(/[^A-Za-z0-9]/g, ''),
  },
  {
    id: 'key-json-of-buffer',
    mistake: 'The key was still a Buffer when it was written as JSON. Use its text.',
    change: (key) => JSON.stringify(Buffer.from(key)),
  },
];

/** Texts that programs use as the key by mistake if no key is configured. */
const UNSET: readonly (readonly [text: string, how: string])[] = [
  ['', 'an empty text'],
  ['undefined', 'the text "undefined"'],
  ['null', 'the text "null"'],
  ['None', 'the text "None"'],
  ['nil', 'the text "nil"'],
  ['<nil>', 'the text "<nil>"'],
  ['changeme', 'the text "changeme"'],
  ['secret', 'the text "secret"'],
  ['<INTEGRATION_API_KEY>', 'the placeholder of the documentation'],
  ...[
    'INTEGRATION_API_KEY',
    '$INTEGRATION_API_KEY',
    '${INTEGRATION_API_KEY}',
    '%INTEGRATION_API_KEY%',
    '{{INTEGRATION_API_KEY}}',
    'YOUR_API_KEY',
    'your-api-key',
    'your_api_key',
    'YOUR_SECRET_KEY',
    'your-secret-key',
    'api-key',
    'apikey',
    'api_key',
    'key',
    'test',
    'password',
    'false',
    'true',
    '0',
    'NULL',
    '[object Object]',
    '[object Promise]',
    'CROUPIER_KEY',
    '$CROUPIER_KEY',
    '${CROUPIER_KEY}',
    'Array',
    '\n',
    ' ',
  ].map((text) => [text, `the text ${JSON.stringify(text)}`] as const),
];

function percentDecoded(key: string): string | undefined {
  try {
    return decodeURIComponent(key.replaceAll('+', ' '));
  } catch {
    return undefined;
  }
}

/**
 * Returns the keys that may have been used: the correct key, the other keys, and then every changed form of each key.
 *
 * @param offered the keys, the correct one first
 */
export function keysMadeOf(offered: readonly OfferedKey[]): readonly MadeKey[] {
  const [right] = offered;
  if (!right) return [];
  const plain = offered.map(
    (key, index): MadeKey => ({
      id: index === 0 ? 'right-key' : key.role === 'api' ? 'api-key' : 'other-key',
      mistake: index === 0 ? null : otherKeyMistake(key, right),
      fix: 'key',
      name: key.name,
      bytes: Buffer.from(key.text),
    }),
  );
  const changedBy = (changes: readonly KeyChange[]): readonly MadeKey[] =>
    offered.flatMap((key, index) =>
      changes.flatMap(({ id, mistake, change }): MadeKey[] => {
        const made = change(key.text);
        if (made === undefined) return [];
        const also = index === 0 ? '' : ` And ${lowerFirst(otherKeyMistake(key, right))}`;
        return [{ id, mistake: mistake + also, fix: 'key-text', name: key.name, bytes: Buffer.from(made) }];
      }),
    );
  const rare = changedBy(RARE_KEY_CHANGES).map((key): MadeKey => ({ ...key, isRare: true }));
  const unset = UNSET.map(
    ([text, how]): MadeKey => ({
      id: 'key-unset',
      mistake: `The key was not set: ${how} was used in its place.`,
      fix: 'key',
      name: how,
      bytes: Buffer.from(text),
    }),
  );
  return distinct([...plain, ...changedBy(KEY_CHANGES), ...unset, ...rare]);
}

function otherKeyMistake({ name, role }: OfferedKey, right: OfferedKey): string {
  if (role === 'api' && right.role !== 'api') {
    return `The API key of the Core API was used (${name}) instead of the Integration API key.`;
  }
  return right.role === 'api' && role === 'integration'
    ? `The Integration API key was used (${name}) instead of the API key of the Core API.`
    : `Another key was used: ${name}, not ${right.name}.`;
}

function lowerFirst(sentence: string): string {
  return sentence.charAt(0).toLowerCase() + sentence.slice(1);
}

/** Removes every key that has the same bytes as an earlier key. */
function distinct(keys: readonly MadeKey[]): readonly MadeKey[] {
  const seen = new Set<string>();
  return keys.filter(({ bytes }) => {
    const text = Buffer.from(bytes).toString('latin1');
    if (seen.has(text)) return false;
    seen.add(text);
    return true;
  });
}
