import { canonicalJson } from '../../contract/canonical.ts';
import { verifySignature } from '../../contract/signature.ts';
import type { Behaviour } from '../behaviour.ts';
import type { Defect } from '../defect.ts';
import { verifyingBodies, verifyingQueries } from './verifying.ts';

function decodedAgain(value: string): string {
  try {
    return decodeURIComponent(value);
  } catch {
    return value;
  }
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

export const SIGNED_PAYLOAD_DEFECTS: readonly Defect[] = [
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
];
