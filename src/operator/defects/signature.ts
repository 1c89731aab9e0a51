import { createHmac } from 'node:crypto';
import { TRANSACTION_CALLS } from '../../contract/call-name.ts';
import { canonicalJson } from '../../contract/canonical.ts';
import type { JsonObject, JsonValue } from '../../contract/json.ts';
import { type QueryParams, readQuery } from '../../contract/query.ts';
import { rightSignature, SIGNATURE_HEADER, signBody, verifySignature } from '../../contract/signature.ts';
import type { SignedBody, SignedQuery } from '../../sdk/reverse-call.ts';
import type { Behaviour } from '../behaviour.ts';
import type { Defect } from '../variation.ts';

/** Returns a field of the body. undefined if the body is not JSON, or has no such field. */
function fieldOf({ body }: SignedBody, name: string): unknown {
  try {
    return (JSON.parse(Buffer.from(body).toString()) as Record<string, unknown>)[name];
  } catch {
    return undefined;
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
    name: 'signature-ignored-now-and-then',
    breaks: ['signature.mismatch'],
    mayBreak: ['signature.missing', 'signature.tampered-body', 'signature.client-key'],
    description:
      'Who tries often enough can send refunds: one of 12 wrong signatures of refunds in a session is not checked.',
    change: (right) => {
      // Counted by session, so that calls of scenarios in other sessions do not decide which calls of a scenario are checked.
      const wrong = new Map<unknown, number>();
      return verifyingBodies(
        right,
        (signed) => {
          const { body, key, signature } = signed;
          if (!signature) return false;
          if (verifySignature(body, key, signature)) return true;
          const session = fieldOf(signed, 'sessionID');
          const count = (wrong.get(session) ?? 0) + 1;
          wrong.set(session, count);
          return count % 12 === 0;
        },
        ['refund'],
      );
    },
  },
  {
    name: 'signature-ignored-on-free-bets',
    breaks: ['signature.mismatch'],
    description: 'Anybody can use up the free rounds of a player: the signature of free bets is not checked.',
    change: (right) => ignoringIf(right, 'bet', 'type', 'free'),
  },
  {
    name: 'signature-ignored-on-free-wins',
    breaks: ['signature.mismatch'],
    description: 'Anybody can pay wins of free rounds: the signature of free wins is not checked.',
    change: (right) => ignoringIf(right, 'win', 'type', 'free'),
  },
  {
    name: 'signature-ignored-on-zero-wins',
    breaks: ['signature.mismatch'],
    description: 'Anybody can end the rounds of a player: the signature of wins of 0 is not checked.',
    change: (right) => ignoringIf(right, 'win', 'amount', '0'),
  },
  {
    name: 'signature-ignored-on-balance',
    breaks: ['signature.mismatch'],
    mayBreak: ['signature.missing', 'signature.tampered-query', 'signature.client-key'],
    description: 'Anybody can read a balance: the signature of balance calls is not checked.',
    change: (right) => verifyingQueries(right, () => true),
  },
  {
    name: 'signature-optional',
    breaks: ['signature.missing'],
    mayBreak: ['signature.no-effect'],
    description:
      'Anybody can move money without a signature: the wallet refuses a wrong signature, but not a missing one.',
    change: (right) =>
      verifyingBodies(
        right,
        (signed) => !signed.signature || verifySignature(signed.body, signed.key, signed.signature),
      ),
  },
  {
    name: 'signature-empty-key',
    breaks: ['signature.mismatch'],
    mayBreak: ['signature.no-effect'],
    description:
      'Anybody can sign calls with an empty key, because the wallet also tries the old key of the client, and the client has none.',
    change: () => ({ keysOf: ({ integrationApiKey }) => [integrationApiKey, ''] }),
  },
  {
    name: 'signature-prefix',
    breaks: ['signature.mismatch'],
    mayBreak: ['signature.no-effect', 'signature.missing', 'signature.tampered-body'],
    description:
      'The beginning of a signature is enough, because the wallet compares only the characters that were sent.',
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
    description: 'Half of a signature is enough, because the wallet compares only its first 32 characters.',
    change: (right) =>
      verifyingBodies(
        right,
        ({ body, key, signature = '' }) =>
          signature.length >= 32 && hmac(body, key).slice(0, 32) === signature.slice(0, 32),
      ),
  },
  {
    name: 'signature-last-digits',
    breaks: ['signature.mismatch'],
    mayBreak: ['signature.no-effect'],
    description: 'The end of a signature is enough, because the wallet compares only its last 10 characters.',
    change: (right) =>
      verifyingBodies(
        right,
        ({ body, key, signature = '' }) => signature.length >= 10 && hmac(body, key).endsWith(signature.slice(-10)),
      ),
  },
  {
    name: 'signature-cached',
    breaks: ['signature.tampered-body'],
    mayBreak: ['signature.tampered-query', 'signature.no-effect'],
    description:
      'A call with a known signature can have any body, because the wallet accepts a signature that was right once.',
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
      'Anybody can change the session of a balance call: the wallet accepts a signature that was right for one query for all queries.',
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
      'Calls are refused behind a proxy that writes header names in lower case: only X-REQUEST-SIGN in upper case is found.',
    change: () => ({ signatureOf: (headers) => headers.find(([name]) => name === SIGNATURE_HEADER)?.[1] }),
  },
  {
    name: 'any-clients-key',
    breaks: ['signature.client-key'],
    mayBreak: ['signature.no-effect'],
    description:
      'The key of one client works for all clients: the wallet accepts a call that is signed with the key of any client.',
    change: () => ({ keysOf: (_client, all) => all.map(({ integrationApiKey }) => integrationApiKey) }),
  },
  {
    name: 'win-key-mistaken',
    breaks: ['signature.accepted'],
    mayBreak: ['free-rounds.win', 'free-rounds.replay', 'idempotency.bet', 'idempotency.win', 'idempotency.refund'],
    description: 'All wins are refused: their signatures are checked with the wrong key.',
    change: (right) => verifyingBodies(right, () => false, ['win']),
  },
  {
    name: 'refund-other-payload',
    breaks: ['signature.accepted'],
    mayBreak: ['refund.unknown', 'refund.restore', 'idempotency.refund'],
    description:
      'The wallet refuses all refunds: another part of the program has already read the body, so the signature is compared with that of an empty object.',
    change: (right) =>
      verifyingBodies(right, ({ key, signature }) => signature !== undefined && verifySignature('{}', key, signature), [
        'refund',
      ]),
  },
];

