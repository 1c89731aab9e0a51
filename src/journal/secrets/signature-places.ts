import { originOf, viewsOf } from './unescape.ts';

/** Number of hexadecimal digits of a signature. */
export const SIGNATURE_LENGTH = 64;

/** A part of a text, from the position of its first character to the position after its last one. */
export type Place = readonly [from: number, to: number];

/** Says whether 64 hexadecimal digits, in lower case, are a signature. */
type IsSignature = (digits: string) => boolean;

const HEX = /(?<![0-9a-f])[0-9a-f]{64,}/gi;
/** The bytes of a signature have at least 43 characters in base64, and its digits have more. */
const BASE64 = /[\w+/-]{43,}={0,2}/g;
const PERCENT = /(?:%[0-9a-f]{2}){32,}/gi;
/** Maximum number of encodings inside each other, such as base64 in base64. */
const MAX_LEVELS = 2;
/** Number of characters of the shortest part that reveals a signature. Decoded escapes make a text only shorter. */
const MIN_LENGTH = 43;

/**
 * Finds the parts of a text that reveal a signature: its digits in any letter case, its digits or its bytes in base64 or in
 * hexadecimal, and all of these with escapes for URLs, JSON or HTML.
 *
 * @returns the parts in their order; they do not overlap
 */
export function placesOfSignatures(text: string, isSignature: IsSignature): readonly Place[] {
  return places(text, isSignature, MAX_LEVELS);
}

function places(text: string, isSignature: IsSignature, levels: number): readonly Place[] {
  // Most headers and bodies of replies are shorter.
  if (text.length < MIN_LENGTH) return [];
  const found: Place[] = [];
  for (const view of viewsOf(text)) {
    const search = (pattern: RegExp, reveals: (run: string) => boolean): void => {
      for (const { 0: run, index } of view.text.matchAll(pattern))
        if (reveals(run)) found.push([originOf(view, index), originOf(view, index + run.length)]);
    };
    const isIn = (bytes: Buffer): boolean => isInBytes(bytes, isSignature, levels - 1);
    search(HEX, (run) => endsOf(run).some(isSignature) || isIn(Buffer.from(run, 'hex')));
    search(PERCENT, (run) => isIn(Buffer.from(run.replaceAll('%', ''), 'hex')));
    // Characters before the base64 text may belong to its alphabet, as in `id/c2ln…`. So each of the four offsets is tried.
    search(BASE64, (run) => [0, 1, 2, 3].some((offset) => isIn(Buffer.from(run.slice(offset), 'base64'))));
  }
  return joined(found);
}

/** True if the bytes contain the bytes of a signature, or a text that reveals one. */
function isInBytes(bytes: Buffer, isSignature: IsSignature, levels: number): boolean {
  const digits = bytes.toString('hex');
  for (let at = 0; at + SIGNATURE_LENGTH <= digits.length; at += 2)
    if (isSignature(digits.slice(at, at + SIGNATURE_LENGTH))) return true;
  return levels > 0 && places(bytes.toString('latin1'), isSignature, levels).length > 0;
}

/** Returns the digits at both ends of a run that can be signatures, in lower case. */
function endsOf(run: string): readonly string[] {
  const text = run.toLowerCase();
  return [text.slice(0, SIGNATURE_LENGTH), text.slice(-SIGNATURE_LENGTH)];
}

function joined(found: readonly Place[]): readonly Place[] {
  const all: Place[] = [];
  for (const place of found.toSorted((a, b) => a[0] - b[0])) {
    const last = all.at(-1);
    if (last && place[0] < last[1]) all[all.length - 1] = [last[0], Math.max(last[1], place[1])];
    else all.push(place);
  }
  return all;
}
