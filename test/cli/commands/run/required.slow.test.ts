import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { croupier } from '../../croupier.ts';
import { demoOperator } from '../../demo-operator.ts';

let cwd = '';
beforeEach(() => {
  cwd = mkdtempSync(path.join(tmpdir(), 'croupier-'));
});
afterEach(() => rmSync(cwd, { recursive: true, force: true }));

const write = (name: string, text: string) => writeFileSync(path.join(cwd, name), text);

/** Runs the suite against the reference operator, and returns the exit status and the first line. */
async function judged(...args: readonly string[]): Promise<readonly [number | null, string]> {
  const { status, out, err } = await croupier(['run', '--reference', '--linger', '10ms', ...args], { cwd });
  return [status, (out || err).split('\n')[0] ?? ''];
}

const NEEDS_EARLIER_RUN = 'the scenario needs the journal of an earlier run';

describe('what croupier run names', () => {
  it('makes the run undecided if a selected rule was skipped, and the first line says what is missing', async () => {
    const [status, line] = await judged('session.expired-settles');
    expect(status).toBe(3);
    expect(line).toMatch(/^UNDECIDED: the selected rule session\.expired-settles was not tested against demo-eu: /);
    expect(line).toContain(NEEDS_EARLIER_RUN);
  });

  it('names every condition at once if several are missing', async () => {
    const wallet = ['--base-url', 'http://127.0.0.1:9/eu', '--ext-cid', 'acme', '--session', 'eu-1,currency=USD'];
    const { out } = await croupier(['run', ...wallet, 'session.expired-settles'], {
      cwd,
      env: { CROUPIER_KEY: 'key-of-acme' },
    });
    expect(out.split('\n')[0]).toContain(
      'the scenario needs an expired session (`state: expired`); the scenario needs the journal of an earlier run that left a round open in the expired session (`croupier run --after JOURNAL`, docs/settle.md has the steps)',
    );
    expect(out.replaceAll(/\s+/gu, ' ')).toContain(
      'state: expired } session.expired-settles needs more than this session: the scenario needs the journal',
    );
  });

  it('may stay untested with --allow-skipped', async () => {
    expect(await judged('session.expired-settles', '--allow-skipped')).toEqual([
      0,
      expect.stringMatching(/^CONFORMING: demo-eu /),
    ]);
  });

  it('makes the run undecided if one case of a selected scenario was skipped, beside others that passed', async () => {
    const [status, line] = await judged('idempotency/durable-earlier-run#bet', 'balance/read');
    expect(status).toBe(3);
    expect(line).toContain('the selected scenario idempotency/durable-earlier-run#bet was not tested');
    const { out } = await croupier(['run', '--reference', '--linger', '10ms', 'idempotency/durable-earlier-run'], {
      cwd,
    });
    expect(out).toMatch(
      /^UNDECIDED: 3 of 3 selected scenarios were not decided for demo-eu: .*#bet, .*#win, .*#refund/,
    );
    expect(out).toContain('With --allow-skipped, the rules and scenarios that you select by name may stay undecided.');
  });

  it('makes the run undecided if a scenario file given by its path was skipped', async () => {
    write(
      'asleep.yaml',
      'title: A bet of an earlier run\nrules: [balance.read]\nneeds: { run: earlier }\nsteps:\n  - balance:\n',
    );
    const [status, line] = await judged('asleep.yaml');
    expect(line).toContain(`the selected scenario asleep was not tested against demo-eu: ${NEEDS_EARLIER_RUN}`);
    expect(status).toBe(3);
  });

  it('makes the run undecided if a MUST rule of a selected group was not tested', async () => {
    const operator = await demoOperator(cwd);
    const one = [
      '--base-url',
      operator.url,
      '--ext-cid',
      'demo-eu',
      '--session',
      'eu-anna-usd-catch',
      '--linger',
      '10ms',
    ];
    const key = readFileSync(path.join(cwd, '.croupier', 'demo-eu.key'), 'utf8').trim();
    rmSync(path.join(cwd, 'croupier.yaml'));
    const { out, status } = await croupier(['run', 'session', ...one], { cwd, env: { CROUPIER_KEY: key } });
    expect(out).toMatch(
      /^UNDECIDED: 2 of 2 selected rules were not decided for demo-eu: session\.isolated \(.*\); session\.\S+ \(/,
    );
    expect(status).toBe(3);
    const launch = await croupier(['run', 'launch', ...one], { cwd, env: { CROUPIER_KEY: key } });
    expect(launch.out).toMatch(/^UNDECIDED: 4 of 4 selected rules were not decided for demo-eu: .*--launches/);
    expect(launch.status).toBe(3);
  });

  it('is decided in a group whose rules a correct operator lets croupier test', async () => {
    expect(await judged('refund', 'session')).toEqual([0, expect.stringMatching(/^CONFORMING/)]);
  });
});

describe('--require', () => {
  it('makes the run undecided if no scenario of the run tests the rule', async () => {
    expect(await judged('balance/read', '--require', 'refund.unknown')).toEqual([
      3,
      'UNDECIDED: the required rule refund.unknown was not tested against demo-eu: no scenario of this run tests it.',
    ]);
  });

  it('takes lists with commas, groups and repetitions, and counts with --allow-skipped too', async () => {
    const many = ['--require', 'balance.read,session.expired-settles', '--require', 'win', '--allow-skipped'];
    const [status, line] = await judged('win', 'balance', 'session.expired-settles', ...many);
    expect(line).toMatch(/^UNDECIDED: the required rule session\.expired-settles was not tested/);
    expect(status).toBe(3);
    expect(await judged('win', 'balance', '--require', 'balance.read, win')).toEqual([0, expect.any(String)]);
  });

  it('is a usage error for an unknown name, with a suggestion', async () => {
    const { status, out, err } = await croupier(['run', '--reference', '--require', 'win,refund.unknwn'], { cwd });
    expect([status, out]).toEqual([2, '']);
    expect(err).toContain('--require refund.unknwn: there is no group or rule with this name. Nothing was sent.');
    expect(err).toContain('Did you mean refund.unknown?');
  });

  it('is part of the JSON report and the journal', async () => {
    const args = ['run', '--reference', '--linger', '10ms', 'balance/read', '--require', 'refund.unknown', '--json'];
    const { out } = await croupier([...args, '--journal', 'run.ndjson'], { cwd });
    expect(JSON.parse(out)).toMatchObject({
      verdict: 'undecided',
      exitCode: 3,
      required: [
        { kind: 'rule', id: 'refund.unknown', by: 'require', verdict: 'untested' },
        { kind: 'scenario', id: 'balance/read', by: 'selection', verdict: 'pass', reason: null },
      ],
    });
    const again = await croupier(['report', 'convert', 'run.ndjson', '--to', 'terminal=-'], { cwd });
    expect(again.out).toMatch(/^UNDECIDED: the required rule refund\.unknown/);
  });
});

describe('require in croupier.yaml', () => {
  it('counts in a run of selected scenarios only for the rules that they test', async () => {
    write('croupier.yaml', 'require: [launch, session.expired-settles]\n');
    expect(await judged('balance/read')).toEqual([0, expect.any(String)]);
    const [status, line] = await judged('session/expired-settles-earlier-run', '--allow-skipped');
    expect(line).toMatch(/^UNDECIDED: the required rule session\.expired-settles/);
    expect(status).toBe(3);
  });

  it('is a usage error for an unknown name, with its place and a suggestion', async () => {
    write('croupier.yaml', 'require: [launch, refund.unknwn]\n');
    const { status, err } = await croupier(['run', '--reference'], { cwd });
    expect(status).toBe(2);
    expect(err).toMatch(/^croupier\.yaml:1:19: `refund\.unknwn` is not one of the \d+ known values/);
    expect(err).toContain('did you mean `refund.unknown`?');
  });
});

describe('--last-failed', () => {
  const repeated = async (journal: string): Promise<readonly string[]> => {
    const { out } = await croupier(['run', '--reference', '--last-failed', journal, '--list', '--json'], { cwd });
    return (JSON.parse(out) as { id: string }[]).map(({ id }) => id);
  };

  it('plays scenarios that warned', async () => {
    const args = ['run', '--reference', '--defect', 'content-type-html', 'balance/read', '--journal', 'warned.ndjson'];
    const { out } = await croupier([...args, '--linger', '10ms', '--json'], { cwd });
    expect((JSON.parse(out) as { scenarios: unknown[] }).scenarios).toMatchObject([{ verdict: 'warn' }]);
    expect(await repeated('warned.ndjson')).toEqual(['balance/read']);
  });

  it('plays scenarios that were selected and skipped, and is undecided if they are skipped again', async () => {
    const journal = ['--journal', 'skipped.ndjson'];
    expect(await judged('session/expired-settles-earlier-run', 'balance/read', ...journal)).toEqual([
      3,
      expect.any(String),
    ]);
    expect(await repeated('skipped.ndjson')).toEqual(['session/expired-settles-earlier-run']);
    const [status, line] = await judged('--last-failed', 'skipped.ndjson');
    expect(line).toMatch(/^UNDECIDED: the selected scenario session\/expired-settles-earlier-run was not tested/);
    expect(status).toBe(3);
  });

  it('plays scenarios that a run did not reach', async () => {
    const bail = ['--defect', 'bet-free-of-charge', '--bail', '--journal', 'bail.ndjson'];
    expect((await judged('bet', '--workers', '1', ...bail))[0]).toBe(1);
    const { out } = await croupier(['report', 'convert', 'bail.ndjson', '--to', 'json=-'], { cwd });
    const { scenarios } = JSON.parse(out) as { scenarios: { id: string; verdict: string }[] };
    const open = scenarios.filter(({ verdict }) => verdict !== 'pass' && verdict !== 'note');
    expect(open.map(({ verdict }) => verdict)).toContain('untested');
    expect((await repeated('bail.ndjson')).toSorted()).toEqual(open.map(({ id }) => id).toSorted());
  });

  it('may skip a scenario that a run did not reach, if the configuration cannot test it', async () => {
    const bail = ['--defect', 'bet-free-of-charge', '--bail', '--journal', 'bail.ndjson'];
    expect((await judged('bet', 'session', '--workers', '1', ...bail))[0]).toBe(1);
    expect(await repeated('bail.ndjson')).toContain('session/expired-settles-earlier-run');
    expect(await judged('--last-failed', 'bail.ndjson', '--journal', 'again.ndjson')).toEqual([
      0,
      expect.stringMatching(/^CONFORMING/),
    ]);
  });
});
