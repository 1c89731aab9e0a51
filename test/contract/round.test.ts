import { describe, expect, it } from 'vitest';
import { betRequestSchema, REQUEST_SCHEMAS, refundRequestSchema, winRequestSchema } from '../../src/contract/calls.ts';
import {
  type OwedCall,
  outstandingCalls,
  type Round,
  type RoundEvent,
  type RoundStep,
  startRound,
  stepRound,
} from '../../src/contract/round.ts';
import * as fc from '../properties.ts';

function uuid(number: number): string {
  return `00000000-0000-4000-8000-${String(number).padStart(12, '0')}`;
}

const BET = uuid(1);
const REFUND = uuid(2);
const WIN = uuid(3);
const ROUND = uuid(99);

const bet: RoundEvent = { kind: 'bet', txID: BET, refundTxID: REFUND, amount: '1.00', type: 'regular' };
const win: RoundEvent = { kind: 'win', txID: WIN, amount: '2.50', type: 'regular' };
const reply = (txID: string, status: number): RoundEvent => ({ kind: 'reply', txID, status });
const timeout = (txID: string): RoundEvent => ({ kind: 'timeout', txID });
const broken = (txID: string): RoundEvent => ({ kind: 'broken', txID });

const BET_BODY = { sessionID: 's-1', txID: BET, roundID: ROUND, amount: '1.00', type: 'regular' };
const WIN_BODY = { sessionID: 's-1', txID: WIN, roundID: ROUND, amount: '2.50', type: 'regular' };
const REFUND_BODY = { sessionID: 's-1', txID: REFUND, origTxID: BET, roundID: ROUND, amount: '1.00' };

/** Applies the events, which must all be possible, and returns the last step. */
function play(...events: RoundEvent[]): RoundStep {
  let step: RoundStep = { kind: 'moved', round: startRound('s-1', ROUND), owed: [] };
  for (const event of events) {
    expect(step.kind, 'an earlier event was refused').toBe('moved');
    step = stepRound(step.round, event);
  }
  return step;
}

function byTxID(a: OwedCall, b: OwedCall): number {
  return a.body.txID < b.body.txID ? -1 : 1;
}

function statuses(round: Round): string[] {
  return [...round.bets, ...round.wins].map((action) => action.status);
}

const OTHER_ERRORS = [201, 202, 204, 301, 302, 400, 401, 403, 404, 409, 422, 429, 501, 502, 503, 504];

describe('the first bet of a round', () => {
  it('is sent', () => {
    const { round, owed } = play(bet);
    expect(statuses(round)).toEqual(['sent']);
    expect(owed).toEqual([{ call: 'bet', body: BET_BODY }]);
  });

  it('is accepted by a reply of 200, and no call follows', () => {
    const { round, owed } = play(bet, reply(BET, 200));
    expect(statuses(round)).toEqual(['accepted']);
    expect(owed).toEqual([]);
    expect(outstandingCalls(round)).toEqual([]);
  });

  it.each(OTHER_ERRORS)('is declined by a reply of %i, and neither retried nor refunded', (status) => {
    const { round, owed } = play(bet, reply(BET, status));
    expect(statuses(round)).toEqual(['declined']);
    expect(owed).toEqual([]);
    expect(outstandingCalls(round)).toEqual([]);
  });

  it.each([
    ['a reply of 500', reply(BET, 500)],
    ['a timeout', timeout(BET)],
    ['a broken connection', broken(BET)],
  ])('is refunded after %s', (_, event) => {
    const { round, owed } = play(bet, event);
    expect(statuses(round)).toEqual(['refund-owed']);
    expect(owed).toEqual([{ call: 'refund', body: REFUND_BODY }]);
    expect(outstandingCalls(round)).toEqual(owed);
  });
});

describe('an accepted bet', () => {
  it('allows a win', () => {
    const { round, owed } = play(bet, reply(BET, 200), win);
    expect(statuses(round)).toEqual(['accepted', 'sent']);
    expect(owed).toEqual([{ call: 'win', body: WIN_BODY }]);
  });

  it('is settled by a win with a reply of 200', () => {
    const { round, owed } = play(bet, reply(BET, 200), win, reply(WIN, 200));
    expect(statuses(round)).toEqual(['accepted', 'settled']);
    expect(owed).toEqual([]);
    expect(outstandingCalls(round)).toEqual([]);
  });

  it.each([...OTHER_ERRORS.map((status) => reply(WIN, status)), reply(WIN, 500), timeout(WIN), broken(WIN)])(
    'stays accepted when the win fails by %o, and the same win is sent again',
    (event) => {
      const { round, owed } = play(bet, reply(BET, 200), win, event);
      expect(statuses(round)).toEqual(['accepted', 'pending']);
      expect(owed).toEqual([{ call: 'win', body: WIN_BODY }]);
      expect(outstandingCalls(round)).toEqual(owed);
    },
  );

  it('is settled by a win that succeeds after any number of failures', () => {
    const { round, owed } = play(
      bet,
      reply(BET, 200),
      win,
      reply(WIN, 500),
      timeout(WIN),
      reply(WIN, 404),
      reply(WIN, 200),
    );
    expect(statuses(round)).toEqual(['accepted', 'settled']);
    expect(owed).toEqual([]);
  });
});

