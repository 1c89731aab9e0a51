import { brotliCompressSync, crc32, deflateRawSync, deflateSync } from 'node:zlib';
import type { Construction } from './construction.ts';

/**
 * One way to change the bytes of a payload without parsing it. `change` returns undefined if it would change nothing.
 */
export interface TextChange extends Omit<Construction, 'mistake'> {
  /** The mistake as a sentence. It depends on the payload if several languages change some payloads in the same way. */
  readonly mistake: string | ((bytes: Buffer) => string);
  readonly change: (bytes: Buffer) => Uint8Array | undefined;
}

/**
 * Maximum length in bytes of a payload that is compressed with brotli, which is slow at its default level. Bodies of
 * the contract are shorter.
 */
const MAX_BROTLI = 64 * 1024;
const QUOTE = Buffer.from('"');
const APOSTROPHE = Buffer.from("'");
const BOM = Buffer.from([0xef, 0xbb, 0xbf]);

function onText(change: (text: string) => string | Uint8Array): (bytes: Buffer) => Uint8Array {
  return (bytes) => {
    const changed = change(bytes.toString('utf8'));
    return typeof changed === 'string' ? Buffer.from(changed) : changed;
  };
}

function change(id: string, mistake: string, make: (bytes: Buffer) => Uint8Array | undefined): TextChange {
  return { id, mistake, fix: 'raw-body', change: make };
}

/** A change that is tried only alone. */
function rare(id: string, mistake: string, make: (bytes: Buffer) => Uint8Array | undefined): TextChange {
  return { ...change(id, mistake, make), isRare: true };
}

/** Breaks a text into lines of 76 characters, as MIME does (RFC 2045, 6.8). */
function inLines(text: string, lineEnd: string): string {
  return text.replaceAll(/.{76}(?=.)/g, `$&${lineEnd}`);
}

function escapedForHtml(text: string, apostrophe: string): string {
  return text
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('"', '&quot;')
    .replaceAll("'", apostrophe);
}

/** Writes bytes as repr() of Python does. */
function pythonBytes(bytes: Buffer): string {
  const mark = bytes.includes("'") && !bytes.includes('"') ? '"' : "'";
  const inner = bytes
    .toString('latin1')
    .replaceAll('\\', '\\\\')
    .replaceAll(mark, `\\${mark}`)
    .replaceAll('\n', '\\n')
    .replaceAll('\r', '\\r')
    .replaceAll('\t', '\\t')
    .replaceAll(/[^ -~]/g, (sign) => `\\x${sign.charCodeAt(0).toString(16).padStart(2, '0')}`);
  return `b${mark}${inner}${mark}`;
}

function unescaped(text: string, plus: boolean): string {
  try {
    return decodeURIComponent(plus ? text.replaceAll('+', ' ') : text);
  } catch {
    return text;
  }
}

