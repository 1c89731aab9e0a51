import { type ChildProcess, spawn } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { croupier } from './croupier.ts';

const ROOT = path.resolve(import.meta.dirname, '../..');
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

/** Gives a command a terminal of its own. */
const PTY = 'script';

/** Both streams in one, so that what is said comes in its order. */
function watching(): ChildProcess {
  return spawn('sh', ['-c', 'exec "$0" "$@" 2>&1', ...WORDS], { cwd, env: { PATH, HOME } });
}

/** What a process says, to be read piece by piece. */
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
    /** All that was said until this, which is taken away. */
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

const WAITING = 'Waiting for a change';

describe('--watch', () => {
  it('plays again what a change touches, and nothing else', async () => {
    child = watching();
    const { until, ended } = listenTo(child);
    expect(await until(WAITING)).toContain('2 scenarios, ');
    write('ours/one.yaml', 'title: One\nrules: [bet.debit]\nsteps: [{ bet: }, { bet: }, { balance: }]\n');
    expect(await until(WAITING)).toMatch(
      /Changed: ours\/one\.yaml\nPlaying one scenario …\n[\s\S]*selected: ours\/.*\n {2}1 scenario, /,
    );
    write('ours/play.yaml', 'fragment: A round\nsteps: [{ bet: }, { win: }, { win: }]\n');
    expect(await until(WAITING)).toMatch(/Changed: ours\/play\.yaml\nPlaying one scenario …\n[\s\S]*✓ credit/);
    write(
      'ours/three.yaml',
      'title: Three\nrules: [refund.restore]\nsteps: [{ bet: , as: b }, { refund: { of: b } }, { balance: }]\n',
    );
    expect(await until(WAITING)).toMatch(/Changed: ours\/three\.yaml\n[\s\S]*✓ restore/);
    write('croupier.yaml', 'scenarios: [./ours]\nstakes: { USD: "3.00" }\n');
    expect(await until(WAITING)).toMatch(/Changed: croupier\.yaml\n[\s\S]*3 scenarios, /);
    child.kill('SIGINT');
    expect(await ended).toBe(0);
    expect(readdirSync(path.join(cwd, '.croupier'))).toHaveLength(5);
  });

  it('waits where a change is a mistake, and goes on when it is mended', async () => {
    child = watching();
    const { until, ended } = listenTo(child);
    await until(WAITING);
    write('ours/one.yaml', 'title: [\n');
    expect(await until('Waiting until it is mended')).toContain('ours/one.yaml:1:9');
    write('ours/one.yaml', 'title: One\nrules: [bet.debit]\nsteps: [{ bet: }, { balance: }]\n');
    await until(WAITING);
    write('croupier.yaml', 'scenarioz: [./ours]\n');
    expect(await until('Waiting until it is mended')).toContain('croupier.yaml:1');
    write('croupier.yaml', 'scenarios: [./ours]\n');
    expect(await until(WAITING)).toContain('2 scenarios, ');
    child.kill('SIGTERM');
    expect(await ended).toBe(0);
  });

  it('does as keys ask on a terminal', async () => {
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
    expect(await until('q: quit')).toMatch(/Playing one scenario[\s\S]*Played is what has "Two"/);
    press('\r');
    expect(await until('q: quit')).toContain('Playing one scenario');
    press('pnone of them\r');
    expect(await until('q: quit')).toContain('Nothing of it is selected');
    press('a');
    expect(await until('q: quit')).toContain('2 scenarios, ');
    press('q');
    expect(await ended).toBe(1);
  });

  it('is refused where a run has to end', async () => {
    const { status, err } = await croupier([...COMMAND, '--json', '--shard', '1/2'], { cwd });
    expect(status).toBe(2);
    expect(err).toContain("--watch plays again and again, which --json, --shard can't");
  });
});
