import { type ChildProcess, spawn } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { croupier, PTY } from '../../croupier.ts';

const ROOT = path.resolve(import.meta.dirname, '../../../..');
const COMMAND = ['run', '--reference', 'ours/', '--watch', '--linger', '20ms'];

let cwd = '';
let child: ChildProcess | undefined;
beforeEach(() => {
  cwd = mkdtempSync(path.join(tmpdir(), 'croupier-'));
  mkdirSync(path.join(cwd, 'ours'));
  write('croupier.yaml', 'scenarios: [./ours]\n');
  write('ours/one.yaml', 'title: One\nrules: [bet.debit]\nsteps: [{ bet: }, { balance: }]\n');
  write('ours/two.yaml', 'title: Two\nrules: [win.credit]\nsteps: [{ use: play.yaml }, { balance: }]\n');
  write('ours/play.yaml', 'fragment: A round\nsteps: [{ bet: }, { win: }]\n');
});
afterEach(() => {
  child?.kill('SIGKILL');
  child = undefined;
  rmSync(cwd, { recursive: true, force: true });
});

function write(name: string, text: string): void {
  writeFileSync(path.join(cwd, name), text);
}

const { PATH, HOME } = process.env;
const WORDS = [process.execPath, path.join(ROOT, 'bin/croupier.js'), ...COMMAND];

/** Joins both streams, so that the output keeps its order. */
function watching(): ChildProcess {
  return spawn('sh', ['-c', 'exec "$0" "$@" 2>&1', ...WORDS], { cwd, env: { PATH, HOME } });
}

/** The output of a process, which is read piece by piece. */
function listenTo(process: ChildProcess) {
  let said = '';
  let wake: () => void = () => {};
  for (const stream of [process.stdout, process.stderr]) {
    stream?.setEncoding('utf8').on('data', (text: string) => {
      said += text;
      wake();
    });
  }
  const ended = new Promise<number | null>((resolve) => {
    process.on('close', (status) => {
      resolve(status);
      wake();
    });
  });
  return {
    ended,
    /** Waits for a text. @returns the output up to its end, which is removed */
    until: async (text: string): Promise<string> => {
      while (!said.includes(text)) {
        if (process.exitCode !== null) throw new Error(`it ended before it said ${text}: ${said}`);
        await new Promise<void>((resolve) => {
          wake = resolve;
        });
      }
      const at = said.indexOf(text) + text.length;
      const before = said.slice(0, at);
      said = said.slice(at);
      return before;
    },
  };
}

const WAITING = 'Waiting until one';

