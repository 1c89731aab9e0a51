// The same with nothing but Node: `node --test`. A croupier.yaml says where the wallets are;
// `croupier serve operator --write-config croupier.yaml` gives one to try it with.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { run } from 'croupier-conformance';

test('no rule about money is broken by refunds', { timeout: 60_000 }, async () => {
  const { rules, text } = await run({ client: 'demo-eu', select: ['refund.restore', 'refund.once'] });
  const broken = rules.filter(({ money, verdict }) => money && verdict === 'fail').map(({ id }) => id);
  assert.deepEqual(broken, [], text);
});
