import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { BIN, croupier, ended } from '../../croupier.ts';
import { demoOperator, relayTo } from '../../demo-operator.ts';

/** Runs a command in its own namespace of process ids, as a container does. */
const UNSHARE = ['unshare', '--user', '--map-root-user', '--pid', '--fork', '--kill-child', '--mount-proc'] as const;
const [PROGRAM, ...FLAGS] = UNSHARE;

let cwd = '';
beforeEach(() => {
  cwd = mkdtempSync(path.join(tmpdir(), 'croupier-'));
});
afterEach(() => rmSync(cwd, { recursive: true, force: true }));

/** Starts croupier in a container of its own, with its own home folder. */
function startInContainer(args: readonly string[], home: string): ChildProcess {
  const env = { PATH: process.env.PATH, HOME: path.join(cwd, home) };
  return spawn(PROGRAM, [...FLAGS, process.execPath, BIN, ...args], { cwd, env });
}

it.skipIf(spawnSync(PROGRAM, [...FLAGS, 'true']).status !== 0)(
  'settle sends nothing while a run in another container is active, and settles the run after it was killed',
  async () => {
    const operator = await demoOperator(cwd);
    const relay = await relayTo(operator.url);
    const before = operator.books();
    const flags = ['--base-url', relay.url, '--client', 'demo-eu', '--deadline', '120s'];
    writeFileSync(
      path.join(cwd, 'mine.yaml'),
      'title: Mine\nrules: [bet.debit]\nsteps:\n  - bet: { amount: "7.00" }\n',
    );
    const isBetSent = new Promise<void>((resolve) => {
      relay.decide(({ call }) => {
        if (call !== 'bet') return 'pass';
        resolve();
        return 'lose-reply';
      });
    });
    const run = startInContainer(['run', 'mine.yaml', '--journal', 'run.ndjson', ...flags], 'home-1');
    const over = ended(run);
    await isBetSent;
    const calls = relay.calls.length;
    const refused = await ended(startInContainer(['settle', 'run.ndjson', ...flags], 'home-2'));
    expect(refused).toMatchObject({ status: 2, err: expect.stringContaining('the run is still active: croupier run') });
    expect(relay.calls).toHaveLength(calls);

    run.kill('SIGKILL');
    await over;
    relay.decide(() => 'pass');
    const settled = await croupier(['settle', 'run.ndjson', ...flags], { cwd });
    expect(settled).toMatchObject({ status: 0, out: expect.stringContaining('Nothing is owed any more.') });
    expect(operator.books()).toEqual(before);
  },
  120_000,
);
