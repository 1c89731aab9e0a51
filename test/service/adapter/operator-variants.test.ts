import { expect, it, onTestFinished } from 'vitest';
import { createOperator } from '../../../src/operator/operator.ts';
import { variantByName } from '../../../src/operator/variants.ts';
import { behaviourWith } from '../../../src/operator/variation.ts';
import { settled, startAdapter } from './adapter-setup.ts';
import { KEY } from './operator-front.ts';
import { sessionOf } from './sessions.ts';

const DEADLINE_MS = 400;
const PLAYERS = ['p0', 'p1', 'p2', 'p3'];

/** One or two variants of each kind. `croupier selftest` runs all variants. */
const SAMPLE = [
  'chunked',
  'keep-alive-closed-at-once',
  'escaped-text',
  'insufficient-funds-500',
  'busy-now-and-then',
  'bets-fail-though-taken',
  'wins-fail-though-credited',
  'late-bet-200',
  'jittered-replies',
];

it.each(SAMPLE)('the adapter settles every round with an operator of the variant %s', async (name) => {
  const variant = variantByName(name);
  if (!variant) throw new Error(`there is no variant ${name}`);
  const operator = createOperator(
    {
      clients: [
        {
          extCID: 'acme',
          integrationApiKey: KEY,
          basePath: '',
          campaigns: [],
          sessions: PLAYERS.map((player) => ({
            sessionID: `s-${player}`,
            player,
            currency: 'USD',
            gameID: 'catch',
            balance: '1000.00',
            state: 'active',
          })),
        },
      ],
      onFault: () => {},
    },
    behaviourWith([variant], { deadlineMs: DEADLINE_MS }),
  );
  const listening = await operator.start();
  onTestFinished(() => listening.close(0));
  const { adapter } = startAdapter(listening.url, {}, DEADLINE_MS);
  await Promise.all(
    PLAYERS.map(async (player) => {
      let cents = 100_000;
      for (const win of ['0', '2.50', '0.75']) {
        const { bet } = await adapter.play(sessionOf(player), '1.00', { win });
        if (bet.kind === 'accepted') cents += Math.round(Number(win) * 100) - 100;
      }
      await settled(adapter);
      expect(Number(operator.balanceOf('acme', player, 'USD'))).toBe(cents / 100);
    }),
  );
});
