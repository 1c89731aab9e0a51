import type { RuleId } from '../contract/catalogue.ts';
import type { Ended } from './wallet.ts';

export interface SignatureBreach {
  readonly rule: RuleId;
  readonly verdict: 'fail' | 'warn';
  readonly text: string;
  /** It counts only when it is seen again and again. */
  readonly isPassing: boolean;
}

/**
 * What an operator makes of a signature, where that is wrong. The service is not blamed: a wrong signature must be refused, that is all.
 *
 * @param isVerified a call of the session was accepted before, with a signature that a known key gives
 */
export function signatureBreach(
  { told, signature, isWellFormed }: Ended,
  isVerified: boolean,
): SignatureBreach | undefined {
  const isLetIn = told.ending === 'accepted';
  switch (signature) {
    case 'missing':
      if (!isLetIn) return undefined;
      return {
        rule: 'signature.missing',
        verdict: 'fail',
        text: 'it carries no signature, and was answered 200',
        isPassing: false,
      };
    case 'wrong':
      if (!isLetIn) return undefined;
      return {
        rule: 'signature.mismatch',
        // Without a call that a known key fits, the operator may well have another key than was given here.
        verdict: isVerified ? 'fail' : 'warn',
        text: 'no key that is known here gives its signature, and it was answered 200',
        isPassing: false,
      };
    case 'right':
      if (told.ending !== 'refused' || !isVerified || !isWellFormed) return undefined;
      return {
        rule: 'signature.accepted',
        verdict: 'fail',
        text: 'its signature is right, its session was good before, and it was answered 401',
        isPassing: true,
      };
    case 'open':
    case 'unchecked':
      return undefined;
  }
}
