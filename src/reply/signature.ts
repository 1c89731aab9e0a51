import type { RuleId } from '../contract/catalogue.ts';
import type { SignatureState } from '../contract/signature.ts';
import { isPublishedCode, type ReplyAnswer } from './classify.ts';
import type { ReplyProblem } from './problems.ts';

/** A call that croupier did not sign, with its reply. */
export interface SignedCall {
  /** The result of checking the signature with the known keys. */
  readonly signature: SignatureState;
  /** True if the call is signed with the key of another client. */
  readonly isSignedByOther: boolean;
  /** True if a call is signed with one of the known keys. This proves that the operator has the same keys. */
  readonly isKeyProven: boolean;
  /** The meaning of the reply. null if no reply is known. */
  readonly answer: ReplyAnswer | null;
  readonly status: number | null;
  /** The error code in the reply; null if the reply has no code. */
  readonly code: string | null;
}

export type SignatureRule = Extract<
  RuleId,
  'signature.accepted' | 'signature.missing' | 'signature.mismatch' | 'signature.client-key'
>;

/**
 * Judges the reply to a call by the signature of the call (contract, Authentication 4). If the service signs a call wrongly,
 * this is not a fault of the operator. The operator must only refuse the call.
 *
 * @returns undefined if there is no problem
 */
export function signatureProblem(call: SignedCall): readonly [SignatureRule, ReplyProblem] | undefined {
  const { signature, isSignedByOther, isKeyProven, answer, status, code } = call;
  switch (signature) {
    case 'unknown':
      return undefined;
    case 'right':
      // Some operators answer 401 with a published code for a session that has ended. This says nothing about the signature.
      return answer === 'refused' && !isPublishedCode(code)
        ? [
            'signature.accepted',
            { kind: 'breach', expected: 'a correctly signed call is accepted', actual: 'the call was answered 401' },
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
              // The operator may have a different key, until a call proves that it has the known keys. So this is only a warning.
              kind: 'warning',
              expected: `${WRONGLY_SIGNED} is answered 401`,
              actual: `the call was answered ${status}, which is right if the operator has another key`,
              why: 'no call has proven yet that the operator uses the keys that croupier knows',
            },
          ];
  }
}

const WRONGLY_SIGNED = 'a call whose signature does not match any known key';

function acceptedWrongly(
  rule: SignatureRule,
  what: string,
  status: number | null,
): readonly [SignatureRule, ReplyProblem] {
  return [rule, { kind: 'breach', expected: `${what} is answered 401`, actual: `the call was answered ${status}` }];
}
