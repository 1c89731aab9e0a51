import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { parse } from 'yaml';
import { refuseUnknownRules } from '../src/app/run/required.ts';
import { croupier, ended } from './cli/croupier.ts';
import { KEY, operatorServer, P1 } from './engine/operator-server.ts';
import {
  type Action,
  type Pipeline,
  prepareRunner,
  read,
  scriptsOf,
  startStep,
  useOldNode,
  version,
} from './pipeline-runner.ts';

let cwd = '';

beforeEach(() => {
  cwd = mkdtempSync(path.join(tmpdir(), 'croupier-'));
  prepareRunner(cwd);
});
afterEach(() => rmSync(cwd, { recursive: true, force: true }));

const start = (script: string, env: Readonly<Record<string, string>>) => startStep(script, cwd, env);
const shell = (script: string, env: Readonly<Record<string, string>>) => ended(start(script, env));

const JUDGED = '--reference balance/read --linger 10ms';

/** The script with which a pipeline runs croupier. */
const scriptOf = (file: Pipeline): string => scriptsOf(file)[0] ?? '';

it.each(['action.yml', 'ci/gitlab.yml', 'ci/Jenkinsfile'])('%s keeps only the journals of .croupier', (file) => {
  const kept = [...read(file).matchAll(/\.croupier(\/[^ ',\]\n]*)?(?=['\n,\]])/g)].map(([, what]) => what);
  expect(kept.filter((what) => what?.startsWith('/npm/') !== true)).toEqual(['/*.ndjson']);
});

it('the pipelines let only one job at a time use the players', () => {
  const { croupier } = parse(read('ci/gitlab.yml')) as { croupier: { resource_group?: string } };
  expect(croupier.resource_group).toBe('croupier');
  expect(read('ci/Jenkinsfile')).toMatch(/options \{\n\s+disableConcurrentBuilds\(\)\n\s+lock\('croupier'\)/);
  // An action cannot limit the jobs that use it, so the workflows of the page do.
  const workflows = [...read('docs/ci.md').matchAll(/```yaml\n([\s\S]*?)```/g)].map(([, text = '']) => text);
  const ofAction = workflows.filter((text) => text.includes('uses: <OWNER>/croupier@'));
  expect(ofAction.map((text) => /\bconcurrency: /.test(text))).toEqual([true, true, true]);
});

it('the pipelines require the same rules, which every operator can be tested for', () => {
  const action = parse(read('action.yml')) as Action;
  const gitlab = parse(read('ci/gitlab.yml')) as { croupier: { variables: Record<string, string> } };
  const jenkins = /CROUPIER_REQUIRE = '([^']*)'/.exec(read('ci/Jenkinsfile'))?.[1];
  const value = gitlab.croupier.variables.CROUPIER_REQUIRE ?? '';
  expect([action.inputs.require?.default, jenkins]).toEqual([value, value]);
  expect(read('action.yml')).toContain('CROUPIER_REQUIRE: ${{ inputs.require }}');
  const names = value.split(',');
  expect(() => refuseUnknownRules({ require: names }, { env: {} })).not.toThrow();
  expect(names).toEqual(expect.arrayContaining(['idempotency', 'refund']));
});

describe('action.yml', () => {
  const action = parse(read('action.yml')) as Action;
  const script = scriptOf('action.yml');

  it('is a composite action. Each input has a description, is used, and reaches a shell only through the environment', () => {
    expect(action.runs.using).toBe('composite');
    expect(action.inputs.version?.default).toBe(version);
    const used = new Set([...read('action.yml').matchAll(/\$\{\{ inputs\.([a-z-]+) \}\}/g)].map(([, name]) => name));
    expect(used).toEqual(new Set(Object.keys(action.inputs)));
    for (const { description } of Object.values(action.inputs)) expect(description).toMatch(/\.$/);
    for (const { run, uses, shell } of action.runs.steps) {
      if (run === undefined) expect(uses).toMatch(/^actions\/[a-z-]+@v\d+$/);
      else expect([shell, run.includes('${{')]).toEqual(['bash', false]);
    }
  });

  it('runs, writes its reports and the summary, and ends with the status of the run', async () => {
    const github = { GITHUB_ACTIONS: 'true', GITHUB_WORKSPACE: cwd, GITHUB_STEP_SUMMARY: path.join(cwd, 'summary.md') };
    const later = { GITHUB_PATH: path.join(cwd, 'path'), GITHUB_ENV: path.join(cwd, 'env') };
    const env = { ...github, ...later, VERSION: version };
    const { status, out } = await shell(script, { ...env, ARGS: JUDGED });
    expect([status, out]).toEqual([0, expect.stringMatching(/^CONFORMING: demo-eu/)]);
    expect(readdirSync(path.join(cwd, 'croupier-report')).sort()).toEqual(['junit-demo-eu.xml', 'report-demo-eu.json']);
    expect(readFileSync(path.join(cwd, 'summary.md'), 'utf8')).toContain('CONFORMING: demo-eu');
    // The later steps of the job keep their Node.
    expect(Object.values(later).filter((file) => existsSync(file))).toEqual([]);
    const failing = await shell(script, {
      ...env,
      ARGS: '--reference idempotency.bet --linger 10ms --defect replayed-bet-charged',
    });
    expect(failing.status).toBe(1);
  });

  it.runIf(process.platform === 'linux')(
    'gives croupier a Node of its own if the Node of the job is too old',
    async () => {
      useOldNode(cwd);
      const { status, out } = await shell(script, { VERSION: version, ARGS: JUDGED });
      expect([status, out]).toEqual([0, expect.stringMatching(/^CONFORMING: demo-eu/)]);
    },
  );

  it('reads its input as words, and never as a command', async () => {
    const { status, err } = await shell(script, { VERSION: version, ARGS: '$(touch owned) ; touch owned * --list' });
    expect(status).toBe(2);
    expect(err).not.toBe('');
    expect(readdirSync(cwd)).toEqual(['bin']);
  });
});

