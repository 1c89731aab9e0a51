import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createOperator } from '../../../../src/operator/operator.ts';
import { callerOf } from '../../../operator/caller.ts';
import { croupier, line, start } from '../../croupier.ts';

const INTEGRATION_KEY = 'integration-key-of-acme';
const API_KEY = 'api-key-of-acme';
const ENV = { INTEGRATION_KEY, API_KEY };

const sessions = [
  { sessionID: 's-1', player: 'anna', currency: 'EUR', gameID: 'swipe', balance: '50.00', state: 'active' as const },
  { sessionID: 's-2', player: 'ben', currency: 'USD', gameID: 'catch', balance: '50.00', state: 'active' as const },
];
const operator = createOperator({
  clients: [{ extCID: 'acme', integrationApiKey: INTEGRATION_KEY, basePath: '/acme', campaigns: [], sessions }],
  onFault: () => {},
});

let cwd = '';
let running: Awaited<ReturnType<typeof operator.start>>;
beforeAll(async () => {
  cwd = mkdtempSync(path.join(tmpdir(), 'croupier-'));
  running = await operator.start();
  const client = {
    extCID: 'acme',
    cID: 'c-1',
    integratorBaseUrl: `${running.url}/acme`,
    integrationApiKey: '${INTEGRATION_KEY}',
    apiKey: '${API_KEY}',
    sessions: sessions.map(({ sessionID, player, currency, gameID }) => ({ sessionID, player, currency, gameID })),
  };
  writeFileSync(path.join(cwd, 'croupier.yaml'), JSON.stringify({ clients: [client] }));
});
afterAll(async () => {
  await running.close(0);
  rmSync(cwd, { recursive: true, force: true });
});

const wallet = () => callerOf(`${running.url}/acme`, INTEGRATION_KEY);

describe('croupier serve all with a configuration', () => {
  it('launches a game in each session, and its rounds move the money of the own wallet', async () => {
    const child = start(['serve', 'all', '--config', 'croupier.yaml'], { cwd, env: ENV });
    try {
      const [game, coreApi] = await Promise.all([line(child, '(s-2)'), line(child, 'core-api http')]);
      const url = new URL(game.split(' ')[1] ?? '');
      const answer = await fetch(new URL('/play/rounds', url), {
        method: 'POST',
        headers: { 'Content-Type': 'application/json' },
        body: JSON.stringify({ gsID: url.searchParams.get('gsID'), stake: '1.00' }),
      });
      expect(answer.status).toBe(200);
      const { view } = (await answer.json()) as { view: { balance: string; rounds: readonly { state: string }[] } };
      expect(view.rounds.map(({ state }) => state)).toEqual(['settled']);
      expect(await wallet().balance('s-2')).toBe(view.balance);

      const base = coreApi.replace('core-api ', '').trim();
      const launched = await croupier(['launch', '--core-api', base, '--currency', 'EUR', '--locale', 'fi'], {
        cwd,
        env: ENV,
      });
      expect(launched).toMatchObject({ status: 0, err: '' });
      const { searchParams } = new URL(launched.out.trim());
      const state = await fetch(new URL(`/play/state?gsID=${searchParams.get('gsID')}`, url));
      expect(await state.json()).toMatchObject({
        player: 'anna',
        currency: 'EUR',
        locale: 'fi',
        game: { id: 'swipe' },
      });

      const refused = await croupier(['launch', '--core-api', base, '--game', 'none', '--session', 's-1'], {
        cwd,
        env: ENV,
      });
      expect(refused).toMatchObject({ status: 1, out: '' });
      expect(refused.err).toContain('POST /create-new-game was answered 403');
    } finally {
      child.kill();
      await once(child, 'close');
    }
  });

  it.each([
    [['serve', 'all', '--config', 'croupier.yaml', '--defect', 'refund-half'], '--config names your own wallet'],
    [['launch', '--core-api', 'nowhere'], 'is not an http or https address'],
    [['launch', '--core-api', 'http://127.0.0.1:1/', '--player', 'carl'], 'acme has no session with the player carl'],
    [['launch', '--core-api', 'http://127.0.0.1:1/', '--session', 'new'], 'The session new of acme has no player'],
  ])('%j ends with 2 and says what is wrong', async (args, words) => {
    const { status, err } = await croupier(args, { cwd, env: ENV });
    expect([status, err]).toEqual([2, expect.stringContaining(words)]);
  });

  it('a demo game needs no session, and no answer of the Core API is status 1', async () => {
    const { status, err } = await croupier(['launch', '--core-api', 'http://127.0.0.1:1/', '--demo'], {
      cwd,
      env: ENV,
    });
    expect([status, err]).toEqual([1, expect.stringContaining('POST /create-new-game was not answered')]);
  });
});
