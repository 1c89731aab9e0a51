import { createHmac } from 'node:crypto';
import { canonicalJson } from '../../contract/canonical.ts';
import { SIGNATURE_HEADER, signBody, signQuery, verifySignature } from '../../contract/signature.ts';
import type { SignedBody, SignedQuery } from '../../sdk/reverse-call.ts';
import type { Behaviour } from '../behaviour.ts';
import type { Defect } from '../defect.ts';

type Verify = Behaviour['verify'];

/** Verifies bodies in another way: those that pass are handed on as rightly signed. */
function verifyingBodies(
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
function verifyingQueries({ verify }: Behaviour, isSigned: (signed: SignedQuery) => boolean): Partial<Behaviour> {
  return {
    verify: {
      ...verify,
      balance: (signed) => verify.balance({ ...signed, signature: isSigned(signed) ? signatureOf(signed) : undefined }),
    },
  };
}

function isFree({ body }: SignedBody): boolean {
  try {
    return (JSON.parse(Buffer.from(body).toString()) as { type?: unknown }).type === 'free';
  } catch {
    return false;
  }
}

function decodedAgain(value: string): string {
  try {
    return decodeURIComponent(value);
  } catch {
    return value;
  }
}

function signatureOf({ query, key }: SignedQuery): string {
  return signQuery([...new URLSearchParams(`?${query}`)], key);
}

function hmac(payload: string | Uint8Array, key: string): string {
  return createHmac('sha256', key).update(payload).digest('hex');
}

/** Verifies what a JSON library makes of the body, and not the body. */
function reserialising(right: Behaviour, write: (value: unknown) => string): Partial<Behaviour> {
  return verifyingBodies(right, ({ body, key, signature }) => {
    try {
      return verifySignature(write(JSON.parse(Buffer.from(body).toString())), key, signature);
    } catch {
      return false;
    }
  });
}

const unicode = (character: string): string => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`;
const asPython = (text: string): string => text.replace(/[\u0080-\uffff]/g, unicode);
const asPhp = (text: string): string => asPython(text).replaceAll('/', '\\/');
const asGo = (text: string): string => text.replace(/[<>&\u2028\u2029]/g, unicode);

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
    name: 'query-session-only',
    breaks: ['balance.extra-query'],
    mayBreak: ['signature.query-canonical', 'signature.query-unicode'],
    description: 'A balance call with any further parameter is refused: only the sessionID is signed over.',
    change: (right) =>
      verifyingQueries(right, ({ query, key, signature }) =>
        verifySignature(
          canonicalJson({ sessionID: new URLSearchParams(query).get('sessionID') ?? '' }),
          key,
          signature,
        ),
      ),
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
    name: 'query-wire-order',
    breaks: ['signature.query-canonical'],
    mayBreak: ['balance.extra-query', 'signature.query-unicode'],
    description:
      'Balance calls are refused when their parameters come in another order: they are signed over as they arrive, unsorted.',
    change: (right) =>
      verifyingQueries(right, ({ query, key, signature }) =>
        verifySignature(JSON.stringify(Object.fromEntries(new URLSearchParams(`?${query}`))), key, signature),
      ),
  },
  {
    name: 'query-undecoded',
    breaks: ['signature.query-canonical'],
    mayBreak: ['balance.extra-query', 'signature.query-unicode'],
    description:
      'Balance calls with percent-encoded parameters are refused: they are signed over without being decoded.',
    change: (right) =>
      verifyingQueries(right, ({ query, key, signature }) =>
        verifySignature(
          canonicalJson(
            Object.fromEntries(
              query.split('&').map((part) => [part.split('=')[0] ?? '', part.split('=').slice(1).join('=')]),
            ),
          ),
          key,
          signature,
        ),
      ),
  },
  {
    name: 'query-decoded-twice',
    breaks: ['signature.query-canonical'],
    mayBreak: ['balance.extra-query', 'signature.query-unicode'],
    description:
      'Balance calls with a percent sign in a parameter are refused: the framework decodes the query, and our own code does it again.',
    change: (right) =>
      verifyingQueries(
        right,
        ({ query, key, signature }) =>
          signature !== undefined &&
          verifySignature(
            canonicalJson(
              Object.fromEntries(
                [...new URLSearchParams(`?${query}`)].map(([name, value]) => [name, decodedAgain(value)]),
              ),
            ),
            key,
            signature,
          ),
      ),
  },
  {
    name: 'query-ascii-only',
    breaks: ['signature.query-unicode'],
    description: 'Balance calls with letters beyond ASCII are refused: these are signed over as \\u escapes.',
    change: (right) =>
      verifyingQueries(right, ({ query, key, signature }) =>
        verifySignature(asPython(canonicalJson(Object.fromEntries(new URLSearchParams(`?${query}`)))), key, signature),
      ),
  },
  {
    name: 'body-reserialised-python',
    breaks: ['signature.raw-body'],
    mayBreak: ['signature.raw-body-escapes', 'robustness.malformed-json'],
    description:
      'Calls with é in them are refused: the body is parsed and written anew before it is verified, as Python does it, with \\u escapes.',
    change: (right) => reserialising(right, (value) => asPython(JSON.stringify(value))),
  },
  {
    name: 'body-reserialised-php',
    breaks: ['signature.raw-body'],
    mayBreak: ['signature.raw-body-escapes', 'robustness.malformed-json'],
    description:
      'Calls with a slash in them are refused: the body is parsed and written anew before it is verified, as PHP does it, with \\/ for /.',
    change: (right) => reserialising(right, (value) => asPhp(JSON.stringify(value))),
  },
  {
    name: 'body-reserialised-go',
    breaks: ['signature.raw-body-escapes'],
    mayBreak: ['robustness.malformed-json'],
    description:
      'Calls with <, > or & in them are refused: the body is parsed and written anew before it is verified, as Go does it, with \\u003c for <.',
    change: (right) => reserialising(right, (value) => asGo(JSON.stringify(value))),
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
