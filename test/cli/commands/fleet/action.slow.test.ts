import type { ChildProcess } from 'node:child_process';
import { appendFileSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { schemaText } from '../../../../src/cli/commands/schema/action.ts';
import { receiver } from '../../../app/signals/receiver.ts';
import { croupier, line, start } from '../../croupier.ts';

const ROOT = path.resolve(import.meta.dirname, '../../../..');
let cwd = '';
let operator: ChildProcess;
beforeAll(async () => {
  cwd = mkdtempSync(path.join(tmpdir(), 'croupier-fleet-'));
  operator = start(['serve', 'operator', '--write-config', 'croupier.yaml', '--defect', 'refund-half'], { cwd });
  await line(operator, 'operator ');
  appendFileSync(path.join(cwd, 'croupier.yaml'), '\nlinger: 10ms\n');
});
afterAll(() => {
  operator.kill('SIGKILL');
  rmSync(cwd, { recursive: true, force: true });
});

const write = (name: string, text: string): void => writeFileSync(path.join(cwd, name), text);

describe('croupier fleet', () => {
  it('shows when each operator is due, judges all, posts each result, and adds each run to the history', async () => {
    const hook = await receiver();
    write(
      'fleet.yaml',
      `schedule: "0 3 * * *"
zone: Europe/Berlin
notify: [{ kind: webhook, url: "\${HOOK}/all" }]
operators:
  - { name: eu, config: croupier.yaml, client: demo-eu, select: [refund/restore], build: { command: [echo, b7] }, notify: [{ kind: slack, url: "${hook.url}/eu" }] }
  - { name: asia, config: ./croupier.yaml, client: demo-asia, select: [balance/read], rate: 50, schedule: "30 4 * * 0" }
`,
    );
    const checked = await croupier(['fleet', 'check'], { cwd });
    expect([checked.status, checked.err]).toEqual([0, 'warning: notify: the environment has no HOOK\n']);
    expect(checked.out).toMatch(/^eu {4}demo-eu {4}next run \w{3} [\d-]{10} 03:00 Europe\/Berlin, then /mu);
    expect(checked.out).toMatch(/^asia {2}demo-asia {2}next run Sun [\d-]{10} 04:30 Europe\/Berlin, then Sun /mu);
    const before = await croupier(['fleet', 'status'], { cwd });
    expect(before.out).toMatch(/^eu {4}never judged {2}late, because no run has judged it yet$/mu);
    // A key for one client must not reach the runs.
    const run = await croupier(['fleet', 'run', '--due'], {
      cwd,
      env: { CROUPIER_KEY: 'another-key-0123456789', HOOK: hook.url },
    });
    expect([run.status, run.err]).toEqual([1, '']);
    const posted = hook.messages.map(({ path: at, body }) => [
      at,
      body.includes('demo-asia'),
      body.includes('demo-eu'),
    ]);
    expect(posted.toSorted(([a], [b]) => String(a).localeCompare(String(b)))).toEqual([
      ['/all', true, false],
      ['/eu', false, true],
    ]);
    expect(run.out).toMatch(/^eu {4}1 {2}NOT CONFORMING: demo-eu breaks 1 of /mu);
    expect(run.out).toMatch(/^asia {2}0 {2}CONFORMING: demo-asia /mu);
    const { out } = await croupier(['history', 'list', '--json'], { cwd });
    const { runs } = JSON.parse(out) as { runs: { extCID: string; build: string | null }[] };
    const builds = Object.fromEntries(runs.map(({ extCID, build }) => [extCID, build]));
    expect(builds).toEqual({ 'demo-eu': 'b7', 'demo-asia': null });
  }, 60_000);

  it('judges only the named operators, and ends with 2 for an unknown name', async () => {
    const unknown = await croupier(['fleet', 'run', 'ue', '--file', 'fleet.yaml'], { cwd });
    expect([unknown.status, unknown.err]).toEqual([2, expect.stringContaining('The fleet has no operator ue.')]);
    const known = await croupier(['fleet', 'status'], { cwd });
    expect(known.out).toMatch(/^eu {4}NOT CONFORMING {2}run \d, [\d-]{10} [\d:]{5} UTC, build b7$/mu);
    expect(known.out).toMatch(/^asia {2}CONFORMING {6}run \d, [\d-]{10} [\d:]{5} UTC$/mu);
    expect(known.out).toContain('2 operators, 0 running, 0 late.');
    // The journal of a killed run is not in the history.
    const journal = readFileSync(path.join(ROOT, 'fixtures/journals/killed.ndjson'), 'utf8');
    const name = '.croupier/2026-01-01-120000-00000a.ndjson';
    const [url = ''] = /http:[^\s"']+/u.exec(readFileSync(path.join(cwd, 'croupier.yaml'), 'utf8')) ?? [];
    write(name, journal.replaceAll('https://wallet.staging.acme.example/eu', url).replaceAll('acme-eu', 'demo-eu'));
    expect((await croupier(['fleet', 'status'], { cwd })).out.replaceAll(/\s+/gu, ' ')).toMatch(
      /A run owes \d+ items?: croupier settle \.croupier\/2026-01-01-120000-00000a\.ndjson/u,
    );
    const { out } = await croupier(['fleet', 'status', '--json', '--openmetrics', 'fleet.prom'], { cwd });
    const dash = await croupier(['fleet', 'status', '--openmetrics', '-'], { cwd });
    expect([dash.status, dash.err]).toEqual([2, expect.stringContaining('Name a file.')]);
    const gauges = readFileSync(path.join(cwd, 'fleet.prom'), 'utf8');
    expect(gauges).toMatch(/^croupier_fleet_operators 2$/mu);
    expect(gauges).toMatch(/^croupier_fleet_owed\{operator="eu",client="demo-eu"\} [1-9]\d*$/mu);
    expect(gauges).toMatch(
      /^croupier_fleet_last_success_timestamp_seconds\{operator="asia",client="demo-asia"\} \d{10}/mu,
    );
    expect(gauges).not.toContain('last_success_timestamp_seconds{operator="eu"');
    const status = JSON.parse(out) as { operators: unknown[] };
    const validate = new Ajv2020({ strict: false }).compile(JSON.parse(await schemaText('fleet-status')) as object);
    validate(status);
    expect(validate.errors).toBeNull();
    const iso = expect.stringMatching(/^[\dT:.-]+Z$/u) as string;
    const owed = [{ journal: name, items: expect.any(Number) as number }];
    expect(status).toMatchObject({
      totals: { operators: 2, running: 0, late: 0, owing: 1 },
      operators: [
        { name: 'eu', latest: { verdict: 'nonconforming', build: 'b7' }, lastSuccess: null, isLate: false, owed },
        { name: 'asia', latest: { verdict: 'conforming' }, lastSuccess: iso, lateSince: null, owed: [] },
      ],
    });
    rmSync(path.join(cwd, name));
    // Both were judged after their latest due time.
    expect((await croupier(['fleet', 'run', '--due'], { cwd })).out).toBe('No operator to judge now.\n');
    const one = await croupier(['fleet', 'run', 'asia'], { cwd });
    expect([one.status, one.out.match(/CONFORMING/gu)?.length]).toEqual([0, 1]);
    // The run says this itself, and nobody would see it otherwise.
    expect(one.err).toMatch(/^asia: The result of demo-asia is not posted .* HOOK.*\n$/u);
  }, 60_000);

  it('shows every mistake of the file with its line and a caret', async () => {
    write(
      'wrong.yaml',
      `schedule: "0 25 * * *"
zone: Europe/Berln
quiet: { from: "8:00", to: "20:00" }
operators:
  - { name: eu, config: croupier.yaml, shedule: "0 3 * * *" }
  - { name: asia, config: croupier.yaml, rate: -1 }
`,
    );
    const { status, err } = await croupier(['fleet', 'check', '--file', 'wrong.yaml'], { cwd });
    expect(status).toBe(2);
    expect(err).toContain(`wrong.yaml:1:11: \`schedule\` must be a cron expression`);
    expect(err).toContain('Invalid value for hour: 25\n  |\n1 | schedule: "0 25 * * *"\n  |           ^^^^^^^^^^^^\n');
    expect(err).toContain(
      'wrong.yaml:2:7: `zone` must be a time zone, such as Europe/Berlin. Did you mean Europe/Berlin?',
    );
    expect(err).toContain('wrong.yaml:3:16: `from` must be a time');
    expect(err).toContain('wrong.yaml:5:40: `shedule` is not a key of an operator');
    expect(err).toContain('wrong.yaml:6:48: `rate` must be more than 0');
    expect(err).toContain('7 mistakes in one file');
  });

  it('shows the mistakes of the file together with those in the files that it names', async () => {
    write(
      'both.yaml',
      `schedule: "0 25 * * *"
operators:
  - { name: eu, config: missing.yaml, rate: -1 }
  - { name: eu, config: croupier.yaml, client: demo-eu, select: [refnd] }
`,
    );
    const { status, err } = await croupier(['fleet', 'check', '--file', 'both.yaml'], { cwd });
    expect([status, err.match(/Nothing was sent/gu)?.length]).toEqual([2, 1]);
    expect(err.match(/^both\.yaml:\d+:\d+/gmu)).toEqual([
      'both.yaml:1:11',
      'both.yaml:3:25',
      'both.yaml:3:45',
      'both.yaml:4:13',
      'both.yaml:4:65',
    ]);
    const none = await croupier(['fleet', 'check', '--file', 'none.yaml'], { cwd });
    // The example is a fleet itself.
    const [, example = ''] = none.err.split('\n\n');
    write('example.yaml', example.replace('# client: acme-eu ', 'client: demo-eu '));
    expect((await croupier(['fleet', 'check', '--file', 'example.yaml'], { cwd })).out).toContain('no mistakes');
  });

  it('warns of two operators with the same ExtCID and base URL, because the history mixes their results', async () => {
    const client = 'extCID: acme, integratorBaseUrl: "http://127.0.0.1:1", integrationApiKey: "${K}"';
    write('same.yaml', `clients: [{ ${client}, sessions: [{ sessionID: s }] }]\n`);
    const operators = ['one', 'two'].map((name) => `  - { name: ${name}, config: same.yaml }\n`);
    write('twice.yaml', `schedule: "0 3 * * *"\noperators:\n${operators.join('')}`);
    const { status, out, err } = await croupier(['fleet', 'check', '--file', 'twice.yaml'], { cwd });
    expect(status).toBe(0);
    expect((out + err).replaceAll(/\s+/g, ' ')).toContain(
      'The operators two and one have the same ExtCID acme and the same base URL',
    );
    // The history keeps operators with the same ExtCID apart by their base URLs.
    write('other.yaml', `clients: [{ ${client.replace(':1"', ':2"')}, sessions: [{ sessionID: s }] }]\n`);
    write('twice.yaml', `schedule: "0 3 * * *"\noperators:\n${operators.join('').replace('same', 'other')}`);
    expect((await croupier(['fleet', 'check', '--file', 'twice.yaml'], { cwd })).err).not.toContain('the same ExtCID');
  });

  it('shows mistakes in the files that it names, and refuses a key in plain text', async () => {
    const key = 'a-key-in-plain-text-0123';
    write(
      'literal.yaml',
      `clients: [{ extCID: x, integratorBaseUrl: "http://127.0.0.1:1", integrationApiKey: ${key}, sessions: [{ sessionID: s }] }]\n`,
    );
    write(
      'files.yaml',
      `operators:
  - { name: a, config: missing.yaml }
  - { name: b, config: croupier.yaml }
  - { name: c, config: croupier.yaml, client: demo-ue, select: [refnd] }
  - { name: d, config: literal.yaml }
`,
    );
    const { status, err } = await croupier(['fleet', 'run', '--file', 'files.yaml'], { cwd });
    expect(status).toBe(2);
    expect(err).toMatch(/files\.yaml:2:24: .*there is no such file/u);
    expect(err).toContain('files.yaml:3:24: croupier.yaml has 2 clients');
    expect(err).toContain('= help: did you mean `demo-eu`?');
    expect(err).toContain('There is no group, rule, scenario or file refnd');
    expect(err).toContain('literal.yaml:1: the configuration contains the `integrationApiKey` as plain text');
    expect(err).not.toContain(key);
  });
});
