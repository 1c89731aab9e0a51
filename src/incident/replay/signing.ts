import type { RuleId } from '../../contract/catalogue.ts';
import { SIGNATURE_HEADER, signBody } from '../../contract/signature.ts';
import { header } from '../../journal/exchange.ts';
import { SIGN_KINDS, type SignKind } from '../../scenario/plan.ts';
import { rightPayload } from '../explain/payloads.ts';
import { signedRequest } from '../explain/read-request.ts';
import type { ToldCall } from '../story/told-call.ts';

/** How calls were signed, by their numbers; of those that are not in it nobody can tell. */
export type Signing = ReadonlyMap<number, SignKind>;

/** Digits of a signature that are still recognised when the others are wrong. */
const KEPT_DIGITS = 8;
const DIGITS = 64;
/** What stands in a log where a signature was. */
const MASKED = /[*…•]|redacted|masked|hidden|x{4,}/i;

/**
 * How each call was signed, as far as the record and the keys tell.
 *
 * @param keys those that may have signed them
 * @param isKnown whether the key of the client at an address is among them, so that what fits none of them is wrong
 */
export function signingOf(
  calls: readonly ToldCall[],
  keys: readonly string[],
  isKnown: (url: string) => boolean,
): Signing {
  const told = calls.map((call) => ({ call, kind: kindOf(call, keys) }));
  const isProven = told.some(({ kind }) => kind === 'valid');
  return new Map(
    told.flatMap(({ call, kind }): readonly (readonly [number, SignKind])[] => {
      if (kind === null) return [];
      if (kind !== 'foreign') return [[call.number, kind]];
      return isProven || isKnown(call.seen.exchange.request.url ?? '') ? [[call.number, 'garbage']] : [];
    }),
  );
}

/** `foreign`: it has the form of a signature, and no key gives it. */
function kindOf({ seen, status }: ToldCall, keys: readonly string[]): SignKind | 'foreign' | null {
  const { request, oddly } = seen.exchange;
  const written = SIGN_KINDS.find((kind) => kind === oddly?.signed);
  // Whether there is another client's key to sign with, nobody knows here.
  if (written !== undefined) return written === 'other-client' ? 'wrong-key' : written;
  if (request.headers === null) return null;
  const value = header(request.headers, SIGNATURE_HEADER);
  // A log may leave headers out, or hide what is in them: only who was refused is taken to have sent it so.
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
  if (MASKED.test(value)) return null;
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

/** A rule that a call's answer breaks, as far as its signature is concerned. */
export function breachOfSigning({ status }: ToldCall, kind: SignKind | undefined): RuleId | null {
  if (kind === undefined || status === null || kind === 'upper-case') return null;
  if (kind === 'valid') return status === 401 ? 'signature.accepted' : null;
  if (status >= 300) return null;
  return kind === 'missing' || kind === 'empty' ? 'signature.missing' : 'signature.mismatch';
}
