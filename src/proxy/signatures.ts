import { canonicalJson } from '../contract/canonical.ts';
import { queryPayload, SIGNATURE_HEADER, verifySignature } from '../contract/signature.ts';
import { header } from '../journal/exchange.ts';
import type { Crossing } from './crossing.ts';

/**
 * What a signature is worth. `open`: operators may differ about it, or it can't be told. `unchecked`: no key is known.
 */
export type Signature = 'right' | 'wrong' | 'missing' | 'open' | 'unchecked';

/** Verifies what the service signed, with whichever of the known keys fits. */
export class Signatures {
  readonly #keys: readonly string[];

  constructor(keys: readonly string[]) {
    this.#keys = keys;
  }

  check(crossing: Crossing): Signature {
    if (this.#keys.length === 0) return 'unchecked';
    const sign = header(crossing.headers, SIGNATURE_HEADER);
    if (sign === undefined || sign === '') return 'missing';
    const payloads = payloadsOf(crossing);
    const [payload] = payloads;
    if (payload === undefined || crossing.requestBody.isCut) return 'open';
    const fits = (each: Uint8Array | string, text: string): boolean =>
      this.#keys.some((key) => verifySignature(each, key, text));
    if (fits(payload, sign)) return 'right';
    // Operators that parse and write the body again accept more, as do those that take upper case: the contract leaves it open.
    return payloads.some((each) => fits(each, sign.toLowerCase())) ? 'open' : 'wrong';
  }
}

/** What may have been signed, what the contract says first; empty: it can't be told. */
function payloadsOf({ call, url, requestBody }: Crossing): readonly (Uint8Array | string)[] {
  try {
    if (call === 'balance') return [queryPayload([...new URL(url).searchParams])];
    const bytes = requestBody.bytes();
    return [bytes, ...canonical(bytes)];
  } catch {
    return [];
  }
}

function canonical(bytes: Buffer): readonly string[] {
  try {
    return [canonicalJson(JSON.parse(bytes.toString('utf8')))];
  } catch {
    return [];
  }
}