describe('croupier run --watch', () => {
  it('repeats only the scenarios that use a changed file', async () => {
    child = watching();
    const { until, ended } = listenTo(child);
    expect(await until(WAITING)).toContain('2 scenarios, ');
    write('ours/one.yaml', 'title: One\nrules: [bet.debit]\nsteps: [{ bet: }, { bet: }, { balance: }]\n');
    expect(await until(WAITING)).toMatch(/Changed: ours\/one\.yaml\nRunning one scenario …\n[\s\S]*\n {2}1 scenario, /);
    write('ours/play.yaml', 'fragment: A round\nsteps: [{ bet: }, { win: }, { win: }]\n');
    expect(await until(WAITING)).toMatch(
      /Changed: ours\/play\.yaml\nRunning one scenario …\n[\s\S]*\n {2}1 scenario, /,
    );
    write(
      'ours/three.yaml',
      'title: Three\nrules: [refund.restore]\nsteps: [{ bet: , as: b }, { refund: { of: b } }, { balance: }]\n',
    );
    expect(await until(WAITING)).toMatch(/Changed: ours\/three\.yaml\n[\s\S]*\n {2}1 scenario, /);
    write('croupier.yaml', 'scenarios: [./ours]\nstakes: { USD: "3.00" }\n');
    expect(await until(WAITING)).toMatch(/Changed: croupier\.yaml\n[\s\S]*3 scenarios, /);
    child.kill('SIGINT');
    expect(await ended).toBe(0);
    expect(readdirSync(path.join(cwd, '.croupier')).filter((name) => name.endsWith('.ndjson'))).toHaveLength(5);
  });

  it('prints what changed and what fails, in at most one screen', async () => {
    child = watching();
    const { until } = listenTo(child);
    await until(WAITING);
    write('ours/one.yaml', 'title: One\nsteps:\n  - bet:\n    expect: declined\n  - balance:\n');
    const failing = await until(WAITING);
    expect(failing).toContain('  ✗ one now fails\n  1. expectation  ours/one.yaml:3');
    expect(failing.trim().split('\n').length).toBeLessThanOrEqual(24);
    write('ours/one.yaml', 'title: One\nrules: [bet.debit]\nsteps: [{ bet: }, { balance: }]\n');
    expect(await until(WAITING)).toContain('  ✓ one now passes\n');
  });

  it('waits after a mistake in a changed file, and continues when it is fixed', async () => {
    child = watching();
    const { until, ended } = listenTo(child);
    await until(WAITING);
    write('ours/one.yaml', 'title: [\n');
    expect(await until('Waiting for a fix')).toContain('ours/one.yaml:1:9');
    write('ours/one.yaml', 'title: One\nrules: [bet.debit]\nsteps: [{ bet: }, { balance: }]\n');
    await until(WAITING);
    write('croupier.yaml', 'scenarioz: [./ours]\n');
    expect(await until('Waiting for a fix')).toContain('croupier.yaml:1');
    write('croupier.yaml', 'scenarios: [./ours]\n');
    expect(await until(WAITING)).toContain('2 scenarios, ');
    child.kill('SIGTERM');
    expect(await ended).toBe(0);
  });

  it('notices a file that an editor saves by renaming another one', async () => {
    child = watching();
    const { until } = listenTo(child);
    await until(WAITING);
    for (const bets of ['{ bet: }, { bet: }', '{ bet: }']) {
      write('ours/.one.yaml.swp', `title: One\nrules: [bet.debit]\nsteps: [${bets}, { balance: }]\n`);
      renameSync(path.join(cwd, 'ours/.one.yaml.swp'), path.join(cwd, 'ours/one.yaml'));
      expect(await until(WAITING)).toContain('Changed: ours/one.yaml\nRunning one scenario');
    }
    // The old file is renamed first, like in vim with backups.
    renameSync(path.join(cwd, 'croupier.yaml'), path.join(cwd, 'croupier.yaml~'));
    write('croupier.yaml', 'scenarios: [./ours]\nstakes: { USD: "3.00" }\n');
    expect(await until(WAITING)).toMatch(/Changed: croupier\.yaml\n[\s\S]*2 scenarios, /);
  });

  it('notices files and folders that appear, are removed, and come back', async () => {
    rmSync(path.join(cwd, 'croupier.yaml'));
    child = watching();
    const { until } = listenTo(child);
    await until(WAITING);
    write('croupier.yaml', 'stakes: { USD: "3.00" }\n');
    expect(await until(WAITING)).toContain('Changed: croupier.yaml\n');
    mkdirSync(path.join(cwd, 'ours/new/deep'), { recursive: true });
    const three = 'title: Three\nrules: [bet.debit]\nsteps: [{ bet: }, { balance: }]\n';
    write('ours/new/deep/three.yaml', three);
    expect(await until(WAITING)).toContain('Changed: ours/new/deep/three.yaml\nRunning one scenario');
    renameSync(path.join(cwd, 'ours/new'), path.join(cwd, 'away'));
    await until('ours/new/deep/three.yaml: no selected scenario uses it');
    renameSync(path.join(cwd, 'away'), path.join(cwd, 'ours/new'));
    expect(await until(WAITING)).toContain('Changed: ours/new/deep/three.yaml\nRunning one scenario');
    write('ours/new/deep/three.yaml', three.replace('Three', 'Four'));
    expect(await until(WAITING)).toContain('Changed: ours/new/deep/three.yaml\nRunning one scenario');
    // A file that cannot be a scenario is ignored, so the next noticed change is another one.
    mkdirSync(path.join(cwd, 'ours/node_modules'));
    for (const name of ['ours/notes.md', 'ours/.hidden.yaml', 'ours/node_modules/x.yaml', 'other.yaml'])
      write(name, three);
    await sleep(500);
    write('ours/one.yaml', three);
    expect(await until(WAITING)).toContain('Changed: ours/one.yaml\nRunning one scenario');
  });

  it('follows the keys on a terminal', async () => {
    const command = [...WORDS, '--defect', 'bet-free-of-charge'].join(' ');
    child = spawn('sh', ['-c', `exec ${PTY} -qec "$0" /dev/null`, command], {
      cwd,
      env: { PATH, HOME, TERM: 'xterm' },
    });
    const { until, ended } = listenTo(child);
    const press = (keys: string) => child?.stdin?.write(keys);
    await until('q: quit');
    press('f');
    expect(await until('q: quit')).toContain('2 scenarios');
    press('pTwx\u007Fo\r');
    expect(await until('q: quit')).toMatch(
      /Running one scenario[\s\S]*Only scenarios with "Two" in their id or title run/,
    );
    press('\r');
    expect(await until('q: quit')).toContain('Running one scenario');
    press('pnone of them\r');
    expect(await until('q: quit')).toContain('No selected scenario matches');
    press('a');
    expect(await until('q: quit')).toContain('2 scenarios, ');
    press('q');
    expect(await ended).toBe(1);
  });

  it('ends at a signal that arrives while a run prints its report', async () => {
    child = watching();
    const { until, ended } = listenTo(child);
    await until('CONFORMING');
    child.kill('SIGTERM');
    // 143: the signal came before the run had its result.
    expect([0, 143]).toContain(await ended);
  });

  it('is refused with flags that need one complete run', async () => {
    const { status, err } = await croupier([...COMMAND, '--json', '--shard', '1/2'], { cwd });
    expect(status).toBe(2);
    expect(err).toContain('--watch repeats the run, and cannot be combined with --json, --shard');
  });
});
