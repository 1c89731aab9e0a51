import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { run } from '../../src/library/run.ts';
import { ok, onRequests, rawServer } from '../wire/raw-server.ts';

let cwd = '';
beforeAll(() => {
  cwd = mkdtempSync(path.join(tmpdir(), 'croupier-'));
});
afterAll(() => rmSync(cwd, { recursive: true, force: true }));

/** A correct wallet of one player. It sends these bytes some milliseconds after each of its first replies. */
async function wallet(more: string, afterMs: number): Promise<string> {
  let cents = 100_000;
  const known = new Map<string, string>();
  const port = await rawServer((socket) =>
    onRequests(socket, (text) => {
      const { txID, amount = '0' } = JSON.parse(text.slice(text.indexOf('\r\n\r\n') + 4) || '{}');
      const sign = text.startsWith('POST /bet') ? -1 : 1;
      if (!known.has(txID)) cents += sign * Math.round(Number(amount) * 100);
      const balance = (cents / 100).toFixed(2);
      const reply = known.get(txID) ?? JSON.stringify({ balance, ...(txID && { txID: `op-${txID}` }) });
      if (txID) known.set(txID, reply);
      socket.write(ok(reply, 'Content-Type: application/json\r\n'));
      setTimeout(() => socket.write(more), afterMs);
    }),
  );
  return `http://127.0.0.1:${port}`;
}

it.each([
  ['that are no HTTP', 'Warning: cannot modify header', 1],
  ['that are a second reply', ok('{"balance":"5.00"}'), 1],
])('bytes behind a reply %s are reported, and no later call is blamed for them', async (_, more, afterMs) => {
  const { verdict, rules, text } = await run({
    cwd,
    config: {
      linger: '10ms',
      clients: [
        {
          extCID: 'acme',
          integratorBaseUrl: await wallet(more, afterMs),
          integrationApiKey: 'a-key-of-this-test-only',
          sessions: [{ sessionID: 's1', player: 'p1', currency: 'USD' }],
        },
      ],
    },
    select: ['bet/debit', 'win/credit'],
    allowSkipped: true,
  });
  const failed = rules.filter((rule) => rule.verdict === 'fail').map(({ id }) => id);
  expect([verdict, failed], text).toEqual(['conforming', []]);
  expect(text.replaceAll(/\s+/g, ' ')).toContain(
    'The operator sent more bytes than the `Content-Length` of its reply says.',
  );
});
