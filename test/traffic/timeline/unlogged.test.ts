import { describe, expect, it } from 'vitest';
import { recordedCall } from '../../../src/traffic/recorded-call.ts';
import { doubtSentences } from '../../../src/traffic/timeline/sentence.ts';
import { buildTimeline, type IncidentTimeline } from '../../../src/traffic/timeline/timeline.ts';
import { exchangesIn } from '../read/entries-in.ts';
import { Log } from './calls.ts';

const only = ({ wallets: [wallet] }: IncidentTimeline) => {
  if (!wallet) throw new Error('no wallet');
  return wallet;
};
const debts = (timeline: IncidentTimeline): readonly string[] =>
  only(timeline).debts.map(({ kind, amount, owedBy }) => `${kind} ${amount} ${owedBy}`);

describe('a reply that was not logged', () => {
  it('hides the sums of the wallet, because it decides whether the bet counts', () => {
    const log = new Log().balance('100.00').bet('b1', '5.00', { none: 'unknown' }).balance('95.00').timeline();
    expect(log.status).toBe(3);
    expect([only(log).should, only(log).difference]).toEqual([null, null]);
  });

  it('is no proof that a refund was not answered 200', () => {
    const log = new Log()
      .balance('100.00')
      .bet('b1', '5.00', { status: 500 })
      .refund('f1', 'b1', '5.00', { none: 'unknown' })
      .balance('100.00')
      .timeline();
    expect(debts(log)).toEqual([]);
    expect(log.status).toBe(3);
  });

  it('does not hide a debt of another round', () => {
    const log = new Log()
      .balance('100.00')
      .bet('b1', '5.00', { status: 402, code: 'insufficient_funds' })
      .balance('95.00')
      .bet('b2', '3.00', { none: 'unknown' }, { round: 'r-2' })
      .balance('92.00')
      .timeline();
    expect(debts(log)).toContain('misbooked 5 operator');
    expect(only(log).should).toBeNull();
  });
});

describe('a bet with a success that is not 200', () => {
  const log = () => new Log().balance('100.00').bet('b1', '5.00', { status: 201, balance: '95.00' });

  it('is owed to the player, because the service counts it as declined', () => {
    expect(debts(log().balance('95.00').timeline())).toEqual(['declined-bet 5 operator']);
  });

  it('is accepted if the service sends the win of its round', () => {
    const settled = log().win('w1', '7.00', { balance: '102.00' }).timeline();
    expect(debts(settled)).toEqual([]);
    expect(settled.breaches.map(({ rule }) => rule)).toEqual(['reply.success-is-200']);
  });
});

describe('a refund of a bet that was answered 200', () => {
  const log = (at: number) =>
    new Log()
      .balance('100.00', { at: 0 })
      .bet('b1', '5.00', { balance: '95.00', at: 1, side: 'service', tookMs: null })
      .refund('f1', 'b1', '5.00', { balance: '100.00', at, side: 'service', tookMs: null })
      .timeline();

  it('may be due if the logs do not show how long the reply to the bet took', () => {
    expect(log(8).status).toBe(3);
    expect(only(log(8)).unknowns.join()).toContain('do not show whether the reply to the bet came within 5 seconds');
  });

  it('is a mistake of the service if it came within five seconds', () => {
    expect(only(log(3)).serviceFaults).toHaveLength(1);
  });
});

describe('a long time between two balances', () => {
  it('has room for no other round while the service waits for a reply', () => {
    const log = new Log()
      .balance('100.00', { at: 0 })
      .bet('b1', '5.00', { balance: '95.00', at: 1 })
      .win('w1', '9.00', { none: 'too-late', tookMs: 5000, at: 2 })
      .win('w1', '9.00', { none: 'too-late', tookMs: 5000, at: 8 })
      .win('w1', '9.00', { balance: '113.00', at: 14 })
      .balance('113.00', { at: 15 })
      .timeline();
    expect(debts(log)).toEqual(['misbooked 9 player']);
  });
});

