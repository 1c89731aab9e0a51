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
    mistake: 'The key was read with the line break at the end of its file.',
    change: (key) => `${key}\n`,
  },
  {
    id: 'key-crlf',
    mistake: 'The key was read with the line break (CR LF) at the end of its file.',
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
    mistake: 'The key was read with the byte order mark at the beginning of its file.',
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
  {
    id: 'key-md5-hex',
    mistake: 'The key was hashed with MD5, and the hexadecimal hash was used as the key.',
    change: (key) => digest('md5', key).toString('hex'),
  },
  { id: 'key-cut-last', mistake: 'The last character of the key is missing.', change: (key) => key.slice(0, -1) },
  { id: 'key-cut-first', mistake: 'The first character of the key is missing.', change: (key) => key.slice(1) },
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
  const changed = offered.flatMap((key, index) =>
    KEY_CHANGES.flatMap(({ id, mistake, change }): MadeKey[] => {
      const made = change(key.text);
      if (made === undefined) return [];
      const also = index === 0 ? '' : ` And ${lowerFirst(otherKeyMistake(key, right))}`;
      return [{ id, mistake: mistake + also, fix: 'key-text', name: key.name, bytes: Buffer.from(made) }];
    }),
  );
  const unset = UNSET.map(
    ([text, how]): MadeKey => ({
      id: 'key-unset',
      mistake: `The key was not set: ${how} was used in its place.`,
      fix: 'key',
      name: how,
      bytes: Buffer.from(text),
    }),
  );
  return distinct([...plain, ...changed, ...unset]);
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
