import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { resolveClients } from '../../src/app/config/clients.ts';
import { diagnosticsError, loadConfiguration } from '../../src/app/config/configuration.ts';
import { silentStdio } from '../../src/app/stdio.ts';
import { createScrubber } from '../../src/journal/secrets/scrubber.ts';
import { croupier } from '../cli/croupier.ts';
import { onRequests, rawServer } from '../wire/raw-server.ts';

const KEY = 'kA79f3Qz8LmT2xVb6RnY4cWd1HsJp5GuKe0ZtXaMiOqBvNlErFyDwCjPhIgUoSk';

const backwards = (text: string) => text.split('').reverse().join('');
const hex = (text: string) => Buffer.from(text).toString('hex');
const base64 = (text: string) => Buffer.from(text).toString('base64');
const percent = (text: string) => hex(text).replace(/../g, '%$&');

/** Ways in which an operator may show a key. */
const WAYS: Readonly<Record<string, (text: string) => string>> = {
  plain: (text) => text,
  'in capital letters': (text) => text.toUpperCase(),
  'in small letters': (text) => text.toLowerCase(),
  backwards,
  'without its last character': (text) => text.slice(0, -1),
  'without its beginning': (text) => text.slice(5),
  'over two lines': (text) => `${text.slice(0, 30)}\n    ${text.slice(30)}`,
  'in UTF-16': (text) => Buffer.from(text, 'utf16le').toString('latin1'),
  'in UTF-16 with the high byte first': (text) => Buffer.from(text, 'utf16le').swap16().toString('latin1'),
  hex,
  'hex in capital letters': (text) => hex(text).toUpperCase(),
  'hex of UTF-16': (text) => Buffer.from(text, 'utf16le').toString('hex'),
  'hex backwards': (text) => hex(backwards(text)),
  'hex twice': (text) => hex(hex(text)),
  'hex of base64': (text) => hex(base64(text)),
  base64,
  'base64 of a longer text': (text) => base64(`x${text}y`),
  'base64 backwards': (text) => base64(backwards(text)),
  'base64 of UTF-16': (text) => Buffer.from(text, 'utf16le').toString('base64'),
  'base64 twice': (text) => base64(base64(text)),
  'base64 of hex': (text) => base64(hex(text)),
  'base64 in a URL': (text) => encodeURIComponent(base64(text)),
  'percent-encoded': percent,
  'percent-encoded twice': (text) => percent(text).replaceAll('%', '%25'),
  'escaped for JSON': (text) => text.replace(/./g, (character) => `\\u00${hex(character)}`),
  'escaped for HTML': (text) => text.replace(/./g, (character) => `&#${character.charCodeAt(0)};`),
};

/** All runs of 8 characters of the key, in every way. In base64, the characters at both ends depend on the text around. */
const NEEDLES = Object.entries(WAYS)
  .filter(([way]) => !way.startsWith('without') && !way.startsWith('over'))
  .flatMap(([way, write]) => {
    const runs = Array.from({ length: KEY.length - 7 }, (_, at) => KEY.slice(at, at + 8));
    const trimmed = way.includes('base64')
      ? (text: string) => text.replace(/=+$|%3D/g, '').slice(2, -3)
      : (text: string) => text;
    return runs.map((run) => ({ way, needle: trimmed(write(run)) }));
  });

function leaksOf(text: string): readonly string[] {
  const plain = text.replaceAll('\\u0000', '\0').replaceAll('\\x00', '\0');
  return [...new Set(NEEDLES.filter(({ needle }) => plain.includes(needle)).map(({ way }) => way))];
}

describe('the removal of secrets', () => {
  it.each(Object.entries(WAYS))('leaves no 8 characters of a key that is written %s', (_, write) => {
    const scrub = createScrubber([KEY]);
    for (const text of [write(KEY), JSON.stringify({ a: write(KEY) }), `before ${write(KEY)} after`]) {
      // A report may cut a text at any place before the secrets are removed.
      for (let end = text.length; end > text.length - 12; end -= 1)
        expect([text, leaksOf(scrub(text.slice(0, end)))]).toEqual([text, []]);
    }
  });

  it.each([
    'integration-api-key-of-acme',
    'the secret of the staging wallet',
    'acme-staging-2026',
    'some-key',
    '12345678',
    'abcdefgh',
  ])('changes nothing in ordinary texts if the key is %s', (key) => {
    const scrub = createScrubber([key]);
    const text =
      'The integration of acme-eu at staging.example: the key of the integration is a secret. 1234567890.00 on 2026-11-25, bet_limit, {"balance":"12345678901.00"}';
    expect(scrub(text)).toBe(text);
    expect(scrub(`{"a":"${key}"}`)).toBe('{"a":"***"}');
  });
});

