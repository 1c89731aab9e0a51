import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { createCoreApiClient } from '../../../src/sdk/core-api-client.ts';
import { croupier, ended, line, start } from '../../cli/croupier.ts';

const ROOT = path.resolve(import.meta.dirname, '../../..');
const LONG_MS = 60_000;
const cwd = mkdtempSync(path.join(tmpdir(), 'croupier-launches-'));
const KEYS = { ACME_KEY: 'integration-key-of-acme', ACME_API_KEY: 'api-key-of-acme' };
let operator: ChildProcess;
let port = '';
let running: ChildProcess | undefined;

beforeAll(async () => {
  operator = spawn(process.execPath, [path.join(ROOT, 'examples', 'operator.ts')], {
    env: { PATH: process.env.PATH, INTEGRATION_API_KEY: KEYS.ACME_KEY },
  });
  port = /"port":(\d+)/.exec(await line(operator, 'operator'))?.[1] ?? '';
});
afterAll(() => {
  operator.kill('SIGKILL');
  rmSync(cwd, { recursive: true, force: true });
});
afterEach(() => running?.kill('SIGKILL'));

function configure(more: string): void {
  writeFileSync(
    path.join(cwd, 'croupier.yaml'),
    `clients:
  - extCID: acme
    integratorBaseUrl: http://127.0.0.1:${port}
    integrationApiKey: \${ACME_KEY}
${more}`,
  );
}

/** An operator's backend that launches one game, written in the words of the configuration. */
const LAUNCHING = `    cID: c-acme
    apiKey: \${ACME_API_KEY}
`;

/** Waits for the address on stderr. */
function coreApiOf(child: ChildProcess): Promise<string> {
  return new Promise((resolve, reject) => {
    let seen = '';
    child.stderr?.setEncoding('utf8').on('data', (text: string) => {
      seen += text;
      const found = /core-api (\S+)\n/.exec(seen)?.[1];
      if (found) resolve(found);
    });
    child.on('close', () => reject(new Error(`it ended: ${seen}`)));
  });
}

interface Report {
  readonly verdict: string;
  readonly rules: readonly { readonly id: string; readonly verdict: string }[];
}
const verdictsOf = (out: string) =>
  Object.fromEntries((JSON.parse(out) as Report).rules.map(({ id, verdict }) => [id, verdict]));

describe('croupier run --launches', { timeout: LONG_MS }, () => {
  it('judges the sessions that the operator launches, and the requests of its backend', async () => {
    configure(LAUNCHING);
    // Another address of this machine that only this machine can reach.
    const flags = ['--launches', '1', '--core-api-host', '127.0.0.2', '--json'];
    running = start(['run', ...flags, 'launch', 'balance.read'], { cwd, env: KEYS });
    const whole = ended(running);
    const baseUrl = await coreApiOf(running);
    expect(baseUrl).toMatch(/^http:\/\/127\.0\.0\.2:\d+\/api\/v1$/);
    const client = createCoreApiClient({
      baseUrl,
      cID: 'c-acme',
      extCID: 'acme',
      apiKey: KEYS.ACME_API_KEY,
    });
    await client.games();
    await client.createNewGame({ user: { id: 'eva' }, currency: 'USD', locale: 'en_us', sessionID: 'session-of-eva' });
    const { status, out, err } = await whole;
    expect(verdictsOf(out)).toMatchObject({
      'launch.request': 'pass',
      'launch.locale': 'pass',
      'launch.currency': 'pass',
      'launch.session-known': 'pass',
      'launch.games-gzip': 'pass',
      'launch.campaign': 'skip',
      'balance.read': 'pass',
    });
    expect(err).toContain('acme  POST /create-new-game  200  session session-of-eva');
    expect(out + err).not.toContain(KEYS.ACME_API_KEY);
    expect(status).toBe(0);
  });

  it('reports a refused launch, and judges the operator for it', async () => {
    configure(LAUNCHING);
    running = start(['run', '--launches', '1', '--launch-wait', '3s', '--json', 'launch'], { cwd, env: KEYS });
    const whole = ended(running);
    const client = createCoreApiClient({
      baseUrl: await coreApiOf(running),
      cID: 'c-acme',
      extCID: 'acme',
      apiKey: KEYS.ACME_API_KEY,
    });
    const launched = client.createNewGame({
      user: { id: 'eva' },
      currency: 'USD',
      locale: 'en-US',
      sessionID: 'session-of-eva',
    });
    await expect(launched).rejects.toThrow('400');
    const { status, out, err } = await whole;
    expect(verdictsOf(out)).toMatchObject({ 'launch.locale': 'fail', 'launch.currency': 'pass' });
    expect(err).toContain('POST /create-new-game  400  locale_not_supported');
    expect(status).toBe(1);
  });

  it.each([
    ['with another key', 'acme', 'integration-key-of-acme', 'You signed with the Integration API key'],
    ['for an unknown client', 'acne', 'api-key-of-acme', 'No client of this cID has this extCID'],
  ])('judges the operator for launches that are signed %s', async (_, extCID, apiKey, words) => {
    configure(LAUNCHING);
    running = start(['run', '--launches', '1', '--launch-wait', '3s', '--json', 'launch'], { cwd, env: KEYS });
    const whole = ended(running);
    const client = createCoreApiClient({ baseUrl: await coreApiOf(running), cID: 'c-acme', extCID, apiKey });
    const launched = client.createNewGame({
      user: { id: 'eva' },
      currency: 'USD',
      locale: 'en_us',
      sessionID: 'session-of-eva',
    });
    await expect(launched).rejects.toThrow('401');
    const { status, out, err } = await whole;
    expect(verdictsOf(out)).toMatchObject({ 'launch.request': 'fail', 'launch.locale': 'pass' });
    expect(out).toContain(words);
    expect(err).toContain(`unknown client  POST /create-new-game  401  `);
    expect(status).toBe(1);
  });

  it('is undecided if no game is launched, and names missing settings of the configuration', async () => {
    configure(LAUNCHING);
    const reached = ['--core-api-url', 'https://ci.acme.example/croupier/'];
    const idle = await croupier(['run', '--launches', '1', '--launch-wait', '200ms', ...reached], { cwd, env: KEYS });
    expect(idle.err).toContain('core-api https://ci.acme.example/croupier/api/v1\n');
    expect(idle.err).toContain('acme launched no game, so nothing was judged.');
    expect(idle.status).toBe(3);
    configure('');
    const poor = await croupier(['run', '--launches', '1'], { cwd, env: KEYS });
    expect(poor.err).toContain('--launches: acme needs a cID and an apiKey in croupier.yaml');
    expect(poor.status).toBe(2);
  });
});