describe('ci/gitlab.yml', () => {
  it('runs, and gives GitLab the paths of the reports', async () => {
    const { croupier } = parse(read('ci/gitlab.yml')) as {
      croupier: { artifacts: { when: string; reports: { junit: string } } };
    };
    const { status } = await shell(scriptOf('ci/gitlab.yml'), { CROUPIER_ARGS: JUDGED });
    expect(status).toBe(0);
    expect(croupier.artifacts.when).toBe('always');
    expect(croupier.artifacts.reports.junit).toBe('croupier-report/junit-*.xml');
    expect(readdirSync(path.join(cwd, 'croupier-report'))).toContain('junit-demo-eu.xml');
  });
});

describe('ci/Jenkinsfile', () => {
  it('runs, and gives Jenkins the paths of the reports', async () => {
    const text = read('ci/Jenkinsfile');
    // Jenkins starts containers with the id of its user, which often has no home folder there.
    expect((await shell(`${scriptOf('ci/Jenkinsfile')} ${JUDGED}`, { HOME: '/dev/null' })).status).toBe(0);
    expect(text).toContain("junit 'croupier-report/junit-*.xml'");
    expect(readdirSync(path.join(cwd, 'croupier-report'))).toContain('junit-demo-eu.xml');
  });
});

/** The number of bets after which the job is cancelled. */
const BETS = 10;

/** The signals with which each CI cancels a job, and its pauses in ms before the next signal. */
const CANCELS = [
  [
    'action.yml',
    [
      ['SIGINT', 7500],
      ['SIGTERM', 2500],
      ['SIGKILL', 0],
    ],
  ],
  [
    'ci/gitlab.yml',
    [
      ['SIGTERM', 10_000],
      ['SIGKILL', 0],
    ],
  ],
  [
    'ci/Jenkinsfile',
    [
      ['SIGTERM', 5000],
      ['SIGKILL', 0],
    ],
  ],
] as const;

