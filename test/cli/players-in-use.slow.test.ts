import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest';
import { lockPlayers } from '../../src/app/lock/player-locks.ts';
import { silentStdio } from '../../src/app/stdio.ts';
import { KEY, operatorServer, P1 } from '../engine/operator-server.ts';
import { croupier } from './croupier.ts';

let cwd = '';
beforeEach(() => {
  cwd = mkdtempSync(path.join(tmpdir(), 'croupier-'));
  writeFileSync(path.join(cwd, 'mine.yaml'), 'title: Mine\nrules: [bet.debit]\nsteps:\n  - bet:\n  - balance:\n');
  const body = '{"sessionID":"s1","amount":"1.00","currency":"USD","txID":"t-1","roundID":"r-1","type":"regular"}';
  writeFileSync(path.join(cwd, 'bet.txt'), `curl -X POST http://wallet.example/bet -d '${body}'\n`);
});
afterEach(() => rmSync(cwd, { recursive: true, force: true }));

describe('a player that another command uses', () => {
  it('stops every command that moves money with status 3, before it sends anything', async () => {
    const operator = await operatorServer((_called, tell) => tell());
    const env = { CROUPIER_KEY: KEY, CROUPIER_LOCK_FOLDER: 'locks', CROUPIER_LOCK_WAIT: '0s' };
    const client = ['--base-url', operator.url, '--ext-cid', 'acme', '--session', `${P1.sessionID},currency=USD`];
    const test = client.map((arg) => (arg === '--session' ? '--test-session' : arg));
    const run = ['run', 'mine.yaml', '--allow-skipped', '--linger', '10ms', ...client];
    const reports = ['--report', 'junit=junit.xml', '--report', 'json=report.json'];
    expect((await croupier(run, { cwd, env })).status).toBe(0);
    const sent = operator.calls.length;
    // This test is the other command: it holds the lock of the player.
    const held = await lockPlayers(
      {
        client: {
          extCID: 'acme',
          integratorBaseUrl: operator.url,
          integrationApiKey: KEY,
          paths: {},
          headers: {},
          sessions: [{ sessionID: P1.sessionID, currency: 'USD' }],
          wire: {},
        },
        command: 'run',
        journal: null,
        stdio: silentStdio('/', {}),
        signal: new AbortController().signal,
      },
      { folder: path.join(cwd, 'locks'), isShared: true, waitMs: 0 },
    );
    const holder = `is in use by croupier run (process ${process.pid} on `;

    const refused = await croupier([...run, ...reports], { cwd, env });
    expect(refused.status).toBe(3);
    expect(refused.out).toContain('UNDECIDED: nothing was tested for acme, because the');
    expect(refused.out.replace(/\s+/g, ' ')).toContain(holder);
    const report = JSON.parse(readFileSync(path.join(cwd, 'report.json'), 'utf8')) as { verdict: string };
    expect(report.verdict).toBe('undecided');
    expect(readFileSync(path.join(cwd, 'junit.xml'), 'utf8')).toContain(holder);
    const explored = await croupier(['explore', '--runs', '1', ...client], { cwd, env });
    const replayed = await croupier(['replay', 'bet.txt', ...test], { cwd, env });
    const called = await croupier(['call', 'bet', ...client], { cwd, env });
    const loaded = await croupier(['load', '--rate', '1', '--duration', '1s', ...client], { cwd, env });
    expect([explored.status, replayed.status, called.status, loaded.status]).toEqual([3, 3, 3, 3]);
    for (const { err } of [explored, called, loaded]) expect(err).toContain(holder);
    expect(operator.calls).toHaveLength(sent);

    expect((await croupier(['call', 'balance', ...client], { cwd, env })).status).toBe(0);
    expect((await croupier(['call', 'bet', '--no-lock', ...client], { cwd, env })).status).toBe(0);
    held.release();
    expect((await croupier(['call', 'bet', ...client], { cwd, env })).status).toBe(0);
    expect(readdirSync(path.join(cwd, 'locks'))).toEqual([]);
  }, 60_000);

  it('is found by a command with another home folder in the same working folder', async () => {
    const { promise: released, resolve: release } = Promise.withResolvers<void>();
    let isHeld = true;
    const operator = await operatorServer(async (_called, tell) => {
      if (isHeld) await released;
      return tell();
    });
    const homes = ['home-1', 'home-2'].map((name) => mkdtempSync(path.join(tmpdir(), `croupier-${name}-`)));
    onTestFinished(() => {
      for (const home of homes) rmSync(home, { recursive: true, force: true });
    });
    const [own = {}, other = {}] = homes.map((HOME) => ({ CROUPIER_KEY: KEY, CROUPIER_LOCK_WAIT: '0s', HOME }));
    const client = ['--base-url', operator.url, '--ext-cid', 'acme', '--session', `${P1.sessionID},currency=USD`];
    const run = ['run', 'mine.yaml', '--allow-skipped', '--linger', '10ms', ...client];
    const first = croupier(run, { cwd, env: own });
    await vi.waitUntil(() => operator.calls.length > 0, { timeout: 20_000 });
    const sent = operator.calls.length;
    const second = await croupier(run, { cwd, env: other });
    expect([second.status, second.out.replace(/\s+/g, ' ')]).toEqual([
      3,
      expect.stringContaining('is in use by croupier run'),
    ]);
    expect((await croupier(['call', 'bet', ...client], { cwd, env: other })).status).toBe(3);
    expect(operator.calls).toHaveLength(sent);
    isHeld = false;
    release();
    expect((await first).status).toBe(0);
    expect((await croupier(run, { cwd, env: other })).status).toBe(0);
    expect(readdirSync(path.join(cwd, '.croupier/locks'))).toEqual([]);
  }, 60_000);

  it('gets no folder for locks from a call without a journal', async () => {
    const operator = await operatorServer();
    const client = ['--base-url', operator.url, '--ext-cid', 'acme', '--session', `${P1.sessionID},currency=USD`];
    expect((await croupier(['call', 'bet', ...client], { cwd, env: { CROUPIER_KEY: KEY } })).status).toBe(0);
    expect(existsSync(path.join(cwd, '.croupier'))).toBe(false);
  });
});
