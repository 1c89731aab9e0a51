import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { croupier, ended, start } from '../../croupier.ts';

let cwd = '';
beforeEach(() => {
  cwd = mkdtempSync(path.join(tmpdir(), 'croupier-'));
});
afterEach(() => rmSync(cwd, { recursive: true, force: true }));

const read = (name: string) => readFileSync(path.join(cwd, name), 'utf8');
const write = (name: string, text: string) => {
  mkdirSync(path.dirname(path.join(cwd, name)), { recursive: true });
  writeFileSync(path.join(cwd, name), text);
};

/** A configuration of two clients at addresses without a server. */
const NOBODY = `clients:
  - extCID: acme-eu
    integratorBaseUrl: http://127.0.0.1:1/eu
    integrationApiKey: \${EU_KEY}
    sessions: [{ sessionID: eu-1, currency: USD }]
  - extCID: acme-asia
    integratorBaseUrl: http://127.0.0.1:1/asia
    integrationApiKey: { file: ./asia.key }
    sessions: [{ sessionID: asia-1, currency: JPY }]
linger: 10ms
`;

describe('croupier run --reference', () => {
  it('judges the operator, prints the verdict first, and writes a journal', async () => {
    const { status, out, err } = await croupier(['run', '--reference', 'balance/read', '--linger', '10ms'], { cwd });
    expect(status).toBe(0);
    expect(out.split('\n')[0]).toMatch(/^CONFORMING: demo-eu /);
    expect(out).toContain('Exit status 0');
    expect(err).toBe('');
    expect(readdirSync(path.join(cwd, '.croupier')).sort()).toEqual([
      '.gitignore',
      expect.stringMatching(/^\d{4}-\d\d-\d\d-\d{6}-[0-9a-f]{6}\.ndjson$/),
    ]);
    expect(read('.croupier/.gitignore')).toBe('*\n');
  });

  it('writes every requested report, and JSON in place of text', async () => {
    const args = ['run', '--reference', 'balance/read', '--linger', '10ms', '--json'];
    const reports = ['--report', 'junit=out/r.xml', '--report', 'json=out/r.json', '--journal', 'out/run.ndjson'];
    const { status, out } = await croupier([...args, ...reports], { cwd });
    expect(status).toBe(0);
    expect(JSON.parse(out)).toMatchObject({
      schema: 'croupier-report/1',
      verdict: 'conforming',
      exitCode: 0,
      whole: false,
    });
    expect(JSON.parse(read('out/r.json'))).toEqual(JSON.parse(out));
    expect(read('out/r.xml')).toContain('<testsuites');
    expect(readdirSync(path.join(cwd, 'out')).sort()).toEqual(['r.json', 'r.xml', 'run.ndjson']);
    for (const name of readdirSync(path.join(cwd, 'out')))
      expect([name, statSync(path.join(cwd, 'out', name)).mode & 0o777]).toEqual([name, 0o600]);
    const converted = await croupier(['report', 'convert', 'out/run.ndjson', '--to', 'json=-'], { cwd });
    expect(JSON.parse(converted.out)).toMatchObject({ verdict: 'conforming' });
  });

  it('prints one line per call and every rule with -v, and every exchange with -vv', async () => {
    const args = ['run', '--reference', 'balance/read', '--linger', '10ms'];
    const short = await croupier([...args, '-v'], { cwd });
    expect(short.err).toMatch(
      /^x1 {6}balance\/read read\.1 +balance call in [A-Z]+ +200 [\d.]+ {2}[\d.]+ ms {2}session \S+$/m,
    );
    expect(short.out).toContain('  balance      ✓ read');
    const broken = ['run', '--reference', '--defect', 'replayed-bet-charged', 'idempotency/bet', '--linger', '10ms'];
    expect((await croupier([...broken, '-v'], { cwd })).err).toMatch(
      /^x3 .*\n✗ x3 +idempotency\.bet: the txID is "op-3"$/m,
    );
    const { err } = await croupier([...args, '-vv'], { cwd });
    expect(err).toMatch(/GET\s+http:\/\/127\.0\.0\.1:\d+\/demo-eu\/balance\?sessionID=/);
  });

  it('names a report that cannot be written, and writes the others', async () => {
    mkdirSync(path.join(cwd, 'taken.json'));
    const reports = ['--report', 'json=taken.json', '--report', 'junit=r.xml'];
    const { status, out, err } = await croupier(
      ['run', '--reference', 'balance/read', '--linger', '10ms', ...reports],
      { cwd },
    );
    expect(status).toBe(2);
    expect(err).toContain("The json report can't be written");
    expect(err).toContain('The junit report: r.xml\n');
    expect(err).toMatch(/Exit status 2: a report is missing\.\n$/);
    expect(out).toMatch(/^CONFORMING/);
    expect(existsSync(path.join(cwd, 'r.xml'))).toBe(true);
  });

  it('creates no folder for a report outside the working directory, and sends nothing', async () => {
    const file = path.join(cwd, '..', `croupier-no-such-folder-${process.pid}`, 'r.html');
    const { status, out, err } = await croupier(['run', '--reference', 'balance/read', '--report', `html=${file}`], {
      cwd,
    });
    expect({ status, out }).toEqual({ status: 2, out: '' });
    expect(err).toContain(`there is no folder ${path.dirname(file)}`);
    expect(existsSync(path.dirname(file))).toBe(false);
  });

  it('sends nothing if a scenario file has a mistake', async () => {
    write('croupier.yaml', 'scenarios: [./ours]\n');
    write('ours/wrong.yaml', 'title: Wrong\nrules: [bet.debti]\nsteps:\n  - bet:\n');
    const { status, out, err } = await croupier(['run', '--reference', 'balance/read'], { cwd });
    expect({ status, out }).toEqual({ status: 2, out: '' });
    expect(err).toContain('ours/wrong.yaml:2:9');
    expect(existsSync(path.join(cwd, '.croupier'))).toBe(false);
  });

  it('refuses a file that lint refuses, with the same message', async () => {
    write(
      'ours/empty-claim.yaml',
      'title: A bet\nrules: [bet.debit, refund.restore]\nsteps:\n  - bet:\n  - balance:\n',
    );
    const lint = await croupier(['lint', 'ours/empty-claim.yaml'], { cwd });
    const [mistake] = lint.out.split('\n\n');
    expect(mistake).toMatch(/^ours\/empty-claim\.yaml:2:20: no step of this scenario can decide `refund\.restore`/);
    const { status, out, err } = await croupier(['run', '--reference', 'ours/empty-claim.yaml'], { cwd });
    expect({ status, out }).toEqual({ status: 2, out: '' });
    expect(err).toContain(mistake);
    expect(err).toContain('Nothing was sent.');
    expect(existsSync(path.join(cwd, '.croupier'))).toBe(false);
  });

  it('plays a scenario of the user by its file and line, and fails for an expectation of the scenario', async () => {
    write('mine.yaml', 'title: Mine\nsteps:\n  - bet:\n    expect: declined\n  - balance:\n');
    const { status, out } = await croupier(['run', '--reference', 'mine.yaml:3', '--linger', '10ms'], { cwd });
    expect(status).toBe(1);
    expect(out).toMatch(/^NOT CONFORMING/);
    expect(out).toContain('mine.yaml:3');
  });

  it.each([
    ['SIGINT', 130],
    ['SIGTERM', 143],
  ] as const)('ends neatly on %s, with a report and status %i', async (signal, expected) => {
    write('long.yaml', 'title: Long\nrules: [balance.read]\nsteps:\n  - balance:\n  - wait: 1m\n  - balance:\n');
    const child = start(['run', '--reference', 'long.yaml', '-v'], { cwd });
    const over = ended(child);
    await new Promise((resolve) => child.stderr?.once('data', resolve));
    child.kill(signal);
    const { status, out } = await over;
    expect(status).toBe(expected);
    expect(out).toContain('interrupted');
  });
});

