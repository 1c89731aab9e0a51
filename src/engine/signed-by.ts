import { queryPayload, SIGNATURE_HEADER, verifySignature } from '../contract/signature.ts';
import type { Sending } from '../journal/event.ts';
import { header } from '../journal/exchange.ts';

/** Makes a function that tells whether a call of a journal went out with a right signature of this key, in either letter case. */
export function signedBy(key: string): (sending: Sending) => boolean {
  return ({ request: { url, headers, body } }) => {
    const signature = header(headers, SIGNATURE_HEADER)?.toLowerCase();
    if (body) return verifySignature(Buffer.from(body.data, body.encoding), key, signature);
    try {
      return verifySignature(queryPayload([...new URL(url).searchParams]), key, signature);
    } catch {
      // A query that can't be signed has no right signature.
      return false;
    }
  };
}