type Verify = Behaviour['verify'];

/**
 * Replaces the check of the signatures of bodies. A body that passes the changed check gets a correct signature, so that the next
 * steps accept it.
 */
function verifyingBodies(
  { verify }: Behaviour,
  isSigned: (signed: SignedBody) => boolean,
  calls: readonly (keyof Verify)[] = TRANSACTION_CALLS,
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

/** Checks no signature of one kind of call if a field of the body has a value. */
function ignoringIf(right: Behaviour, call: 'bet' | 'win', name: string, value: string): Partial<Behaviour> {
  const unchecked = verifyingBodies(right, () => true, [call]).verify ?? right.verify;
  return {
    verify: {
      ...right.verify,
      [call]: (signed: SignedBody) => (fieldOf(signed, name) === value ? unchecked : right.verify)[call](signed),
    },
  };
}

/**
 * Replaces the check of the signatures of queries. A query that passes the changed check gets a correct signature, so that the
 * next steps accept it.
 */
function verifyingQueries({ verify }: Behaviour, isSigned: (signed: SignedQuery) => boolean): Partial<Behaviour> {
  return {
    verify: {
      ...verify,
      balance: (signed) => verify.balance({ ...signed, signature: isSigned(signed) ? signatureOf(signed) : undefined }),
    },
  };
}

/** Verifies the signature of a query over the object that a framework makes from the parameters. */
function verifyingParams(right: Behaviour, objectOf: (params: QueryParams) => JsonObject): Partial<Behaviour> {
  return verifyingQueries(right, ({ query, key, signature }) =>
    verifySignature(canonicalJson(objectOf(readQuery(query))), key, signature),
  );
}

/** Reads numbers and booleans in the value of a parameter. */
function typed(value: string): JsonValue {
  if (value === 'true' || value === 'false') return value === 'true';
  return /^\d+(\.\d+)?$/.test(value) ? Number(value) : value;
}

/** Turns `a[b]=c` into `{"a":{"b":"c"}}`, and `a[]=c` into `{"a":["c"]}`. */
function nested(params: QueryParams): JsonObject {
  return Object.fromEntries(
    params.map(([name, value]): [string, JsonValue] => {
      const [, outer, inner] = /^(\w+)\[(\w*)\]$/.exec(name) ?? [];
      if (outer === undefined) return [name, value];
      return [outer, inner ? { [inner]: value } : [value]];
    }),
  );
}

/** Returns the correct signature of a query. Returns undefined if the query cannot be signed. */
function signatureOf({ query, key }: SignedQuery): string | undefined {
  return rightSignature({ method: 'GET', query, body: null }, key);
}

function decodedAgain(value: string): string {
  try {
    return decodeURIComponent(value);
  } catch {
    return value;
  }
}

/**
 * Returns the behaviour of an operator that parses the body, writes it again with a JSON library, and verifies the signature of
 * this new text instead of the received bytes.
 */
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

export const SIGNED_PAYLOAD_DEFECTS: readonly Defect[] = [
  {
    name: 'query-session-only',
    breaks: ['signature.query-canonical'],
    mayBreak: ['signature.query-unicode'],
    description:
      'A balance call with any further parameter is refused: the signature is computed only over the sessionID.',
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
    name: 'query-wire-order',
    breaks: ['signature.query-canonical'],
    mayBreak: ['balance.extra-query', 'signature.query-unicode'],
    description:
      'Balance calls are refused if their parameters come in another order: the parameters are not sorted before signing.',
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
      'Balance calls with percent-encoded parameters are refused, because the operator does not decode the parameters before it computes the signature.',
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
      'Balance calls with a percent sign in a parameter are refused: the framework decodes the query, and the operator decodes it again.',
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
    name: 'query-empty-dropped',
    breaks: ['signature.query-canonical'],
    description:
      'A balance call with an empty parameter is refused: the framework drops parameters without a value, as in Python, before the signature is computed.',
    change: (right) =>
      verifyingParams(right, (params) => Object.fromEntries(params.filter(([, value]) => value !== ''))),
  },
  {
    name: 'query-numbers-read',
    breaks: ['signature.query-canonical'],
    description:
      'A balance call with digits in a parameter is refused: the framework reads values such as 7 and true as numbers and booleans.',
    change: (right) =>
      verifyingParams(right, (params) =>
        Object.fromEntries(params.map(([name, value]) => [name, name === 'sessionID' ? value : typed(value)])),
      ),
  },
  {
    name: 'query-dots-changed',
    breaks: ['signature.query-canonical'],
    description:
      'A balance call with a dot in the name of a parameter is refused: the framework replaces the dot with an underscore, as in PHP.',
    change: (right) =>
      verifyingParams(right, (params) =>
        Object.fromEntries(params.map(([name, value]) => [name.replaceAll('.', '_'), value])),
      ),
  },
  {
    name: 'query-brackets-nested',
    breaks: ['signature.query-canonical'],
    description:
      'A balance call with brackets in the name of a parameter is refused: the framework makes a nested object from this parameter.',
    change: (right) => verifyingParams(right, nested),
  },
  {
    name: 'query-slashes-escaped',
    breaks: ['signature.query-unicode'],
    description:
      'The wallet refuses a balance call with a slash in a parameter: it computes the signature over JSON with \\/ instead of /, as PHP does.',
    change: (right) =>
      verifyingQueries(right, ({ query, key, signature }) =>
        verifySignature(canonicalJson(Object.fromEntries(readQuery(query))).replaceAll('/', '\\/'), key, signature),
      ),
  },
  {
    name: 'query-ascii-only',
    breaks: ['signature.query-unicode'],
    description: 'Balance calls with letters beyond ASCII are refused: the signature is computed over \\u escapes.',
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
      'The wallet refuses calls with é: before it verifies the signature, it parses the body and writes it again with \\u escapes, as Python does.',
    change: (right) => reserialising(right, (value) => asPython(JSON.stringify(value))),
  },
  {
    name: 'body-reserialised-php',
    breaks: ['signature.raw-body'],
    mayBreak: ['signature.raw-body-escapes', 'robustness.malformed-json'],
    description:
      'The wallet refuses calls with a slash: before it verifies the signature, it parses the body and writes it again with \\/ instead of /, as PHP does.',
    change: (right) => reserialising(right, (value) => asPhp(JSON.stringify(value))),
  },
  {
    name: 'body-reserialised-go',
    breaks: ['signature.raw-body-escapes'],
    mayBreak: ['robustness.malformed-json'],
    description:
      'The wallet refuses calls with <, > or &: before it verifies the signature, it parses the body and writes it again with \\u003c instead of <, as Go does.',
    change: (right) => reserialising(right, (value) => asGo(JSON.stringify(value))),
  },
];
