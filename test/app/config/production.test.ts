import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { croupier } from '../../cli/croupier.ts';

let cwd = '';
beforeEach(() => {
  cwd = mkdtempSync(path.join(tmpdir(), 'croupier-'));
});
afterEach(() => rmSync(cwd, { recursive: true, force: true }));

const KEY = { CROUPIER_KEY: 'a key that is none' };
// .invalid never has an address, so nothing can be sent there by mistake.
const PRODUCTION = 'https://wallet.prod.casino.invalid/eu';
const clientFlags = (url: string): readonly string[] => ['--base-url', url, '--ext-cid', 'acme', '--session', 's-1'];

/** A recorded call to replay. */
const LOG = 'incident.txt';
function writeLog(): void {
  const body = '{"amount":"1.00","roundID":"r-1","sessionID":"s-1","txID":"t-1","type":"regular"}';
  writeFileSync(
    path.join(cwd, LOG),
    `curl -X POST 'http://h/bet' --data-raw '${body}'\nHTTP/1.1 200 OK\n\n{"balance":"9.00","txID":"o-1"}\n`,
  );
}

describe('a command that moves money at an address that looks like production', () => {
  it.each([
    ['run', ['run']],
    ['run with a group of scenarios', ['run', 'idempotency']],
    ['explore', ['explore', '--runs', '1']],
    ['bet', ['call', 'bet']],
    ['win', ['call', 'win', '--repeat', '2']],
    ['refund', ['call', 'refund', '--sign', 'wrong-key']],
    ['replay', ['replay', LOG, '--no-wait']],
  ])('requires --production before anything is sent: %s', async (_, args) => {
    writeLog();
    const client = clientFlags(PRODUCTION).map((arg) =>
      args[0] === 'replay' && arg === '--session' ? '--test-session' : arg,
    );
    const { status, out, err } = await croupier([...args, ...client], { cwd, env: KEY });
    expect({ status, out }).toEqual({ status: 2, out: '' });
    expect(err).toContain('"prod" in wallet.prod.casino.invalid/eu looks like production');
    expect(err).toContain('--production');
  });

  it('continues with --production, or with CROUPIER_PRODUCTION', async () => {
    const deadline = ['--deadline', '1s'];
    const given = await croupier(['call', 'bet', '--production', ...deadline, ...clientFlags(PRODUCTION)], {
      cwd,
      env: KEY,
    });
    expect(given.status).toBe(3);
    expect(given.out).toContain('has no address');
    const env = { ...KEY, CROUPIER_PRODUCTION: '1' };
    expect((await croupier(['run', ...deadline, ...clientFlags(PRODUCTION)], { cwd, env })).status).toBe(3);
  });

  it.each([
    ['a read', ['call', 'balance', ...clientFlags(PRODUCTION)], 3],
    ['a dry run', ['call', 'bet', '--dry-run', ...clientFlags(PRODUCTION)], 0],
    ['a list', ['run', '--list', ...clientFlags(PRODUCTION)], 0],
    ['a check by doctor', ['doctor', ...clientFlags(PRODUCTION)], 3],
    ['a scenario that only reads', ['run', 'read.yaml', '--deadline', '1s', ...clientFlags(PRODUCTION)], 3],
    ['a test environment', ['call', 'bet', ...clientFlags('https://staging.casino.invalid/eu')], 3],
    ['an address of this machine', ['call', 'bet', ...clientFlags('http://127.0.0.1:9/prod')], 3],
    ['an incident that is written down', ['replay', LOG, '--scenario', 'again.yaml'], 0],
  ])('does not require --production for %s', async (_, args, status) => {
    writeLog();
    writeFileSync(
      path.join(cwd, 'read.yaml'),
      'croupier: 1\ntitle: A balance can be read\nrules: [balance.read]\nsteps:\n  - balance:\n',
    );
    const ended = await croupier(args, { cwd, env: KEY });
    expect(ended.err).not.toContain('looks like production');
    expect(ended.status).toBe(status);
  });

  it('follows `production` in the configuration, not the name of the host', async () => {
    const client = (url: string, production: boolean): void =>
      writeFileSync(
        path.join(cwd, 'croupier.yaml'),
        `clients:\n  - extCID: acme\n    integratorBaseUrl: ${url}\n    integrationApiKey: \${CROUPIER_KEY}\n    sessions: [{ sessionID: s-1 }]\n    production: ${production}\n`,
      );
    client(PRODUCTION, false);
    expect((await croupier(['call', 'bet'], { cwd, env: KEY })).status).toBe(3);
    client('https://staging.casino.invalid/eu', true);
    const asked = await croupier(['call', 'bet'], { cwd, env: KEY });
    expect(asked.status).toBe(2);
    expect(asked.err).toContain('the configuration says that this is a production environment');
  });
});
