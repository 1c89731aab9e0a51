// Tests a wallet as part of the wallet's own tests: `npx vitest run`. WALLET_URL is the address of the wallet.
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
