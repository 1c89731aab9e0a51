import { createHmac } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { croupier, type Ended } from '../../croupier.ts';

const KEY = 'a key that is none';
const OLD = 'the key of last year';
const API = 'the key of the other API';
const BODY = '{"amount":"1.00","sessionID":"s-1"}';
const SPACED = '{"amount": "1.00", "sessionID": "s-1"}';
const URL_BET = 'https://wallet.example/eu/bet';

const sign = (payload: string, key = KEY): string => createHmac('sha256', key).update(payload).digest('hex');

let cwd = '';
const write = (name: string, text: string | Uint8Array): void => writeFileSync(path.join(cwd, name), text);

beforeAll(() => {
  cwd = mkdtempSync(path.join(tmpdir(), 'croupier-'));
  write('right.key', `${KEY}\n`);
  write('old.key', OLD);
  write('padded.key', ` ${KEY} \r\n`);
  write('body.json', BODY);
  write(
    'curl.txt',
    `curl '${URL_BET}' -H 'Content-Type: application/json' \\\n  -H 'x-request-sign: ${sign(SPACED)}' \\\n  --data-raw '${BODY}'\n`,
  );
  write(
    'raw.http',
    `POST /eu/bet HTTP/1.1\r\nHost: wallet.example\r\nX-Request-Sign: ${sign(SPACED)}\r\nContent-Length: ${BODY.length}\r\n\r\n${BODY}\n`,
  );
  const entry = (signature: string) => ({
    startedDateTime: '2026-11-21T10:00:00.000Z',
    request: {
      method: 'POST',
      url: URL_BET,
      headers: [{ name: 'X-REQUEST-SIGN', value: signature }],
      postData: { mimeType: 'application/json', text: BODY },
    },
    response: { status: 401, headers: [], content: { size: 0 } },
  });
  write('two.har', JSON.stringify({ log: { entries: [entry(sign(BODY)), entry(sign(SPACED))] } }));
  write(
    'keys.yaml',
    `clients:
  - { extCID: other, integratorBaseUrl: "https://wallet.example/us", integrationApiKey: { file: old.key } }
  - { extCID: acme, integratorBaseUrl: "https://wallet.example/eu", integrationApiKey: "\${ACME_KEY}", cID: c-1, apiKey: "\${ACME_API_KEY}" }
`,
  );
});
afterAll(() => rmSync(cwd, { recursive: true, force: true }));

function explain(
  args: readonly string[],
  { stdin = '', env = { CROUPIER_KEY: KEY } }: { stdin?: string; env?: Readonly<Record<string, string>> } = {},
): Promise<Ended> {
  return croupier(['explain', ...args], { cwd, stdin, env });
}

