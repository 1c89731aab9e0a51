import { createHash } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { SIGNATURE_HEADER } from '../../../src/contract/signature.ts';
import type { Received, Sending } from '../../../src/journal/event.ts';
import {
  cutSignatures,
  EchoedSignatures,
  withoutPossibleSignatures,
  withoutSignatures,
} from '../../../src/journal/secrets/echoed-signatures.ts';

const SIGNATURE = createHash('sha256').update('a call').digest('hex');
const BYTES = Buffer.from(SIGNATURE, 'hex');
const percent = (bytes: Buffer): string => bytes.toString('hex').replace(/../g, '%$&');

/** The forms in which an operator may write a signature into a reply. */
const FORMS: Readonly<Record<string, string>> = {
  'hexadecimal digits': SIGNATURE,
  'upper-case digits': SIGNATURE.toUpperCase(),
  'digits in base64': Buffer.from(SIGNATURE).toString('base64'),
  'upper-case digits in base64': Buffer.from(SIGNATURE.toUpperCase()).toString('base64'),
  'bytes in base64': BYTES.toString('base64'),
  'bytes in base64 for URLs': BYTES.toString('base64url'),
  'bytes in percent-encoded base64': encodeURIComponent(BYTES.toString('base64')),
  'percent-encoded digits': percent(Buffer.from(SIGNATURE)),
  'percent-encoded bytes': percent(BYTES).toUpperCase(),
  'a longer text in base64': Buffer.from(`{"sign":"${SIGNATURE}"}`).toString('base64'),
  'base64 after a path': `log/entry/${Buffer.from(SIGNATURE).toString('base64')}`,
  'digits as escapes of JSON': SIGNATURE.replace(/./g, (digit) => `\\u00${digit.charCodeAt(0).toString(16)}`),
  'hexadecimal of the digits': Buffer.from(SIGNATURE).toString('hex'),
  'base64 in base64': Buffer.from(BYTES.toString('base64')).toString('base64'),
};

function sending(signature: string): Sending {
  return {
    event: 'sending',
    id: 'x1',
    scenario: null,
    step: null,
    purpose: 'step',
    call: 'balance',
    request: { method: 'GET', url: 'http://127.0.0.1/balance', headers: [[SIGNATURE_HEADER, signature]], body: null },
  };
}

function received(body: string, header = 'none'): Received {
  const stamps = { start: 0, resolved: 0, connected: 0, secured: null, sent: 1, firstByte: 2, end: 3 };
  return {
    event: 'received',
    id: 'x1',
    scenario: null,
    outcome: {
      kind: 'reply',
      reply: {
        status: 401,
        headers: [['X-Debug', header]],
        body: { encoding: 'utf8', data: body, length: body.length, truncated: false },
      },
    },
    stamps,
    connection: { id: 1, reused: false },
    model: null,
  };
}

function echoesOf(...events: readonly (Sending | Received)[]): ReadonlySet<string> {
  const echoes = new EchoedSignatures();
  for (const event of events) echoes.add(event);
  return echoes.all;
}

describe('signatures in replies', () => {
  it.for(Object.entries(FORMS))('%s are found and cut in bodies and headers', ([, form]) => {
    for (const event of [received(`wrong signature: ${form}.`), received('wrong', `got ${form}`)]) {
      const echoed = echoesOf(sending(SIGNATURE), event);
      expect([...echoed]).toEqual([SIGNATURE]);
      const shown = JSON.stringify(withoutSignatures(event, echoed));
      expect(shown).not.toContain(JSON.stringify(form).slice(1, -1));
      expect(shown).not.toContain(form.slice(20));
      expect(shown).toContain('…');
    }
  });

  it('a signature is found if it is the whole text, also in the shortest form', () => {
    for (const form of [SIGNATURE, BYTES.toString('base64url')])
      expect([
        ...echoesOf(sending(SIGNATURE), received(form)),
        ...echoesOf(sending(SIGNATURE), received('', form)),
      ]).toEqual([SIGNATURE, SIGNATURE]);
  });

  it('the text around a signature is kept, with the first 8 characters of the signature', () => {
    const echoed = new Set([SIGNATURE]);
    const form = BYTES.toString('base64');
    expect(cutSignatures(`sign ${SIGNATURE}, again ${form}!`, echoed)).toBe(
      `sign ${SIGNATURE.slice(0, 8)}…, again ${form.slice(0, 8)}…!`,
    );
  });

  it('signatures and encoded texts that croupier did not send are kept', () => {
    const other = createHash('sha256').update('another').digest();
    const text = `${other.toString('hex')} ${other.toString('base64')} ${percent(other)}`;
    const echoed = echoesOf(sending(SIGNATURE), received(`${text} ${SIGNATURE}`));
    expect([...echoed]).toEqual([SIGNATURE]);
    expect(cutSignatures(text, echoed)).toBe(text);
  });

  it('without the signatures that were sent, each text that may be one is cut, but no words and paths', () => {
    const path = 'src/main/java/com/acme/wallet/signatures/check/verifier';
    expect(withoutPossibleSignatures(`${SIGNATURE} ${BYTES.toString('base64')} ${path}`)).toBe(
      `${SIGNATURE.slice(0, 8)}… ${BYTES.toString('base64').slice(0, 8)}… ${path}`,
    );
  });
});
