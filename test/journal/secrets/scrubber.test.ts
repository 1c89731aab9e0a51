import { describe, expect, it } from 'vitest';
import { createScrubber } from '../../../src/journal/secrets/scrubber.ts';
import * as fc from '../../properties.ts';

const KEY = 'k3y/with+"odd" chars & <é>';

/** Ways in which a text may come out again, each of which anybody can undo. */
const ENCODINGS: Readonly<Record<string, (text: string) => string>> = {
  plain: (text) => text,
  base64: (text) => Buffer.from(text).toString('base64'),
  base64url: (text) => Buffer.from(text).toString('base64url'),
  hex: (text) => Buffer.from(text).toString('hex'),
  'upper-case hex': (text) => Buffer.from(text).toString('hex').toUpperCase(),
  'percent-encoded': encodeURIComponent,
  'percent-encoded in lower case': (text) => encodeURIComponent(text).replace(/%../g, (code) => code.toLowerCase()),
  'percent-encoded throughout': (text) => Buffer.from(text).toString('hex').replace(/../g, '%$&'),
  'percent-encoded twice': (text) => encodeURIComponent(encodeURIComponent(text)),
  'as a form': (text) => new URLSearchParams({ key: text }).toString(),
  json: (text) => JSON.stringify(text),
  'json in json': (text) => JSON.stringify(JSON.stringify(text)),
  'json with \\u': (text) =>
    text.replace(/[\s\S]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0').toUpperCase()}`),
  'json with \\/': (text) => JSON.stringify(text).replaceAll('/', '\\/'),
  html: (text) =>
    text.replace(/[&<>"']/g, (c) => ({ '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;' })[c] ?? c),
  'html numbers': (text) => Array.from(text, (c) => `&#x${c.codePointAt(0)?.toString(16)};`).join(''),
};

/** Texts that must not remain: even half of the encoded secret is too much. */
function leaks(output: string, encoded: string): boolean {
  const half = encoded.slice(Math.floor(encoded.length / 4), Math.ceil((encoded.length * 3) / 4));
  return output.includes(half);
}

describe('the scrubber of secrets', () => {
  it.each(Object.entries(ENCODINGS))('removes a secret %s', (_, encode) => {
    const encoded = encode(KEY);
    const output = createScrubber([KEY])(`before ${encoded} after`);
    expect(leaks(output, encoded)).toBe(false);
    expect(output).toContain('***');
    expect(output.startsWith('before ') && output.endsWith(' after')).toBe(true);
  });

  it('finds the same in a short text, which it searches in a faster way, as in a long text', () => {
    const keys = ['k3y-of-the-0perator', '7731900155', 'hunter2'];
    const scrub = createScrubber(keys);
    const padding = ' .'.repeat(200);
    const piece = fc.oneof(
      fc.constantFrom(...keys.flatMap((key) => Object.values(ENCODINGS).map((encode) => encode(key)))),
      fc.constantFrom(...keys).chain((key) => fc.nat(key.length).map((length) => key.slice(length))),
      fc.constantFrom('\0', '%', '\\', '&', 'balance', '1000000.00'),
      fc.string({ unit: 'binary', maxLength: 5 }),
    );
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 4 }), (pieces) => {
        const text = pieces.join('');
        expect(`${scrub(`${text} `)}${padding}`).toBe(scrub(`${text} ${padding}`));
      }),
      { numRuns: 2000 },
    );
  });

  it('removes any secret in any encoding from the middle of any text', () => {
    const secret = fc.string({ unit: 'grapheme', minLength: 8, maxLength: 40 }).filter((text) => text.trim() === text);
    const around = fc.string({ maxLength: 20 });
    fc.assert(
      fc.property(
        secret,
        around,
        around,
        fc.constantFrom(...Object.values(ENCODINGS)),
        (key, before, after, encode) => {
          let encoded: string;
          try {
            encoded = encode(key);
          } catch {
            return; // a lone surrogate can't be percent-encoded
          }
          fc.pre(!key.includes('\uFFFD') && key.isWellFormed());
          fc.pre(!leaks(`${before}${after}`, encoded));
          expect(leaks(createScrubber([key])(`${before} ${encoded} ${after}`), encoded)).toBe(false);
        },
      ),
      { numRuns: 400 },
    );
  });

  it.each([0, 1, 2, 3, 4, 5])('removes a secret that begins at byte %i of a longer base64 text', (offset) => {
    const key = 'integration-api-key-0123456789';
    const longer = Buffer.from(`${'x'.repeat(offset)}${key}${'y'.repeat(offset)}`);
    for (const encoding of ['base64', 'base64url'] as const) {
      const output = createScrubber([key])(longer.toString(encoding));
      expect(output).toContain('***');
      expect(Buffer.from(output.replaceAll('*', ''), encoding).toString('latin1')).not.toContain(key.slice(2, 8));
    }
  });

  it('removes a basic authentication header', () => {
    const header = `Basic ${Buffer.from('user:integration-api-key').toString('base64')}`;
    const output = createScrubber(['integration-api-key'])(header);
    expect(output.startsWith('Basic dXNlcj')).toBe(true);
    expect(output).not.toContain(Buffer.from('integration').toString('base64').slice(0, 8));
  });

  it('leaves nothing of a secret that begins with another one', () => {
    expect(createScrubber(['secret', 'secret-and-more'])('a secret-and-more, a secret')).toBe('a ***, a ***');
    expect(createScrubber(['secret-and-more', 'secret'])('a secret-and-more, a secret')).toBe('a ***, a ***');
  });

  it('removes each of many secrets that are the whole text', () => {
    const secrets = Array.from({ length: 500 }, (_, index) =>
      `Kx7q${String(index * 7919).padStart(7, '0')}`.slice(0, 8),
    );
    expect(secrets.filter((secret) => createScrubber([secret])(secret) !== '***')).toEqual([]);
  });

  it('does not read the characters of a secret as a pattern', () => {
    const odd = '.*+?^${}()|[]\\/-';
    expect(createScrubber([odd])(`<${odd}> aaaa`)).toBe('<***> aaaa');
  });

  it('does not remove secrets that are too short to be distinguished from other text', () => {
    expect(createScrubber(['', 'a', 'abc'])('abc a')).toBe('abc a');
  });

  it.each(['s3.+-', 'a/b(', 'hunter2'])('removes the short secret %s as a whole word only', (secret) => {
    expect(createScrubber([secret])(`<${secret}> x${secret}x`)).toBe(`<***> x${secret}x`);
  });

  it.each(['balance', 'true', '1234', '0000'])(
    'does not remove the short secret %s, which is in any text',
    (secret) => {
      const text = `{"balance":"1234.00","open":true,"x":"${secret}"}`;
      expect(createScrubber([secret])(text)).toBe(text);
    },
  );

  it('changes nothing where there is no secret', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), (text) => {
        fc.pre(!text.includes(KEY));
        expect(createScrubber([KEY])(text)).toBe(text);
      }),
    );
  });

  it('keeps a line of JSON valid', () => {
    const line = JSON.stringify({ header: KEY, body: JSON.stringify({ key: KEY }), rest: 'kept' });
    expect(JSON.parse(createScrubber([KEY])(line))).toMatchObject({ header: '***', rest: 'kept' });
  });

  it('reads a long text with many beginnings of a secret only once', () => {
    // With backtracking, this text would take longer than a test may take.
    const scrub = createScrubber(['aaaaaaaaaaaaaaaaaaaaaaab', '\\\\\\\\\\"', '%25%25%25%25x']);
    const text = ['a', '\\', '%25', '&amp;', '0'].map((unit) => unit.repeat(100_000 / unit.length)).join(' ');
    expect(scrub(text)).toMatch(/^\*\*\* /);
  });
});
