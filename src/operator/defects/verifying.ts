import { signBody, signQuery } from '../../contract/signature.ts';
import type { SignedBody, SignedQuery } from '../../sdk/reverse-call.ts';
import type { Behaviour } from '../behaviour.ts';

type Verify = Behaviour['verify'];

/** Verifies bodies in another way: those that pass are handed on as rightly signed. */
export function verifyingBodies(
  { verify }: Behaviour,
  isSigned: (signed: SignedBody) => boolean,
  calls: readonly (keyof Verify)[] = ['bet', 'win', 'refund'],
): Partial<Behaviour> {
  const vouch = (signed: SignedBody): SignedBody => ({
    ...signed,
    signature: isSigned(signed) ? signBody(signed.body, signed.key) : undefined,
  });
  return {
    verify: {
      ...verify,
      bet: calls.includes('bet') ? (signed) => verify.bet(vouch(signed)) : verify.bet,
      win: calls.includes('win') ? (signed) => verify.win(vouch(signed)) : verify.win,
      refund: calls.includes('refund') ? (signed) => verify.refund(vouch(signed)) : verify.refund,
    },
  };
}

/** Verifies queries in another way: those that pass are handed on as rightly signed. */
export function verifyingQueries(
  { verify }: Behaviour,
  isSigned: (signed: SignedQuery) => boolean,
): Partial<Behaviour> {
  return {
    verify: {
      ...verify,
      balance: (signed) => verify.balance({ ...signed, signature: isSigned(signed) ? signatureOf(signed) : undefined }),
    },
  };
}

/** The signature that a query should have. */
export function signatureOf({ query, key }: SignedQuery): string {
  return signQuery([...new URLSearchParams(`?${query}`)], key);
}
