import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { expect, it, onTestFinished } from 'vitest';
import { killWriter } from '../../src/fleet/kill-writer.ts';
import { LEASE_VARIABLE } from '../../src/fleet/lease-messages.ts';

it.skipIf(process.platform !== 'linux')(
  'kills the run that writes a journal under a lost lease, but no program with which a person reads the journal',
  async () => {
    const journal = '/fleet/.croupier/2026-11-26-030000-0a1b2c.ndjson';
    const started = async (env: Readonly<Record<string, string>>, name = journal) => {
      const program = 'process.stdout.write("started"); setInterval(() => {}, 1000)';
      const child = spawn(process.execPath, ['-e', program, name], {
        env: { ...process.env, ...env },
        stdio: ['ignore', 'pipe', 'inherit'],
      });
      onTestFinished(() => void child.kill('SIGKILL'));
      await once(child.stdout, 'data');
      return child;
    };
    const lease = { [LEASE_VARIABLE]: '60000' };
    const [run, reader, other] = await Promise.all([
      started(lease),
      started({}),
      started(lease, '/fleet/.croupier/2026-11-26-030000-ffffff.ndjson'),
    ]);
    const ended = once(run, 'close');
    killWriter(journal);
    expect(await ended).toEqual([null, 'SIGKILL']);
    expect([reader.exitCode, reader.signalCode, other.exitCode, other.signalCode]).toEqual([null, null, null, null]);
    const readerEnded = once(reader, 'close');
    reader.kill('SIGTERM');
    expect(await readerEnded).toEqual([null, 'SIGTERM']);
  },
);
