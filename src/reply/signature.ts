import type { RuleId } from '../contract/catalogue.ts';
import type { SignatureState } from '../contract/signature.ts';
import { isPublishedCode, type ReplyAnswer } from './classify.ts';
import type { ReplyProblem } from './problems.ts';

/** A call that croupier did not sign, with its reply. */
export interface SignedCall {
  /** Checked with the known keys. */
  readonly signature: SignatureState;
  /** The call is signed with the key of another client. */
  readonly isSignedByOther: boolean;
  /** Another call has a right signature by the known keys, which shows that the operator has the same keys. */
  readonly isKeyProven: boolean;
  /** null if no reply is known. */
  readonly answer: ReplyAnswer | null;
  readonly status: number | null;
  /** The error code in the reply; null if there is none. */
  readonly code: string | null;
}

export type SignatureRule = Extract<
  RuleId,
  'signature.accepted' | 'signature.missing' | 'signature.mismatch' | 'signature.client-key'
>;

/**
 * Judges the reply to a call by the call's signature (contract, Authentication 4). A wrong signature of the service is not a fault of
 * the operator: the operator must only refuse such a call.
 *
 * @returns undefined if there is no problem
 */
export function signatureProblem(call: SignedCall): readonly [SignatureRule, ReplyProblem] | undefined {
  const { signature, isSignedByOther, isKeyProven, answer, status, code } = call;
  switch (signature) {
    case 'unknown':
      return undefined;
    case 'right':
      // Some operators answer 401 for a session that has ended, with a published code.
      return answer === 'refused' && !isPublishedCode(code)
        ? [
            'signature.accepted',
            { kind: 'breach', expected: 'a correctly signed call is let in', actual: 'it was answered 401' },
          ]
        : undefined;
    case 'missing':
      return answer === 'accepted'
        ? acceptedWrongly('signature.missing', 'a call without a signature', status)
        : undefined;
    case 'wrong':
      if (answer !== 'accepted') return undefined;
      if (isSignedByOther)
        return acceptedWrongly('signature.client-key', "a call signed with another client's key", status);
      return isKeyProven
        ? acceptedWrongly('signature.mismatch', WRONGLY_SIGNED, status)
        : [
            'signature.mismatch',
            {
              // Until a call shows that the operator has the known keys, it may have another key.
              kind: 'warning',
              expected: `${WRONGLY_SIGNED} is answered 401`,
              actual: `it was answered ${status}; that is right if the operator has another key`,
            },
          ];
  }
}

const WRONGLY_SIGNED = 'a call whose signature none of the keys at hand gives';

function acceptedWrongly(
  rule: SignatureRule,
  what: string,
  status: number | null,
): readonly [SignatureRule, ReplyProblem] {
  return [rule, { kind: 'breach', expected: `${what} is answered 401`, actual: `it was answered ${status}` }];
}
