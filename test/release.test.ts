import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { parse } from 'yaml';
import { TARGETS } from '../scripts/node-base.ts';

const ROOT = path.resolve(import.meta.dirname, '..');
const { scripts, version, repository } = JSON.parse(readFileSync(path.join(ROOT, 'package.json'), 'utf8')) as {
  readonly scripts: Readonly<Record<string, string>>;
  readonly version: string;
  readonly repository: { readonly url: string };
};

interface Job {
  readonly needs?: string | readonly string[];
  readonly permissions: Readonly<Record<string, string>>;
  readonly strategy?: { readonly matrix: { readonly include: readonly Readonly<Record<string, string>>[] } };
  readonly steps: readonly { readonly name?: string; readonly uses?: string; readonly run?: string }[];
}

const workflow = parse(readFileSync(path.join(ROOT, '.github/workflows/release.yml'), 'utf8')) as {
  readonly permissions: object;
  readonly jobs: Readonly<Record<string, Job>>;
};
const jobs = Object.entries(workflow.jobs);

/** Runs the first check of the workflow as GitHub does. */
function check(tag: string, ofRepository: string, cwd = ROOT) {
  const script = workflow.jobs.check?.steps.find(({ name }) => name?.startsWith('compare'))?.run ?? 'exit 99';
  const { PATH, HOME } = process.env;
  const env = {
    PATH,
    HOME,
    GITHUB_REF_NAME: tag,
    GITHUB_SERVER_URL: 'https://github.com',
    GITHUB_REPOSITORY: ofRepository,
  };
  const { status, stdout } = spawnSync('bash', ['-e', '-c', script], { cwd, env, encoding: 'utf8' });
  return { status, stdout };
}

describe('the workflow of a release', () => {
  const own = /github\.com\/(.*)\.git$/.exec(repository.url)?.[1] ?? '';

  it('refuses a tag or a repository that package.json does not have', () => {
    expect(check(`v${version}`, own)).toEqual({ status: 0, stdout: '' });
    expect(check('v99.0.0', own)).toMatchObject({ status: 1, stdout: expect.stringContaining('The tag is v99.0.0') });
    expect(check(`v${version}`, 'acme/fork')).toMatchObject({
      status: 1,
      stdout: expect.stringContaining('repository.url must be git+https://github.com/acme/fork.git'),
    });
  });

  it('refuses documentation that still has a placeholder in place of the owner', () => {
    const cwd = mkdtempSync(path.join(tmpdir(), 'croupier-'));
    onTestFinished(() => rmSync(cwd, { recursive: true }));
    const url = 'git+https://github.com/acme/croupier.git';
    writeFileSync(path.join(cwd, 'package.json'), JSON.stringify({ version, repository: { url } }));
    mkdirSync(path.join(cwd, 'docs'));
    writeFileSync(path.join(cwd, 'docs/ci.md'), '- uses: <OWNER>/croupier@v0.1.0\n');
    const refused = check(`v${version}`, 'acme/croupier', cwd);
    expect(refused).toMatchObject({
      status: 1,
      stdout: expect.stringContaining('docs/ci.md:1:<OWNER>/croupier@v0.1.0'),
    });
    writeFileSync(path.join(cwd, 'docs/ci.md'), '- uses: acme/croupier@v0.1.0\n');
    expect(check(`v${version}`, 'acme/croupier', cwd)).toEqual({ status: 0, stdout: '' });
  });

  it('publishes nothing before all checks of the pipeline have passed', () => {
    expect(workflow.jobs.check?.steps.at(-1)?.run).toBe('.ci/run');
    const before = (name: string): readonly string[] => {
      const needs = [workflow.jobs[name]?.needs ?? []].flat();
      return [...needs, ...needs.flatMap(before)];
    };
    for (const [name] of jobs) if (name !== 'check') expect(before(name), name).toContain('check');
  });

  it('attests the package, the executables and the images, and publishes with provenance', () => {
    expect(workflow.permissions).toEqual({});
    for (const name of ['package', 'executables', 'images']) {
      const { permissions, steps } = workflow.jobs[name] ?? { permissions: {}, steps: [] };
      expect(permissions, name).toMatchObject({ contents: 'read', 'id-token': 'write', attestations: 'write' });
      expect(
        steps.map(({ uses }) => uses),
        name,
      ).toContain('actions/attest-build-provenance@v2');
    }
    const commands = jobs.flatMap(([, { steps }]) => steps.flatMap(({ run }) => run ?? []));
    expect(commands.filter((one) => one.startsWith('npm publish'))).toEqual([
      expect.stringContaining(' --provenance '),
    ]);
    const called = commands.flatMap((one) => [...one.matchAll(/npm run ([\w:-]+)/g)].map(([, name = '']) => name));
    expect(called.filter((name) => scripts[name] === undefined)).toEqual([]);
  });

  it('builds an executable for each target', () => {
    const built = workflow.jobs.executables?.strategy?.matrix.include.map(({ target }) => target);
    expect(built).toEqual(Object.keys(TARGETS));
  });
});
