import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, it } from 'vitest';
import { Money } from '../../src/contract/money.ts';
import { createScrubber } from '../../src/journal/secrets/scrubber.ts';
import { runLoad } from '../../src/load/load.ts';
import { DEFAULT_MIX } from '../../src/load/mix.ts';

const KEY = 'k3y-0f-the-0perator';

it('the journal does not contain a key that the operator sends as its txID', { timeout: 20_000 }, async () => {
  const server = createServer((request, response) => {
    request.resume();
    response.setHeader('Content-Type', 'application/json');
    response.end(JSON.stringify({ balance: '1000000.00', txID: `id "${KEY}"` }));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  try {
    const { port } = server.address() as AddressInfo;
    const client = { integratorBaseUrl: `http://127.0.0.1:${port}`, integrationApiKey: KEY, paths: {}, headers: {} };
    let journal = '';
    await runLoad({
      endpoint: client,
      wire: {},
      wallets: [{ player: 'ben', currency: 'EUR', sessions: [{ sessionID: 's-1', index: 0 }] }],
      arrivals: { kind: 'closed', players: 1 },
      durationMs: 100,
      mix: DEFAULT_MIX,
      campaign: null,
      credit: false,
      deadlineMs: 5000,
      lingerMs: 1,
      seed: 'test',
      numbers: { after: 0, step: 1 },
      origin: performance.now(),
      denominationOf: () => ({ stake: Money.of('1'), unit: Money.unit(2), decimals: 2 }),
      scrub: createScrubber([KEY]),
      write: (lines) => {
        journal += lines;
      },
      signal: new AbortController().signal,
      onProgress: () => {},
      onBegin: () => {},
      onEnd: () => Promise.resolve(),
    });
    expect(journal).toContain('"id \\"***\\""');
    expect(journal).not.toContain(KEY);
  } finally {
    server.close();
    server.closeAllConnections();
  }
});
