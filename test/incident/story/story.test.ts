import { describe, expect, it } from 'vitest';
import { walletSentence } from '../../../src/incident/story/sentence.ts';
import type { Story } from '../../../src/incident/story/story.ts';
import type { WalletVerdict } from '../../../src/incident/story/verdict.ts';
import { Log, START } from './calls.ts';

function only({ wallets }: Story): WalletVerdict {
  const [wallet] = wallets;
  if (!wallet || wallets.length > 1) throw new Error(`${wallets.length} wallets`);
  return wallet;
}

const sums = (story: Story): readonly (string | undefined)[] => {
  const { should, booked, difference } = only(story);
  return [should?.toString(), booked?.toString(), difference?.toString()];
};
const debts = (story: Story): readonly string[] =>
  only(story).debts.map(({ kind, amount, owedBy, toAct }) => `${kind} ${amount} ${owedBy} ${toAct}`);
const causes = (story: Story): readonly (string | null)[] =>
  only(story).books.deviations.flatMap((one) => one.causes.map(({ rule }) => rule));

describe('a story in which nothing is wrong', () => {
  const story = new Log()
    .balance('100.00')
    .bet('b1', '5.00', { balance: '95.00' })
    .win('w1', '7.50', { balance: '102.50' })
    .bet('b2', '2.00', { status: 402, code: 'insufficient_funds' }, { round: 'r-2' })
    .balance('102.50')
    .story();

  it('is clean', () => {
    expect(story.status).toBe(0);
    expect(sums(story)).toEqual(['102.5', '102.5', '0']);
    expect(only(story).rounds.map(({ state, should }) => [state, should?.toString()])).toEqual([
      ['settled', '2.5'],
      ['nothing', '0'],
    ]);
    expect(walletSentence(only(story))).toBe(
      'Player anna should have 102.50 EUR, and the operator said 102.50 EUR at 2026-11-21 13:00:05 UTC: nothing is owed.',
    );
  });
});

describe('balances of binary floating point', () => {
  it('are off by nothing that anybody owes, and said to be inexact', () => {
    const story = new Log()
      .balance('100.30')
      .bet('b1', '0.10', { balance: '100.2' })
      .win('w1', '0.20', { balance: '100.39999999999999' })
      .bet('b2', '0.10', { balance: '100.30000000000001' }, { round: 'r-2' })
      .win('w2', '0', { balance: '100.30000000000001' }, { round: 'r-2' })
      .story();
    expect([story.status, sums(story), debts(story)]).toEqual([1, ['100.3', '100.3', '0'], []]);
    expect(story.breaches.map(({ call, rule }) => `${call} ${rule}`)).toEqual([
      '3 money.exact',
      '4 money.exact',
      '5 money.exact',
    ]);
    expect(walletSentence(only(story))).toContain('and the operator said 100.30 EUR at');
  });

  it('are not taken for them where somebody can have paid the difference', () => {
    const story = new Log().balance('1.00000001').bet('b1', '1', { balance: '0.00000002' }).story();
    expect(sums(story)).toEqual(['0.00000001', '0.00000002', '0.00000001']);
  });
});

