import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { EU, launch, send } from '../../../service/core-api/core-server.ts';
import { croupier, line, start } from '../../croupier.ts';

let cwd = '';
beforeEach(() => {
  cwd = mkdtempSync(path.join(tmpdir(), 'croupier-'));
});
afterEach(() => rmSync(cwd, { recursive: true, force: true }));

const ENV = { API_KEY: EU.apiKey, INTEGRATION_KEY: EU.integrationApiKey };

function configure(more: readonly string[]): void {
  const client = [
    `extCID: ${EU.extCID}`,
    `cID: ${EU.cID}`,
    `integratorBaseUrl: ${EU.integratorBaseUrl}`,
    'integrationApiKey: ${INTEGRATION_KEY}',
    'apiKey: ${API_KEY}',
    'sessions: [{ sessionID: s-1, player: anna, currency: EUR }]',
    ...more,
  ];
  writeFileSync(path.join(cwd, 'croupier.yaml'), ['clients:', '  -', ...client.map((one) => `    ${one}`)].join('\n'));
}

it('croupier.yaml decides which games, currencies and players of a client the simulated Core API accepts', async () => {
  configure(['games: [swipe]', 'currencies: [EUR, ZWG]', 'blockedUsers: [bob]']);
  const child = start(['serve', 'core-api'], { cwd, env: ENV });
  try {
    const url = (await line(child, 'core-api http')).replace(/^core-api /, '').trim();
    const answerTo = async (changes: Parameters<typeof launch>[0]): Promise<unknown[]> => {
      const fields = launch({ gameID: 'swipe', currency: 'EUR', ...changes });
      const { status, body } = await send(`${url}/create-new-game`, 'POST', fields);
      return [status, body.code];
    };
    expect(await answerTo({})).toEqual([200, undefined]);
    expect(await answerTo({ currency: 'ZWG' })).toEqual([200, undefined]);
    expect(await answerTo({ currency: 'USD' })).toEqual([400, 'currency_not_supported']);
    expect(await answerTo({ gameID: 'catch' })).toEqual([403, 'game_not_found']);
    expect(await answerTo({ user: { id: 'bob' } })).toEqual([403, 'account_blocked']);
  } finally {
    child.kill();
    await once(child, 'close');
  }
});

it('croupier.yaml can block all launches of a client', async () => {
  configure(['blocked: true']);
  const child = start(['serve', 'core-api'], { cwd, env: ENV });
  try {
    const url = (await line(child, 'core-api http')).replace(/^core-api /, '').trim();
    const { status, body } = await send(`${url}/create-new-game`, 'POST', launch());
    expect([status, body.code]).toEqual([403, 'account_blocked']);
  } finally {
    child.kill();
    await once(child, 'close');
  }
});

it.each([
  ['games: [chess]', 'the catalogue has no such game'],
  ['currencies: [eur]', 'eur is not the code of a currency; did you mean EUR?'],
])('%s in croupier.yaml ends the command with status 2', async (wrong, message) => {
  configure([wrong]);
  const { status, err } = await croupier(['serve', 'core-api'], { cwd, env: ENV });
  expect([status, err]).toEqual([2, expect.stringContaining(message)]);
});