describe('many things of one kind that are not known', () => {
  const log = new Log().balance('100.00');
  for (let i = 1; i <= 4; i++)
    log
      .bet(`b${i}`, '5.00', { balance: String(100 + 7 * i) }, { round: `r-${i}` })
      .win(`w${i}`, '0', { balance: String(100 + 7 * i) }, { round: `r-${i}` });
  const wallet = only(log.timeline());

  it('are one sentence that names the lines', () => {
    expect(doubtSentences(wallet)).toHaveLength(1);
    expect(doubtSentences(wallet).join()).toContain(
      'The same is true in 3 more places: service.log:4, service.log:6, service.log:8 (-v prints all).',
    );
  });

  it('are sentences of their own with -v', () => {
    expect(doubtSentences(wallet, true)).toHaveLength(4);
  });
});

/** One line of the service's log, with its time in seconds, and the duration in ms. */
const line = (call: string, [at, tookMs]: readonly [number, number], body: object, reply: object | null): string =>
  JSON.stringify({
    time: new Date(Date.parse('2026-11-23T13:03:00Z') + at * 1000).toISOString(),
    side: 'service',
    url: call === 'balance' ? '/balance?sessionID=s-1' : `/${call}`,
    method: call === 'balance' ? 'GET' : 'POST',
    ...(call !== 'balance' && { requestBody: { sessionID: 's-1', roundID: 'r-1', ...body } }),
    ...(reply ? { status: 200, responseBody: reply } : { error: 'timeout' }),
    responseTime: tookMs,
  });

async function timelineIn(lines: readonly string[]): Promise<IncidentTimeline> {
  const exchanges = await exchangesIn(lines.join('\n'));
  return buildTimeline(
    exchanges.flatMap((exchange) => recordedCall(exchange) ?? []),
    {},
    new Map(),
  );
}

describe('the order of the lines', () => {
  const win = { txID: 'w1', amount: '9.00' };

  it('may be newest first: then a wrong balance is still proven', async () => {
    const lines = [
      line('balance', [0, 20], {}, { balance: '100.00' }),
      line('bet', [2, 20], { txID: 'b1', amount: '5.00' }, { balance: '95.00', txID: 'o1' }),
      line('win', [4, 20], win, { balance: '95.00', txID: 'o2' }),
      line('balance', [6, 20], {}, { balance: '95.00' }),
    ];
    const [forwards, backwards] = [await timelineIn(lines), await timelineIn(lines.toReversed())];
    expect(debts(forwards)).toEqual(['misbooked 9 operator']);
    expect(debts(backwards)).toEqual(debts(forwards));
  });

  it('may be that of the ends: a call is sent again only after its first attempt ended', async () => {
    const log = await timelineIn([
      line('balance', [0, 20], {}, { balance: '100.00' }),
      line('bet', [2, 20], { txID: 'b1', amount: '5.00' }, { balance: '95.00', txID: 'o1' }),
      line('win', [9.001, 5001], win, null),
      line('win', [10, 20], win, { balance: '113.00', txID: 'o2' }),
      line('balance', [12, 20], {}, { balance: '113.00' }),
    ]);
    expect(debts(log)).toEqual(['misbooked 9 player']);
  });
});

describe('a call that is not in the logs', () => {
  const unknownsOf = (timeline: IncidentTimeline): string => only(timeline).unknowns.join('\n');

  it('may be the bet of a refund, if the later balances show that the refund gave money', () => {
    const log = new Log()
      .balance('100.00', { side: 'operator' })
      .refund('f1', 'b1', '5.00', { balance: '100.00', side: 'operator' }, { round: 'r-0' })
      .bet('b2', '5.00', { balance: '100.00', side: 'operator' })
      .win('w2', '0', { balance: '100.00', side: 'operator' })
      .timeline();
    expect(unknownsOf(log)).toContain('the refund of call 2 gave the player 5.00; the logs do not have its bet');
    expect(log.status).toBe(3);
  });

  it('may be a round with the same stake, if the pause before a wrong balance is long enough for a round', () => {
    const lastBetAt = (at: number): IncidentTimeline => {
      const log = new Log().balance('100.00', { at: 0 });
      for (const round of [1, 2, 3])
        log
          .bet(`b${round}`, `${round}.00`, { balance: '90.00', at: round * 20 }, { round: `r-${round}` })
          .win(`w${round}`, '0', { balance: '90.00', at: round * 20 + 2 }, { round: `r-${round}` });
      return log
        .bet('b4', '7.00', { balance: '76.00', at }, { round: 'r-4' })
        .win('w4', '0', { balance: '76.00', at: at + 2 }, { round: 'r-4' })
        .timeline();
    };
    const isNamed = (timeline: IncidentTimeline): boolean =>
      /balance changed by -7\.00: either .* or the logs lack a round/.test(unknownsOf(timeline));
    expect([isNamed(lastBetAt(70)), isNamed(lastBetAt(90))]).toEqual([false, true]);
  });

  it.each([
    ['a win of 0', (log: Log) => log.win('w2', '0', { balance: '90.00' }, { round: 'r-2' })],
    ['a refund', (log: Log) => log.refund('f2', 'b2', '10.00', { balance: '90.00' }, { round: 'r-2' })],
  ])('is missing for certain if the service sent %s for it, so nobody owes money for sure', (_, orphan) => {
    const unfinished = () => new Log().balance('100.00').bet('b1', '10.00', { none: 'reset' }).balance('90.00');
    expect(debts(unfinished().timeline())).toEqual(['missing-refund 10 operator']);
    const log = orphan(unfinished()).balance('90.00').timeline();
    expect(debts(log)).toEqual([]);
    expect(unknownsOf(log)).toContain('so they lack at least this call');
  });
});

