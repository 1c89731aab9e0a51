import { createHistogram } from 'node:perf_hooks';
import { describe, expect, it } from 'vitest';
import type { LoadFacts } from '../../src/journal/load/result.ts';
import { JoinedSeconds, joinedFacts, type LoadPart } from '../../src/load/joined-facts.ts';
import { Measures, type SecondOfTest } from '../../src/load/measures.ts';
import { RIGHT_LOAD } from './load-result.ts';

const WHOLE: Parameters<typeof joinedFacts>[2] = {
  arrivals: { kind: 'rate', from: 10, to: 10 },
  limits: [],
  interrupted: null,
  isStopping: false,
  disturbances: [],
  workers: { count: 2, lost: [] },
};

function part(own: Partial<LoadFacts>): LoadPart {
  const { byCall } = new Measures(
    () => 0,
    () => null,
  );
  return { facts: { ...RIGHT_LOAD, ...own }, byCall, lastNumber: 1 };
}

function currency(own: Partial<LoadFacts['money']['byCurrency'][number]>): Partial<LoadFacts> {
  const sums = { opening: '10.00', staked: '3.00', won: '1.00', refunded: '0.50', expected: '8.00', shown: '8.00' };
  return { money: { ...RIGHT_LOAD.money, byCurrency: [{ currency: 'EUR', ...sums, difference: '0.00', ...own }] } };
}

describe('the results of two workers', () => {
  it('are added to the smallest unit, also if money is missing', () => {
    const parts = [
      part(currency({ shown: '6.75', difference: '-1.25' })),
      part(currency({ opening: '0.10', expected: '-0.05', shown: '-0.05', difference: '0.24' })),
    ];
    const { money, rate } = joinedFacts(parts, [], WHOLE);
    expect(money.byCurrency).toEqual([
      {
        currency: 'EUR',
        opening: '10.10',
        staked: '6.00',
        won: '2.00',
        refunded: '1.00',
        expected: '7.95',
        shown: '6.70',
        difference: '-1.01',
      },
    ]);
    expect([money.players, money.verified, money.transactions, rate.calls]).toEqual([4, 4, 20, 20]);
  });

  it('have the sums of all counts, and the names of both', () => {
    const rate = { ...RIGHT_LOAD.rate, calls: 15, scheduled: 12, lateForPlayers: 3, lateForCroupier: 4, neverSent: 5 };
    const owed = { player: 'anna', call: 'win', txID: 'tx-1', amount: '1.00' } as const;
    const one: Partial<LoadFacts> = {
      rate,
      brokenOnPurpose: 6,
      declinedBets: 7,
      freeRounds: { campaign: 'spring', bets: 8, declined: 9 },
      money: { ...RIGHT_LOAD.money, problemCount: 10, healed: 11, owed: [owed], unread: ['ben'] },
      sessionsEnded: ['s-1'],
    };
    const joined = joinedFacts([part(one), part({ ...one, sessionsEnded: ['s-2'] })], [], WHOLE);
    expect(joined.rate).toMatchObject({
      calls: 30,
      scheduled: 24,
      lateForPlayers: 6,
      lateForCroupier: 8,
      neverSent: 10,
    });
    expect([joined.brokenOnPurpose, joined.declinedBets]).toEqual([12, 14]);
    expect(joined.freeRounds).toEqual({ campaign: 'spring', bets: 16, declined: 18 });
    expect(joined.money).toMatchObject({ problemCount: 20, healed: 22, owed: [owed, owed], unread: ['ben', 'ben'] });
    expect(joined.sessionsEnded).toEqual(['s-1', 's-2']);
  });

  it('have no sum of the shown balances if one balance could not be read', () => {
    const { money } = joinedFacts([part(currency({ shown: null })), part(currency({}))], [], WHOLE);
    expect(money.byCurrency[0]?.shown).toBeNull();
  });

  it('count the same problem once, with the sum of its calls and the details of its first call', () => {
    const finding = {
      rule: 'reply.json',
      verdict: 'warn',
      call: 'bet',
      expected: '',
      actual: '',
      player: 'anna',
      sessionID: 's',
      txID: null,
    } as const;
    const parts = [
      part({ findings: [{ ...finding, count: 2, atMs: 9 }], errors: [{ kind: '503', count: 1 }] }),
      part({ findings: [{ ...finding, player: 'ben', count: 3, atMs: 4 }], errors: [{ kind: '503', count: 2 }] }),
    ];
    const { findings, errors } = joinedFacts(parts, [], WHOLE);
    expect(findings).toEqual([{ ...finding, player: 'ben', count: 5, atMs: 4 }]);
    expect(errors).toEqual([{ kind: '503', count: 3 }]);
  });
});

it('the seconds of two workers are joined, also those that only one of them has reached', () => {
  const second = (number: number, sent: number): SecondOfTest => {
    return { second: number, asked: 5, sent, errors: 1, p50: null, p99: null, p999: null };
  };
  const responses = (...microseconds: number[]) => {
    const histogram = createHistogram({ lowest: 1, highest: 3_600_000_000, figures: 3 });
    for (const time of microseconds) histogram.record(time);
    return histogram;
  };
  const joined = new JoinedSeconds(2);
  joined.add(second(0, 3), responses(1000));
  joined.add(second(1, 4), responses(2000));
  joined.add(second(0, 5), responses(9000, 9000));
  joined.end();
  expect(joined.seconds.map(({ asked, sent, errors }) => [asked, sent, errors])).toEqual([
    [10, 8, 2],
    [5, 4, 1],
  ]);
  expect(joined.seconds.map(({ p50 }) => Math.round(p50 ?? 0))).toEqual([9, 2]);
});
