import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { gzipSync } from 'node:zlib';
import { zipSync } from 'fflate';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { croupier } from '../../croupier.ts';

let cwd = '';
beforeEach(() => {
  cwd = mkdtempSync(path.join(tmpdir(), 'capsule-'));
});
afterEach(() => rmSync(cwd, { recursive: true, force: true }));

const SESSION = 'canary-session-77';
const PLAYER = 'canary-müller';
const JWT = `eyJhbGciOiJIUzI1NiJ9.${Buffer.from('{"sub":"canary"}').toString('base64url')}.c2lnbmF0dXJl`;
const BODY = JSON.stringify({ amount: '5.00', roundID: 'r-1', sessionID: SESSION, txID: 't-1', type: 'regular' });
const CALL = { time: '2026-11-23T13:03:07.123Z', method: 'POST', url: '/eu/bet', player: PLAYER, requestBody: BODY };

/** Lines with a secret or an id. Each contains the word `canary`, a part of a card number, or an address. */
const LINES: readonly string[] = [
  JSON.stringify({ ...CALL, status: 200, responseBody: '{"balance":"95.00","txID":"w-1"}' }),
  `POST /eu/bet Authorization: Bearer canary-bearer-1 ${BODY}`,
  'GET /callback?refresh_token=canary-refresh-2&access_token=canary-access-3',
  `curl -u canary-user:canary-pass -X POST https://w.example/eu/bet -d '${BODY}'`,
  `curl --user "canary-user:canary-pass" https://w.example/eu/balance?sessionID=${SESSION}`,
  JSON.stringify({ headers: { 'x-forwarded-for': '203.0.113.77', 'X-Real-IP': '203.0.113.78', cookie: 'sid=canary' } }),
  'request from X-Forwarded-For: 203.0.113.77, 203.0.113.78',
  '2026-11-23 13:03:07 ERROR -----BEGIN PRIVATE KEY-----',
  '2026-11-23 13:03:07 ERROR MIIEvQIBADANcanarycanary',
  '2026-11-23 13:03:07 ERROR canary==',
  '2026-11-23 13:03:07 ERROR -----END PRIVATE KEY-----',
  `the player canary-m&uuml;ller, and ${Buffer.from(PLAYER, 'utf16le').toString('base64')}`,
  JSON.stringify({ msg: 'token seen', jwt: JWT }),
  `the token ${JWT} was refused`,
  `the player ${PLAYER.toUpperCase()} in session ${SESSION.toUpperCase()}`,
  String.raw`{"msg":"the player canary-m\u00fcller in session ${SESSION}"}`,
  String.raw`{"url":"https:\/\/w.example\/eu\/balance?sessionID=canary%2Dsession%2D77"}`,
  `the session in hexadecimal ${Buffer.from(SESSION).toString('hex')} and base64 ${Buffer.from(SESSION).toString('base64')}`,
  'paid with 4111 1111 1111 1111, 5555555555554444 and 3782-822463-10005',
];

function expectClean(text: string): void {
  const encoded = ['hex', 'base64'].map((form) => Buffer.from(SESSION).toString(form as 'hex'));
  const hidden = ['canary', '203.0.113', '4111', '5555', '822463', ...encoded];
  expect(hidden.filter((one) => text.toLowerCase().includes(one.toLowerCase()))).toEqual([]);
  expect(text).toContain('"txID');
}