describe('a bet with a reply of 500 or a timeout', () => {
  const lost = [bet, timeout(BET)];

  it('is refunded once the reply to its refund is 200', () => {
    const { round, owed } = play(...lost, reply(REFUND, 200));
    expect(statuses(round)).toEqual(['refunded']);
    expect(owed).toEqual([]);
    expect(outstandingCalls(round)).toEqual([]);
  });

  it.each([
    ...OTHER_ERRORS.map((status) => reply(REFUND, status)),
    reply(REFUND, 500),
    timeout(REFUND),
    broken(REFUND),
  ])('sends the same refund again when the refund fails by %o', (event) => {
    const { round, owed } = play(...lost, event);
    expect(statuses(round)).toEqual(['refund-pending']);
    expect(owed).toEqual([{ call: 'refund', body: REFUND_BODY }]);
    expect(outstandingCalls(round)).toEqual(owed);
  });

  it('is refunded after any number of failures', () => {
    const { round } = play(...lost, reply(REFUND, 503), broken(REFUND), reply(REFUND, 500), reply(REFUND, 200));
    expect(statuses(round)).toEqual(['refunded']);
  });
});

describe('an event that is not possible', () => {
  it.each([
    ['a reply to a call that was never made', [bet], reply(WIN, 200), 'tx-id-unknown'],
    ['a second reply to a bet', [bet, reply(BET, 200)], reply(BET, 500), 'not-awaited'],
    ['a late 200 to a bet that is being refunded', [bet, timeout(BET)], reply(BET, 200), 'not-awaited'],
    ['a second reply to a refund', [bet, timeout(BET), reply(REFUND, 200)], reply(REFUND, 200), 'not-awaited'],
    ['a reply to a refund that was not due', [bet, reply(BET, 200)], reply(REFUND, 200), 'not-awaited'],
    ['a second reply to a win', [bet, reply(BET, 200), win, reply(WIN, 200)], timeout(WIN), 'not-awaited'],
    ['a win before any bet', [], win, 'no-accepted-bet'],
    ['a win while the bet is under way', [bet], win, 'no-accepted-bet'],
    ['a win after the bet was declined', [bet, reply(BET, 402)], win, 'no-accepted-bet'],
    ['a win after the bet was refunded', [bet, reply(BET, 500), reply(REFUND, 200)], win, 'no-accepted-bet'],
    ['a bet placed twice', [bet], bet, 'tx-id-used'],
    ['a bet that reserves its own txID', [], { ...bet, refundTxID: BET }, 'tx-id-used'],
    ["a bet that reserves another bet's refund", [bet], { ...bet, txID: uuid(7) }, 'tx-id-used'],
    ['a win with the txID of the bet', [bet, reply(BET, 200)], { ...win, txID: BET }, 'tx-id-used'],
    ['a win with the reserved txID', [bet, reply(BET, 200)], { ...win, txID: REFUND }, 'tx-id-used'],
  ] as const)('is refused and changes nothing: %s', (_, before, event, reason) => {
    const { round } = play(...before);
    expect(stepRound(round, event)).toEqual({ kind: 'refused', round, owed: [], reason });
  });
});

describe('a round with several bets or wins', () => {
  const second: RoundEvent = { ...bet, txID: uuid(11), refundTxID: uuid(12), amount: '3.00' };

  it('refunds only the bet that was lost', () => {
    const { round, owed } = play(bet, second, reply(BET, 200), timeout(uuid(11)));
    expect(statuses(round)).toEqual(['accepted', 'refund-owed']);
    expect(owed).toEqual([
      { call: 'refund', body: { ...REFUND_BODY, txID: uuid(12), origTxID: uuid(11), amount: '3.00' } },
    ]);
  });

  it('settles each win by its own reply', () => {
    const { round } = play(bet, reply(BET, 200), win, { ...win, txID: uuid(21) }, timeout(WIN), reply(uuid(21), 200));
    expect(statuses(round)).toEqual(['accepted', 'pending', 'settled']);
    expect(outstandingCalls(round)).toEqual([{ call: 'win', body: WIN_BODY }]);
  });
});

