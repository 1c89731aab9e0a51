import { ALGORITHMS, type Algorithm } from './algorithms.ts';
import { combinedPayloads } from './combined-payloads.ts';
import type { Made } from './construction.ts';
import { hintsOf } from './hints.ts';
import { keysMadeOf, type MadeKey, type OfferedKey } from './keys.ts';
import type { Language, MendId } from './mends.ts';
import { payloadsOf, rightPayload, sameBytes } from './payloads.ts';
import type { SignedRequest } from './request.ts';
import { WRITINGS, type Writing } from './writings.ts';

/** How a signature came about. */
export interface Found {
  readonly payload: Made;
  readonly key: MadeKey;
  readonly algorithm: Algorithm;
  readonly writing: Writing;
  /** What was done otherwise than the contract says; empty: it is right. */
  readonly mistakes: readonly string[];
  /** What has to be done otherwise. */
  readonly mends: readonly MendId[];
  /** Ids of other constructions that give the very same bytes of this request, so that nobody can tell them apart. */
  readonly same: readonly string[];
  /** In which it may have been done; empty: in any. */
  readonly languages: readonly Language[];
  /** It is the signature of the other body, not of the one that was sent. */
  readonly ofOther: boolean;
}

export type Explanation =
  | { readonly kind: 'right'; readonly found: Found }
  | { readonly kind: 'explained'; readonly found: Found }
  /** `tried`: how many constructions were reckoned. `hints`: what can be said all the same, in sentences. */
  | { readonly kind: 'unexplained'; readonly tried: number; readonly hints: readonly string[] };

/** Nobody waits longer than a few seconds: so many bytes are hashed, each payload with what a hash costs beside its bytes. */
const MOST_HASHED = 1024 * 1024 * 1024;
const OVERHEAD = 1024;

interface Reading {
  readonly writing: Writing;
  readonly bytes: Buffer;
}

/** So many payloads, the likelier ones, are tried together with two other mistakes. */
const MOST_COMBINED = 80;
/** So many other keys are tried with two mistakes of the payload. */
const MOST_KEYS = 3;

/**
 * Finds out how a signature was made.
 *
 * @param keys those that may have been used, the right one first
 * @param otherBody the body as somebody else had it
 * @throws RangeError without a signature or without a key
 */
export function explainSignature(
  request: SignedRequest,
  keys: readonly OfferedKey[],
  otherBody?: Uint8Array,
): Explanation {
  const { signature } = request;
  if (signature === undefined) throw new RangeError('there is no signature to explain');
  if (keys.length === 0) throw new RangeError('there is no key that may have been used');
  const readings = WRITINGS.flatMap((writing): Reading[] => {
    const bytes = writing.read(signature);
    return bytes ? [{ writing, bytes: Buffer.from(bytes) }] : [];
  });
  const made = keysMadeOf(keys);
  const search = new Search(readings, made);
  const found = search.of(request) ?? (otherBody && search.of({ ...request, body: otherBody }, true));
  if (!found) return { kind: 'unexplained', tried: search.tried, hints: hintsOf(request, keys.length) };
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

  /** One mistake is likelier than two, and two are likelier than three. */
  of(request: SignedRequest, ofOther = false): Found | undefined {
    this.#hashed = 0;
    const [key, ...otherKeys] = this.#keys;
    const [algorithm, ...others] = ALGORITHMS;
    if (!key || !algorithm || this.#readings.length === 0) return undefined;
    const right = rightPayload(request);
    const asItShouldBe = right && this.#among([right], [key], [algorithm]);
    if (asItShouldBe) return told(asItShouldBe, request, ofOther);
    const [payload, ...otherPayloads] = payloadsOf(request);
    if (!payload) return undefined;
    const otherAlgorithms = others.filter((each) => this.#isAsLong(each));
    const fewPayloads = otherPayloads.slice(0, MOST_COMBINED);
    const fewKeys = otherKeys.filter(({ name, mend }) => name === key.name || mend === 'key');
    const hit =
      this.#among([payload, ...otherPayloads], [key], [algorithm]) ??
      this.#among([payload], otherKeys, [algorithm]) ??
      this.#among([payload], [key], otherAlgorithms) ??
      this.#among(otherPayloads, otherKeys, [algorithm]) ??
      this.#combined(request, key, fewKeys, algorithm) ??
      this.#among(otherPayloads, [key], otherAlgorithms) ??
      this.#among([payload], otherKeys, otherAlgorithms) ??
      this.#among(fewPayloads, fewKeys, otherAlgorithms);
    return hit && told(hit, request, ofOther);
  }

  #combined(request: SignedRequest, key: MadeKey, others: readonly MadeKey[], algorithm: Algorithm): Hit | undefined {
    const payloads = combinedPayloads(request);
    const plain = others.filter(({ mend }) => mend === 'key').slice(0, MOST_KEYS);
    return this.#among(payloads, [key], [algorithm]) ?? this.#among(payloads, plain, [algorithm]);
  }

  /** Most ways to hash give another number of bytes. */
  #isAsLong(algorithm: Algorithm): boolean {
    const { length } = algorithm.make(NOTHING, NOTHING);
    return this.#readings.some(({ bytes, writing }) => writing.isPart || bytes.length === length);
  }

  #among(payloads: readonly Made[], keys: readonly MadeKey[], algorithms: readonly Algorithm[]): Hit | undefined {
    for (const algorithm of algorithms) {
      for (const key of keys) {
        for (const payload of payloads) {
          this.#hashed += payload.bytes.length + OVERHEAD;
          if (this.#hashed > MOST_HASHED) return undefined;
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

type Hit = Pick<Found, 'payload' | 'key' | 'algorithm' | 'writing'>;

function matches({ writing, bytes }: Reading, made: Uint8Array): boolean {
  return writing.isPart
    ? bytes.equals(made.subarray(0, bytes.length))
    : bytes.length === made.length && bytes.equals(made);
}

function told({ payload, key, algorithm, writing }: Hit, request: SignedRequest, ofOther: boolean): Found {
  const parts = [
    ...(ofOther ? [[OF_OTHER, 'raw-body'] as const] : []),
    [payload.mistake, payload.mend] as const,
    [key.mistake, key.mend] as const,
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
    mends: [...new Set(parts.map(([, mend]) => mend))],
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

const OF_OTHER = 'The other body was signed, not the one that was sent.';
