import { describe, expect, it } from 'vitest';
import { type SignedCall, signatureProblem } from '../../src/reply/signature.ts';

const CALL: SignedCall = {
  signature: 'right',
  isSignedByOther: false,
  isKeyProven: true,
  answer: 'accepted',
  status: 200,
  code: null,
};
const REFUSED = { answer: 'refused', status: 401 } as const;

describe('The reply to a call', () => {
  it.each<[string, Partial<SignedCall>, string | undefined]>([
    ['with a right signature, accepted', {}, undefined],
    ['with a right signature, refused', REFUSED, 'breach signature.accepted'],
    ['with a right signature, refused with a published code', { ...REFUSED, code: 'session_expired' }, undefined],
    ['with a right signature, refused with a code of its own', { ...REFUSED, code: 'x' }, 'breach signature.accepted'],
    ['without a signature, refused', { ...REFUSED, signature: 'missing' }, undefined],
    ['without a signature, accepted', { signature: 'missing' }, 'breach signature.missing'],
    ['without a signature, declined', { signature: 'missing', answer: 'declined', status: 402 }, undefined],
    ['without a signature, answered 200 with an error', { signature: 'missing', answer: 'error-200' }, undefined],
    ['with a wrong signature, refused', { ...REFUSED, signature: 'wrong' }, undefined],
    ['with a wrong signature, accepted', { signature: 'wrong' }, 'breach signature.mismatch'],
    [
      'with a wrong signature, accepted by an operator that may have another key',
      { signature: 'wrong', isKeyProven: false },
      'warning signature.mismatch',
    ],
    ["signed with another client's key", { signature: 'wrong', isSignedByOther: true }, 'breach signature.client-key'],
    ['with an unknown signature', { signature: 'unknown' }, undefined],
    ['without a signature and without a known reply', { signature: 'missing', answer: null, status: null }, undefined],
  ])('(%s) is judged by its signature', (_, given, expected) => {
    const problem = signatureProblem({ ...CALL, ...given });
    expect(problem && `${problem[1].kind} ${problem[0]}`).toBe(expected);
  });
});