describe('a bet without a known outcome', () => {
  it('that was taken and not refunded is money that the operator has', () => {
    const story = new Log().balance('100').bet('b1', '20', { status: 500 }).balance('80').story();
    expect(story.status).toBe(1);
    expect(sums(story)).toEqual(['100', '80', '-20']);
    expect(debts(story)).toEqual(['missing-refund 20 operator service']);
    expect(walletSentence(only(story))).toContain(
      '20.00 EUR too little: the bet of 20.00 (txID b1) was answered 500, was taken and was never refunded: the service owes the refund, and with it the operator gives the player 20.00 EUR back.',
    );
  });

  it('that was not taken still needs its refund, and no money is missing', () => {
    const story = new Log().balance('100').bet('b1', '20', { none: 'too-late' }).balance('100').story();
    expect([story.status, sums(story)]).toEqual([1, ['100', '100', '0']]);
    expect(debts(story)).toEqual(['missing-refund 20 nobody service']);
  });

  it('of which nobody can tell whether it was taken leaves the verdict unknown', () => {
    const story = new Log().balance('100').bet('b1', '20', { none: 'reset' }).story();
    expect(sums(story)).toEqual(['100', undefined, undefined]);
    expect(debts(story)).toEqual(['missing-refund 20 unknown service']);
    expect(walletSentence(only(story))).toMatch(/^Whether player anna has what they should is unknown/);
  });

  it('that lands late is seen when it does', () => {
    const story = new Log().balance('100').bet('b1', '20', { none: 'reset' }).balance('100').balance('80').story();
    expect(sums(story)).toEqual(['100', '80', '-20']);
    expect(causes(story)).toEqual([]);
  });

  it('is right again after its refund, though the first refund failed', () => {
    const log = new Log().balance('100').bet('b1', '20', { status: 500 }).balance('80');
    log.refund('f1', 'b1', '20', { status: 503 });
    expect(debts(log.story())).toEqual(['refund-pending 20 operator operator']);
    const story = log.refund('f1', 'b1', '20', { balance: '100' }).balance('100').story();
    expect([sums(story), debts(story)]).toEqual([['100', '100', '0'], []]);
    expect(story.oddities.map(({ kind }) => kind)).toEqual(['resent']);
  });

  it('whose refund was answered 200 and gave nothing back is owed by the operator', () => {
    const story = new Log()
      .balance('100')
      .bet('b1', '20', { status: 500 })
      .balance('80')
      .refund('f1', 'b1', '20', { balance: '80' })
      .balance('80')
      .story();
    expect([sums(story), causes(story)]).toEqual([['100', '80', '-20'], ['refund.after-error']]);
    expect(debts(story)).toEqual(['misbooked 20 operator operator']);
  });

  it('that is taken after its refund is named', () => {
    const story = new Log()
      .balance('100')
      .bet('b1', '20', { none: 'reset' })
      .refund('f1', 'b1', '20', { balance: '100' })
      .balance('100')
      .balance('80')
      .story();
    expect([sums(story), causes(story)]).toEqual([['100', '80', '-20'], ['refund.broken-connection']]);
  });
});

