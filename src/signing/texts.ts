import { crc32, deflateRawSync } from 'node:zlib';
import type { Construction } from './construction.ts';

/**
 * One way to change the bytes of a payload without parsing it. `change` returns undefined if it would change nothing.
 */
export interface TextChange extends Omit<Construction, 'mistake'> {
  readonly mistake: string;
  readonly change: (bytes: Buffer) => Uint8Array | undefined;
}

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

function unescaped(text: string, plus: boolean): string {
  try {
    return decodeURIComponent(plus ? text.replaceAll('+', ' ') : text);
  } catch {
    return text;
  }
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
    'The signed payload has no white space at its beginning and end. Either a program removed it, or it was never sent and is only in the given text.',
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
  change(
    'html-escaped',
    'The payload was escaped for HTML before it was signed (" became &quot;).',
    onText((text) =>
      text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;'),
    ),
  ),
  change(
    'backslashes-removed',
    'The backslashes were removed before the payload was signed (stripslashes).',
    onText((text) => text.replaceAll('\\', '')),
  ),
  change(
    'backslashes-added',
    'Backslashes were added before quotation marks and backslashes before the payload was signed (addslashes of PHP).',
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
      change(
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
];
