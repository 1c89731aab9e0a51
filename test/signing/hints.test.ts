import { expect, it } from 'vitest';
import { hintsOf } from '../../src/signing/hints.ts';

const hints = (signature: string, body = '{"a":"1"}', keys = 2): string =>
  hintsOf(
    { method: 'POST', url: 'https://wallet.example/bet', body: Buffer.from(body), signature },
    { keys, tried: 1 },
  ).join(' ');
const SHA256 = 'ab'.repeat(32);

it.each([
  ['', 'is empty'],
  [SHA256, 'the correct length for HMAC-SHA256'],
  ['ab'.repeat(20), 'like SHA-1.'],
  ['ab'.repeat(64), 'like SHA-512.'],
  ['ab'.repeat(30), '30 bytes, and no common hash'],
  [SHA256.slice(1), 'At least one digit was lost'],
  [Buffer.alloc(16, 7).toString('base64'), 'like MD5.'],
  ['💣', 'neither hexadecimal nor base64'],
])('the form of the signature %j gives the hint "%s"', (signature, said) => {
  expect(hints(signature)).toContain(said);
});

it.each([
  ['{"a":"1', 'is not JSON'],
  ['{"a":"***"}', 'masked'],
  ['', 'body is empty'],
])('the body %j gives the hint "%s"', (body, said) => {
  expect(hints(SHA256, body)).toContain(said);
});

it('the hints name missing keys and a missing query', () => {
  expect(hints(SHA256, '{}', 1)).toContain('--key-file');
  expect(
    hintsOf({ method: 'GET', url: '/balance', body: null, signature: SHA256 }, { keys: 2, tried: 1 }).join(' '),
  ).toContain('no query');
});
