import { describe, expect, it } from 'vitest';
import { UnansweredCalls } from '../../../src/engine/calls/unanswered-calls.ts';
import type { Exchange, NoReplyReason } from '../../../src/journal/exchange.ts';
import { error, type ToyReply } from '../../judge/toy-wallet.ts';
import { type Behaviour, operatorServer, ran, scenarioOf } from '../operator-server.ts';

const LINGER_MS = 300;
const DEADLINE_MS = 1000;

describe('the calls without a reply', () => {
  let now = 0;
  const unanswered = (...exchanges: readonly Exchange[]): UnansweredCalls => {
    const calls = new UnansweredCalls({ deadlineMs: DEADLINE_MS, now: () => now });
    for (const exchange of exchanges) calls.note(exchange);
    return calls;
  };
  const exchangeOf = (end: number, more: Partial<Exchange> = {}): Exchange =>
    ({
      call: 'bet',
      request: { url: 'http://x/bet', body: { encoding: 'utf8', data: '{"sessionID":"s1"}' } },
      outcome: { kind: 'none', reason: 'broken' },
      stamps: { end },
      connection: { id: 1, reused: false },
      ...more,
    }) as Exchange;
  const without = (reason: NoReplyReason): Partial<Exchange> => ({ outcome: { kind: 'none', reason, detail: '' } });
  const answered = (status: number): Partial<Exchange> =>
    ({ outcome: { kind: 'reply', reply: { status, headers: [], body: {} } } }) as unknown as Partial<Exchange>;
  const mayOverlapAt = (time: number, ...exchanges: readonly Exchange[]): boolean => {
    now = time;
    return unanswered(...exchanges).mayOverlap(['s1', 's2'], LINGER_MS);
  };

  it('a call whose connection broke may overlap with later calls of its session until the settle time is over', () => {
    const broken = exchangeOf(1000);
    expect([mayOverlapAt(1299, broken), mayOverlapAt(1300, broken)]).toEqual([true, false]);
    expect(unanswered(broken).mayOverlap(['s2'], LINGER_MS)).toBe(false);
  });

  it('a call that missed the deadline may take as long once more', () => {
    const late = exchangeOf(1000, without('too-late'));
    expect([mayOverlapAt(1999, late), mayOverlapAt(2000, late)]).toEqual([true, false]);
  });

  it('a call that the operator answered or never received cannot overlap', () => {
    for (const more of [
      answered(200),
      answered(500),
      answered(503),
      without('refused'),
      without('stale-connection'),
      { ...without('reset'), connection: null },
    ])
      expect(mayOverlapAt(1001, exchangeOf(1000, more))).toBe(false);
    for (const status of [502, 504]) expect(mayOverlapAt(1001, exchangeOf(1000, answered(status)))).toBe(true);
  });

  it('a call that was sent again and answered 200 is over', () => {
    const other = exchangeOf(1000, {
      ...answered(200),
      request: { url: 'http://x/bet', body: { encoding: 'utf8', data: '{"sessionID":"s1","txID":"other"}' } },
    } as Partial<Exchange>);
    expect(mayOverlapAt(1001, exchangeOf(1000), other)).toBe(true);
    expect(mayOverlapAt(1001, exchangeOf(1000), other, exchangeOf(1001, answered(200)))).toBe(false);
  });

  it('only a call that may move money must be waited for', () => {
    const read = {
      call: 'balance',
      request: { method: 'GET', url: 'http://x/balance?sessionID=s1', headers: [], body: null },
    };
    now = 1100;
    const [bet, balance] = [unanswered(exchangeOf(1000)), unanswered(exchangeOf(1000, read as Partial<Exchange>))];
    expect([bet.restMs(['s1'], LINGER_MS), balance.restMs(['s1'], LINGER_MS)]).toEqual([200, 0]);
    expect(balance.mayOverlap(['s1'], LINGER_MS)).toBe(true);
  });
});

describe('a wallet that locks the player while a call is in progress', () => {
  /** Processes the bet whose connection breaks only after it has declined another call of the player. */
  function locking(declined: ToyReply): Behaviour {
    let isLocked = false;
    let release = (): void => {};
    return async ({ call, number }, tell) => {
      if (isLocked) {
        release();
        return declined;
      }
      const isToBreak = call === 'bet' && number === 1;
      if (!isToBreak) return tell();
      isLocked = true;
      await new Promise<void>((resolve) => {
        release = resolve;
      });
      isLocked = false;
      return tell();
    };
  }
  const DECLINES: readonly (readonly [string, ToyReply])[] = [
    ['409', error(409, 'Another call of this player is being processed.')],
    ['423', error(423, 'Locked')],
    ['503', error(503, 'Busy')],
    ['403 with the code of a limit', error(403, 'Not now', 'bet_limit')],
  ];
  const NEXT = {
    'the refund of this bet': '{ refund: { of: cut } }, { balance: }',
    'a balance read': '{ balance: }, { refund: { of: cut } }',
    'another bet': '{ bet: , as: next }, { balance: }, { refund: { of: cut } }, { refund: { of: next } }',
    'the end of the scenario': '',
  } as const;

  for (const [words, declined] of DECLINES)
    for (const [what, steps] of Object.entries(NEXT))
      it(`is not accused if it answers ${words} to ${what}`, async () => {
        const { url, wallet } = await operatorServer(locking(declined));
        const yaml = `rules: [refund.broken-connection]\nsteps: [{ bet: { amount: "7.00" }, as: cut, break: sent }, ${steps}]`;
        const run = await ran(url, [scenarioOf('a/b', yaml)], { deadlineMs: 4000, lingerMs: 100 });
        expect(run.fold.rules.filter(({ verdict }) => verdict === 'fail' || verdict === 'warn')).toEqual([]);
        // On a busy machine, the next call may come so late that the scenario shows nothing.
        expect(['pass', 'skip']).toContain(run.scenario('a/b')?.verdict);
        expect(wallet.balance().format(2)).toBe('100.00');
      });

  it('no scenario begins while a call of its player may still be in progress', async () => {
    // croupier places a bet to raise the balance. The bet misses the deadline, so the first scenario ends at once.
    let bets = 0;
    const { url } = await operatorServer(({ call }, tell) => {
      bets += call === 'bet' ? 1 : 0;
      return call === 'bet' && bets === 1 ? null : tell();
    });
    const poor = scenarioOf('a/poor', 'rules: [balance.read]\nneeds: { balance: "150.00" }\nsteps: [{ balance: }]');
    const next = { ...scenarioOf('b/next', 'rules: [balance.read]\nsteps: [{ balance: }]'), last: true };
    const run = await ran(url, [poor, next], { lingerMs: LINGER_MS });
    const [lateAt = Number.POSITIVE_INFINITY] = run.events.flatMap((event) =>
      event.event === 'received' && event.outcome.kind === 'none' ? [event.stamps.end] : [],
    );
    const [, second] = run.events.filter((event) => event.event === 'scenario-started');
    expect(second?.at).toBeGreaterThanOrEqual(lateAt + LINGER_MS - 1);
  });
});