describe('an operator that shows the key', () => {
  let cwd = '';
  beforeAll(() => {
    cwd = mkdtempSync(path.join(tmpdir(), 'croupier-'));
  });
  afterAll(() => rmSync(cwd, { recursive: true, force: true }));

  it('gets it into no output of any command', { timeout: 60_000 }, async () => {
    const shown = Object.values(WAYS).map((write) => write(KEY));
    let calls = 0;
    const port = await rawServer((socket) =>
      onRequests(socket, () => {
        const text = `${'x'.repeat(calls % 60)} ${shown[calls++ % shown.length]}`;
        const body = JSON.stringify({ balance: '100.00', txID: `t${calls}`, code: text, message: text, debug: shown });
        const head = `HTTP/1.1 ${calls % 3 === 0 ? 400 : 200} ${encodeURI(text)}`;
        socket.write(
          `${head}\r\nContent-Type: application/json\r\nX-Debug: ${encodeURI(text)}\r\nX-${KEY}: 1\r\nContent-Length: ${Buffer.byteLength(body)}\r\n\r\n${body}`,
        );
      }),
    );
    const operator = ['--base-url', `http://127.0.0.1:${port}`, '--ext-cid', 'acme'];
    const env = { CROUPIER_KEY: KEY };
    const kinds = { json: 'json', junit: 'xml', html: 'html', markdown: 'md', github: 'gh', har: 'har', curl: 'sh' };
    const reports = Object.entries(kinds).flatMap(([kind, end]) => ['--report', `${kind}=report.${end}`]);
    const run = await croupier(
      [
        'run',
        'bet',
        'reply',
        ...operator,
        '--session',
        's1,currency=USD',
        '--linger',
        '10ms',
        '-v',
        '--journal',
        'run.ndjson',
        ...reports,
      ],
      { cwd, env: { ...env, GITHUB_ACTIONS: 'true', GITHUB_STEP_SUMMARY: path.join(cwd, 'summary.md') } },
    );
    expect(run.status).toBe(1);
    const outputs = await Promise.all([
      croupier(['call', 'balance', ...operator, '--session', 's1'], { cwd, env }),
      croupier(['call', 'bet', ...operator, '--session', 's1', '--json'], { cwd, env }),
      croupier(['doctor', ...operator, '--session', 's1'], { cwd, env }),
      // These commands do not know the key, so the journal must not contain it.
      croupier(['incident', 'run.ndjson'], { cwd }),
      croupier(['capsule', 'run.ndjson', '--out', 'capsule.ndjson'], { cwd }),
    ]);
    // GitHub hides these texts in its log.
    const written = [run, ...outputs].flatMap(({ out, err }) => [out, err.replace(/^::add-mask::.*$/gm, '')]);
    const files = readdirSync(cwd, { recursive: true, encoding: 'utf8' })
      .map((name) => path.join(cwd, name))
      .filter((name) => statSync(name).isFile());
    expect(files.length).toBeGreaterThanOrEqual(9);
    for (const file of files) written.push(readFileSync(file, 'utf8'));
    expect(written.flatMap((text) => leaksOf(text).map((way) => [way, text.slice(0, 60)]))).toEqual([]);
  });
});