it('the balance in the last reply makes the result unknown if the log shows the balances in other such replies', () => {
  const ending = (balance: string): Log =>
    new Log().balance('100.00').bet('b1', '5.00', { status: 402, code: 'insufficient_funds' }).balance(balance);
  expect(
    [ending('100.00'), ending('***'), ending('***').balance('100.00')].map((log) => log.timeline().status),
  ).toEqual([0, 3, 0]);
  expect(only(ending('***').timeline()).unknowns).toEqual(['the logs do not show the balance in the reply to call 3']);
});

it('balances at the beginning that the calls do not explain make the result unknown', () => {
  const inSeconds = { precisionMs: 1000 };
  const begin = (balance: string): IncidentTimeline =>
    new Log()
      .balance(balance, { at: 0, ...inSeconds })
      .bet('b1', '5.00', { balance: '95.00', at: 1, ...inSeconds })
      .win('w1', '7.00', { balance: '102.00', at: 12, ...inSeconds })
      .timeline();
  expect([begin('100.00').status, begin('590.00').status]).toEqual([0, 3]);
  expect(only(begin('590.00')).unknowns.join()).toContain(
    'the calls do not explain the first balance in a reply (590.00, call 1)',
  );
});

describe('a balance at the beginning that came while a bet was in flight', () => {
  const inSeconds = { precisionMs: 1000 };
  const begin = (): Log => new Log().balance('100.00', { at: 0, ...inSeconds });

  it('is not explained by a bet whose refund gives the money back before the first usable balance', () => {
    const withRefund = (balance: string): IncidentTimeline =>
      begin()
        .bet('b1', '5.00', { none: 'reset', at: 1, ...inSeconds })
        .refund('f1', 'b1', '5.00', { balance: '95.00', at: 4, ...inSeconds })
        .bet('b2', '7.00', { balance, at: 8, ...inSeconds }, { round: 'r-2' })
        .win('w2', '0', { balance, at: 12, ...inSeconds }, { round: 'r-2' })
        .timeline();
    // The operator may carry out the bet before the first balance read. Then the refund makes the balance higher. It does so too if the
    // operator refunds a bet that it did not take.
    expect(['93.00', '98.00', '88.00'].map((balance) => withRefund(balance).status)).toEqual([0, 3, 3]);
    const { unknowns } = withRefund('98.00').wallets[0] ?? { unknowns: [] };
    expect(unknowns).toEqual([
      'the calls explain the first balance in a reply (100.00, call 1) only in another order than in the logs, and an error of the operator would explain it too',
    ]);
  });

  it('is not explained by a declined bet, or by a bet that was not carried out before it', () => {
    const withTwo = (balance: string): IncidentTimeline =>
      begin()
        .bet('b1', '5.00', { status: 402, code: 'insufficient_funds', at: 1, ...inSeconds })
        .bet('b2', '7.00', { balance, at: 12, ...inSeconds }, { round: 'r-2' })
        .win('w2', '0', { balance, at: 16, ...inSeconds }, { round: 'r-2' })
        .timeline();
    expect(['93.00', '100.00', '88.00'].map((balance) => withTwo(balance).status)).toEqual([0, 3, 3]);
  });

  it('is compared also if many calls came before the first usable balance', () => {
    const withRounds = (rounds: number, balance: string): IncidentTimeline => {
      const log = begin();
      for (let round = 1; round <= rounds; round += 1) {
        const [id, said] = [`${round}`, (100 - round).toFixed(2)];
        log.bet(`b${id}`, '1.00', { balance: said, at: 2 * round - 1, ...inSeconds }, { round: `r-${id}` });
        log.win(`w${id}`, '0', { balance: said, at: 2 * round, ...inSeconds }, { round: `r-${id}` });
      }
      return log.balance(balance, { at: 60, ...inSeconds }).timeline();
    };
    expect([withRounds(12, '88.00').status, withRounds(12, '87.00').status]).toEqual([0, 3]);
  });
});