/** Percent-encodes each character except the unreserved ones (RFC 3986, 2.3). */
function escapedWhole(text: string): string {
  return encodeURIComponent(text).replaceAll(/[!'()*]/g, (sign) => `%${sign.charCodeAt(0).toString(16).toUpperCase()}`);
}

/** The ways in which programs percent-encode a text. For most texts, several of these ways give the same bytes. */
const PERCENT_ENCODINGS: readonly {
  readonly id: string;
  readonly how: string;
  readonly encode: (text: string) => string;
}[] = [
  {
    id: 'url-encoded-whole',
    how: 'rawurlencode of PHP, quote(safe="") of Python or Uri.EscapeDataString of .NET',
    encode: escapedWhole,
  },
  { id: 'url-encoded-python', how: 'quote of Python', encode: (text) => escapedWhole(text).replaceAll('%2F', '/') },
  {
    id: 'url-encoded-plus',
    how: 'quote_plus of Python or url.QueryEscape of Go',
    encode: (text) => escapedWhole(text).replaceAll('%20', '+'),
  },
  {
    id: 'url-encoded-php',
    how: 'urlencode of PHP',
    encode: (text) => escapedWhole(text).replaceAll('%20', '+').replaceAll('~', '%7E'),
  },
  {
    id: 'url-encoded-java',
    how: 'URLEncoder of Java',
    encode: (text) => escapedWhole(text).replaceAll('%20', '+').replaceAll('%2A', '*').replaceAll('~', '%7E'),
  },
  { id: 'url-encoded-partly', how: 'encodeURI of JavaScript', encode: encodeURI },
];

/** The last text that was encoded, with its form in each of `PERCENT_ENCODINGS`. */
let lastEncoded: { readonly text: string | null; readonly forms: readonly string[] } = { text: null, forms: [] };

function percentForms(bytes: Buffer): readonly string[] {
  const text = bytes.toString('utf8').toWellFormed();
  if (lastEncoded.text !== text) lastEncoded = { text, forms: PERCENT_ENCODINGS.map(({ encode }) => encode(text)) };
  return lastEncoded.forms;
}

/**
 * Returns the mistake of one of `PERCENT_ENCODINGS`. Names every encoding that gives the same bytes, because the signature does not
 * show which of them was used.
 */
function percentMistake(bytes: Buffer, index: number): string {
  const forms = percentForms(bytes);
  const same = PERCENT_ENCODINGS.filter((_, other) => forms[other] === forms[index]).map(({ how }) => how);
  const as = same.length === 1 ? `as ${same.join('')} does` : `as one of these does: ${same.join('; ')}`;
  return `The payload was percent-encoded before it was signed, ${as}.`;
}

/** The compression levels of usual libraries, with the byte that some of them write for the level (RFC 1952, XFL). */
const GZIP_LEVELS = [
  { level: 6, flag: 0 },
  { level: 9, flag: 2 },
  { level: 1, flag: 4 },
];
/** The bytes that libraries write for the operating system (RFC 1952, OS): Unix, unknown, FAT, NTFS and macOS. */
const GZIP_SYSTEMS = [3, 255, 0, 10, 19];

/** Compresses bytes as gzip does, without a time and a name in the head. */
function gzipped(bytes: Buffer, level: number, flag: number, system: number): Uint8Array {
  const head = Buffer.from([0x1f, 0x8b, 8, 0, 0, 0, 0, 0, flag, system]);
  const end = Buffer.alloc(8);
  end.writeUInt32LE(crc32(bytes), 0);
  end.writeUInt32LE(bytes.length, 4);
  return Buffer.concat([head, deflateRawSync(bytes, { level }), end]);
}

/** Returns the mistake of a change as a sentence about this payload. */
export function mistakeIn({ mistake }: TextChange, bytes: Buffer): string {
  return typeof mistake === 'string' ? mistake : mistake(bytes);
}

/** Changes that programs make to the bytes of a payload before they sign it. The likelier changes come first. */
export const TEXT_CHANGES: readonly TextChange[] = [
  change('trailing-lf', 'A line break was added at the end of the payload before it was signed.', (bytes) =>
    Buffer.concat([bytes, Buffer.from('\n')]),
  ),
  change('trailing-crlf', 'A line break (CR LF) was added at the end of the payload before it was signed.', (bytes) =>
    Buffer.concat([bytes, Buffer.from('\r\n')]),
  ),
  change('trailing-blank', 'A space was added at the end of the payload before it was signed.', (bytes) =>
    Buffer.concat([bytes, Buffer.from(' ')]),
  ),
  change(
    'trimmed',
    'The payload was signed without the white space at its beginning or end. Either a program removed this white space before it signed, or the white space is only in the text that croupier read.',
    onText((text) => text.trim()),
  ),
  change(
    'crlf',
    'Line breaks were converted to CR LF before the payload was signed.',
    onText((text) => text.replace(/\r?\n/g, '\r\n')),
  ),
  change(
    'lf',
    'CR LF was converted to plain line breaks before the payload was signed.',
    onText((text) => text.replaceAll('\r\n', '\n')),
  ),
  change('bom', 'The payload was signed with a byte order mark before it.', (bytes) => Buffer.concat([BOM, bytes])),
  change('bom-removed', 'The byte order mark of the payload was removed before it was signed.', (bytes) =>
    bytes.subarray(0, 3).equals(BOM) ? bytes.subarray(3) : undefined,
  ),
  change(
    'latin1',
    'The payload was encoded as Latin-1 (ISO 8859-1) for signing. Encode it as UTF-8.',
    onText((text) => Buffer.from(text, 'latin1')),
  ),
  change(
    'latin1',
    'The payload was encoded as Latin-1 (ISO 8859-1) for signing, with a question mark in place of each character that Latin-1 does not have. Encode it as UTF-8.',
    onText((text) => Buffer.from(text.replaceAll(/[\u0100-\u{10ffff}]/gu, '?'), 'latin1')),
  ),
  change(
    'latin1-decoded',
    'The bytes of the payload were read as Latin-1 and encoded as UTF-8 for signing (é became Ã©).',
    (bytes) => Buffer.from(bytes.toString('latin1')),
  ),
  change(
    'ascii',
    'The payload was encoded as ASCII for signing. A question mark replaced every character that is not ASCII.',
    onText((text) => text.replace(/[\u0080-\u{10ffff}]/gu, '?')),
  ),
  change(
    'utf16le',
    'The payload was encoded as UTF-16 (Encoding.Unicode) for signing. Encode it as UTF-8.',
    onText((text) => Buffer.from(text, 'utf16le')),
  ),
  change(
    'nfc',
    'The payload was normalised to Unicode form NFC before it was signed.',
    onText((text) => text.normalize('NFC')),
  ),
  change(
    'nfd',
    'The payload was normalised to Unicode form NFD before it was signed.',
    onText((text) => text.normalize('NFD')),
  ),
  change(
    'no-white-space',
    'All white space was removed from the payload before it was signed, even inside strings.',
    onText((text) => text.replace(/\s+/g, '')),
  ),
  change(
    'lower-case',
    'The payload was converted to lower case before it was signed.',
    onText((text) => text.toLowerCase()),
  ),
  change(
    'upper-case',
    'The payload was converted to upper case before it was signed.',
    onText((text) => text.toUpperCase()),
  ),
  change(
    'url-decoded',
    'The payload was percent-decoded before it was signed.',
    onText((text) => unescaped(text, true)),
  ),
  change(
    'url-encoded',
    'The payload was percent-encoded before it was signed.',
    onText((text) => encodeURIComponent(text.toWellFormed())),
  ),
  ...PERCENT_ENCODINGS.map(
    ({ id }, index): TextChange => ({
      ...rare(id, '', (bytes) => Buffer.from(percentForms(bytes)[index] ?? '')),
      mistake: (bytes) => percentMistake(bytes, index),
    }),
  ),
  change(
    'html-escaped',
    'The payload was escaped for HTML before it was signed (" became &quot;).',
    onText((text) => escapedForHtml(text, "'")),
  ),
  ...['&#039;', '&#39;', '&#x27;', '&apos;'].map((apostrophe) =>
    rare(
      'html-escaped',
      `The payload was escaped for HTML before it was signed (" became &quot;, and ' became ${apostrophe}).`,
      onText((text) => escapedForHtml(text, apostrophe)),
    ),
  ),
  change(
    'backslashes-removed',
    'The backslashes were removed before the payload was signed (stripslashes).',
    onText((text) => text.replaceAll('\\', '')),
  ),
  change(
    'backslashes-added',
    'Before signing, a backslash was added before each quotation mark and each backslash of the payload (addslashes of PHP).',
    onText((text) => text.replace(/["'\\]/g, '\\$&')),
  ),
  change(
    'json-of-buffer',
    'The body was still a Buffer when it was written as JSON, which gives {"type":"Buffer","data":[…]}. Sign the bytes of the Buffer.',
    (bytes) => Buffer.from(JSON.stringify(bytes)),
  ),
  change('text-of-bytes', 'The bytes of the payload were signed as a list of numbers (123,34,97,…).', (bytes) =>
    Buffer.from(bytes.join(',')),
  ),
  ...GZIP_LEVELS.flatMap(({ level, flag }) =>
    GZIP_SYSTEMS.map((system) =>
      rare(
        'gzip-of-payload',
        'The payload was compressed with gzip before it was signed. Sign the bytes without compression.',
        (bytes) => gzipped(bytes, level, flag, system),
      ),
    ),
  ),
  change('base64-of-payload', 'The payload was encoded as base64 before it was signed.', (bytes) =>
    Buffer.from(bytes.toString('base64')),
  ),
  change('hex-of-payload', 'The payload was encoded as hexadecimal before it was signed.', (bytes) =>
    Buffer.from(bytes.toString('hex')),
  ),
  rare('base64url-of-payload', 'The payload was encoded as base64url before it was signed.', (bytes) =>
    Buffer.from(bytes.toString('base64url')),
  ),
  // Go's json.Marshal and C#'s JsonSerializer write bytes in this way.
  rare(
    'json-of-bytes',
    'The bytes of the payload were written as JSON, which gives base64 in quotes. Sign the bytes themselves.',
    (bytes) => Buffer.from(JSON.stringify(bytes.toString('base64'))),
  ),
  ...['\n', '\r\n'].flatMap((lineEnd) =>
    ['', lineEnd].map((end) =>
      rare(
        'mime-of-payload',
        'The payload was encoded as base64 in lines of 76 characters before it was signed.',
        (bytes) => Buffer.from(inLines(bytes.toString('base64'), lineEnd) + end),
      ),
    ),
  ),
  rare(
    'upper-case-hex-of-payload',
    'The payload was encoded as upper-case hexadecimal before it was signed.',
    (bytes) => Buffer.from(bytes.toString('hex').toUpperCase()),
  ),
  ...[6, 9, 1].map((level) =>
    rare(
      'zlib-of-payload',
      'The payload was compressed with zlib (deflate) before it was signed. Sign the bytes without compression.',
      (bytes) => deflateSync(bytes, { level }),
    ),
  ),
  ...[6, 9, 1].map((level) =>
    rare(
      'deflate-of-payload',
      'The payload was compressed with raw deflate before it was signed. Sign the bytes without compression.',
      (bytes) => deflateRawSync(bytes, { level }),
    ),
  ),
  rare(
    'brotli-of-payload',
    'The payload was compressed with brotli before it was signed. Sign the bytes without compression.',
    (bytes) => (bytes.length > MAX_BROTLI ? undefined : brotliCompressSync(bytes)),
  ),
  rare('json-of-bytes', 'The bytes of the payload were signed as a JSON list of numbers ([123,34,97,…]).', (bytes) =>
    Buffer.from(`[${bytes.join(',')}]`),
  ),
  rare(
    'json-of-typed-array',
    'The payload was still a Uint8Array when it was written as JSON, which gives {"0":123,"1":34,…}. Sign the bytes of the array.',
    (bytes) => Buffer.from(JSON.stringify(new Uint8Array(bytes))),
  ),
  rare(
    'printed-bytes-go',
    'The bytes of the payload were printed as Go prints a []byte ([123 34 97 …]) and signed.',
    (bytes) => Buffer.from(`[${bytes.join(' ')}]`),
  ),
  rare(
    'printed-bytes-java',
    'The bytes of the payload were printed by Arrays.toString of Java ([123, 34, 97, …]) and signed.',
    (bytes) => Buffer.from(`[${new Int8Array(bytes).join(', ')}]`),
  ),
  rare(
    'python-bytes',
    "The bytes of the payload were printed by str() of Python (b'…') and signed. Sign the bytes, or decode them first.",
    (bytes) => Buffer.from(pythonBytes(bytes)),
  ),
  rare('php-serialized-text', 'The payload was signed as PHP writes a text with serialize() (s:123:"…";).', (bytes) =>
    Buffer.concat([Buffer.from(`s:${bytes.length}:"`), bytes, Buffer.from('";')]),
  ),
  rare('in-quotation-marks', 'The payload was signed with quotation marks around it.', (bytes) =>
    Buffer.concat([QUOTE, bytes, QUOTE]),
  ),
  rare('in-apostrophes', 'The payload was signed with apostrophes around it.', (bytes) =>
    Buffer.concat([APOSTROPHE, bytes, APOSTROPHE]),
  ),
  rare(
    'apostrophes',
    'The quotation marks of the payload became apostrophes before it was signed.',
    onText((text) => text.replaceAll('"', "'")),
  ),
  rare(
    'quotation-marks-removed',
    'The quotation marks of the payload were removed before it was signed, for example by a shell.',
    onText((text) => text.replaceAll('"', '')),
  ),
  rare('trailing-nul', 'A zero byte was added at the end of the payload before it was signed.', (bytes) =>
    Buffer.concat([bytes, Buffer.from([0])]),
  ),
  rare('trailing-cr', 'A carriage return (CR) was added at the end of the payload before it was signed.', (bytes) =>
    Buffer.concat([bytes, Buffer.from('\r')]),
  ),
  rare('trailing-tab', 'A tab was added at the end of the payload before it was signed.', (bytes) =>
    Buffer.concat([bytes, Buffer.from('\t')]),
  ),
  rare('two-line-breaks', 'Two line breaks were added at the end of the payload before it was signed.', (bytes) =>
    Buffer.concat([bytes, Buffer.from('\n\n')]),
  ),
  rare('leading-lf', 'Before signing, a line break was added at the beginning of the payload.', (bytes) =>
    Buffer.concat([Buffer.from('\n'), bytes]),
  ),
  rare('leading-blank', 'Before signing, a space was added at the beginning of the payload.', (bytes) =>
    Buffer.concat([Buffer.from(' '), bytes]),
  ),
  rare('twice', 'The payload was signed twice in a row, as if it were one text.', (bytes) =>
    Buffer.concat([bytes, bytes]),
  ),
  rare('without-first-byte', 'The payload was signed without its first byte.', (bytes) => bytes.subarray(1)),
  rare('without-last-byte', 'The payload was signed without its last byte.', (bytes) => bytes.subarray(0, -1)),
  rare('without-braces', 'The payload was signed without its first and last byte, the braces of the JSON.', (bytes) =>
    bytes.at(0) === 0x7b && bytes.at(-1) === 0x7d ? bytes.subarray(1, -1) : undefined,
  ),
  rare(
    'utf16be',
    'The payload was encoded as UTF-16 (big endian) for signing. Encode it as UTF-8.',
    onText((text) => Buffer.from(text, 'utf16le').swap16()),
  ),
  rare(
    'utf16le-bom',
    'The payload was encoded as UTF-16 with a byte order mark for signing. Encode it as UTF-8.',
    onText((text) => Buffer.from(`\uFEFF${text}`, 'utf16le')),
  ),
  rare(
    'utf16be-bom',
    'The payload was encoded as UTF-16 (big endian) with a byte order mark for signing. Encode it as UTF-8.',
    onText((text) => Buffer.from(`\uFEFF${text}`, 'utf16le').swap16()),
  ),
  rare(
    'replacement-characters',
    'Characters outside ASCII became U+FFFD before the payload was signed, because its bytes were read in a wrong encoding.',
    onText((text) => text.replaceAll(/[\u0080-\u{10ffff}]/gu, '\uFFFD')),
  ),
  rare(
    'replacement-character-for-each-byte',
    'Each byte outside ASCII became U+FFFD before the payload was signed, because the payload was read as ASCII.',
    (bytes) => Buffer.from(bytes.toString('latin1').replaceAll(/[\u0080-\u00ff]/g, '\uFFFD')),
  ),
  rare(
    'without-other-characters',
    'Characters outside ASCII were removed before the payload was signed.',
    onText((text) => text.replaceAll(/[\u0080-\u{10ffff}]/gu, '')),
  ),
];