/** Mistakes in a configuration. `KEY` stands for a secret. */
const MISTAKES: readonly (readonly [what: string, client: string, rest?: string])[] = [
  ['a misspelt key', 'integrationApiKy: KEY'],
  ['a key in another spelling', 'integration_api_key: KEY'],
  ['a key in other letter case', 'integrationAPIkey: "KEY"'],
  ['a key that is a list', 'integrationApiKey: [KEY]'],
  ['a key that is a map', 'integrationApiKey: { env: KEY }'],
  ['a key of several lines', 'integrationApiKey: |\n      KEY\n      KEY'],
  ['a key of several lines that is folded', 'integrationApiKey: { value: >\n      KEY }'],
  ['a key without its closing quote', 'integrationApiKey: "KEY'],
  ['a key behind a tab', 'integrationApiKey:\tKEY\n\t- x'],
  ['a key that is written twice', 'integrationApiKey: KEY\n    integrationApiKey: KEY'],
  ['a file that is the key', 'integrationApiKey: { file: KEY }'],
  ['a secret of an unknown name', 'integrationApiKey: ${OWN}\n    secret: KEY'],
  ['a password', 'integrationApiKey: ${OWN}\n    password: KEY'],
  ['a token in a list', 'integrationApiKey: ${OWN}\n    tokens: [KEY, KEY]'],
  ['an address with a password', 'integrationApiKey: ${OWN}\n    integratorBaseUrl: https://user:KEY@wallet.example'],
  ['an address with a user', 'integrationApiKey: ${OWN}\n    integratorBaseUrl: https://KEY@wallet.example'],
  ['a proxy with a wrong scheme', 'integrationApiKey: ${OWN}\n    proxy: ftp://user:KEY@proxy.example'],
  ['a key as the session', 'integrationApiKey: ${OWN}\n    sessions: [{ sessionID: KEY, currency: 1 }]'],
  ['a header that is a list', 'integrationApiKey: ${OWN}\n    headers: { Authorization: [Bearer KEY] }'],
  ['headers that are a text', 'integrationApiKey: ${OWN}\n    headers: "Authorization: Bearer KEY"'],
  ['headers that are a list', 'integrationApiKey: ${OWN}\n    headers: ["X-Api-Key: KEY"]'],
  [
    'a command with a token that is a text',
    'integrationApiKey: ${OWN}\n    sessionsFrom: { command: "open --token KEY" }',
  ],
  [
    'an address of sessions with a token',
    'integrationApiKey: ${OWN}\n    sessionsFrom: { url: "ftp://a.example?token=KEY" }',
  ],
  ['a key of the Core API that is a number and a text', 'integrationApiKey: ${OWN}\n    apiKey: [1, KEY]'],
  ['a wrong contract that is a key', 'integrationApiKey: ${OWN}\n    contract: KEY'],
  ['a key outside of a client', 'integrationApiKey: ${OWN}', 'integrationApiKey: KEY'],
  ['a wrong stake beside a key in a comment', 'integrationApiKey: ${OWN}', 'stakes: { USD: 1 } # key: KEY'],
  [
    'a private key in place of a file',
    'integrationApiKey: ${OWN}\n    tls: { keys: "-----BEGIN PRIVATE KEY-----KEY" }',
  ],
]; // prettier-ignore

/** Configurations without a mistake, whose settings are printed. */
const SETTINGS: readonly string[] = [
  'headers: { Authorization: Bearer KEY }',
  'proxy: http://user:KEY@proxy.example',
  'sessionsFrom: { command: [open, --token, KEY, --password=KEY, --n, "KEY"] }',
  'sessionsFrom: { url: "https://a.example/x?token=KEY", headers: { X-Key: KEY }, body: "KEY" }',
  'sessionsFrom: { command: [open, "${MY_TOKEN}"] }',
]; // prettier-ignore

