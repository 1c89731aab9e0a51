// Tests a wallet together with its other tests: `npx vitest run`, with the wallet at WALLET_URL.
import { run } from 'croupier-conformance';
import { expect, test } from 'vitest';

const config = {
  clients: [
    {
      extCID: 'example',
      integratorBaseUrl: process.env.WALLET_URL ?? 'http://127.0.0.1:3000',
      integrationApiKey: '${INTEGRATION_API_KEY}',
      sessions: [{ sessionID: 'session-of-eva', player: 'eva', currency: 'USD' }],
    },
  ],
};

test('a bet that is sent again is taken once', { timeout: 60_000 }, async () => {
  const result = await run({ config, select: ['idempotency.bet'] });
  expect(result.verdict, result.text).toBe('conforming');
});