describe('a cancelled pipeline', () => {
  it.each(CANCELS)(
    'of %s leaves nothing owed, and has its reports',
    async (file, signals) => {
      const operator = await operatorServer(async (_called, tell) => {
        await sleep(20);
        return tell();
      });
      const flags = ['--base-url', operator.url, '--ext-cid', 'acme', '--session', `${P1.sessionID},currency=USD`];
      const summary = path.join(cwd, 'summary.md');
      writeFileSync(summary, 'of an earlier step\n');
      const env = {
        CROUPIER_KEY: KEY,
        VERSION: version,
        ARGS: flags.join(' '),
        CROUPIER_ARGS: flags.join(' '),
        ...(file === 'action.yml' && { GITHUB_ACTIONS: 'true', GITHUB_STEP_SUMMARY: summary }),
      };
      const script = file === 'ci/Jenkinsfile' ? `${scriptOf(file)} ${flags.join(' ')}` : scriptOf(file);
      const child = start(script, env);
      const over = ended(child);
      while (operator.calls.filter(({ call }) => call === 'bet').length < BETS) await sleep(20);
      for (const [signal, pauseMs] of signals) {
        child.kill(signal);
        if (await Promise.race([over.then(() => true), sleep(pauseMs, false)])) break;
      }
      const { status, out } = await over;
      expect([status, out]).toEqual([signals[0][0] === 'SIGINT' ? 130 : 143, expect.stringContaining('interrupted')]);
      expect(readdirSync(path.join(cwd, 'croupier-report')).sort()).toEqual(['junit-acme.xml', 'report-acme.json']);
      // The report that croupier writes at the first signal is replaced at the end of the run.
      const report = JSON.parse(readFileSync(path.join(cwd, 'croupier-report/report-acme.json'), 'utf8'));
      expect(report).toMatchObject({ ended: 'interrupted', owed: [] });
      expect(report.firstLine).not.toContain('When this report was written');
      const shown = readFileSync(summary, 'utf8');
      expect(shown).toMatch(/^of an earlier step\n/);
      expect(shown).not.toContain('When this report was written');
      expect(shown.match(/^## .*UNDECIDED: the run against acme was interrupted/gm)?.length ?? 0).toBe(
        file === 'action.yml' ? 1 : 0,
      );
      const [journal = ''] = readdirSync(path.join(cwd, '.croupier')).filter((name) => name.endsWith('.ndjson'));
      const settled = await croupier(['settle', path.join('.croupier', journal), ...flags], {
        cwd,
        env: { CROUPIER_KEY: KEY },
      });
      expect([settled.status, settled.out]).toEqual([0, expect.stringMatching(/nothing/i)]);
    },
    60_000,
  );
});

describe('a pipeline that is cancelled, and killed before the wallet has answered again', () => {
  it.each(['action.yml', 'ci/gitlab.yml', 'ci/Jenkinsfile'] as const)(
    'of %s has whole reports, which say that the run was interrupted',
    async (file) => {
      const { promise: killed, resolve: answerAgain } = Promise.withResolvers<void>();
      let isSlow = false;
      const operator = await operatorServer(async (_called, tell) => {
        await (isSlow ? killed : sleep(20));
        return tell();
      });
      const flags = `--base-url ${operator.url} --ext-cid acme --session ${P1.sessionID},currency=USD`;
      const summary = path.join(cwd, 'summary.md');
      const github = { GITHUB_ACTIONS: 'true', GITHUB_STEP_SUMMARY: summary };
      const env = {
        CROUPIER_KEY: KEY,
        VERSION: version,
        ARGS: flags,
        CROUPIER_ARGS: flags,
        ...(file === 'action.yml' && github),
      };
      const child = start(file === 'ci/Jenkinsfile' ? `${scriptOf(file)} ${flags}` : scriptOf(file), env);
      const over = ended(child);
      while (operator.calls.filter(({ call }) => call === 'bet').length < BETS) await sleep(20);
      isSlow = true;
      child.kill(file === 'action.yml' ? 'SIGINT' : 'SIGTERM');
      const reports = ['junit-acme.xml', 'report-acme.json'].map((name) => path.join(cwd, 'croupier-report', name));
      await Promise.race([
        over,
        vi.waitUntil(
          () =>
            reports.every((report) => existsSync(report)) &&
            (file !== 'action.yml' || (statSync(summary, { throwIfNoEntry: false })?.size ?? 0) > 0),
          { timeout: 30_000, interval: 20 },
        ),
      ]);
      child.kill('SIGKILL');
      expect((await over).status).toBe(null);
      answerAgain();
      const [junit = '', json = ''] = reports.map((report) => readFileSync(report, 'utf8'));
      expect(readdirSync(path.join(cwd, 'croupier-report')).sort()).toEqual(['junit-acme.xml', 'report-acme.json']);
      const firstLine =
        'UNDECIDED: the run against acme was interrupted. When this report was written, croupier had not yet completed the open rounds and restored the balances. It is not known what is still owed.';
      if (file === 'action.yml') expect(readFileSync(summary, 'utf8')).toContain('When this report was written');
      expect(JSON.parse(json)).toMatchObject({
        verdict: 'undecided',
        exitCode: file === 'action.yml' ? 130 : 143,
        firstLine,
        interrupted: true,
      });
      expect(junit).toMatch(/<error [^>]*message="UNDECIDED: the run against acme was interrupted\./);
      expect(junit).toMatch(/<\/testsuites>\n$/);
      const [journal = ''] = readdirSync(path.join(cwd, '.croupier')).filter((name) => name.endsWith('.ndjson'));
      const settled = await croupier(['settle', path.join('.croupier', journal), ...flags.split(' ')], {
        cwd,
        env: { CROUPIER_KEY: KEY },
      });
      expect([settled.status, settled.out]).toEqual([0, expect.stringMatching(/nothing is owed/i)]);
    },
    60_000,
  );
});