describe('the configuration', () => {
  let cwd = '';
  beforeAll(() => {
    cwd = mkdtempSync(path.join(tmpdir(), 'croupier-'));
  });
  afterAll(() => rmSync(cwd, { recursive: true, force: true }));

  const yaml = (client: string, rest = ''): string =>
    `clients:\n  - extCID: acme\n${client.includes('integratorBaseUrl') ? '' : '    integratorBaseUrl: https://wallet.example\n'}    ${client}\n${rest}\n`.replaceAll(
      'KEY',
      KEY,
    );
  const env = { OWN: KEY, MY_TOKEN: KEY };

  it.each(MISTAKES)('shows no secret in the message about %s', async (_, client = '', rest = '') => {
    const file = path.join(cwd, 'mistake.yaml');
    writeFileSync(file, yaml(client, rest));
    const stdio = silentStdio(cwd, env);
    const message = await loadConfiguration(file, stdio)
      .then((configuration) => resolveClients(configuration, { session: ['s1'] }, stdio))
      .then(({ diagnostics }) => diagnosticsError(diagnostics), String);
    expect(message).toMatch(/Error: /);
    expect([message, leaksOf(String(message))]).toEqual([message, []]);
  });

  it('shows no secret with --print-config', async () => {
    const clients = SETTINGS.map((client, index) =>
      yaml(`integrationApiKey: \${OWN}\n    ${client}`).replace('acme', `acme-${index}`).replace('clients:\n', ''),
    );
    writeFileSync(path.join(cwd, 'settings.yaml'), `clients:\n${clients.join('')}`);
    const { status, out, err } = await croupier(['run', '--config', 'settings.yaml', '--print-config'], { cwd, env });
    expect([status, err]).toEqual([0, '']);
    expect(out.match(/acme-\d: integrationApiKey +\(hidden\)/g)).toHaveLength(SETTINGS.length);
    expect([out, leaksOf(out)]).toEqual([out, []]);
  });

  it('shows no secret of flags', async () => {
    const shown = await Promise.all(
      [
        ['run', '--key-file', KEY],
        ['run', `--api-key=${KEY}`],
        ['run', '--proxy', `http://u:${KEY}@p.example`, '--print-config'],
        ['run', '--base-url', `https://u:${KEY}@wallet.example`, '--print-config'],
        ['run', '--base-url', `https://u:${KEY}@wallet.example`, '--ext-cid', 'a', '--session', 's'],
        ['run', '--base-url', `ftp://u:${KEY}@wallet.example`, '--ext-cid', 'a', '--session', 's'],
      ].map(async (args) => {
        const { out, err } = await croupier(args, { cwd, env: { CROUPIER_KEY: `${KEY}x` } });
        return { args, leaks: leaksOf(out + err), text: out + err };
      }),
    );
    expect(shown.filter(({ leaks }) => leaks.length > 0)).toEqual([]);
  });

  it.each([
    [`console.error("key ${KEY}\\u001b[2J curl -H 'Authorization: Bearer abc.def.ghi'"); process.exit(3)`, 'status 3'],
    [`console.log("token=abc.def.ghi ${KEY} \\u001b]0;title\\u0007")`, 'did not give JSON'],
    [`console.log(JSON.stringify([{ sessionID: 's', "${KEY}": 1 }]))`, 'returned a wrong list'],
  ])('shows no secret and no control character of a program that opens sessions: %s', async (code, message) => {
    writeFileSync(
      path.join(cwd, 'sessions.yaml'),
      yaml(
        `integrationApiKey: \${OWN}\n    sessionsFrom: { command: [${JSON.stringify(process.execPath)}, -e, ${JSON.stringify(code)}, abc.def.ghi] }`,
      ),
    );
    const { status, out, err } = await croupier(['run', '--config', 'sessions.yaml'], { cwd, env });
    expect(status).toBe(2);
    expect(err).toContain(message);
    expect(leaksOf(out + err)).toEqual([]);
    expect(out + err).not.toContain('abc.def.ghi');
    expect(out + err).not.toMatch(/[\u0000-\u0009\u000b-\u001f]/);
  });

  it.each(['1234', '0000', '00000000', 'event', 'sent', 'true', 'balance'])(
    'refuses the key %s, which would be in every text',
    async (key) => {
      const flags = { baseUrl: 'https://wallet.example', extCid: 'a', session: ['s'] };
      const stdio = silentStdio(cwd, { CROUPIER_KEY: key });
      const clients = resolveClients(await loadConfiguration(undefined, stdio), flags, stdio);
      await expect(clients).rejects.toThrow(/too (?:short|simple) to be a key/);
    },
  );

  it('refuses a key that also stands where everybody can read it', async () => {
    const flags = { baseUrl: 'https://wallet.example', extCid: 'a', session: [`x${KEY}`] };
    const stdio = silentStdio(cwd, { CROUPIER_KEY: KEY });
    const clients = resolveClients(await loadConfiguration(undefined, stdio), flags, stdio);
    await expect(clients).rejects.toThrow('`sessions` of a client contains a key');
  });
});
