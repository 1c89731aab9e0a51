import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, existsSync, mkdtempSync, openSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { croupier, ended, start } from './croupier.ts';

const BIN = path.resolve('bin/croupier.js');
const RUN = ['run', '--reference', '--linger', '50ms'];

let cwd = '';
beforeEach(() => {
  cwd = mkdtempSync(path.join(tmpdir(), 'croupier-'));
});
afterEach(() => rmSync(cwd, { recursive: true, force: true }));

describe.skipIf(!existsSync('/dev/full'))('a standard output that is full', () => {
  it.each([[['--version']], [['list', 'rules']], [[...RUN, '--quick']], [[...RUN, 'balance/read', '--json']]])(
    'ends croupier %j with status 2 and a message',
    async (args) => {
      const full = openSync('/dev/full', 'w');
      try {
        const child = spawn(process.execPath, [BIN, ...args], { cwd, stdio: ['ignore', full, 'pipe'] });
        let err = '';
        child.stderr?.setEncoding('utf8').on('data', (piece: string) => {
          err += piece;
        });
        const [status] = await once(child, 'close');
        expect(err).toContain("The output can't be written to the standard output: the disk is full.");
        expect(err).not.toContain('node:');
        expect(status).toBe(2);
      } finally {
        closeSync(full);
      }
    },
  );
});

it('the text report shows signatures and curl lines to a person, and in the log of a pipeline only if --curl asks for them', async () => {
  const select = ['idempotency/bet', '--defect', 'replayed-bet-charged', '--journal', 'run.ndjson'];
  const convert = ['report', 'convert', 'run.ndjson', '-v'];
  const pipeline = { cwd, env: { CI: 'true' } };
  const outputs = [
    await croupier([...RUN, ...select, '-vv'], pipeline),
    await croupier(convert, pipeline),
    await croupier(convert, { cwd }),
    await croupier([...convert, '--curl'], pipeline),
  ];
  const isSigned = outputs.map(({ out, err }) =>
    [out + err].map((text) => [/\b[0-9a-f]{64}\b/.test(text), /curl -/.test(text)]),
  );
  expect(isSigned.flat()).toEqual([
    [false, false],
    [false, false],
    [true, true],
    [true, true],
  ]);
});

describe('the journal of a run', () => {
  /** Starts a run, and waits until its journal exists. */
  async function runUnderWay(...args: readonly string[]): Promise<{ readonly over: ReturnType<typeof ended> }> {
    const over = ended(start([...RUN, '--journal', 'run.ndjson', ...args], { cwd }));
    while (!existsSync(path.join(cwd, 'run.ndjson'))) await sleep(5);
    await sleep(100);
    return { over };
  }

  it('is written again if it was removed during the run', async () => {
    const { over } = await runUnderWay('--quick');
    rmSync(path.join(cwd, 'run.ndjson'));
    const { status, err } = await over;
    expect(err).toContain('Somebody removed the journal during the run, so croupier has restored it.');
    expect(status).toBe(0);
    const convert = ['report', 'convert', 'run.ndjson', '--to', 'json=run.json'];
    expect((await croupier(convert, { cwd })).status).toBe(0);
  });

  it('is not taken from a run that is still writing it', async () => {
    const { over } = await runUnderWay();
    const second = await croupier([...RUN, '--journal', 'run.ndjson'], { cwd });
    expect(second.status).toBe(2);
    expect(second.err).toMatch(/croupier run \(process \d+ on .*\) is still writing it\. Nothing was sent/);
    expect((await over).status).toBe(0);
  });
});