describe('croupier run with a configuration', () => {
  it('judges all clients, and ends with a line for each client and one with the status of the process', async () => {
    write('croupier.yaml', NOBODY);
    write('asia.key', 'asia-client-key\n');
    const { status, out, err } = await croupier(['run', 'balance/read'], { cwd, env: { EU_KEY: 'eu-client-key' } });
    expect(status).toBe(3);
    expect(out).toContain('acme-eu could not be reached');
    expect(out).toContain('acme-asia could not be reached');
    expect(err).toContain('Judging acme-asia');
    expect(out.split('\n').slice(-4)).toEqual([
      expect.stringMatching(/^acme-eu {4}3 {2}UNDECIDED: acme-eu could not be reached/),
      expect.stringMatching(/^acme-asia {2}3 {2}UNDECIDED: acme-asia could not be reached/),
      'Exit status 3, the most severe of 2 clients.',
      '',
    ]);
    expect(out).not.toMatch(/^Exit status 3:/m);
  });

  it('needs only the keys of the chosen clients', async () => {
    write('croupier.yaml', NOBODY);
    const { status, err } = await croupier(['run', 'balance/read', '--client', 'acme-asia'], { cwd });
    expect(status).toBe(2);
    expect(err).toContain('asia.key');
    expect(err).not.toContain('EU_KEY');
    write('asia.key', 'asia-client-key\n');
    expect((await croupier(['run', 'balance/read', '--client', 'acme-asia'], { cwd })).status).toBe(3);
  });

  it.each([
    [['--report', 'json=r.json'], 'r-{client}.json'],
    [['--journal', 'j.ndjson'], 'j-{client}.ndjson'],
    [['--json'], 'Choose one with --client'],
    [['--base-url', 'http://x'], 'cannot apply to several clients'],
    [['--client', 'acme-asi'], 'Did you mean acme-asia?'],
  ])('refuses %j for two clients with the message: %s', async (args, help) => {
    write('croupier.yaml', NOBODY);
    write('asia.key', 'asia-client-key\n');
    const { status, err } = await croupier(['run', 'balance/read', ...args], { cwd, env: { EU_KEY: 'eu-client-key' } });
    expect(status).toBe(2);
    expect(err).toContain(help);
    expect(existsSync(path.join(cwd, '.croupier'))).toBe(false);
  });

  it('refuses two clients with one ExtCID, and shows the line of the second', async () => {
    write('croupier.yaml', NOBODY.replace('acme-asia', 'acme-eu'));
    const { status, out, err } = await croupier(['run', 'balance/read'], { cwd, env: { EU_KEY: 'eu-client-key' } });
    expect(status).toBe(2);
    expect(out).toBe('');
    expect(err).toContain('croupier.yaml:6:13: `extCID` must differ from the extCID of every other client');
    expect(existsSync(path.join(cwd, '.croupier'))).toBe(false);
  });

  it('names all missing settings at once', async () => {
    const { status, err } = await croupier(['run'], { cwd });
    expect(status).toBe(2);
    expect(err).toContain('--base-url URL, --ext-cid ID, --session ID, a key');
  });

  it.each([
    ['the environment', [], { CROUPIER_KEY: 'some-key' }, ''],
    ['a file', ['--key-file', 'key'], {}, ''],
    ['standard input', ['--key-file', '-'], {}, 'some-key\n'],
  ])('reads the key from %s', async (_, args, env, stdin) => {
    write('key', 'some-key\n');
    const clientFlags = ['--base-url', 'http://127.0.0.1:1/eu', '--ext-cid', 'eu', '--session', 'eu-1,currency=USD'];
    const { status, out } = await croupier(['run', 'balance/read', '--linger', '10ms', ...clientFlags, ...args], {
      cwd,
      env,
      stdin,
    });
    expect(status).toBe(3);
    expect(out).toContain('eu could not be reached');
  });

  it('refuses a journal file that cannot be read again', async () => {
    const { status, err } = await croupier(['run', '--reference', 'balance/read', '--journal', '/dev/null'], { cwd });
    expect(status).toBe(2);
    expect(err).toContain('/dev/null: it is not a regular file, so reports could not read it again. Nothing was sent.');
  });

  it('warns in every report that the certificate was not checked', async () => {
    const clientFlags = ['--base-url', 'https://127.0.0.1:1/eu', '--ext-cid', 'eu', '--session', 'eu-1,currency=USD'];
    const { out } = await croupier(['run', 'balance/read', '--insecure', ...clientFlags], {
      cwd,
      env: { CROUPIER_KEY: 'some-key' },
    });
    expect(out).toContain('INSECURE TLS');
  });

  it('reads CROUPIER_INSECURE=0 as off', async () => {
    const clientFlags = ['--base-url', 'https://127.0.0.1:1/eu', '--ext-cid', 'eu', '--session', 'eu-1,currency=USD'];
    const env = { CROUPIER_KEY: 'some-key', CROUPIER_INSECURE: '0' };
    expect((await croupier(['run', 'balance/read', ...clientFlags], { cwd, env })).out).not.toContain('INSECURE');
  });
});
