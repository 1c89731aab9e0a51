import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { croupier, ended, line, start } from '../../croupier.ts';

const LONG_MS = 90_000;

let cwd = '';
const children: ChildProcess[] = [];
beforeEach(() => {
  cwd = mkdtempSync(path.join(tmpdir(), 'croupier-'));
});
afterEach(() => {
  for (const child of children.splice(0)) child.kill('SIGKILL');
  rmSync(cwd, { recursive: true, force: true });
});

/** Starts the reference operator in its own process. */
async function operator(...args: readonly string[]): Promise<{ readonly child: ChildProcess; readonly url: string }> {
  const child = start(['serve', 'operator', '--data', 'data', '--write-config', 'croupier.yaml', ...args], { cwd });
  children.push(child);
  return { child, url: (await line(child, 'operator ')).slice('operator '.length) };
}

const MANY_REPLIES = (text: string): boolean => (text.match(/"event":"received"/g)?.length ?? 0) >= 100;
const FAILURE = (text: string): boolean => text.includes('"verdict":"fail"');

/** Starts a run, and waits until its journal has a certain content. */
async function runUnderWay(
  isReached: (journal: string) => boolean,
  ...args: readonly string[]
): Promise<{ readonly over: ReturnType<typeof ended> }> {
  const journal = path.join(cwd, 'run.ndjson');
  const client = ['--client', 'demo-eu', '--linger', '50ms', '--journal', 'run.ndjson'];
  const child = start(['run', ...client, ...args], { cwd });
  children.push(child);
  const over = ended(child);
  while (!existsSync(journal) || !isReached(readFileSync(journal, 'utf8'))) await sleep(5);
  return { over };
}

describe('an operator that stops during a run', { timeout: LONG_MS }, () => {
  it.each(['SIGKILL', 'SIGTERM'] as const)(
    'makes the run undecided after %s, and the first line says when and after which call',
    async (signal) => {
      const { child } = await operator();
      const { over } = await runUnderWay(MANY_REPLIES);
      child.kill(signal);
      const { status, out } = await over;
      expect(out).toMatch(
        /^UNDECIDED: demo-eu stopped answering \d+\.\d s after the start, after (GET|POST) \/\w+ in \S+ \(exchange x\d+\)\.\n/,
      );
      expect(status).toBe(3);
      expect(out).toMatch(/The first call without a reply was (GET|POST) \/\w+/);
      expect(out).toMatch(/the operator stopped answering: .*and \d+\s+more/s);
      expect(out).not.toMatch(/kept-alive connection|closes? connections/);
      const json = await croupier(['report', 'convert', 'run.ndjson', '--to', 'json=-'], { cwd });
      expect(JSON.parse(json.out)).toMatchObject({
        ended: 'unreachable',
        lastReply: { exchange: expect.stringMatching(/^x\d+$/) as string },
      });
    },
  );

  it('is also named after breaches that the run found before', async () => {
    // A reply shows this failure. If only a balance showed it, croupier would have to repeat the scenario first.
    const { child } = await operator('--defect', 'refund-redirected');
    const { over } = await runUnderWay(FAILURE, 'refund', 'win', 'bet');
    child.kill('SIGKILL');
    const { status, out } = await over;
    expect(out.split('\n')[0]).toMatch(/^NOT CONFORMING: demo-eu breaks .*, and it stopped answering \d+\.\d s after/);
    expect(status).toBe(1);
  });

  it('is named too if it accepts connections but answers no call', async () => {
    const { child } = await operator();
    const { over } = await runUnderWay(MANY_REPLIES, '--deadline', '400ms');
    child.kill('SIGSTOP');
    const { status, out } = await over;
    expect(out.split('\n')[0]).toMatch(/demo-eu .*stopped answering \d+\.\d s after the start, after (GET|POST) /);
    expect(out).not.toContain('kept-alive connection');
    expect([1, 3]).toContain(status);
  });

  it('does not end the run if it is there again after a restart', async () => {
    const { child, url } = await operator();
    const { over } = await runUnderWay(MANY_REPLIES, 'balance', 'bet', 'win');
    child.kill('SIGKILL');
    await once(child, 'close');
    await operator('--port', new URL(url).port);
    const { status, out } = await over;
    expect(out).not.toContain('stopped answering');
    expect(out).toMatch(/^CONFORMING/);
    expect(status).toBe(0);
  });
});