describe('a capsule', () => {
  it('contains no secret and no id in any writing', async () => {
    writeFileSync(path.join(cwd, 'wallet.log'), `${LINES.join('\n')}\n`);
    const { out, err, status } = await croupier(['capsule', 'wallet.log'], { cwd });
    expect([status, out.trimEnd().split('\n').length]).toEqual([0, LINES.length]);
    expectClean(out + err);
  });

  it.each([
    ['wallet.log.gz', (text: string) => gzipSync(text)],
    ['wallet.log.zip', (text: string) => Buffer.from(zipSync({ 'wallet.log': Buffer.from(text) }))],
  ])('is made of a compressed file: %s', async (name, packed) => {
    writeFileSync(path.join(cwd, name), packed(`${LINES.join('\n')}\n`));
    expect(await croupier(['capsule', name, '--out', 'ticket/'], { cwd })).toMatchObject({ status: 0 });
    expectClean(readFileSync(path.join(cwd, 'ticket/wallet.log'), 'utf8'));
  });

  it('keeps numbers that only look like cards: times, amounts, ids and wrong check digits', async () => {
    const text =
      'at 1795266187123 amount 4111111111111.12 tx 4111111111111112 uuid 41111111-1111-4111-8111-111111111111\n';
    writeFileSync(path.join(cwd, 'wallet.log'), text);
    expect((await croupier(['capsule', 'wallet.log'], { cwd })).out).toBe(text);
  });

  it('has no secret before the line that shows that it is a secret', async () => {
    const token = 'canary.7f3a9c21.token';
    const text = [
      `the call with ${token} failed`,
      `{"msg":"got ${Buffer.from(token).toString('base64')}"}`,
      `Authorization: Bearer ${token}`,
      BODY,
    ];
    writeFileSync(path.join(cwd, 'wallet.log'), `${text.join('\n')}\n`);
    const { out, status } = await croupier(['capsule', 'wallet.log'], { cwd });
    expect([status, out.split('\n')[0]]).toEqual([0, 'the call with *** failed']);
    expect(out).not.toContain(Buffer.from(token).toString('base64').slice(0, 20));
    expectClean(out);
  });

  it('has no id in a text that was encoded several times', async () => {
    const base64 = (text: string, times: number): string =>
      times === 0 ? text : base64(Buffer.from(text).toString('base64'), times - 1);
    const nested = JSON.stringify({ a: JSON.stringify({ b: JSON.stringify({ sessionID: SESSION }) }) });
    const text = [
      BODY,
      base64(BODY, 2),
      base64(BODY, 3),
      nested,
      encodeURIComponent(encodeURIComponent(BODY)),
      encodeURIComponent(base64(BODY, 1)),
      Buffer.from(nested).toString('hex'),
    ];
    writeFileSync(path.join(cwd, 'wallet.log'), `${text.join('\n')}\n`);
    const { out, status } = await croupier(['capsule', 'wallet.log'], { cwd });
    expect(status).toBe(0);
    const decoded = (line: string, times: number): string =>
      times === 0 ? line : decoded(Buffer.from(line, 'base64').toString(), times - 1);
    const lines = out.split('\n');
    const plain = [lines[1] ?? '', lines[2] ?? ''].map((line, index) => decoded(line, index + 2));
    for (const one of [
      ...plain,
      ...lines,
      Buffer.from(lines[6] ?? '', 'hex').toString(),
      decoded(decodeURIComponent(lines[5] ?? ''), 1),
    ])
      expect(decodeURIComponent(decodeURIComponent(one))).not.toContain('canary');
    expect(JSON.parse(plain[0] ?? '')).toMatchObject({ amount: '5.00', txID: 't-1' });
  });

  it('replaces e-mail and IP addresses in any text with --remove', async () => {
    const text = `${BODY}\nmail from jane.doe@example.com at 203.0.113.9 and 2001:db8::7, ::ffff:203.0.113.8, version 1.2.3\n`;
    writeFileSync(path.join(cwd, 'wallet.log'), text);
    const kept = await croupier(['capsule', 'wallet.log'], { cwd });
    expect(kept.out).toContain('jane.doe@example.com at 203.0.113.9');
    const removed = await croupier(['capsule', 'wallet.log', '--remove', 'email', '--remove', 'ip'], { cwd });
    expect(removed.out).toMatch(/^mail from email-\w{10} at ip-\w{10} and ip-\w{10}, ip-\w{10}, version 1\.2\.3$/m);
    expect(removed.err).toContain('4 addresses');
    const wrong = await croupier(['capsule', 'wallet.log', '--remove', 'names'], { cwd });
    expect([wrong.status, wrong.err.includes('email, ip')]).toEqual([2, true]);
  });

  it('is not written at all if one of the files would not be valid any more', async () => {
    writeFileSync(path.join(cwd, 'first.log'), `${BODY}\n`);
    writeFileSync(path.join(cwd, 'second.log'), `${BODY}\n`);
    // This key consists of characters of the JSON around an amount.
    const { status, out, err } = await croupier(['capsule', 'first.log', 'second.log', '--out', 'ticket'], {
      cwd,
      env: { CROUPIER_KEY: '"5.00","roundID":' },
    });
    expect([status, out]).toEqual([2, '']);
    expect(err).toMatch(/^first\.log: the JSON would not be valid any more\. No capsule was written\./);
    expect(existsSync(path.join(cwd, 'ticket')) ? readdirSync(path.join(cwd, 'ticket')) : []).toEqual([]);
  });
});
