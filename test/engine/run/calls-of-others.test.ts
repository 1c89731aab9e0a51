import { beforeEach, describe, expect, it } from 'vitest';
import { Money } from '../../../src/contract/money.ts';
import { CallsOfOthers } from '../../../src/engine/run/calls-of-others.ts';
import type { JournalEvent } from '../../../src/journal/event.ts';
import { BalancesOfOthers } from '../../../src/judge/reads/balances-of-others.ts';
import { KEY, operatorServer, P1, P2, ran, scenarioOf } from '../operator-server.ts';

const P1_WALLET = 'p1 USD';
const P2_WALLET = 'p2 USD';

describe('the change of a balance', () => {
  let calls: CallsOfOthers;
  let balances: BalancesOfOthers;
  let now: number;
  let noted: readonly JournalEvent[];

  const explains = (from: string, to: string, wallet = P1_WALLET, fromMs = 10, toMs = 20): boolean =>
    calls.explain(wallet, { from: Money.of(from), to: Money.of(to) }, { fromMs, toMs });

  beforeEach(async () => {
    now = 0;
    balances = new BalancesOfOthers();
    const { url } = await operatorServer(undefined, { sessions: [P1, P2] });
    const played = await ran(
      url,
      [
        scenarioOf(
          'win/one',
          'rules: [win.credit]\nsteps:\n  - bet: { amount: "3.00" }\n  - win: { amount: "7.00" }\n',
        ),
      ],
      {},
      [P2],
    );
    calls = new CallsOfOthers(
      {
        client: {
          extCID: 'acme',
          integratorBaseUrl: url,
          integrationApiKey: KEY,
          paths: {},
          headers: {},
          sessions: [P1, P2],
          wire: {},
        },
        now: () => now,
      },
      balances,
    );
    noted = played.events.filter(({ event }) => event === 'sending' || event === 'received');
    now = 15;
    for (const event of noted) calls.note(event);
  });

  it.each([
    ['the amount of a win of another player', '50.00', '57.00', true],
    ['the sum of a bet and a win of another player', '50.00', '54.00', true],
    ['the balance that was replied to another player', '50.00', '104.00', true],
    ['no sum of calls of another player', '50.00', '56.00', false],
  ])('is %s', (_, from, to, is) => {
    expect(explains(from, to)).toBe(is);
  });

  it("is not explained by the player's own calls, and not by calls at another time", () => {
    expect(explains('50.00', '57.00', P2_WALLET)).toBe(false);
    expect(explains('50.00', '57.00', P1_WALLET, 16, 20)).toBe(false);
    expect(explains('50.00', '57.00', P1_WALLET, 1, 14)).toBe(false);
  });

  it('is also explained after hundreds of later calls', () => {
    const first = noted.find((one) => one.event === 'sending' && one.call === 'bet');
    now = 100;
    for (let later = 0; later < 1000; later += 1)
      if (first) calls.note({ ...first, id: `later-${later}` } as JournalEvent);
    expect(explains('50.00', '57.00')).toBe(true);
  });

  it('is compared with the balances in the replies to other players', () => {
    expect(balances.ownerOf(P1_WALLET, Money.of('97.00'))).toBe(P2_WALLET);
    expect(balances.ownerOf(P2_WALLET, Money.of('97.00'))).toBeUndefined();
  });
});
