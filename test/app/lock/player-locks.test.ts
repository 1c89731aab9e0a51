import { mkdtempSync, readdirSync, readFileSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { hostname, tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Holder } from '../../../src/app/lock/holder.ts';
import { type LockRequest, lockPlayers } from '../../../src/app/lock/player-locks.ts';
import { PlayersInUse } from '../../../src/app/lock/players-in-use.ts';
import type { SessionUnderTest } from '../../../src/engine/run-options.ts';

let folder = '';
let notices = '';
beforeEach(() => {
  folder = mkdtempSync(path.join(tmpdir(), 'croupier-'));
  notices = '';
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const URL_EU = 'http://wallet.example/eu';

function request(sessions: readonly SessionUnderTest[], integratorBaseUrl = URL_EU): LockRequest {
  const write = (text: string) => {
    notices += text;
  };
  return {
    client: { extCID: 'acme', integratorBaseUrl, integrationApiKey: '', paths: {}, headers: {}, sessions, wire: {} },
    command: 'run',
    journal: '/work/run 1.ndjson',
    stdio: { err: { write, command: write, writeSecret: write, tty: false, colour: false, columns: 80, rows: 24 } },
    signal: new AbortController().signal,
  };
}

const lock = (sessions: readonly SessionUnderTest[], { url = URL_EU, waitMs = 0 } = {}) =>
  lockPlayers(request(sessions, url), { folder, isShared: false, waitMs });

const ANNA = [{ sessionID: 's1', player: 'anna' }];

/** Changes the lock files as if another process had written them. */
function rewrite(changes: Partial<Holder>): void {
  for (const name of readdirSync(folder)) {
    const file = path.join(folder, name);
    writeFileSync(file, JSON.stringify({ ...JSON.parse(readFileSync(file, 'utf8')), ...changes }));
  }
}

describe('the locks of players', () => {
  it('refuse a player that is in use, and say by which process, where, since when, and with which journal', async () => {
    const held = await lock(ANNA);
    await expect(lock(ANNA)).rejects.toThrow(PlayersInUse);
    await expect(lock(ANNA)).rejects.toThrow(
      new RegExp(
        `^the player anna of http://wallet.example is in use by croupier run \\(process ${process.pid} on ${hostname()}, since \\d{4}-\\d\\d-\\d\\d \\d\\d:\\d\\d:\\d\\d UTC, journal /work/run 1.ndjson\\)$`,
      ),
    );
    held.release();
    expect(readdirSync(folder)).toEqual([]);
    (await lock(ANNA)).release();
    expect(notices).toBe('');
  });

  it('make a command wait until the player is given back, and say so once', async () => {
    const held = await lock(ANNA);
    const waiting = lock(ANNA, { waitMs: 60_000 });
    held.release();
    (await waiting).release();
    expect(notices.split('\n')).toEqual([expect.stringMatching(/^The player anna .* Waiting for up to 60 s/), '']);
  });

  it.each([
    ['the same session under another name', [{ sessionID: 's1', player: 'annie' }], URL_EU, true],
    ['another session of the player', [{ sessionID: 's2', player: 'anna' }], 'http://wallet.example/us', true],
    ['another player', [{ sessionID: 's2', player: 'ben' }], URL_EU, false],
    ['the same name at another operator', ANNA, 'http://wallet.example:8080/eu', false],
  ])('know whether %s is the same player', async (_what, sessions, url, isRefused) => {
    const held = await lock(ANNA);
    const other = lock(sessions, { url });
    if (isRefused) await expect(other).rejects.toThrow('is in use');
    else (await other).release();
    held.release();
    // A refused command gives back what it had taken before.
    expect(readdirSync(folder)).toEqual([]);
  });

  it('treat all sessions without a player as one player', async () => {
    const held = await lock([{ sessionID: 's1' }]);
    await expect(lock([{ sessionID: 's2' }])).rejects.toThrow('the player without a name of http://wallet.example');
    held.release();
  });

  it('are taken over from a process that has ended, also if its id belongs to another process now', async () => {
    for (const ended of [{ pid: 2 ** 30 }, { started: '1' }]) {
      const lost = await lock(ANNA);
      rewrite({ token: 'another', ...ended });
      const held = await lock(ANNA);
      lost.release();
      // The lock belongs to its new holder, so the former one does not remove it.
      expect(readdirSync(folder)).toHaveLength(2);
      held.release();
    }
    expect(notices).toContain("settle the run: croupier settle '/work/run 1.ndjson'");
    // Each process had a lock for the player and one for the session.
    expect(notices.trimEnd().split('\n')).toHaveLength(2);
  });

  it('are taken over from another machine only after 30 seconds without a sign of life', async () => {
    const lost = await lock(ANNA);
    rewrite({ token: 'another', machine: 'build-7', host: 'build-7' });
    await expect(lock(ANNA)).rejects.toThrow('on build-7');
    const before = new Date(Date.now() - 31_000);
    for (const name of readdirSync(folder)) utimesSync(path.join(folder, name), before, before);
    (await lock(ANNA)).release();
    lost.release();
  });

  it('are kept if a file cannot be read, as it may belong to another user', async () => {
    const held = await lock(ANNA);
    for (const name of readdirSync(folder)) writeFileSync(path.join(folder, name), 'no lock');
    await expect(lock(ANNA)).rejects.toThrow('is in use by croupier of another user');
    held.release();
  });
});
