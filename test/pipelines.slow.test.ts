import { cpSync, existsSync, globSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import { parse } from 'yaml';
import { croupier, ended, line, start as startCroupier } from './cli/croupier.ts';
import { commandsIn } from './cli/log-readers.ts';
import { KEY, operatorServer, P1 } from './engine/operator-server.ts';
import {
  type Action,
  type Pipeline,
  prepareRunner,
  ROOT,
  read,
  scriptsOf,
  startStep,
  version,
} from './pipeline-runner.ts';

type Words = Readonly<Record<string, string>>;

interface Step {
  readonly uses: string;
  readonly with?: Words;
}

interface Workflow {
  readonly jobs: {
    readonly shard: {
      readonly strategy: { readonly matrix: { readonly part: readonly number[] } };
      readonly steps: readonly Step[];
    };
    readonly report: { readonly needs: string; readonly if: string; readonly steps: readonly Step[] };
  };
}

const page = readFileSync(path.join(ROOT, 'docs/ci.md'), 'utf8');
const [, text = ''] = /### Shards as a matrix\n[\s\S]*?```yaml\n([\s\S]*?)```/.exec(page) ?? [];
const { jobs } = parse(text) as Workflow;
const action = parse(readFileSync(path.join(ROOT, 'action.yml'), 'utf8')) as Action;

/** Replaces the expressions of a workflow, as GitHub does before a step begins. */
function filled(words: Readonly<Record<string, unknown>>, values: Words): Words {
  const replaced = (value: string) =>
    value.replace(/\$\{\{ ([a-z._-]+) \}\}/g, (_, name: string) => values[name] ?? '?');
  return Object.fromEntries(Object.entries(words).map(([name, value]) => [name, replaced(String(value))]));
}

let root = '';
beforeEach(() => {
  root = mkdtempSync(path.join(tmpdir(), 'croupier-'));
});
afterEach(() => rmSync(root, { recursive: true, force: true }));

/** Plays a job: the steps of the action in a folder of its own, with artifacts in a folder that all jobs share. */
async function play(name: string, steps: readonly Step[], values: Words, selection = '') {
  const cwd = path.join(root, name);
  prepareRunner(cwd);
  cpSync(path.join(root, 'croupier.yaml'), path.join(cwd, 'croupier.yaml'));
  cpSync(path.join(root, '.croupier'), path.join(cwd, '.croupier'), { recursive: true });
  const download = steps.find(({ uses }) => uses.startsWith('actions/download-artifact@'))?.with;
  if (download) {
    expect(download.pattern).toBe('shard-*');
    cpSync(path.join(root, 'artifacts'), path.join(cwd, download.path ?? ''), { recursive: true });
  }
  const own = steps.find(({ uses }) => uses.startsWith('<OWNER>/croupier@'))?.with ?? {};
  const defaults = Object.fromEntries(
    Object.entries(action.inputs).map(([input, { default: value }]) => [input, value]),
  );
  const inputs = { ...defaults, ...filled(own, values) };
  const inside = Object.fromEntries(Object.entries(inputs).map(([input, value]) => [`inputs.${input}`, value]));
  const [script] = action.runs.steps;
  const upload = action.runs.steps.find(({ uses }) => uses?.startsWith('actions/upload-artifact@'));
  const { ARGS = '', ...env } = filled(script?.env ?? {}, inside);
  const github = {
    GITHUB_ACTIONS: 'true',
    GITHUB_WORKSPACE: cwd,
    GITHUB_STEP_SUMMARY: path.join(cwd, 'summary.md'),
    CROUPIER_CLIENT: 'demo-eu',
  };
  const result = await ended(
    startStep(script?.run ?? '', cwd, { ...github, ...env, ARGS: `${ARGS} ${selection}`.trim() }),
  );
  const artifact = path.join(root, 'artifacts', inputs.artifact ?? '');
  for (const pattern of filled(upload?.with ?? {}, inside)
    .path?.trim()
    .split(/\s+/) ?? []) {
    for (const found of globSync(pattern, { cwd })) {
      mkdirSync(path.dirname(path.join(artifact, found)), { recursive: true });
      cpSync(path.join(cwd, found), path.join(artifact, found), { recursive: true });
    }
  }
  return { ...result, cwd };
}

describe('the matrix of shards in docs/ci.md, played with the steps of action.yml', () => {
  /** Starts an operator with a defect, and writes its configuration for the jobs. */
  async function operator(defect: readonly string[]): Promise<void> {
    const child = startCroupier(['serve', 'operator', '--write-config', 'croupier.yaml', ...defect], { cwd: root });
    onTestFinished(() => void child.kill('SIGKILL'));
    await line(child, 'operator ');
  }

  const shard = (part: number) =>
    play(
      `job-${part}`,
      jobs.shard.steps,
      { 'matrix.part': String(part), 'github.run_id': '4711' },
      'bet balance idempotency/bet --linger 10ms',
    );

  it('joins the shards, and annotates the findings of the whole run once', async () => {
    await operator(['--defect', 'replayed-bet-charged']);
    const shards = await Promise.all(jobs.shard.strategy.matrix.part.map(shard));
    const REPORTS = /^(The (junit|json) report: .*\n)*$/;
    expect(shards.map(({ status, err }) => [status === 0 || status === 1, REPORTS.test(err)])).toEqual(
      shards.map(() => [true, true]),
    );
    expect(shards.filter(({ status }) => status === 1)).not.toEqual([]);
    expect(shards.flatMap(({ out }) => commandsIn(out))).toEqual([]);
    const whole = await play('report', jobs.report.steps, {});
    const [joined = '', ...reports] = whole.err.split(/(?<=\n)/);
    expect([whole.status, joined, REPORTS.test(reports.join(''))]).toEqual([
      1,
      'The journal of all shards: croupier-report/merged.ndjson\n',
      true,
    ]);
    expect(whole.out).toMatch(/^NOT CONFORMING: demo-eu breaks/);
    const commands = commandsIn(whole.out);
    expect(commands[0]).toMatch(
      /^::error file=node_modules\/croupier-conformance\/scenarios\/idempotency\/bet\.yaml,line=\d+,col=\d+,title=demo-eu breaks idempotency\.bet::/,
    );
    expect(readFileSync(path.join(whole.cwd, 'summary.md'), 'utf8')).toMatch(/^## ❌ NOT CONFORMING: demo-eu/);
    const artifact = path.join(root, 'artifacts', 'croupier-report', 'croupier-report');
    for (const name of ['junit-demo-eu.xml', 'report-demo-eu.json', 'merged.ndjson'])
      expect([name, existsSync(path.join(artifact, name))]).toEqual([name, true]);
  }, 60_000);

  it('is undecided if a shard is missing, and says so in an annotation', async () => {
    await operator([]);
    await Promise.all([shard(1), shard(2)]);
    const whole = await play('report', jobs.report.steps, {});
    expect(whole.status).toBe(3);
    expect(commandsIn(whole.out)).toEqual([
      expect.stringMatching(/^::error title=UNDECIDED%3A a shard is missing::.*3\/3/),
    ]);
  }, 60_000);

  it('uses this version of the action, and reports also after a failed shard', () => {
    expect(text.match(/<OWNER>\/croupier@v[^\s]+/g)).toEqual([
      `<OWNER>/croupier@v${version}`,
      `<OWNER>/croupier@v${version}`,
    ]);
    expect(jobs.report).toMatchObject({ needs: 'shard', if: '${{ !cancelled() }}' });
  });
});

describe('a pipeline whose croupier was killed', () => {
  const WHEN: readonly (readonly [Pipeline, RegExp])[] = [
    ['action.yml', /- if: \$\{\{ always\(\) \}\}\n\s+shell: bash/],
    ['ci/gitlab.yml', /after_script:/],
    ['ci/Jenkinsfile', /post \{[\s\S]*always \{\n\s+sh/],
  ];

  it.each(WHEN)(
    '(%s) settles in its next step what the run owes',
    async (file, when) => {
      expect(read(file)).toMatch(when);
      prepareRunner(root);
      const operator = await operatorServer(async (_called, tell) => {
        await sleep(20);
        return tell();
      });
      const flags = `--base-url ${operator.url} --ext-cid acme --session ${P1.sessionID},currency=USD --linger 10ms`;
      const [script = '', settling = ''] = scriptsOf(file);
      // The next step has only the environment of the job, and not the arguments of the run.
      const env = { CROUPIER_KEY: KEY, VERSION: version, JOB_STATUS: 'cancelled' };
      const before = await ended(startStep(settling, root, env));
      expect([before.status, before.out]).toEqual([0, '']);
      const child = startStep(file === 'ci/Jenkinsfile' ? `${script} ${flags}` : script, root, {
        ...env,
        ARGS: flags,
        CROUPIER_ARGS: flags,
      });
      const over = ended(child);
      while (operator.calls.filter(({ call }) => call === 'bet').length < 10) await sleep(20);
      child.kill('SIGKILL');
      await over;
      const [journal = ''] = readdirSync(path.join(root, '.croupier')).filter((name) => name.endsWith('.ndjson'));
      const owed = () =>
        croupier(['settle', path.join('.croupier', journal), '--dry-run'], { cwd: root, env: { CROUPIER_KEY: KEY } });
      expect((await owed()).status).toBe(3);
      const away = { ...env, CROUPIER_BASE_URL: 'http://127.0.0.1:1', JOB_STATUS: 'success' };
      const unsettled = await ended(startStep(settling, root, away));
      expect([unsettled.status, unsettled.out]).toEqual([
        0,
        expect.stringMatching(/^(::warning title=croupier::|WARNING: ).* may still owe calls or money\./m),
      ]);
      const settled = await ended(startStep(settling, root, env));
      expect([settled.status, settled.out]).toEqual([0, expect.stringMatching(/Nothing is owed any more\.\n$/)]);
      expect((await owed()).status).toBe(0);
    },
    60_000,
  );
});
