import { expect, it } from 'vitest';
import { hintsOf } from '../../../src/incident/explain/hints.ts';

const hints = (signature: string, body = '{"a":"1"}', keys = 2): string =>
  hintsOf({ method: 'POST', url: 'https://wallet.example/bet', body: Buffer.from(body), signature }, keys).join(' ');
const SHA256 = 'ab'.repeat(32);

it.each([
  ['', 'is empty'],
  [SHA256, 'as long as one of HMAC-SHA256'],
  ['ab'.repeat(20), 'one of SHA-1 has'],
  ['ab'.repeat(64), 'one of SHA-512 has'],
  ['ab'.repeat(30), '30 bytes, as no usual hash has'],
  [SHA256.slice(1), 'a digit was lost'],
  [Buffer.alloc(16, 7).toString('base64'), 'one of MD5 has'],
  ['💣', 'neither hexadecimal nor base64'],
])('tells from the form of %j', (signature, said) => {
  expect(hints(signature)).toContain(said);
});

it.each([
  ['{"a":"1', 'is no JSON'],
  ['{"a":"***"}', 'masked'],
  ['', 'body is empty'],
])('tells from the body %j', (body, said) => {
  expect(hints(SHA256, body)).toContain(said);
});

it('tells what was not given', () => {
  expect(hints(SHA256, '{}', 1)).toContain('--key-file');
  expect(hintsOf({ method: 'GET', url: '/balance', body: null, signature: SHA256 }, 2).join(' ')).toContain('no query');
});