describe('what the operator books wrongly', () => {
  it.each([
    [
      'a repeated bet taken twice',
      'idempotency.bet',
      '-5',
      (log: Log) => log.bet('b1', '5', { balance: '95' }).bet('b1', '5', { balance: '95' }).balance('90'),
    ],
    ['an accepted bet not taken', 'bet.debit', '5', (log: Log) => log.bet('b1', '5', { balance: '100' })],
    [
      'a declined bet taken',
      'bet.declined-takes-nothing',
      '-5',
      (log: Log) => log.bet('b1', '5', { status: 403 }).balance('95'),
    ],
    [
      'a refused bet taken',
      'signature.no-effect',
      '-5',
      (log: Log) => log.bet('b1', '5', { status: 401 }).balance('95'),
    ],
    ['a bet in the wrong unit', 'money.main-unit', '-0.99', (log: Log) => log.bet('b1', '0.01', { balance: '99' })],
    [
      'a win not paid',
      'win.credit',
      '-7',
      (log: Log) => log.bet('b1', '5', { balance: '95' }).win('w1', '7', { balance: '95' }),
    ],
    [
      'a win paid twice',
      'idempotency.win',
      '7',
      (log: Log) =>
        log
          .bet('b1', '5', { balance: '95' })
          .win('w1', '7', { balance: '102' })
          .win('w1', '7', { balance: '102' })
          .balance('109'),
    ],
    [
      'a refund of a declined bet paid',
      'refund.declined-bet',
      '5',
      (log: Log) => log.bet('b1', '5', { status: 403 }).refund('f1', 'b1', '5', { balance: '105' }).balance('105'),
    ],
    [
      'a second refund paid',
      'refund.once',
      '5',
      (log: Log) =>
        log
          .bet('b1', '5', { balance: '95' })
          .refund('f1', 'b1', '5', { balance: '100' })
          .refund('f2', 'b1', '5', { balance: '105' })
          .balance('105'),
    ],
    [
      'a bet after its refund taken',
      'refund.before-bet',
      '-5',
      (log: Log) => log.refund('f1', 'b1', '5', { balance: '0' }).balance('100').bet('b1', '5', { balance: '95' }),
    ],
  ])('%s is named, and by how much', (_, rule, difference, tell) => {
    const story = tell(new Log().balance('100')).story();
    expect(causes(story)).toEqual([rule]);
    expect(only(story).difference?.toString()).toBe(difference);
    expect(story.status).toBe(1);
  });

  it('over and over is told once, by the replies that show it, though another sum would fit', () => {
    const story = new Log()
      .balance('1000.50')
      .bet('b1', '7.35', { balance: '993.15', txID: 'w-1' })
      .bet('b1', '7.35', { balance: '985.80', txID: 'w-2' })
      .bet('b1', '7.35', { balance: '978.45', txID: 'w-3' })
      .bet('b1', '7.35', { balance: '993.15', txID: 'w-1' })
      .bet('b1', '7.35', { balance: '971.10', txID: 'w-4' })
      .win('w1', '14.70', { balance: '985.80' })
      .story();
    expect(sums(story)).toEqual(['1007.85', '985.8', '-22.05']);
    expect(causes(story)).toEqual(['idempotency.bet', 'idempotency.bet', 'idempotency.bet']);
    expect(walletSentence(only(story))).toBe(
      'Player anna should have 1007.85 EUR, and the operator said 985.80 EUR at 2026-11-21 13:00:07 UTC: 22.05 EUR too little: the bet of 7.35 (txID b1) was taken again 3 times when it was sent again (2026-11-21 13:00:03 UTC and later, calls 3, 4 and 6): the operator owes the player 22.05 EUR.',
    );
  });

  it('over and over is found where the replies hide it', () => {
    const log = new Log().balance('100').bet('b1', '7', { balance: '93' });
    for (let again = 0; again < 3; again += 1) log.bet('b1', '7', { balance: '93' });
    const story = log.win('w1', '14', { balance: '86' }).story();
    expect(causes(story)).toEqual(['idempotency.bet', 'idempotency.bet', 'idempotency.bet']);
    expect(walletSentence(only(story))).toContain('taken again 3 times when it was sent again');
  });

  it('is not a repeat that is answered with the balance of now', () => {
    const log = new Log().balance('100').bet('b1', '7', { balance: '93' }).win('w1', '2', { balance: '95' });
    expect(debts(log.bet('b1', '7', { balance: '95' }).balance('95').story())).toEqual([]);
  });

  it('by a cent at a time is named, though it comes to nothing in the end', () => {
    const story = new Log()
      .balance('100')
      .bet('b1', '0.29', { balance: '99.72' })
      .win('w1', '0.58', { balance: '100.29' })
      .story();
    expect([story.status, causes(story), sums(story)]).toEqual([
      1,
      ['money.exact', 'money.exact'],
      ['100.29', '100.29', '0'],
    ]);
    expect(walletSentence(only(story))).toContain(
      'the bet of 0.29 (txID b1) was booked as 0.28 (seen at 2026-11-21 13:00:02 UTC, call 2): the player has 0.01 EUR',
    );
  });

  it('two at once are both named', () => {
    const log = new Log().balance('100').bet('b1', '5', { balance: '95' }).win('w1', '7', { balance: '102' });
    const story = log.bet('b1', '5', { balance: '95' }).win('w1', '7', { balance: '102' }).balance('104').story();
    expect(causes(story)).toEqual(['idempotency.bet', 'idempotency.win']);
    expect(sums(story)).toEqual(['102', '104', '2']);
  });

  it('is right again once it was put right', () => {
    const log = new Log().balance('100').bet('b1', '5', { status: 403 }).balance('95');
    const story = log.balance('100').story();
    expect([sums(story), debts(story)]).toEqual([['100', '100', '0'], []]);
    expect(only(story).books.deviations).toMatchObject([{ mendedBy: 4 }]);
    expect(story.oddities.map(({ text }) => text)).toEqual([
      'the balance that call 3 was answered was 5.00 too little: the bet was declined with 403 and taken all the same; call 4 shows it right again',
    ]);
  });

  it('that nothing explains is said with its reserve', () => {
    const story = new Log().balance('100').balance('93.37').story();
    expect(debts(story)).toEqual(['unexplained 6.63 operator operator']);
    expect(walletSentence(only(story))).toContain('unless something else moved it (a deposit, another game');
  });

  it('is not looked for in calls that were in flight together', () => {
    const story = new Log()
      .balance('100', { at: 0 })
      .bet('b1', '5', { at: 1, tookMs: 500, balance: '92' })
      .bet('b2', '3', { at: 1.1, tookMs: 200, balance: '97' }, { round: 'r-2' })
      .balance('92', { at: 3 })
      .story();
    expect([sums(story), causes(story)]).toEqual([['92', '92', '0'], []]);
  });
});

