import { ALGORITHMS, type Algorithm } from './algorithms.ts';
import { combinedPayloads } from './combined-payloads.ts';
import type { Made } from './construction.ts';
import type { FixId, Language } from './fixes.ts';
import { hintsOf } from './hints.ts';
import { keysMadeOf, type MadeKey, type OfferedKey } from './keys.ts';
import { compactPayloads, payloadsOf, rightPayload, sameBytes, withoutLastBreak } from './payloads.ts';
import type { SignedRequest } from './request.ts';
import { WRITINGS, type Writing } from './writings.ts';

/** The explanation of a signature: the payload, the key, the algorithm and the text form with which it was made. */
export interface Found {
  readonly payload: Made;
  readonly key: MadeKey;
  readonly algorithm: Algorithm;
  readonly writing: Writing;
  /** The mistakes as sentences; empty for a correct signature. */
  readonly mistakes: readonly string[];
  /** The parts of the operator's code that need a fix. */
  readonly fixes: readonly FixId[];
  /**
   * Ids of other constructions that give the same bytes for this request. The signature alone does not show which of these
   * constructions was used.
   */
  readonly same: readonly string[];
  /** The programming languages in which the mistakes may have been made; empty if the language is unknown. */
  readonly languages: readonly Language[];
  /** True if the operator signed the body in `otherBody`, and not the body that was sent. */
  readonly ofOther: boolean;
}

export type Explanation =
  | { readonly kind: 'right'; readonly found: Found }
  | { readonly kind: 'explained'; readonly found: Found }
  /**
   * `tried` is the number of combinations that were tried. `hints` are observations about the signature and the
   * request, as sentences.
   */
  | { readonly kind: 'unexplained'; readonly tried: number; readonly hints: readonly string[] };

/** Maximum number of bytes to hash. It limits a search to a few seconds. */
const MAX_HASHED = 1024 * 1024 * 1024;
/** The fixed cost of one hash, as the number of bytes that take the same time to hash. */
const OVERHEAD = 1024;

/** The bytes of a signature, decoded from one of the known text forms. */
interface Reading {
  readonly writing: Writing;
  readonly bytes: Buffer;
  readonly text: string;
}

/** Number of payloads that are tried together with two other mistakes. The likeliest payloads are taken. */
const MAX_COMBINED = 60;
/** Number of wrong keys that are tried together with two mistakes in the payload. */
const MAX_KEYS = 3;

/**
 * Finds out how a signature was made.
 *
 * @param keys the keys that may have been used, the correct one first
 * @param otherBody the body as another source recorded it, for example a log
 * @throws RangeError if there is no signature or no key
 */
export function explainSignature(
  request: SignedRequest,
  keys: readonly OfferedKey[],
  otherBody?: Uint8Array,
): Explanation {
  const { signature } = request;
  if (signature === undefined) throw new RangeError('the request has no signature, so nothing can be explained');
  if (keys.length === 0) throw new RangeError('no key was given, so the signature cannot be explained');
  const readings = WRITINGS.flatMap((writing): Reading[] => {
    const bytes = writing.read(signature);
    return bytes ? [{ writing, bytes: Buffer.from(bytes), text: signature }] : [];
  });
  const made = keysMadeOf(keys);
  const search = new Search(readings, made);
  const found = search.of(request) ?? (otherBody && search.of({ ...request, body: otherBody }, true));
  if (!found)
    return {
      kind: 'unexplained',
      tried: search.tried,
      hints: hintsOf(request, { keys: keys.length, tried: search.tried }),
    };
  return { kind: found.mistakes.length === 0 ? 'right' : 'explained', found };
}

class Search {
  readonly #readings: readonly Reading[];
  readonly #keys: readonly MadeKey[];
  tried = 0;
  #hashed = 0;

  constructor(readings: readonly Reading[], keys: readonly MadeKey[]) {
    this.#readings = readings;
    this.#keys = keys;
  }