const CMD = `curl ^"${URL_BET}^" ^\n  -H ^"X-REQUEST-SIGN: ${sign(SPACED)}^" ^\n  --data-raw ^"${BODY.replaceAll('"', '^\\^"').replaceAll(/[{}]/g, '^$&')}^"`;
const POWERSHELL = `Invoke-WebRequest -Uri "${URL_BET}" \`\n-Method "POST" \`\n-Headers @{\n  "X-REQUEST-SIGN"="${sign(SPACED)}"\n} \`\n-Body "${BODY.replaceAll('"', '`"')}"`;

describe('croupier explain', () => {
  it.each([
    ['a curl line in a file', ['curl.txt'], ''],
    ['a curl line on standard input', ['-'], `curl ${URL_BET} -H 'X-REQUEST-SIGN: ${sign(SPACED)}' -d '${BODY}'`],
    ['a curl line as an argument', [`curl ${URL_BET} -H 'X-REQUEST-SIGN: ${sign(SPACED)}' -d '${BODY}'`], ''],
    ['a curl line of cmd', [], CMD],
    ['a command of PowerShell', [], POWERSHELL],
    ['raw HTTP', ['raw.http'], ''],
    ['a HAR, and takes the entry with the wrong signature', ['two.har'], ''],
    ['body and signature', ['--body', BODY, '--signature', sign(SPACED)], ''],
    ['a body in a file', ['--body-file', 'body.json', '--signature', sign(SPACED)], ''],
    ['a signature with the name of its header', ['--body', BODY, '--signature', `X-Request-Sign: ${sign(SPACED)}`], ''],
    ['a signature that the operator computed', ['raw.http', '--signature', sign(SPACED)], ''],
  ])('reads %s', async (_what, args, stdin) => {
    const { status, out } = await explain(args, { stdin });
    expect(out).toContain("Python's json.dumps");
    expect(out).toContain('fix        Python: hmac.new(');
    expect(status).toBe(0);
  });

  it('shows the first difference of the payloads', async () => {
    const { out } = await explain(['curl.txt']);
    expect(out).toContain(`signed     ${SPACED}`);
    expect(out).toContain(`should be  ${BODY}`);
    expect(out).toMatch(/differs +at byte 10: .*0x20/);
  });

  it('shows the fix in every language, or in the one that --language names', async () => {
    const args = ['--query', 'sessionID=s%201', '--signature', sign('sessionID=s%201')];
    for (const name of ['Node', 'Python', 'PHP', 'Go', 'Java', '.NET']) {
      expect((await explain(args)).out).toContain(`fix        ${name}: `);
    }
    const { out } = await explain([...args, '--language', 'php']);
    expect(out.match(/^ {2}fix {2}/gm)).toHaveLength(1);
    expect(out).toContain('ksort(');
  });

  it('says that a body is signed rightly if only its file has a line break at the end', async () => {
    const { out, status } = await explain(['--body', `${BODY}\n`, '--signature', sign(BODY)]);
    expect([status, out.replaceAll(/\s+/g, ' ')]).toEqual([0, expect.stringContaining('The signature is right')]);
    expect(out.replaceAll(/\s+/g, ' ')).toContain('If the line break was sent too, the operator refuses the signature');
  });

  it('counts no ways to sign if the text is no signature', async () => {
    const { out, status } = await explain(['--body', BODY, '--signature', 'deadbeef']);
    expect(status).toBe(1);
    expect(out).toContain('croupier could not try any way to sign');
    expect(out).not.toContain('Only one key was tried');
  });

  it('tries keys of files, of the environment and of the configuration', async () => {
    const files = await explain([
      '--body',
      BODY,
      '--signature',
      sign(BODY, OLD),
      '--key-file',
      'right.key',
      '--key-file',
      'old.key',
    ]);
    expect(files.out).toContain('Another key was used: the key of old.key, not the key of right.key.');
    const padded = await explain(['--body', BODY, '--signature', sign(BODY, ` ${KEY} `), '--key-file', 'padded.key'], {
      env: {},
    });
    expect(padded.out).toContain('with its white space');
    const env = { ACME_KEY: KEY, ACME_API_KEY: API };
    const config = ['--config', 'keys.yaml'];
    const right = await explain([...config, '--body', BODY, '--url', URL_BET, '--signature', sign(BODY)], { env });
    expect(right.out).toContain('The signature is right: it was made with the Integration API key of acme.');
    const other = await explain([...config, '--body', BODY, '--url', URL_BET, '--signature', sign(BODY, OLD)], { env });
    expect(other.out).toMatch(
      /Another key was used: the Integration API key of other, not the\s+Integration API key of acme/,
    );
    const api = await explain([...config, '--body', BODY, '--url', URL_BET, '--signature', sign(BODY, API)], { env });
    expect(api.out).toMatch(/The API key of the Core API was used/);
  });

  it('tries the keys that can be read, and names the unset keys', async () => {
    const { status, err } = await explain(['--config', 'keys.yaml', '--body', BODY, '--signature', sign(BODY, OLD)], {
      env: {},
    });
    expect(status).toBe(0);
    expect(err).toContain('ACME_KEY');
  });

  it('ends with 1 if no mistake explains the signature, and shows the difference of two bodies', async () => {
    const { status, out } = await explain([
      '--body',
      BODY,
      '--other-body',
      BODY.replace('1.00', '1.50'),
      '--signature',
      sign('something else'),
    ]);
    expect(status).toBe(1);
    expect(out).toContain('Not explained');
    expect(out).toMatch(/first\s+difference\s+is\s+at\s+byte\s+13:\s+[\s\S]*\(0x30\)\s+in[\s\S]*\(0x35\)/);
  });

  it('finds the signature of the other body', async () => {
    const { status, out } = await explain(['--body', BODY, '--other-body', '{"a":1}', '--signature', sign('{"a":1}')]);
    expect(status).toBe(0);
    expect(out).toContain('The signature belongs to the other given body');
  });

  it('prints JSON', async () => {
    const { out } = await explain(['two.har', '--json']);
    expect(JSON.parse(out)).toMatchObject({
      verdict: 'explained',
      exitCode: 0,
      requests: 2,
      construction: { payload: 'python-dumps', key: 'right-key', algorithm: 'hmac-sha256', writing: 'hex' },
      signed: SPACED,
      fixes: [{ language: 'python' }],
    });
    const none = await explain(['--json', '--body', BODY, '--signature', 'nonsense']);
    expect(JSON.parse(none.out)).toMatchObject({ verdict: 'unexplained', exitCode: 1 });
  });

  it('never prints a key, and escapes texts of others', async () => {
    const body = `{"key":"${KEY}","x":"\u001b[2J"}`;
    for (const args of [[], ['--json']]) {
      const { out, err } = await explain([...args, '--body', body, '--signature', sign(`${body}\n`)]);
      expect(out).toContain('***');
      expect(out + err).not.toContain(KEY);
      expect(out + err).not.toContain('\u001b');
    }
  });

  it.each([
    ['no key', ['--body', BODY, '--signature', 'x'], {}, 'There is no key'],
    ['no signature', ['--body', BODY], undefined, '--signature'],
    ['a request without a signature', [`curl ${URL_BET} -d x`], undefined, 'no X-REQUEST-SIGN'],
    ['no such file', ['nothing.har'], undefined, 'no such file'],
    ['no request', ['body.json'], undefined, 'No request could be read'],
    ['half a curl line', [`curl ${URL_BET} -d 'x`], undefined, 'quotation mark'],
    ['two bodies', ['--body', 'a', '--query', 'b', '--signature', 'x'], undefined, 'one of'],
    ['a request twice', ['curl.txt', '--body', 'a', '--signature', 'x'], undefined, 'Give the whole request, or only'],
    ['no such language', ['curl.txt', '--language', 'cobol'], undefined, 'cobol'],
    ['no such key', ['curl.txt', '--key-file', 'none.key'], undefined, 'no such file'],
    ['no such client', ['curl.txt', '--client', 'nobody'], undefined, 'nobody'],
  ])('refuses its input if the fault is: %s', async (_what, args, env, diagnostic) => {
    const { status, err, out } = await explain(args, env === undefined ? {} : { env });
    expect({ status, out }).toEqual({ status: 2, out: '' });
    expect(err).toContain(diagnostic);
    expect(err).not.toContain('    at ');
  });
});