describe('times', () => {
  it('are those of the ends where calls would overlap all the time otherwise', () => {
    const story = new Log()
      .balance('100', { at: 0.1, tookMs: 5, mayBeEnd: true })
      .bet('b1', '5', { at: 0.2, tookMs: 90, balance: '95', mayBeEnd: true })
      .win('w1', '50', { at: 0.25, tookMs: 40, balance: '95', mayBeEnd: true })
      .balance('95', { at: 0.26, tookMs: 5, mayBeEnd: true })
      .story();
    expect([sums(story), causes(story)]).toEqual([['145', '95', '-50'], ['win.credit']]);
  });

  it('that overlap leave it open whether all is well when no answer fits', () => {
    const story = new Log()
      .balance('100', { at: 0.1, tookMs: 5 })
      .bet('b1', '5', { at: 0.2, tookMs: 200, balance: '95' })
      .win('w1', '50', { at: 0.3, tookMs: 200, balance: '95' })
      .story();
    expect([story.status, only(story).difference]).toEqual([3, null]);
    expect(walletSentence(only(story))).toContain('95.00 at call 3, is none that the calls lead to');
  });
});

describe('calls of one second, in a log that writes no finer', () => {
  const coarse = { precisionMs: 1000, tookMs: 0 };

  it('may stand in another order than they came', () => {
    const story = new Log()
      .balance('100', { at: 0, ...coarse })
      .win('w1', '7', { at: 5, balance: '102', ...coarse })
      .bet('b1', '5', { at: 5, balance: '95', ...coarse })
      .balance('102', { at: 9, ...coarse })
      .story();
    expect([sums(story), causes(story), debts(story)]).toEqual([['102', '102', '0'], [], []]);
  });

  it('are no excuse for what shows when all is quiet', () => {
    const story = new Log()
      .balance('100', { at: 0, ...coarse })
      .bet('b1', '5', { at: 5, balance: '95', ...coarse })
      .bet('b1', '5', { at: 5, balance: '95', ...coarse })
      .balance('90', { at: 9, ...coarse })
      .story();
    expect(causes(story)).toEqual(['idempotency.bet']);
  });
});