  /** Searches for one mistake, then for two, then for three, because fewer mistakes are likelier. */
  of(request: SignedRequest, ofOther = false): Found | undefined {
    this.#hashed = 0;
    const [key, ...otherKeys] = this.#keys;
    const [algorithm, ...others] = ALGORITHMS;
    if (!key || !algorithm || this.#readings.length === 0) return undefined;
    const right = rightPayload(request);
    const correct = right && this.#among([right], [key], [algorithm]);
    if (correct) return foundOf(correct, request, ofOther);
    const same = this.#among([...withoutLastBreak(request), ...compactPayloads(request)], [key], [algorithm]);
    if (same && same.writing.mistake === null) return foundOf(same, request, ofOther);
    const [payload, ...otherPayloads] = payloadsOf(request);
    if (!payload) return undefined;
    const fitting = others.filter((each) => this.#fitsLength(each));
    const [usualAlgorithms, rareAlgorithms] = [fitting.filter(isUsual), fitting.filter(isRare)];
    const [usual, rare] = [otherPayloads.filter(isUsual), otherPayloads.filter(isRare)];
    const fewPayloads = usual.slice(0, MAX_COMBINED);
    const ofKey = otherKeys.filter((each) => each.name === key.name || each.fix === 'key');
    const hit =
      this.#among([payload, ...otherPayloads], [key], [algorithm]) ??
      this.#among([payload], otherKeys, [algorithm]) ??
      this.#among([payload], [key], fitting) ??
      this.#among(usual, otherKeys.filter(isUsual), [algorithm]) ??
      this.#combined(request, key, ofKey, algorithm) ??
      this.#among(usual, [key], usualAlgorithms) ??
      this.#among([payload], otherKeys, usualAlgorithms) ??
      this.#among(
        fewPayloads,
        ofKey.filter(isUsual),
        usualAlgorithms.filter((each) => this.#fitsLength(each, true)),
      ) ??
      this.#among(rare, ofKey.filter(isUsual), [algorithm]) ??
      this.#among(otherPayloads, [key], rareAlgorithms) ??
      this.#among(rare, [key], usualAlgorithms) ??
      this.#among(fewPayloads, ofKey.filter(isRare), [algorithm]);
    return hit && foundOf(hit, request, ofOther);
  }

  #combined(request: SignedRequest, key: MadeKey, others: readonly MadeKey[], algorithm: Algorithm): Hit | undefined {
    const payloads = combinedPayloads(request);
    const plain = others.filter(({ fix }) => fix === 'key').slice(0, MAX_KEYS);
    return this.#among(payloads, [key], [algorithm]) ?? this.#among(payloads, plain, [algorithm]);
  }

  /**
   * True if the algorithm gives a signature of the observed length. Most other hashes have a different length.
   *
   * @param isWhole true if the observed text must be a whole signature, and not a part or a damaged one
   */
  #fitsLength(algorithm: Algorithm, isWhole = false): boolean {
    const { length } = algorithm.make(NOTHING, NOTHING);
    return this.#readings.some(({ bytes, writing }) => {
      if (algorithm.keepsPayload) return bytes.length > length && !writing.isPart;
      if (writing.write) return !isWhole;
      if (writing.isPart && isWhole) return false;
      return writing.isPart ? length > bytes.length : length === bytes.length;
    });
  }

  #among(payloads: readonly Made[], keys: readonly MadeKey[], algorithms: readonly Algorithm[]): Hit | undefined {
    for (const algorithm of algorithms) {
      for (const key of keys) {
        for (const payload of payloads) {
          this.#hashed += payload.bytes.length + OVERHEAD;
          if (this.#hashed > MAX_HASHED) return undefined;
          this.tried += 1;
          const bytes = algorithm.make(payload.bytes, key.bytes);
          const reading = this.#readings.find((each) => matches(each, bytes));
          if (reading) return { payload, key, algorithm, writing: reading.writing };
        }
      }
    }
    return undefined;
  }
}

function isRare({ isRare: is }: { readonly isRare?: true }): boolean {
  return is === true;
}

function isUsual({ isRare }: { readonly isRare?: true }): boolean {
  return isRare !== true;
}

type Hit = Pick<Found, 'payload' | 'key' | 'algorithm' | 'writing'>;

function matches({ writing, bytes, text }: Reading, made: Uint8Array): boolean {
  if (writing.write) return writing.write(made, text) === text.toLowerCase();
  return writing.isPart
    ? bytes.length < made.length && bytes.equals(made.subarray(0, bytes.length))
    : bytes.length === made.length && bytes.equals(made);
}

function foundOf({ payload, key, algorithm, writing }: Hit, request: SignedRequest, ofOther: boolean): Found {
  const parts = [
    ...(ofOther ? [[OF_OTHER, 'raw-body'] as const] : []),
    [payload.mistake, payload.fix] as const,
    [key.mistake, key.fix] as const,
    [algorithm.mistake, 'hmac'] as const,
    [writing.mistake, 'writing'] as const,
  ].filter(([mistake]) => mistake !== null);
  const same = payload.mistake === null ? [] : sameBytes(request, payload);
  return {
    payload,
    key,
    algorithm,
    writing,
    mistakes: parts.map(([mistake]) => mistake ?? ''),
    fixes: [...new Set(parts.map(([, fix]) => fix))],
    same: same.map(({ id }) => id),
    languages: languagesOf([payload, ...same]),
    ofOther,
  };
}

function languagesOf(payloads: readonly Made[]): readonly Language[] {
  const languages = payloads.map(({ language }) => language);
  return languages.includes(undefined) ? [] : [...new Set(languages.filter((each) => each !== undefined))];
}

const NOTHING = new Uint8Array();

const OF_OTHER = 'The signature belongs to the other given body, not to the body that was sent.';
