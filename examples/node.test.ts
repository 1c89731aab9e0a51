// Tests a wallet with Node's own test runner: `node --test`. The file croupier.yaml holds the addresses of the wallets. To get
// one for a first try, run `croupier serve operator --write-config croupier.yaml`.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { run } from 'croupier-conformance';

test('no rule about money is broken by refunds', { timeout: 60_000 }, async () => {
  const { rules, text } = await run({ client: 'demo-eu', select: ['refund.restore', 'refund.once'] });
  const broken = rules.filter(({ money, verdict }) => money && verdict === 'fail').map(({ id }) => id);
  assert.deepEqual(broken, [], text);
});
