import type { RuleId } from '../../contract/catalogue.ts';
import { KEPT_DIGITS, SIGN_KINDS, type SignKind } from '../../contract/deviation.ts';
import { isMasked, SIGNATURE_HEADER, signBody } from '../../contract/signature.ts';
import { header } from '../../journal/exchange.ts';
import { signatureProblem } from '../../reply/signature.ts';
import { rightPayload } from '../../signing/payloads.ts';
import type { LoggedCall } from '../calls/logged-call.ts';
import { signedRequest } from '../read/read-requests.ts';
import { replyAnswerTo } from '../timeline/breach.ts';

/**
 * The kind of signature of each call, by the number of the call. If the signature of a call is unknown, the map has no entry for
 * the call.
 */
export type Signing = ReadonlyMap<number, SignKind>;

const DIGITS = 64;

/**
 * Finds how each call was signed, as far as the record and the keys show it.
 *
 * @param keys the keys that may have signed the calls
 * @param isKnown true if `keys` include the key of the client at a URL; then a signature that matches no key is wrong
 */
export function signingOf(
  calls: readonly LoggedCall[],
  keys: readonly string[],
  isKnown: (url: string) => boolean,
): Signing {
  const logged = calls.map((call) => ({ call, kind: kindOf(call, keys) }));
  const isProven = logged.some(({ kind }) => kind === 'valid');
  return new Map(
    logged.flatMap(({ call, kind }): readonly (readonly [number, SignKind])[] => {
      if (kind === null) return [];
      if (kind !== 'foreign') return [[call.number, kind]];
      return isProven || isKnown(call.seen.exchange.request.url ?? '') ? [[call.number, 'garbage']] : [];
    }),
  );
}

/**
 * Finds how one call was signed. `foreign` means that the signature has the correct format but matches no known key.
 */
function kindOf({ seen, status }: LoggedCall, keys: readonly string[]): SignKind | 'foreign' | null {
  const { request, deviation } = seen.exchange;
  const written = SIGN_KINDS.find((kind) => kind === deviation?.signed);
  if (written !== undefined) return written;
  // The journal of a run says for each wrong signature what is wrong. So a signature without such an entry is right.
  if (seen.exchange.isOfRun === true) return 'valid';
  if (request.headers === null) return null;
  const value = header(request.headers, SIGNATURE_HEADER);
  // A log may leave headers out or mask them. So the signature counts as missing only if the reply was a 401.
  if (value === undefined) return status === 401 ? 'missing' : null;
  if (value.trim() === '') return 'empty';
  const signed = signedRequest(request);
  const payload = signed && rightPayload(signed)?.bytes;
  if (payload) {
    for (const key of keys) {
      const kind =
        kindUnder(signBody(payload, key), value) ?? (value === signBody(EMPTY, key) ? 'of-other-body' : null);
      if (kind) return kind;
    }
  }
  if (payload && value === signBody(payload, '')) return 'empty-key';
  if (isMasked(value)) return null;
  if (/^[0-9a-fA-F]+$/.test(value) && value.length === DIGITS) return payload && keys.length > 0 ? 'foreign' : null;
  if (status !== 401) return null;
  return /^[0-9a-f]+$/.test(value) && value.length < DIGITS ? 'truncated' : 'malformed';
}

function kindUnder(right: string, value: string): SignKind | null {
  if (value === right) return 'valid';
  if (value === right.toUpperCase()) return 'upper-case';
  if (value === Buffer.from(right, 'hex').toString('base64')) return 'base64';
  if (value.length < right.length && value.length >= KEPT_DIGITS && right.startsWith(value)) return 'truncated';
  if (value.length !== right.length) return null;
  if (value.slice(0, -1) === right.slice(0, -1)) return 'one-off';
  if (value.startsWith(right.slice(0, KEPT_DIGITS))) return 'prefix';
  return value.endsWith(right.slice(-KEPT_DIGITS)) ? 'suffix' : null;
}

const EMPTY = Buffer.from('{}');

/** Returns the signature rule that the reply to a call breaks, or null. */
export function signatureRuleBroken(call: LoggedCall, kind: SignKind | undefined): RuleId | null {
  // The contract leaves open whether an operator must accept upper-case hexadecimal. So no reply to such a signature is wrong.
  if (kind === undefined || kind === 'upper-case') return null;
  const signature = kind === 'valid' ? 'right' : kind === 'missing' || kind === 'empty' ? 'missing' : 'wrong';
  const answer = replyAnswerTo(call);
  return signatureProblem({ ...call, signature, isSignedByOther: false, isKeyProven: true, answer })?.[0] ?? null;
}
