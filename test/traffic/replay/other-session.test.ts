import { describe, expect, it } from 'vitest';
import type { Outcome } from '../../../src/journal/exchange.ts';
import {
  type ReplayedRepeats,
  repeatsInOtherSession,
  repeatsNotTested,
  rulesOfRepeats,
  wrongRepeats,
} from '../../../src/traffic/replay/other-session.ts';
import { buildTimeline } from '../../../src/traffic/timeline/timeline.ts';
import { Log } from '../timeline/calls.ts';

const ANNA = { player: 'anna', currency: 'EUR' };

/** The calls of a record in which call 3 repeats the win of call 2 in another session. */
function recorded(player = 'anna', amount = '5.00') {
  const log = new Log()
    .bet('b1', '2.00', { balance: '98.00' })
    .win('w1', '5.00', { balance: '103.00' })
    .win('w1', amount, { balance: '108.00', txID: 'op-3' }, { session: 's-2' });
  const known = new Map([
    ['s-1', ANNA],
    ['s-2', { ...ANNA, player }],
  ]);
  return buildTimeline(log.calls, {}, known).calls;
}

function reply(status: number, body: Record<string, string>): Outcome {
  const data = JSON.stringify(body);
  return {
    kind: 'reply',
    reply: { status, headers: [], body: { encoding: 'utf8', data, length: data.length, truncated: false } },
  };
}

const ACCEPTED = reply(200, { balance: '5.00', txID: 'op-2' });
const session = (sessionID: string, player: string | null, gameID: string | null = null) => ({
  sessionID,
  player,
  gameID,
});

/** Returns the reasons why a replay with the given difference does not show a fix. */
function reasons({ again = ACCEPTED, ...more }: Partial<ReplayedRepeats> & { readonly again?: Outcome } = {}) {
  const calls = recorded();
  return repeatsNotTested(repeatsInOtherSession(calls), {
    calls,
    outcomes: new Map([
      [2, ACCEPTED],
      [3, again],
    ]),
    sessions: new Map([
      [2, session('t-1', 'anna')],
      [3, session('t-2', 'anna')],
    ]),
    hasParallelCalls: false,
    ofBalance: new Set(),
    passes: 1,
    ...more,
  });
}

describe('a call that came again in another session of the player', () => {
  it('is found only with the same amount and the same player', () => {
    const numbers = [recorded(), recorded('ben'), recorded('anna', '6.00')].map((calls) =>
      repeatsInOtherSession(calls).map(({ first, again }) => [first.number, again.number]),
    );
    expect(numbers).toEqual([[[2, 3]], [], []]);
  });

  it('stands for the broken rule only if no other call broke this rule', () => {
    const repeats = repeatsInOtherSession(recorded());
    const alone = [{ rule: 'idempotency.win', call: 3 }];
    const both = [...alone, { rule: 'idempotency.win', call: 2 }];
    expect(wrongRepeats(repeats, alone)).toHaveLength(1);
    expect(wrongRepeats(repeats, [{ rule: 'win.credit', call: 3 }])).toEqual([]);
    expect([...rulesOfRepeats(repeats, alone)]).toEqual(['idempotency.win']);
    expect([...rulesOfRepeats(repeats, both)]).toEqual([]);
  });

  it('is right now if it got the same txID or 409, and the run judged its money', () => {
    expect(reasons()).toEqual([]);
    expect(reasons({ again: reply(409, { message: 'used in another session' }) })).toEqual([]);
  });

  it.each<[string, Parameters<typeof reasons>[0]]>([
    ['the run did not judge its money', { passes: 0 }],
    ['calls were sent in parallel', { hasParallelCalls: true }],
    ['its amount depends on the balance', { ofBalance: new Set([3]) }],
    [
      'the first call was declined',
      {
        outcomes: new Map([
          [2, reply(402, {})],
          [3, ACCEPTED],
        ]),
      },
    ],
    ['it got another txID', { again: reply(200, { balance: '5.00', txID: 'op-9' }) }],
    ['its session had ended', { again: reply(403, { code: 'session_expired', message: 'over' }) }],
    ['it came in the same session', { sessions: new Map([2, 3].map((number) => [number, session('t-1', 'anna')])) }],
    [
      'the sessions may have two players',
      { sessions: new Map([2, 3].map((number) => [number, session(`t-${number}`, null)])) },
    ],
    [
      'the sessions had the same game only in the replay',
      { sessions: new Map([2, 3].map((number) => [number, session(`t-${number}`, 'anna', 'catch')])) },
    ],
  ])('is not shown to be right if %s', (_what, difference) => {
    expect(reasons(difference)).toHaveLength(1);
  });
});