describe('the setting `sessionsFrom`', { timeout: LONG_MS }, () => {
  const command = (code: string) => {
    writeFileSync(path.join(cwd, 'sessions.mjs'), code);
    configure(`    sessionsFrom: { command: [${JSON.stringify(process.execPath)}, sessions.mjs] }\n`);
  };

  it('lets a run use the sessions that a command prints', async () => {
    command(`console.log(JSON.stringify([{ sessionID: 'session-of-eva', player: 'eva', currency: 'USD' }]))`);
    const { status, out } = await croupier(['run', '--json', 'balance.read'], { cwd, env: KEYS });
    expect(verdictsOf(out)).toMatchObject({ 'balance.read': 'pass', 'launch.request': 'untested' });
    expect(status).toBe(0);
  });

  it.each([
    ['process.exit(4)', 'ended with status 4'],
    ['console.error("no database"); process.exit(1)', 'ended with status 1: no database'],
    ['console.log("session-of-eva")', 'did not give JSON: "session-of-eva"'],
    ['console.log("[]")', 'returned a wrong list: an empty list'],
    ['console.log(JSON.stringify([{ sessionID: 5 }]))', 'returned a wrong list: 0.sessionID'],
  ])('leads to a message that explains why a command gave no sessions: %s', async (code, message) => {
    command(code);
    const { status, err } = await croupier(['run', 'balance.read'], { cwd, env: KEYS });
    expect(err).toContain(message);
    expect(err).toContain('Nothing was sent.');
    expect(status).toBe(2);
  });

  it('gets sessions from an address of the operator, or leads to a message that explains the failure', async () => {
    configure(`    sessionsFrom: { url: "http://127.0.0.1:${port}/nothing-here" }\n`);
    const { status, err } = await croupier(['run', 'balance.read'], { cwd, env: KEYS });
    expect(err).toContain('/nothing-here was answered 404');
    expect(status).toBe(2);
  });
});

describe('croupier serve', { timeout: LONG_MS }, () => {
  it('lets an operator launch games on the service, and ends on a signal', async () => {
    configure(LAUNCHING);
    running = start(['serve', 'core-api'], { cwd, env: KEYS });
    const whole = ended(running);
    const address = await line(running, 'core-api ');
    const client = createCoreApiClient({
      baseUrl: address.replace('core-api ', ''),
      cID: 'c-acme',
      extCID: 'acme',
      apiKey: KEYS.ACME_API_KEY,
    });
    await expect(client.games()).resolves.not.toEqual([]);
    running.kill('SIGTERM');
    expect((await whole).status).toBe(0);
  });

  it('starts operator and service together, with a game to play', async () => {
    running = start(['serve', 'all'], { cwd });
    const whole = ended(running);
    const game = await line(running, 'game ');
    expect(game).toMatch(/^game http:\/\/127\.0\.0\.1:\d+\/game\?gsID=[0-9a-f-]{36}$/);
    running.kill('SIGINT');
    const { status, out } = await whole;
    expect(out.split('\n').map((text) => text.split(' ')[0])).toEqual(
      expect.arrayContaining(['operator', 'core-api', 'game']),
    );
    expect(status).toBe(0);
  });

  it('names the settings that the configuration lacks', async () => {
    configure('');
    const { status, err } = await croupier(['serve', 'core-api'], { cwd, env: KEYS });
    expect(err).toContain('serve core-api: acme needs a cID and an apiKey');
    expect(err).toMatch(/any values that you invent.*\n {4}cID: my-client\n {4}apiKey: \$\{API_KEY\}\n/u);
    expect(status).toBe(2);
  });
});