describe('a win', () => {
  it('that was never answered 200 is owed to the player', () => {
    const log = new Log().balance('100').bet('b1', '5', { balance: '95' }).win('w1', '50', { status: 503 });
    const story = log.balance('95').story();
    expect([sums(story), debts(story)]).toEqual([['145', '95', '-50'], ['win-pending 50 operator operator']]);
    const mended = log.win('w1', '50', { balance: '145' }).story();
    expect([sums(mended), debts(mended)]).toEqual([['145', '145', '0'], []]);
  });

  it('that failed and was paid must still be sent until it is answered', () => {
    const story = new Log()
      .balance('100')
      .bet('b1', '5', { balance: '95' })
      .win('w1', '50', { status: 500 })
      .balance('145')
      .story();
    expect([sums(story), debts(story)]).toEqual([['145', '145', '0'], ['win-pending 50 nobody service']]);
  });

  it('that was not read leaves the round open, and what it won unknown', () => {
    const story = new Log().balance('100').bet('b1', '5', { balance: '95' }).story();
    expect(story.status).toBe(3);
    expect(only(story).rounds[0]?.state).toBe('open');
    expect(only(story).unknowns[0]).toContain('no win of round r-1 was read');
  });
});

describe('what is not known', () => {
  it('is called unknown: no balance at all', () => {
    const story = new Log().bet('b1', '5', { status: 500 }).refund('f1', 'b1', '5', {}).story();
    expect(sums(story)).toEqual([undefined, undefined, '0']);
    expect(only(story).unknowns).toEqual(['no answer with a balance was read']);
    expect(story.status).toBe(3);
  });

  it('is called unknown: a call without its answer', () => {
    const story = new Log().balance('100').bet('b1', '5', { none: 'untold' }).story();
    expect(story.status).toBe(3);
    expect(only(story).unknowns).toContain('how call 2 was answered was not written down');
  });

  it('is not guessed: a free bet may move money or not', () => {
    const free = { type: 'free', frID: 'spring' };
    for (const balance of ['100', '95']) {
      const story = new Log()
        .balance('100')
        .bet('b1', '5', { balance }, free)
        .win('w1', '0', { balance }, free)
        .story();
      expect([story.status, causes(story)]).toEqual([0, []]);
    }
  });
});

describe('the course of the calls', () => {
  const kinds = (log: Log): readonly string[] =>
    log.story().oddities.map(({ kind, calls }) => `${kind} ${calls.join(',')}`);

  it('has what is odd in it', () => {
    expect(kinds(new Log().bet('b1', '5', { balance: '5' }).bet('b1', '5', { balance: '5' }))).toEqual([
      'duplicate 1,2',
    ]);
    expect(kinds(new Log().win('w1', '5', { balance: '5' }).bet('b1', '5', { balance: '5' }))).toEqual([
      'out-of-order 1,2',
    ]);
    expect(kinds(new Log().refund('f1', 'b1', '5', {}).bet('b1', '5', { balance: '5' }))).toEqual(['out-of-order 1,2']);
    expect(kinds(new Log().bet('b1', '5', { status: 402 }).bet('b1', '5', { status: 402 }))).toContain(
      'retried-bet 1,2',
    );
    expect(kinds(new Log().bet('b1', '5', { status: 402 }).refund('f1', 'b1', '5', {}))).toEqual([
      'needless-refund 2,1',
    ]);
    expect(kinds(new Log().bet('b1', '5', { balance: '5', tookMs: 6000 }))).toEqual(['late 1']);
  });

  it.each([
    ['reply.deadline', (log: Log) => log.bet('b1', '5', { none: 'too-late' })],
    ['refund.unknown', (log: Log) => log.refund('f1', 'b0', '5', { status: 404 })],
    ['refund.restore', (log: Log) => log.bet('b1', '5', { balance: '5' }).refund('f1', 'b1', '5', { status: 500 })],
    ['idempotency.bet', (log: Log) => log.bet('b1', '5', { balance: '5' }).bet('b1', '5', { status: 409 })],
    [
      'idempotency.win',
      (log: Log) => log.win('w1', '5', { balance: '5' }).win('w1', '5', { balance: '5', txID: 'other' }),
    ],
    ['reply.tx-id', (log: Log) => log.bet('b1', '5', { balance: '5', txID: '' })],
    ['money.decimal-string', (log: Log) => log.balance('1,000.00')],
    ['money.precision', (log: Log) => log.balance('1.005')],
    ['reply.success-is-200', (log: Log) => log.bet('b1', '5', { status: 302 })],
  ])('breaks %s where a reply does', (rule, tell) => {
    const { breaches } = tell(new Log()).story();
    expect(breaches.map((breach) => [breach.rule, breach.verdict])).toContainEqual([rule, 'fail']);
  });
});

