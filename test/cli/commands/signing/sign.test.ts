import { createHmac } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { croupier, type Ended } from '../../croupier.ts';

const KEY = 'a key that is none';
const BODY = '{"amount":"1.00","sessionID":"s-1"}';
const RIGHT = createHmac('sha256', KEY).update(BODY).digest('hex');
const QUERY = createHmac('sha256', KEY).update('{"a":"ü b","sessionID":"s-1"}').digest('hex');

let cwd = '';
beforeAll(() => {
  cwd = mkdtempSync(path.join(tmpdir(), 'croupier-'));
  writeFileSync(path.join(cwd, 'key.txt'), `${KEY}\n`);
  writeFileSync(path.join(cwd, 'body.json'), BODY);
  writeFileSync(path.join(cwd, 'latin1.json'), Buffer.from([0x7b, 0xe9, 0x7d]));
  writeFileSync(
    path.join(cwd, 'croupier.yaml'),
    `clients:\n${['one', 'two']
      .map(
        (extCID) =>
          `  - { extCID: ${extCID}, integratorBaseUrl: "http://127.0.0.1:1", integrationApiKey: "\${KEY_${extCID}}" }\n`,
      )
      .join('')}`,
  );
});
afterAll(() => rmSync(cwd, { recursive: true, force: true }));

function cli(
  args: readonly string[],
  stdin = '',
  env: Readonly<Record<string, string>> = { CROUPIER_KEY: KEY },
): Promise<Ended> {
  return croupier(args, { cwd, stdin, env });
}

describe('croupier sign', () => {
  it.each([
    ['an argument', ['sign', BODY], '', RIGHT],
    ['a flag', ['sign', '--body', BODY], '', RIGHT],
    ['a file', ['sign', '--file', 'body.json'], '', RIGHT],
    ['standard input', ['sign'], BODY, RIGHT],
    ['standard input as a hyphen', ['sign', '-'], BODY, RIGHT],
    ['a query', ['sign', '--query', 'sessionID=s-1&a=%C3%BC+b'], '', QUERY],
    ['a URL', ['sign', '--query', 'https://wallet.example/balance?a=%C3%BC%20b&sessionID=s-1#x'], '', QUERY],
    ['a query on standard input', ['sign', '--query'], 'sessionID=s-1&a=%C3%BC+b\n', QUERY],
    ['a key in a file', ['sign', BODY, '--key-file', 'key.txt'], '', RIGHT],
  ])('makes the right signature from: %s', async (_what, args, stdin, signature) => {
    expect(await cli(args, stdin)).toEqual({ status: 0, out: `${signature}\n`, err: '' });
  });

  it('signs bytes unchanged, and names differences from what the service signs', async () => {
    const { out } = await cli(['sign', '--file', 'latin1.json']);
    expect(out.trim()).toBe(
      createHmac('sha256', KEY)
        .update(Buffer.from([0x7b, 0xe9, 0x7d]))
        .digest('hex'),
    );
    expect((await cli(['sign'], `${BODY}\n`)).err).toContain('line break');
    expect((await cli(['sign', '{ "a": 1 }'])).err).toContain('not canonical');
  });

  it('uses the key of a client', async () => {
    const env = { KEY_one: KEY };
    expect((await cli(['sign', BODY, '--client', 'one'], '', env)).out).toBe(`${RIGHT}\n`);
    const several = await cli(['sign', BODY], '', env);
    expect(several.status).toBe(2);
    expect(several.err).toContain('Choose one with --client: one, two.');
    expect((await cli(['sign', BODY, '--client', 'two'], '', env)).err).toContain('KEY_two');
    expect((await cli(['sign', BODY, '--client', 'three'], '', env)).err).toContain('It has: one, two');
  });

  it('prints JSON without the key', async () => {
    const { out, err } = await cli(['sign', '--json', `{"note":"${KEY}"}`]);
    expect(JSON.parse(out)).toMatchObject({ payload: '{"note":"***"}', key: 'CROUPIER_KEY', remarks: [] });
    expect(out + err).not.toContain(KEY);
  });

  it.each([
    ['no such file', ['sign', '--file', 'nothing.json'], 'there is no such file'],
    ['two texts', ['sign', BODY, '--file', 'body.json'], 'once'],
    ['a name twice in a query', ['sign', '--query', 'a=1&a=2'], 'more than once'],
    ['a query that is no UTF-8', ['sign', '--query', 'a=%ff'], 'UTF-8'],
    ['the key on standard input', ['sign', BODY, '--key-file', '-'], 'Name a file'],
  ])('refuses its input if the fault is: %s', async (_what, args, diagnostic) => {
    const { status, out, err } = await cli(args);
    expect({ status, out }).toEqual({ status: 2, out: '' });
    expect(err).toContain(diagnostic);
    expect(err).not.toContain('    at ');
  });
});

describe('croupier verify', () => {
  it('ends with 0 for a right signature', async () => {
    expect((await cli(['verify', BODY, '--signature', RIGHT])).status).toBe(0);
    expect((await cli(['verify', '--query', 'a=%C3%BC+b&sessionID=s-1', '--signature', QUERY])).out).toContain('Right');
  });

  it.each([
    [
      'other bytes',
      createHmac('sha256', KEY).update('{}').digest('hex'),
      'The signer signed other bytes, or used another key.',
    ],
    ['upper case', RIGHT.toUpperCase(), 'lower case'],
    ['base64', Buffer.from(RIGHT, 'hex').toString('base64'), 'base64'],
    ['a part of the digits', RIGHT.slice(0, 32), '32 hexadecimal digits'],
    ['digits and a blank', `${RIGHT} `, 'white space'],
    ['nothing', '', 'empty'],
    ['text', 'no signature', 'not hexadecimal'],
  ])('ends with 1 for a signature made of %s, and says why and how to go on', async (_what, signature, reason) => {
    const { status, out } = await cli(['verify', BODY, '--signature', signature]);
    expect(status).toBe(1);
    expect(out).toContain(reason);
    expect(out).toContain('croupier explain');
    expect(out).not.toContain(RIGHT);
  });

  it('prints JSON', async () => {
    const { status, out } = await cli(['verify', BODY, '--json', '--signature', RIGHT.slice(1)]);
    expect(status).toBe(1);
    expect(JSON.parse(out)).toMatchObject({ right: false, bytes: BODY.length, exitCode: 1 });
  });
});
