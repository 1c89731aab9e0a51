import { mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import manifest from '../../package.json' with { type: 'json' };
import { RULES } from '../../src/contract/catalogue.ts';
import { DEFECTS } from '../../src/operator/defects.ts';
import { croupier, EXECUTABLE, ended, line, start } from './croupier.ts';

let cwd = '';
beforeEach(() => {
  cwd = mkdtempSync(path.join(tmpdir(), 'croupier-'));
});
afterEach(() => rmSync(cwd, { recursive: true, force: true }));

const at = (name: string) => path.join(cwd, name);
const write = (name: string, text: string) => {
  mkdirSync(path.dirname(at(name)), { recursive: true });
  writeFileSync(at(name), text);
};

describe('the command line', () => {
  it.each([['--version'], ['-V']])('prints only the version for %s', async (flag) => {
    expect(await croupier([flag], { cwd })).toEqual({ status: 0, out: `${manifest.version}\n`, err: '' });
  });

  it.skipIf(EXECUTABLE !== undefined).each([['--version'], ['help'], ['lint']])(
    'does not load cryptography, which takes long, for %s',
    async (command) => {
      const report =
        "process.on('exit', () => process.stderr.write(process.moduleLoadList.includes('NativeModule crypto') ? 'loaded' : 'not loaded'))";
      const env = { NODE_OPTIONS: `--import=data:text/javascript,${encodeURIComponent(report)}` };
      expect(await croupier([command], { cwd, env })).toMatchObject({ status: 0, err: 'not loaded' });
    },
  );

  it('shows its help on stdout', async () => {
    const { status, out, err } = await croupier(['--help'], { cwd });
    expect({ status, err }).toEqual({ status: 0, err: '' });
    for (const command of ['run', 'list', 'lint', 'init', 'serve', 'schema', 'report'])
      expect(out).toContain(`  ${command} `);
  });

  it.each([
    [['rnu'], 'Did you mean run?'],
    [['run', '--referense'], 'Did you mean --reference?'],
    [['run', '--bail', 'x'], 'whole number'],
    [['run', '--deadline', '5'], '300ms, 2s or 1m'],
    [['list', 'rulez'], 'Did you mean rules?'],
    [['list', 'rule'], 'needs the id of a rule, such as bet.debit'],
    [['list', 'defects', 'refudn'], 'Did you mean refund?'],
    [['list', 'rules', 'refudn'], 'Did you mean refund?'],
    [['serve', 'operator', '--defect', 'lost-updaet'], 'Did you mean lost-update?'],
    [['serve', 'operator', '--variant', 'lost-update'], 'It is a defect: --defect lost-update.'],
    [['run', '--reference', '--defect', 'lost-updaet'], 'Did you mean lost-update?'],
    [['run', '--defect', 'lost-update'], 'Add --reference'],
    [['verify'], 'croupier verify: --signature <hex> is missing.\ncroupier verify --help shows its arguments'],
    [['schema'], 'croupier schema: <of> is missing.\ncroupier schema --help shows its arguments and flags.\n'],
    [['call', 'bet', 'bet'], 'croupier call takes 1 argument, but got 2: bet, bet.\n'],
    [['run', '--nothing-like-this'], 'croupier run has no flag --nothing-like-this.\n'],
    [['run', '--to=html=x.html'], 'croupier run has no flag --to=….\n(Did you mean --report?)\n'],
    [['report', 'convert', 'x', '--report', 'html=x.html'], 'convert has no flag --report.\n(Did you mean --to?)\n'],
    [['run', '--seed'], '--seed <text>: the value is missing.\n'],
    [['call', 'bett'], "croupier call: 'bett' is not possible for <call>. Allowed choices are balance,"],
    [['serve', 'operater'], 'Did you mean operator?'],
    [['serve', 'operator', '--port', '99999'], '65535'],
    [['run', '--reference', '--report', 'junti=x'], 'Did you mean junit?'],
    [['run', '--reference', '--session', 'x'], '--reference judges the embedded operator'],
    [['run', '--reference', '--stake', 'usd=1'], 'did you mean USD?'],
    [['run', '--reference', 'idempotnecy'], 'Did you mean idempotency?'],
    [['run', '--config', 'nowhere.yaml'], 'there is no such file'],
    [['lint', 'nowhere.yaml'], 'there is no such file'],
  ])('refuses %j with status 2 and the message %s', async (args, help) => {
    const { status, out, err } = await croupier(args, { cwd });
    expect({ status, out }).toEqual({ status: 2, out: '' });
    expect(err).toContain(help);
    expect(err).not.toMatch(/\n\s+at /);
  });

  it('refuses to run without a command', async () => {
    const { status, err } = await croupier([], { cwd });
    expect(status).toBe(2);
    expect(err).toContain('Usage:');
  });

  it.each([
    ['serve', ['operator', 'core-api', 'all']],
    ['history', ['list', 'rule', 'open', 'diff', 'pin', 'unpin']],
  ])('names the commands of %s if a command is unknown', async (group, commands) => {
    const { status, err } = await croupier([group, 'nope'], { cwd });
    expect(status).toBe(2);
    expect(err).toContain(`croupier ${group} has no command 'nope'. It has these commands: ${commands.join(', ')}\n`);
  });

  it('ends normally if the reader of its output goes away', async () => {
    const child = start(['list', 'rules'], { cwd });
    child.stdout?.destroy();
    const { status, err } = await ended(child);
    expect({ status, err }).toEqual({ status: 0, err: '' });
  });

  it('prints colours only if they are wanted', async () => {
    const coloured = await croupier(['rnu', '--color'], { cwd });
    const plain = await croupier(['rnu'], { cwd });
    expect(plain.err).not.toContain('\u001B');
    expect(coloured.status).toBe(2);
  });
});

describe('croupier list', () => {
  it('shows every rule with the scenarios that test it', async () => {
    const { status, out } = await croupier(['list', 'rules', '--json'], { cwd });
    const rows = JSON.parse(out) as { id: string; level: string; money: boolean; scenarios: string[] }[];
    expect(status).toBe(0);
    expect(rows.map(({ id }) => id)).toEqual(RULES.map(({ id }) => id));
    expect(rows.find(({ id }) => id === 'idempotency.bet')).toMatchObject({ level: 'MUST', money: true });
    expect(rows.find(({ id }) => id === 'idempotency.bet')?.scenarios).toContain('idempotency/bet');
  });

  it('shows every scenario, even if the keys of the configuration are unset', async () => {
    write(
      'croupier.yaml',
      'clients:\n  - extCID: a\n    integratorBaseUrl: http://x\n    integrationApiKey: ${NOT_SET}\n    sessions: [{ sessionID: s }]\nscenarios: [./ours]\n',
    );
    write('ours/deep/mine.yaml', 'title: Mine\nrules: [bet.debit]\ntags: [ours]\nsteps:\n  - bet:\n  - balance:\n');
    const { status, out } = await croupier(['list', 'scenarios', '--json'], { cwd });
    const rows = JSON.parse(out) as { id: string; tags: string[]; file: string }[];
    expect(status).toBe(0);
    expect(rows.find(({ id }) => id === 'deep/mine')).toMatchObject({ tags: ['ours'], file: 'ours/deep/mine.yaml' });
    expect(rows.length).toBeGreaterThan(100);
  });

  it('prints the rules as a table that fits the width', async () => {
    const { out } = await croupier(['list', 'rules'], { cwd });
    expect(out).toMatch(/^idempotency\.bet +MUST {3}\$ {2}a bet that is sent again, .*$/m);
    expect(out.match(/^[a-z-]+\.[\w-]+ +(?:MUST|SHOULD|NOTE) /gm)).toHaveLength(RULES.length);
    expect(Math.max(...out.split('\n').map(({ length }) => length))).toBeLessThanOrEqual(80);
  });

  it('prints the whole page of one rule', async () => {
    const { status, out } = await croupier(['list', 'rule', 'idempotency.bet'], { cwd });
    expect(status).toBe(0);
    expect(out).toMatch(/^idempotency\.bet {2}MUST {2}\$ /);
    for (const part of [
      'If it is broken',
      'To fix',
      'Example',
      'Scenarios that test it',
      'Defects that break it',
      'See it',
    ])
      expect(out).toContain(`\n${part}\n`);
    expect(out).toContain('  idempotency/bet\n    A bet that is sent again is taken once\n');
    expect(out).toMatch(/^ {6}right {2}200 /m);
    expect(out).toContain('  croupier run --reference idempotency.bet --defect ');
  });

  it('names its lists without an argument', async () => {
    const { status, out } = await croupier(['list'], { cwd });
    expect(status).toBe(0);
    expect(out.match(/^croupier list \w+ /gm)).toHaveLength(6);
  });

  it('shows only the entries of the given rules or groups', async () => {
    const rules = await croupier(['list', 'rules', 'win', 'bet.zero', '--json'], { cwd });
    const ids = (JSON.parse(rules.out) as { id: string }[]).map(({ id }) => id);
    expect(ids).toEqual(RULES.filter(({ id, group }) => group === 'win' || id === 'bet.zero').map(({ id }) => id));
    const scenarios = await croupier(['list', 'scenarios', 'win.zero', '--json'], { cwd });
    const rows = JSON.parse(scenarios.out) as { rules: string[] }[];
    expect(rows.length).toBeGreaterThan(0);
    for (const row of rows) expect(row.rules).toContain('win.zero');
  });

  it('shows all defects of the reference operator, or those that break a rule', async () => {
    const all = await croupier(['list', 'defects', '--json'], { cwd });
    expect((JSON.parse(all.out) as { name: string }[]).map(({ name }) => name)).toEqual(
      DEFECTS.map(({ name }) => name),
    );
    const some = await croupier(['list', 'defects', 'money.large'], { cwd });
    expect(some.out).toContain('large-amounts-double\n    A win of 90071992547409.93 is credited as');
    expect(some.out).toContain('    breaks money.large (SHOULD) $\n');
    expect(some.out).not.toContain('float-shown');
    const one = await croupier(['list', 'defects', 'cents', '--json'], { cwd });
    expect(JSON.parse(one.out)).toMatchObject([{ name: 'cents', breaks: ['money.main-unit'], money: true }]);
  });
});

describe('croupier lint', () => {
  it('reports every mistake of every file', async () => {
    write('one.yaml', 'title: One\nrules: [bet.debti]\nsteps:\n  - bet: { amount: 11.00 }\n');
    write('two.yaml', 'title: Two\nrules: [refund.restore]\nsteps:\n  - bet:\n  - balance:\n');
    const { status, out } = await croupier(['lint', 'one.yaml', 'two.yaml'], { cwd });
    expect(status).toBe(2);
    expect(out).toContain('one.yaml:2:9: there is no rule `bet.debti`');
    expect(out).toContain('one.yaml:4:');
    expect(out).toContain('two.yaml:2:9: no step of this scenario can decide `refund.restore`');
    expect(out).toContain('3 mistakes in 2 of 2 files.');
  });

  it('says that there are no mistakes', async () => {
    write('one.yaml', 'title: One\nrules: [bet.debit]\nsteps:\n  - bet:\n  - balance:\n');
    expect(await croupier(['lint', 'one.yaml'], { cwd })).toMatchObject({
      status: 0,
      out: '1 file, 1 scenario: no mistakes.\n',
    });
  });

  it('reports files that are not text, and also the mistakes of other files', async () => {
    write('a/one.yaml', 'title: One\nrules: [bet.debti]\nsteps:\n  - bet:\n');
    writeFileSync(path.join(cwd, 'a/two.yaml'), Buffer.from('title: \xff\xfe\n', 'latin1'));
    symlinkSync(path.join(cwd, 'nowhere'), path.join(cwd, 'a/three.yaml'));
    const { status, out } = await croupier(['lint', 'a'], { cwd });
    expect(status).toBe(2);
    expect(out).toContain('a/one.yaml:2:9: there is no rule `bet.debti`');
    expect(out).toContain("a/two.yaml:1:1: this file can't be read: it is not UTF-8 text");
    expect(out).toContain("a/three.yaml:1:1: this file can't be read: there is no such file");
  });

  it('says that a fragment is checked in the scenarios that use it, and does not count it as a file', async () => {
    write('lost.yaml', 'fragment: A lost round\nsteps:\n  - bett:\n  - use: lost.yaml\n');
    const alone = await croupier(['lint', 'lost.yaml'], { cwd });
    expect(alone.out).toContain('lost.yaml:1:1: this file is a fragment');
    write('one.yaml', 'title: One\nrules: [bet.debit]\nsteps:\n  - use: lost.yaml\n  - bet: { amont: "1" }\n');
    const used = await croupier(['lint', '.'], { cwd });
    expect(used.out).toContain('mistakes in 2 files.');
  });

  it('refuses a folder without scenarios', async () => {
    mkdirSync(path.join(cwd, 'empty'));
    const { status, err } = await croupier(['lint', 'empty'], { cwd });
    expect(status).toBe(2);
    expect(err).toContain('empty: no scenarios found');
  });

  it('prints mistakes as JSON', async () => {
    write('one.yaml', 'title: One\n');
    const { status, out } = await croupier(['lint', '--json', '.'], { cwd });
    expect(status).toBe(2);
    expect(JSON.parse(out)).toMatchObject({
      files: 1,
      scenarios: 0,
      diagnostics: expect.arrayContaining([expect.objectContaining({ file: 'one.yaml', line: 1 })]) as unknown,
    });
  });

  it('refuses two scenarios with the same id', async () => {
    write('croupier.yaml', 'scenarios: [./a, ./b]\n');
    for (const folder of ['a', 'b'])
      write(`${folder}/same.yaml`, 'title: One\nrules: [bet.debit]\nsteps:\n  - bet:\n  - balance:\n');
    const { status, out } = await croupier(['lint'], { cwd });
    expect(status).toBe(2);
    expect(out).toContain('this scenario has the same id as a/same.yaml: same');
  });
});

describe('croupier schema', () => {
  it.each(['scenario', 'config', 'report', 'journal'])('prints the schema of the %s', async (of) => {
    const { status, out } = await croupier(['schema', of], { cwd });
    expect(status).toBe(0);
    expect(JSON.parse(out)).toHaveProperty('$schema');
  });

  it('prints a schema of the configuration that accepts the file of init and refuses unknown keys', async () => {
    const { out } = await croupier(['schema', 'config'], { cwd });
    const validate = new Ajv2020({ strict: false }).compile(JSON.parse(out) as object);
    const client = {
      extCID: 'a',
      integratorBaseUrl: 'http://x',
      integrationApiKey: '${A}',
      sessions: [{ sessionID: 's' }],
    };
    expect(validate({ clients: [client], stakes: { USD: '1.00' }, deadline: '5s' })).toBe(true);
    expect(validate({ clients: [{ ...client, key: 'x' }] })).toBe(false);
    expect(validate({ deadline: 5 })).toBe(false);
  });
});

describe('croupier init', () => {
  const FLAGS = [
    'init',
    '--yes',
    '--base-url',
    'http://127.0.0.1:9/eu',
    '--ext-cid',
    'acme-eu',
    '--session',
    'eu-1,player=p1,currency=USD',
  ];

  it('writes files without mistakes for lint', async () => {
    expect((await croupier(FLAGS, { cwd })).status).toBe(0);
    expect(readFileSync(at('croupier.yaml'), 'utf8')).toContain('integrationApiKey: ${ACME_EU_KEY}');
    const lint = await croupier(['lint', 'scenarios/example.yaml'], { cwd });
    expect(lint).toMatchObject({ status: 0, out: '1 file, 1 scenario: no mistakes.\n' });
  });

  it('writes a configuration that run accepts with the key', async () => {
    await croupier(FLAGS, { cwd });
    const without = await croupier(['run', 'example'], { cwd });
    expect(without.status).toBe(2);
    expect(without.err).toContain('the environment has no ACME_EU_KEY');
    const listed = await croupier(['run', 'example', '--list'], { cwd, env: { ACME_EU_KEY: 'any-key-will-do' } });
    expect(listed).toMatchObject({ status: 0, out: expect.stringMatching(/^example {2}/) as string });
  });

  it('overwrites files only with --force', async () => {
    write('croupier.yaml', '# mine\n');
    const refused = await croupier(FLAGS, { cwd });
    expect(refused.status).toBe(2);
    expect(refused.err).toContain('--force');
    expect(readFileSync(at('croupier.yaml'), 'utf8')).toBe('# mine\n');
    expect((await croupier([...FLAGS, '--force'], { cwd })).status).toBe(0);
    expect(readFileSync(at('croupier.yaml'), 'utf8')).toContain('acme-eu');
  });

  it('asks no questions without a terminal', async () => {
    const { status, err } = await croupier(['init', '--ext-cid', 'a'], { cwd });
    expect(status).toBe(2);
    expect(err).toContain('Also give --base-url, --session');
  });
});

describe('croupier run --reference', () => {
  it('judges the embedded operator with a defect', async () => {
    const { status, out, err } = await croupier(
      ['run', '--reference', '--defect', 'win-zero-consoles', '--json', 'win.zero'],
      { cwd },
    );
    const { rules } = JSON.parse(out) as { rules: { id: string; verdict: string }[] };
    expect(rules.find(({ id }) => id === 'win.zero')?.verdict).toBe('fail');
    expect(err).toContain('The embedded operator has the defect win-zero-consoles: ');
    expect(status).toBe(1);
  });
});

describe('croupier serve operator', () => {
  it('prints its address, answers there, and ends with 0 on a signal', async () => {
    const child = start(['serve', 'operator', '--write-config', 'croupier.yaml'], { cwd });
    const over = ended(child);
    const said = await line(child, 'operator ');
    const url = /^operator (http:\/\/127\.0\.0\.1:\d+\/demo-eu)$/.exec(said)?.[1];
    if (url === undefined) throw new Error(`not a NAME URL line: ${said}`);
    const reply = await fetch(`${url}/balance?sessionID=eu-anna-usd-catch`);
    expect(reply.status).toBe(401);
    const listed = await croupier(['run', 'balance', '--list'], { cwd });
    expect(listed.status).toBe(0);
    expect(readFileSync(at('croupier.yaml'), 'utf8')).toContain('sessionID: eu-anna-usd-catch');
    expect(statSync(at('.croupier/demo-eu.key')).mode & 0o777).toBe(0o600);
    child.kill('SIGTERM');
    const { status, err } = await over;
    expect(status).toBe(0);
    expect(err).toContain('croupier run --config croupier.yaml');
  });

  it('does not print the key of the user', async () => {
    const child = start(['serve', 'operator', '--write-config', 'croupier.yaml'], {
      cwd,
      env: { CROUPIER_KEY: 'canary-in-the-mine' },
    });
    const over = ended(child);
    await line(child, 'operator ');
    child.kill('SIGINT');
    const { status, out, err } = await over;
    expect(status).toBe(0);
    expect(out + err + readFileSync(at('croupier.yaml'), 'utf8')).not.toContain('canary-in-the-mine');
  });

  it('does not overwrite a configuration that it has not written', async () => {
    write('croupier.yaml', '# mine\n');
    const { status, err } = await croupier(['serve', 'operator', '--write-config', 'croupier.yaml'], { cwd });
    expect(status).toBe(2);
    expect(err).toContain('exists already');
  });

  it('serves an operator with the given defects, and prints the defects', async () => {
    const child = start(['serve', 'operator', '--defect', 'signature-403', '--defect', 'cents'], { cwd });
    const over = ended(child);
    const said = await line(child, 'operator ');
    const reply = await fetch(`${said.replace('operator ', '')}/balance?sessionID=eu-anna-usd-catch`);
    expect(reply.status).toBe(403);
    child.kill('SIGTERM');
    const { err } = await over;
    expect(err).toMatch(/^defect signature-403: .*\ndefect cents: .*\n/);
  });

  it('reports that a port is in use', async () => {
    const server = createServer().listen(0, '127.0.0.1');
    await new Promise((resolve) => server.once('listening', resolve));
    const { port } = server.address() as AddressInfo;
    const { status, err } = await croupier(['serve', 'operator', '--port', String(port)], { cwd });
    server.close();
    expect(status).toBe(2);
    expect(err).toContain(`127.0.0.1:${port}: another program uses this port`);
  });
});