describe('both sides of a story', () => {
  const operator = { side: 'operator' } as const;
  const log = new Log()
    .balance('100', { at: 1 })
    .bet('b1', '5', { at: 2, balance: '95' })
    .bet('b2', '20', { at: 3, none: 'too-late', tookMs: 5000 }, { round: 'r-2' })
    .bet('b1', '5', { at: 4.5, balance: '95', ...operator })
    .bet('b2', '20', { at: 5.4, balance: '75', tookMs: 7000, ...operator }, { round: 'r-2' })
    .balance('100', { at: 3.5, ...operator });

  it('are one, and the difference of their clocks is reckoned out', () => {
    const { calls, clocks } = log.story();
    expect(clocks).toEqual({ aheadMs: 2500, pairs: 2 });
    expect(calls.map(({ seen, alsoSeen, atMs }) => [seen.call, alsoSeen !== null, (atMs ?? 0) - START])).toEqual([
      ['balance', true, 1000],
      ['bet', true, 2000],
      ['bet', true, 3000],
    ]);
  });

  it('say more together: the operator carried out what the service took for lost', () => {
    const story = log.story();
    expect(story.calls[2]).toMatchObject({ ending: 'late', done: 'yes' });
    expect(debts(story)).toContain('missing-refund 20 operator service');
    expect(story.oddities.map(({ kind }) => kind)).toEqual(['late', 'sides-differ']);
  });
});

describe('an access log beside what the service wrote down', () => {
  const service = (): Log =>
    new Log()
      .balance('100', { at: 1 })
      .bet('b1', '20', { at: 60, none: 'too-late', tookMs: 5000 })
      .bet('b2', '5', { at: 120, none: 'reset' }, { round: 'r-2' })
      .bet('b3', '5', { at: 120.2, none: 'reset' }, { round: 'r-3' });

  it('tells what was answered, where the time leaves no doubt which call it was', () => {
    const { calls } = service().access('bet', 200, 64).access('bet', 200, 120).access('win', 200, 60).story();
    expect(calls.map(({ seen, alsoSeen, done }) => [seen.txID, alsoSeen !== null, done])).toEqual([
      [null, false, 'yes'],
      ['b1', true, 'yes'],
      ['b2', false, 'maybe'],
      ['b3', false, 'maybe'],
    ]);
  });
});

describe('a selection', () => {
  const log = new Log()
    .balance('100')
    .bet('b1', '5', { status: 500 })
    .balance('95')
    .bet('b2', '1', { balance: '94' }, { round: 'r-2' })
    .refund('f1', 'b1', '5', { balance: '99' });

  it('tells only what was asked for, and reckons with all of it', () => {
    const round = log.story({ round: 'r-2' });
    expect(round.calls.map(({ number }) => number)).toEqual([4]);
    expect(only(round).should?.toString()).toBe('99');
    expect(log.story({ tx: 'b1' }).calls.map(({ number }) => number)).toEqual([2, 5]);
    expect(
      log.story({ player: 'anna', fromMs: START + 3000, toMs: START + 4000 }).calls.map(({ number }) => number),
    ).toEqual([3, 4]);
    expect(log.story({ player: 'ben' }).calls).toEqual([]);
  });
});

describe('a long story', () => {
  it('takes no longer for each call than a short one', () => {
    const log = new Log().balance('1000000');
    let balance = 1_000_000;
    for (let round = 0; round < 3000; round += 1) {
      balance -= 1;
      log.bet(`b${round}`, '1', { balance: String(balance) }, { round: `r-${round}` });
      balance += 1;
      log.win(`w${round}`, '1', { balance: String(balance) }, { round: `r-${round}` });
    }
    expect(log.story().status).toBe(0);
  }, 10_000);
});
