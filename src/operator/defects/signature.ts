import { createHmac } from 'node:crypto';
import { SIGNATURE_HEADER, verifySignature } from '../../contract/signature.ts';
import type { SignedBody } from '../../sdk/reverse-call.ts';
import type { Defect } from '../defect.ts';
import { signatureOf, verifyingBodies, verifyingQueries } from './verifying.ts';

function isFree({ body }: SignedBody): boolean {
  try {
    return (JSON.parse(Buffer.from(body).toString()) as { type?: unknown }).type === 'free';
  } catch {
    return false;
  }
}

function hmac(payload: string | Uint8Array, key: string): string {
  return createHmac('sha256', key).update(payload).digest('hex');
}

export const SIGNATURE_DEFECTS: readonly Defect[] = [
  {
    name: 'signature-ignored',
    breaks: ['signature.mismatch'],
    mayBreak: [
      'signature.missing',
      'signature.tampered-body',
      'signature.tampered-query',
      'signature.client-key',
      'signature.no-effect',
    ],
    description: 'Anybody can move money: the signature is not checked at all.',
    change: (right) => ({
      ...verifyingBodies(right, () => true),
      verify: {
        ...right.verify,
        ...verifyingBodies(right, () => true).verify,
        balance: (signed) => right.verify.balance({ ...signed, signature: signatureOf(signed) }),
      },
    }),
  },
  {
    name: 'signature-ignored-on-refund',
    breaks: ['signature.mismatch'],
    mayBreak: ['signature.missing', 'signature.tampered-body', 'signature.client-key', 'signature.no-effect'],
    description: 'Anybody can send refunds: their signature is not checked.',
    change: (right) => verifyingBodies(right, () => true, ['refund']),
  },
  {
    name: 'signature-ignored-on-free-bets',
    breaks: ['signature.mismatch'],
    description: 'Anybody can use up the free rounds of a player: the signature of free bets is not checked.',
    change: (right) => {
      const { bet } = verifyingBodies(right, () => true, ['bet']).verify ?? right.verify;
      return {
        verify: {
          ...right.verify,
          bet: (signed) => (isFree(signed) ? bet(signed) : right.verify.bet(signed)),
        },
      };
    },
  },
  {
    name: 'signature-ignored-on-balance',
    breaks: ['signature.mismatch'],
    mayBreak: ['signature.missing', 'signature.tampered-query', 'signature.client-key'],
    description: 'Anybody can read a balance: its signature is not checked.',
    change: (right) => verifyingQueries(right, () => true),
  },
  {
    name: 'signature-optional',
    breaks: ['signature.missing'],
    mayBreak: ['signature.no-effect'],
    description: 'Anybody can move money by leaving the signature out: a wrong one is refused, a missing one is not.',
    change: (right) =>
      verifyingBodies(
        right,
        (signed) => !signed.signature || verifySignature(signed.body, signed.key, signed.signature),
      ),
  },
  {
    name: 'signature-prefix',
    breaks: ['signature.mismatch'],
    mayBreak: ['signature.no-effect', 'signature.missing', 'signature.tampered-body'],
    description: 'The beginning of a signature is enough: only as many characters as were sent are compared.',
    change: (right) =>
      verifyingBodies(
        right,
        ({ body, key, signature }) => Boolean(signature) && hmac(body, key).startsWith(signature ?? ''),
      ),
  },
  {
    name: 'signature-first-half',
    breaks: ['signature.mismatch'],
    mayBreak: ['signature.no-effect'],
    description: 'Half of a signature is enough: only its first 32 characters are compared.',
    change: (right) =>
      verifyingBodies(
        right,
        ({ body, key, signature = '' }) =>
          signature.length >= 32 && hmac(body, key).slice(0, 32) === signature.slice(0, 32),
      ),
  },
  {
    name: 'signature-cached',
    breaks: ['signature.tampered-body'],
    mayBreak: ['signature.tampered-query', 'signature.no-effect'],
    description:
      'A call can be changed at will once its signature was seen: one that was right before is trusted, whatever body it comes with.',
    change: (right) => {
      const trusted = new Set<string>();
      return verifyingBodies(right, ({ body, key, signature = '' }) => {
        if (trusted.has(signature)) return true;
        const isSigned = verifySignature(body, key, signature);
        if (isSigned) trusted.add(signature);
        return isSigned;
      });
    },
  },
  {
    name: 'query-tampered-accepted',
    breaks: ['signature.tampered-query'],
    description:
      'A balance call can be turned to another session: any signature that was right for some query is let in.',
    change: (right) => {
      const good = new Set<string>();
      return verifyingQueries(right, (signed) => {
        const { signature = '' } = signed;
        if (signature === signatureOf(signed)) good.add(signature);
        return /^[0-9a-f]{64}$/.test(signature) && (good.has(signature) || signature === signatureOf(signed));
      });
    },
  },
  {
    name: 'header-exact-case',
    breaks: ['signature.header-case'],
    description:
      'Calls are refused behind a proxy that writes header names in small letters: only X-REQUEST-SIGN in capitals is found.',
    change: () => ({ signatureOf: (headers) => headers.find(([name]) => name === SIGNATURE_HEADER)?.[1] }),
  },
  {
    name: 'any-clients-key',
    breaks: ['signature.client-key'],
    mayBreak: ['signature.no-effect'],
    description: 'One client’s key opens all: a call is accepted when it is signed with the key of any of our clients.',
    change: () => ({ keysOf: (_client, all) => all.map(({ integrationApiKey }) => integrationApiKey) }),
  },
  {
    name: 'win-key-mistaken',
    breaks: ['signature.accepted'],
    mayBreak: ['free-rounds.win', 'free-rounds.replay', 'idempotency.bet', 'idempotency.win', 'idempotency.refund'],
    description: 'All wins are refused: their signatures are checked with the wrong key.',
    change: (right) => verifyingBodies(right, () => false, ['win']),
  },
];