describe('a balance that was not logged before a declined bet', () => {
  const log = (first: string) =>
    new Log()
      .balance(first)
      .bet('b1', '5.00', { status: 402, code: 'insufficient_funds' })
      .balance('95.00')
      .bet('b2', '3.00', { balance: '92.00' }, { round: 'r-2' })
      .win('w2', '0.00', { balance: '92.00' }, { round: 'r-2' })
      .timeline();

  it('leaves open whether the operator took the bet', () => {
    expect(log('***').status).toBe(3);
    expect(doubtSentences(only(log('***')))).toEqual([
      'Not known: the logs do not show the balance before the declined bet of call 2, so it is unknown whether the operator took it.',
    ]);
  });

  it('leaves nothing open if the log has the balance', () => {
    expect(log('95.00').status).toBe(0);
  });
});

describe('a win whose round was not logged', () => {
  const log = (round: string, amount: string) =>
    new Log()
      .balance('100.00')
      .bet('b1', '5.00', { balance: '95.00' })
      .win('w1', '0.00', { balance: '95.00' })
      .win('w2', amount, { balance: amount === '0.00' ? '95.00' : '104.00' }, { round })
      .timeline();

  it('leaves open whether the win was due, if other calls have rounds', () => {
    expect(log('***', '9.00').status).toBe(3);
    expect(doubtSentences(only(log('***', '9.00')))).toContain(
      'Not known: the logs do not show the round of the win of call 4, so it is unknown whether the win was due.',
    );
  });

  it('leaves nothing open if it pays nothing', () => {
    expect(doubtSentences(only(log('***', '0.00')))).not.toContainEqual(expect.stringContaining('the win was due'));
  });
});

describe('a first win of 0 that is not in the log', () => {
  const log = (second: string) =>
    new Log()
      .balance('100.00')
      .bet('b1', '5.00', { balance: '95.00' })
      .win('w1', '9.00', { balance: '104.00' })
      .bet('b2', '5.00', { balance: '99.00' }, { round: 'r-2' })
      .win('w2', '0.00', { balance: '99.00' }, { round: 'r-2' })
      .win(second, '0.00', { balance: '99.00' }, { round: 'r-2' })
      .balance('99.00')
      .timeline();

  it('leaves open which balance is right, if the service sent two wins in another round', () => {
    expect([log('w3').status, only(log('w3')).should, only(log('w3')).booked?.toString()]).toEqual([1, null, '99']);
  });

  it('leaves nothing open if the service sent only one win in each round', () => {
    expect([log('w2').status, only(log('w2')).should?.toString()]).toEqual([0, '99']);
  });
});

describe('a log that begins with a declined bet', () => {
  const log = (amount: string, isOfRun?: true) =>
    new Log()
      .bet('b1', amount, { status: 402, code: 'insufficient_funds', ...(isOfRun && { isOfRun }) })
      .bet('b2', '3.00', { balance: '92.00' }, { round: 'r-2' })
      .win('w2', '0.00', { balance: '92.00' }, { round: 'r-2' })
      .timeline();

  it('leaves open whether the operator took the bet', () => {
    expect(log('5.00').status).toBe(3);
    expect(doubtSentences(only(log('5.00')))[0]).toMatch(/^Not known: .* before the declined bet of call 1, so /);
  });

  it('leaves nothing open about a bet of a run, which croupier has judged', () => {
    expect(log('5.00', true).status).toBe(0);
  });

  it('leaves nothing open about a bet of 0', () => {
    expect(log('0.00').status).toBe(0);
  });
});
