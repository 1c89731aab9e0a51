import { spawn } from 'node:child_process';
import { chmodSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { ended } from './cli/croupier.ts';

const ROOT = path.resolve(import.meta.dirname, '..');
const read = (file: string) => readFileSync(path.join(ROOT, file), 'utf8');
const { version } = JSON.parse(read('package.json')) as { version: string };

let cwd = '';
beforeEach(() => {
  cwd = mkdtempSync(path.join(tmpdir(), 'croupier-'));
  // The package of the registry is replaced by the one that was built here.
  mkdirSync(path.join(cwd, 'bin'));
  const npx = `#!/bin/sh\n[ "$1" = --yes ] && [ "$2" = croupier-conformance@${version} ] || exit 99\nshift 2\nexec '${process.execPath}' '${ROOT}/bin/croupier.js' "$@"\n`;
  writeFileSync(path.join(cwd, 'bin/npx'), npx);
  chmodSync(path.join(cwd, 'bin/npx'), 0o755);
});
afterEach(() => rmSync(cwd, { recursive: true, force: true }));

/** Runs a script like a runner: with `bash -e`, and with our npx first in the PATH. */
function shell(script: string, env: Readonly<Record<string, string>>) {
  const { PATH = '', HOME = '' } = process.env;
  const all = { PATH: `${path.join(cwd, 'bin')}:${PATH}`, HOME, ...env };
  return ended(spawn('bash', ['--noprofile', '--norc', '-eo', 'pipefail', '-c', script], { cwd, env: all }));
}

const JUDGED = '--reference balance/read --linger 10ms';

interface Action {
  readonly inputs: Readonly<Record<string, { readonly description: string; readonly default: string }>>;
  readonly runs: {
    readonly using: string;
    readonly steps: readonly { readonly run?: string; readonly uses?: string; readonly shell?: string }[];
  };
}

it.each(['action.yml', 'ci/gitlab.yml', 'ci/Jenkinsfile'])('%s keeps only the journals of .croupier', (file) => {
  const kept = [...read(file).matchAll(/\.croupier(\/[^ ',\]\n]*)?(?=['\n,\]])/g)].map(([, what]) => what);
  expect(kept).toEqual(['/*.ndjson']);
});

describe('action.yml', () => {
  const action = parse(read('action.yml')) as Action;
  const script = action.runs.steps.find(({ run }) => run !== undefined)?.run ?? '';

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
    const env = { ...github, VERSION: version };
    const { status, out } = await shell(script, { ...env, ARGS: JUDGED });
    expect([status, out]).toEqual([0, expect.stringContaining('\nCONFORMING: demo-eu')]);
    expect(readdirSync(path.join(cwd, 'croupier-report')).sort()).toEqual(['junit-demo-eu.xml', 'report-demo-eu.json']);
    expect(readFileSync(path.join(cwd, 'summary.md'), 'utf8')).toContain('CONFORMING: demo-eu');
    const failing = await shell(script, {
      ...env,
      ARGS: '--reference idempotency.bet --linger 10ms --defect replayed-bet-charged',
    });
    expect(failing.status).toBe(1);
  });

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
      croupier: { script: string[]; artifacts: { when: string; reports: { junit: string } } };
    };
    const { status } = await shell(croupier.script.join('\n'), { CROUPIER_ARGS: JUDGED });
    expect(status).toBe(0);
    expect(croupier.artifacts.when).toBe('always');
    expect(croupier.artifacts.reports.junit).toBe('croupier-report/junit-*.xml');
    expect(readdirSync(path.join(cwd, 'croupier-report'))).toContain('junit-demo-eu.xml');
  });
});

describe('ci/Jenkinsfile', () => {
  it('runs, and gives Jenkins the paths of the reports', async () => {
    const text = read('ci/Jenkinsfile');
    const script = /sh "(.*)"/.exec(text)?.[1] ?? 'exit 98';
    expect((await shell(`${script} ${JUDGED}`, {})).status).toBe(0);
    expect(text).toContain("junit 'croupier-report/junit-*.xml'");
    expect(readdirSync(path.join(cwd, 'croupier-report'))).toContain('junit-demo-eu.xml');
  });
});
