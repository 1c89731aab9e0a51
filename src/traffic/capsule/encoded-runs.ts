import { isUtf8 } from 'node:buffer';
import { gunzipSync, gzipSync } from 'node:zlib';

/** A part of a text that may be base64 or hexadecimal. */
export interface EncodedRun {
  readonly kind: 'base64' | 'hex';
  readonly at: number;
  readonly text: string;
}

const HEX_RUN = /[0-9a-f]{8,}/gi;
const BASE64_RUN = /[\w+/-]{6,}={0,2}/g;

/** Returns the parts of a text that may be encoded. Most of them are ordinary words. */
export function encodedRunsIn(text: string): readonly EncodedRun[] {
  const of = (kind: EncodedRun['kind'], pattern: RegExp): readonly EncodedRun[] =>
    Array.from(text.matchAll(pattern), ({ 0: run, index }) => ({ kind, at: index, text: run }));
  return [...of('hex', HEX_RUN), ...of('base64', BASE64_RUN)];
}

/**
 * Rewrites the decoded content of a run. The encoded text may begin at any character of the run, because a path or a name before
 * the encoded text may have the same characters.
 *
 * @param rewrite receives the content, and whether it is readable text. Content that is not text is given with one character for
 * each byte
 * @param isSuspect true if content that is not text must be rewritten too
 */
export function rewriteRun(
  run: EncodedRun,
  rewrite: (content: string, isText: boolean) => string,
  isSuspect: boolean,
): string {
  const { kind, text } = run;
  for (let offset = 0; offset < (kind === 'hex' ? 2 : 4); offset += 1) {
    if (!isSuspect && !beginsText(run, offset) && !text.startsWith(GZIP, offset) && !beginsWide(run, offset)) continue;
    const encoded = text.slice(offset);
    const bytes = Buffer.from(encoded, kind);
    const changed = rewrittenBytes(bytes, rewrite, isSuspect);
    if (changed === null) continue;
    const rest = kind === 'hex' && encoded.length % 2 === 1 ? encoded.slice(-1) : '';
    return `${text.slice(0, offset)}${kind === 'hex' ? changed.toString('hex') + rest : inBase64(changed, encoded)}`;
  }
  return text;
}

/** The first characters of gzip in base64. */
const GZIP = 'H4sI';
/** Maximum size of the decompressed text, in bytes. This maximum limits the memory that is needed. */
const MAX_BYTES = 16 * 1024 * 1024;

/** Returns null if nothing changed. */
function rewrittenBytes(
  bytes: Buffer,
  rewrite: (content: string, isText: boolean) => string,
  isSuspect: boolean,
): Buffer | null {
  const plain = gunzipped(bytes);
  if (plain !== null) {
    const changed = rewrittenBytes(plain, rewrite, true);
    return changed && gzipSync(changed);
  }
  const wide = wideText(bytes);
  if (wide !== null) {
    const changed = rewrite(wide, true);
    return changed === wide ? null : Buffer.from(changed, 'utf16le');
  }
  const isUnicode = isUtf8(bytes);
  const content = bytes.toString(isUnicode ? 'utf8' : 'latin1');
  const isText = isUnicode && !NOT_TEXT.test(content);
  if (!isText && !isSuspect) return null;
  const changed = rewrite(content, isText);
  return changed === content ? null : Buffer.from(changed, isUnicode ? 'utf8' : 'latin1');
}

/** Returns the text if the bytes are UTF-16 (little-endian), and most of its characters are ASCII. Otherwise returns null. */
function wideText(bytes: Buffer): string | null {
  if (bytes.length < 8 || !isWide(bytes)) return null;
  const text = bytes.toString('utf16le');
  return NOT_TEXT.test(text) ? null : text;
}

function isWide(bytes: Buffer): boolean {
  return [0, 2, 4].every((at) => (bytes[at] ?? 0) >= 0x20 && (bytes[at] ?? 0) < 0x7f && bytes[at + 1] === 0);
}

/** True if the content begins with ASCII characters in UTF-16 (little-endian). */
function beginsWide({ kind, text }: EncodedRun, offset: number): boolean {
  const begin = text.slice(offset, offset + WIDE_LOOKED_AT);
  return begin.includes(kind === 'hex' ? '00' : 'A') && isWide(Buffer.from(begin, kind));
}

/** The number of characters that contain six bytes in base64 or hexadecimal. */
const WIDE_LOOKED_AT = 12;
const NOT_TEXT = /[\0-\x08\x0e-\x1f\x7f]/;

function gunzipped(bytes: Buffer): Buffer | null {
  if (bytes[0] !== 0x1f || bytes[1] !== 0x8b) return null;
  try {
    return gunzipSync(bytes, { maxOutputLength: MAX_BYTES });
  } catch {
    return null;
  }
}

/** Encodes bytes in base64 with the alphabet of the text `like`. Adds padding only if `like` has padding. */
function inBase64(bytes: Buffer, like: string): string {
  if (/[-_]/.test(like) || !/[+/=]/.test(like)) return bytes.toString('base64url');
  const whole = bytes.toString('base64');
  // Base64 encodes three bytes at once. If the last group has fewer bytes, base64 has one `=` for each missing byte.
  return like.endsWith('=') ? whole : whole.slice(0, whole.length - ((3 - (bytes.length % 3)) % 3));
}

/** The number of characters that decide whether a run is text. */
const LOOKED_AT = 32;

/**
 * True if the content begins with text in UTF-8. Decodes only the first bytes of the content, because it would take too long to
 * decode every word of a log.
 */
function beginsText({ kind, text }: EncodedRun, offset: number): boolean {
  const begin = text.slice(offset, offset + LOOKED_AT);
  const bits = kind === 'hex' ? 4 : 6;
  let buffer = 0;
  let held = 0;
  let following = 0;
  let bytes = 0;
  for (let at = 0; at < begin.length; at += 1) {
    const value = digitValue(begin.charCodeAt(at), kind);
    if (value < 0) break;
    buffer = ((buffer << bits) | value) & 0xffff;
    held += bits;
    if (held < 8) continue;
    held -= 8;
    const byte = (buffer >> held) & 0xff;
    bytes += 1;
    if (byte >= 0x80 && byte < 0xc0) {
      if (following === 0) return false;
      following -= 1;
    } else if (
      following > 0 ||
      byte > 0xf4 ||
      (byte < 0x20 && byte !== 9 && byte !== 10 && byte !== 13) ||
      byte === 0x7f
    )
      return false;
    else following = byte < 0xc0 ? 0 : byte < 0xe0 ? 1 : byte < 0xf0 ? 2 : 3;
  }
  return bytes >= MIN_BYTES;
}

const MIN_BYTES = 4;
const BASE64 = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/';
const SEXTETS = new Int8Array(128).fill(-1);
for (const [value, character] of BASE64.split('').entries()) SEXTETS[character.charCodeAt(0)] = value;
SEXTETS['-'.charCodeAt(0)] = 62;
SEXTETS['_'.charCodeAt(0)] = 63;

function digitValue(code: number, kind: EncodedRun['kind']): number {
  if (kind === 'base64') return SEXTETS[code] ?? -1;
  return code <= 0x39 ? code - 0x30 : (code | 0x20) - 0x57;
}