it('a free round has its campaign in the bet and the win, and not in the refund', () => {
  const free = { type: 'free', frID: 'fr-1' } as const;
  const { round } = play({ ...bet, ...free }, reply(BET, 200), { ...win, ...free });
  expect(outstandingCalls(round)).toEqual([{ call: 'win', body: { ...WIN_BODY, ...free } }]);
  const lost = play({ ...bet, ...free }, timeout(BET));
  expect(lost.owed).toEqual([{ call: 'refund', body: REFUND_BODY }]);
});

it('the bodies of bet, win and refund are valid by the schemas of the calls', () => {
  expect(betRequestSchema.safeParse(BET_BODY).success).toBe(true);
  expect(winRequestSchema.safeParse(WIN_BODY).success).toBe(true);
  expect(refundRequestSchema.safeParse(REFUND_BODY).success).toBe(true);
});

describe('a round with random events', () => {
  const txID = fc.integer({ min: 1, max: 8 }).map(uuid);
  const status = fc.constantFrom(200, 200, 500, 400, 401, 404, 201, 503);
  const amount = fc.constantFrom('0', '1.00', '7.25');
  const event: fc.Arbitrary<RoundEvent> = fc.oneof(
    fc.record({
      kind: fc.constant('bet' as const),
      txID,
      refundTxID: fc.integer({ min: 5, max: 14 }).map(uuid),
      amount,
      type: fc.constant('regular' as const),
    }),
    fc.record({ kind: fc.constant('win' as const), txID, amount, type: fc.constant('regular' as const) }),
    fc.record({
      kind: fc.constant('reply' as const),
      txID: fc.integer({ min: 1, max: 14 }).map(uuid),
      status,
    }),
    fc.record({
      kind: fc.constantFrom('timeout' as const, 'broken' as const),
      txID: fc.integer({ min: 1, max: 14 }).map(uuid),
    }),
  );

  /** The calls of a round, recorded independently of the reducer: all bodies that were sent, and the calls without a reply. */
  interface Account {
    open: Map<string, OwedCall>;
    sent: Map<string, OwedCall[]>;
    lostBets: Set<string>;
    winsPlaced: Set<string>;
  }

  function check(account: Account, event: RoundEvent, step: RoundStep): void {
    if (step.kind === 'refused') {
      expect(step.owed).toEqual([]);
      return;
    }
    if (event.kind === 'win') account.winsPlaced.add(event.txID);
    if (event.kind === 'reply' || event.kind === 'timeout' || event.kind === 'broken') {
      const answered = account.open.get(event.txID);
      expect(answered, 'only a call under way can be answered').toBeDefined();
      account.open.delete(event.txID);
      const unsure = event.kind !== 'reply' || event.status === 500;
      if (answered?.call === 'bet' && unsure) account.lostBets.add(event.txID);
    }
    for (const owed of step.owed) {
      const { txID } = owed.body;
      account.open.set(txID, owed);
      account.sent.set(txID, [...(account.sent.get(txID) ?? []), owed]);
      expect(REQUEST_SCHEMAS[owed.call].safeParse(owed.body).success).toBe(true);
      if (owed.call === 'refund') {
        expect(account.winsPlaced.has(owed.body.origTxID), 'a win is never refunded').toBe(false);
        expect(account.lostBets.has(owed.body.origTxID), 'only a lost bet is refunded').toBe(true);
      }
    }
  }

  it('refunds lost bets and no wins, repeats the same body in retries, and forgets no call', () => {
    fc.assert(
      fc.property(fc.array(event, { maxLength: 40 }), (events) => {
        const account: Account = { open: new Map(), sent: new Map(), lostBets: new Set(), winsPlaced: new Set() };
        let round = startRound('s-1', ROUND);
        for (const one of events) {
          const step = stepRound(round, one);
          check(account, one, step);
          round = step.round;
          expect([...outstandingCalls(round)].sort(byTxID)).toEqual([...account.open.values()].sort(byTxID));
        }
        for (const calls of account.sent.values()) {
          for (const call of calls) expect(call).toEqual(calls[0]);
          if (calls[0]?.call === 'bet') expect(calls, 'a bet is never sent again').toHaveLength(1);
        }
        for (const lost of account.lostBets) {
          const refunds = [...account.sent.values()]
            .flat()
            .filter((one) => one.call === 'refund' && one.body.origTxID === lost);
          expect(refunds.length, 'each lost bet is refunded').toBeGreaterThan(0);
        }
      }),
      { numRuns: 500 },
    );
  });

  it('ends once every outstanding call gets a reply of 200', () => {
    fc.assert(
      fc.property(fc.array(event, { maxLength: 40 }), (events) => {
        let round = events.reduce((state, one) => stepRound(state, one).round, startRound('s-1', ROUND));
        for (const owed of outstandingCalls(round)) round = stepRound(round, reply(owed.body.txID, 200)).round;
        expect(outstandingCalls(round)).toEqual([]);
      }),
    );
  });
});
