import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { croupier, type Ended } from '../../croupier.ts';

const CONFIG = `clients:
  - extCID: acme
    integratorBaseUrl: http://127.0.0.1:9/wallet
    integrationApiKey: invented
    sessions:
      - { sessionID: anna-1, player: anna, currency: USD, gameID: catch }
      - { sessionID: anna-2, player: anna, currency: USD, gameID: swipe }
`;

const BEGAN = Date.parse('2026-11-21T14:03:00Z');
const BET = '11111111-1111-4111-8111-111111111111';
const WIN = '22222222-2222-4222-8222-222222222222';

let cwd = '';
beforeAll(() => {
  cwd = mkdtempSync(path.join(tmpdir(), 'replay-session-'));
  writeFileSync(path.join(cwd, 'croupier.yaml'), CONFIG);
  // The operator pays the win again when it comes in the other session.
  const calls = [
    ['/bet', 'anna-1', BET, '2.00', '998.00', 'op-1'],
    ['/win', 'anna-1', WIN, '5.00', '1003.00', 'op-2'],
    ['/win', 'anna-2', WIN, '5.00', '1008.00', 'op-3'],
  ] as const;
  const lines = calls.map(([url, sessionID, txID, amount, balance, reply], index) =>
    JSON.stringify({
      time: new Date(BEGAN + 100 * index).toISOString(),
      method: 'POST',
      url: `https://wallet.example${url}`,
      status: 200,
      tookMs: 5,
      requestBody: JSON.stringify({ amount, roundID: 'r-1', sessionID, txID, type: 'regular' }),
      responseBody: JSON.stringify({ balance, txID: reply }),
    }),
  );
  writeFileSync(path.join(cwd, 'paid-twice.log'), `${lines.join('\n')}\n`);
});
afterAll(() => rmSync(cwd, { recursive: true }));

const replay = (...args: readonly string[]): Promise<Ended> =>
  croupier(['replay', 'paid-twice.log', '--reference', '--no-wait', '--linger', '100ms', ...args], { cwd });

it('a win that is paid again in another session of the player is still failing', async () => {
  const { out, status } = await replay('--defect', 'replay-known-by-session');
  expect(out.replaceAll('\n', ' ')).toMatch(
    /^still failing: the recorded problem \(idempotency\.win, money\.conservation\) came again: idempotency\.conflicting-body is still wrong; every reply is as before\./,
  );
  expect(out).toMatch(/3 {2}win 5\.00 {2}as before: 200, balance \+5 \(wrong\)/);
  expect(status).toBe(1);
}, 60_000);

it('a win that moves no money again in another session of the player is fixed', async () => {
  const { out, status } = await replay();
  expect(out.replaceAll('\n', ' ')).toMatch(
    /^fixed: the recorded problem \(idempotency\.win, money\.conservation\) is fixed\./,
  );
  expect(out).toMatch(/3 {2}win 5\.00 {2}logs: 200, balance \+5; now: 409/);
  expect(status).toBe(0);
}, 60_000);
