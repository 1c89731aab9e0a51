import { describe, expect, it } from 'vitest';
import {
  debtClause,
  debtSentences,
  evidenceSentence,
  walletLine,
  walletSentence,
} from '../../../src/traffic/timeline/sentence.ts';
import { buildTimeline, type IncidentTimeline } from '../../../src/traffic/timeline/timeline.ts';
import type { WalletVerdict } from '../../../src/traffic/timeline/verdict.ts';
import { Log, START } from './calls.ts';

function only({ wallets }: IncidentTimeline): WalletVerdict {
  const [wallet] = wallets;
  if (!wallet || wallets.length > 1) throw new Error(`${wallets.length} wallets`);
  return wallet;
}

const sums = (timeline: IncidentTimeline): readonly (string | undefined)[] => {
  const { should, booked, difference } = only(timeline);
  return [should?.toString(), booked?.toString(), difference?.toString()];
};
const debts = (timeline: IncidentTimeline): readonly string[] =>
  only(timeline).debts.map(({ kind, amount, owedBy, toAct }) => `${kind} ${amount} ${owedBy} ${toAct}`);
const causes = (timeline: IncidentTimeline): readonly (string | null)[] =>
  only(timeline).books.deviations.flatMap((one) => one.causes.map(({ rule }) => rule));

describe('a log without faults', () => {
  const timeline = new Log()
    .balance('100.00')
    .bet('b1', '5.00', { balance: '95.00' })
    .win('w1', '7.50', { balance: '102.50' })
    .bet('b2', '2.00', { status: 402, code: 'insufficient_funds' }, { round: 'r-2' })
    .balance('102.50')
    .timeline();

  it('owes nothing and has status 0', () => {
    expect(timeline.status).toBe(0);
    expect(sums(timeline)).toEqual(['102.50', '102.50', '0']);
    expect(only(timeline).rounds.map(({ state, should }) => [state, should?.toString()])).toEqual([
      ['settled', '2.50'],
      ['nothing', '0'],
    ]);
    expect(walletSentence(only(timeline))).toBe(
      'Player anna should have 102.50 EUR, and the operator said 102.50 EUR at 2026-11-21 13:00:05 UTC, so nothing is owed.',
    );
  });
});

describe('a log that begins with a bet', () => {
  const log = (before: (log: Log) => Log = (each) => each) =>
    before(new Log()).bet('b1', '5.00', { balance: '95.00' }).win('w1', '7.50', { balance: '102.50' }).timeline();

  it('says only of the calls after the first balance that nothing is owed', () => {
    const timeline = log();
    expect([timeline.status, sums(timeline)]).toEqual([0, ['102.50', '102.50', '0']]);
    expect(walletSentence(only(timeline))).toMatch(/, so nothing is owed since 2026-11-21 13:00:01 UTC\.$/);
    expect(walletLine(only(timeline), 'right')).toBe('player anna: nothing is owed since 2026-11-21 13:00:01 UTC');
    expect(evidenceSentence(only(timeline))).toContain(
      'No balance shows whether call 1 and earlier calls were booked correctly.',
    );
  });

  it('says it of all calls if a balance came before the bet', () => {
    const timeline = log((each) => each.balance('100.00'));
    expect(walletSentence(only(timeline))).toMatch(/, so nothing is owed\.$/);
    expect(evidenceSentence(only(timeline))).not.toContain('No balance shows');
  });
});

describe('two bets that began soon after each other', () => {
  const bets = (more: { readonly tookMs?: null }): IncidentTimeline =>
    new Log()
      .balance('100.00')
      .bet('b1', '10.00', { balance: '80.00', at: 5, ...more })
      .bet('b2', '10.00', { balance: '80.00', at: 5.1, ...more }, { round: 'r-2' })
      .win('w1', '0', { balance: '80.00', at: 8 })
      .win('w2', '0', { balance: '80.00', at: 9 }, { round: 'r-2' })
      .balance('80.00')
      .timeline();

  it('may have been in flight at the same time if the log does not show how long they took', () => {
    const timeline = bets({ tookMs: null });
    expect([timeline.status, sums(timeline), debts(timeline)]).toEqual([0, ['80', '80', '0'], []]);
  });

  it('were sent one after the other if the log shows that they were short', () => {
    expect(debts(bets({}))).toHaveLength(2);
  });
});

describe('a balance that was read long after the last call', () => {
  const failed = (): Log => new Log().balance('100.00').bet('b1', '15.00', { none: 'reset' });

  it('does not hide a refund without effect if the reply to the refund already had this balance', () => {
    const timeline = failed().refund('f1', 'b1', '15.00', { balance: '85.00' }).balance('85.00', { at: 60 }).timeline();
    expect([timeline.status, sums(timeline), debts(timeline)]).toEqual([
      1,
      ['100', '85', '-15'],
      ['misbooked 15 operator operator'],
    ]);
  });

  it('may have another reason if no earlier reply had this balance', () => {
    const log = failed().refund('f1', 'b1', '15.00', { balance: '0' }).balance('85.00', { at: 60 });
    expect(debts(log.timeline())).toEqual([]);
    expect(only(log.timeline()).unknowns.join('\n')).toContain('the logs lack a round');
    // The balances in the replies to a bet and in the reply to the call before it differ by the bet.
    const between = failed()
      .refund('f1', 'b1', '15.00', { balance: '95.00' })
      .bet('b2', '5.00', { balance: '90.00', at: 60 }, { round: 'r-2' })
      .win('w2', '0', { balance: '90.00' }, { round: 'r-2' });
    expect(debts(between.timeline())).toEqual([]);
  });

  it('shows that nothing is owed for a bet without a refund if the bet was not taken', () => {
    const timeline = failed().balance('100.00', { at: 60 }).timeline();
    expect([timeline.status, sums(timeline), debts(timeline)]).toEqual([
      1,
      ['100', '100', '0'],
      ['missing-refund 15 nobody service'],
    ]);
    const taken = failed().balance('85.00', { at: 60 }).timeline();
    expect([taken.status, sums(taken), debts(taken)]).toEqual([3, [undefined, '85', undefined], []]);
  });
});

describe('a wrong balance after a long pause', () => {
  const of = (more: { readonly isOfWholeRun?: true }): Log =>
    new Log()
      .balance('100.00', more)
      .bet('b1', '5.00', { balance: '95.00', ...more })
      .win('w1', '0', { balance: '95.00', ...more })
      .bet('b2', '5.01', { balance: '90.00', at: 3600, ...more }, { round: 'r-2' })
      .win('w2', '0', { balance: '90.00', ...more }, { round: 'r-2' });

  it('may come from a round that is not in the log', () => {
    expect(debts(of({}).timeline())).toEqual([]);
    expect(only(of({}).timeline()).unknowns.join('\n')).toContain('the logs lack a round');
  });

  it('comes from the bet if the calls are of one run, whose journal has every call', () => {
    const wallet = only(of({ isOfWholeRun: true }).timeline());
    expect(wallet.difference?.toString()).toBe('0.01');
    expect(JSON.stringify(wallet)).not.toContain('the logs lack a round');
  });
});

describe('the sentence for the ticket', () => {
  it('has at most two lines of 120 characters with many debts, which are then listed', () => {
    const log = new Log().balance('100');
    for (let i = 1; i <= 6; i++) {
      const bet = `3d6f0f4e-8a51-4f0c-9b7e-00000000000${i}`;
      log
        .bet(bet, '2', { status: 500 }, { round: `r-${i}` })
        .refund(`f${i}`, bet, '2', { status: 404 }, { round: `r-${i}` });
    }
    const wallet = only(log.balance('88').timeline());
    expect(walletSentence(wallet)).toBe(
      'Player anna should have 100.00 EUR, and the operator said 88.00 EUR, which is 12.00 EUR too little. The operator owes the player 12.00 EUR for 6 transactions; 6 refunds must be sent until they are answered 200.',
    );
    expect(walletSentence(wallet).length).toBeLessThanOrEqual(240);
    expect(debtSentences(wallet)).toHaveLength(6);
  });

  it('has at most two lines also with debts of every kind and long ids', () => {
    const id = (name: string): string => `3d6f0f4e-8a51-4f0c-9b7e-0000000000${name}`;
    const log = new Log()
      .balance('100000.00')
      .bet(id('b1'), '12345.67', { status: 500 })
      .bet(id('b2'), '11111.11', { balance: '76543.22' }, { round: 'r-2' })
      .win(id('w2'), '22222.22', { status: 503 }, { round: 'r-2' })
      .bet(id('b3'), '10000.00', { status: 402, code: 'insufficient_funds' }, { round: 'r-3' });
    const wallet = only(log.balance('66543.22').timeline());
    expect(debtSentences(wallet)).toHaveLength(3);
    expect(walletSentence(wallet)).toMatch(/owes the player/);
    expect(walletSentence(wallet).length).toBeLessThanOrEqual(240);
  });
});

describe('balances of binary floating point', () => {
  it('are reported as inexact, and nothing is owed for them', () => {
    const timeline = new Log()
      .balance('100.30')
      .bet('b1', '0.10', { balance: '100.2' })
      .win('w1', '0.20', { balance: '100.39999999999999' })
      .bet('b2', '0.10', { balance: '100.30000000000001' }, { round: 'r-2' })
      .win('w2', '0', { balance: '100.30000000000001' }, { round: 'r-2' })
      .timeline();
    expect([timeline.status, sums(timeline), debts(timeline)]).toEqual([1, ['100.30', '100.30', '0'], []]);
    expect(timeline.breaches.map(({ call, rule }) => `${call} ${rule}`)).toEqual([
      '3 money.exact',
      '4 money.exact',
      '5 money.exact',
    ]);
    expect(walletSentence(only(timeline))).toContain('and the operator said 100.30 EUR at');
  });

  it('are not assumed if the difference can be a payment', () => {
    const timeline = new Log().balance('1.00000001').bet('b1', '1', { balance: '0.00000002' }).timeline();
    expect(sums(timeline)).toEqual([undefined, '0.00000002', undefined]);
  });
});

describe('a bet without a known outcome', () => {
  it('is owed by the operator if it was taken and not refunded', () => {
    const timeline = new Log().balance('100').bet('b1', '20', { status: 500 }).balance('80').timeline();
    expect(timeline.status).toBe(1);
    expect(sums(timeline)).toEqual(['100', '80', '-20']);
    expect(debts(timeline)).toEqual(['missing-refund 20 operator service']);
    expect(walletSentence(only(timeline))).toBe(
      'Player anna should have 100.00 EUR, and the operator said 80.00 EUR, which is 20.00 EUR too little. The operator owes the player 20.00 EUR for the bet of 20.00 (txID b1); a refund must be sent.',
    );
    expect(debtSentences(only(timeline))).toEqual([
      'The bet of 20.00 (txID b1) was answered 500, was taken and was never refunded: the service must send the refund, and the operator must give the player 20.00 EUR back.',
    ]);
  });

  it('needs its refund also if it was not taken, and no money is missing', () => {
    const timeline = new Log().balance('100').bet('b1', '20', { none: 'too-late' }).balance('100').timeline();
    expect([timeline.status, sums(timeline)]).toEqual([1, ['100', '100', '0']]);
    expect(debts(timeline)).toEqual(['missing-refund 20 nobody service']);
  });

  it('leaves the verdict unknown if no balance shows whether it was taken', () => {
    const timeline = new Log().balance('100').bet('b1', '20', { none: 'reset' }).timeline();
    expect(sums(timeline)).toEqual(['100', undefined, undefined]);
    expect(debts(timeline)).toEqual(['missing-refund 20 unknown service']);
    expect(walletSentence(only(timeline))).toMatch(/^It is unknown whether player anna has the correct balance/);
  });

  it('is counted from the first balance that shows it', () => {
    const timeline = new Log()
      .balance('100')
      .bet('b1', '20', { none: 'reset' })
      .balance('100')
      .balance('80')
      .timeline();
    expect(sums(timeline)).toEqual(['100', '80', '-20']);
    expect(causes(timeline)).toEqual([]);
  });

  it('is settled by its refund, also if the first refund failed', () => {
    const log = new Log().balance('100').bet('b1', '20', { status: 500 }).balance('80');
    log.refund('f1', 'b1', '20', { status: 503 });
    // Something in front of the operator can answer 503, so the refund may have been carried out.
    expect(debts(log.timeline())).toEqual(['refund-pending 20 unknown operator']);
    const timeline = log.refund('f1', 'b1', '20', { balance: '100' }).balance('100').timeline();
    expect([sums(timeline), debts(timeline)]).toEqual([['100', '100', '0'], []]);
    expect(timeline.oddities.map(({ kind }) => kind)).toEqual(['resent']);
  });

  it('is owed by the operator if its refund was answered 200 and gave nothing back', () => {
    const timeline = new Log()
      .balance('100')
      .bet('b1', '20', { status: 500 })
      .balance('80')
      .refund('f1', 'b1', '20', { balance: '80' })
      .balance('80')
      .timeline();
    expect([sums(timeline), causes(timeline)]).toEqual([['100', '80', '-20'], ['refund.after-error']]);
    expect(debts(timeline)).toEqual(['misbooked 20 operator operator']);
  });

  it('names both explanations if it may have been taken before or after its refund', () => {
    const log = (answered: object, at: number) =>
      new Log()
        .balance('100')
        .bet('b1', '20', answered)
        .refund('f1', 'b1', '20', { balance: '80', at })
        .balance('80', { at: at + 1 })
        .timeline();
    expect(debtSentences(only(log({ status: 500 }, 3))).join(' ')).toContain(
      'Either the bet of 20.00 (txID b1) was taken after its refund had been answered 200, or the refund of 20.00 (txID f1) was answered 200, but the bet was not given back (seen at 2026-11-21 13:00:04 UTC, call 4): the operator owes the player 20.00',
    );
    expect(walletSentence(only(log({ balance: '80', tookMs: 6000 }, 9)))).toContain(
      'The operator owes the player 20.00 EUR for the bet of 20.00 (txID b1).',
    );
  });

  it('is doubtful if a win of its round follows, except in the log of the service', () => {
    const log = (side: 'service' | 'operator') =>
      new Log()
        .balance('100', { side })
        .bet('b1', '20', { status: 500, side })
        .win('w1', '30', { balance: '110', side })
        .balance('110', { side })
        .timeline();
    expect([log('operator').status, debts(log('operator'))]).toEqual([3, []]);
    expect(only(log('service')).serviceFaults.map(({ text }) => text)).toEqual([
      'the service sent the win of call 3 in a round without an accepted bet',
    ]);
  });

  it('is reported under its rule if it is taken after its refund', () => {
    const timeline = new Log()
      .balance('100')
      .bet('b1', '20', { none: 'reset' })
      .refund('f1', 'b1', '20', { balance: '100' })
      .balance('100')
      .balance('80')
      .timeline();
    expect([sums(timeline), causes(timeline)]).toEqual([['100', '80', '-20'], ['refund.broken-connection']]);
  });
});

describe('an error in the books of the operator', () => {
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
    const timeline = tell(new Log().balance('100')).timeline();
    expect(causes(timeline)).toEqual([rule]);
    expect(only(timeline).difference?.toString()).toBe(difference);
    expect(timeline.status).toBe(1);
  });

  it('that is repeated is named once, by the replies that show it, although another sum would fit', () => {
    const timeline = new Log()
      .balance('1000.50')
      .bet('b1', '7.35', { balance: '993.15', txID: 'w-1' })
      .bet('b1', '7.35', { balance: '985.80', txID: 'w-2' })
      .bet('b1', '7.35', { balance: '978.45', txID: 'w-3' })
      .bet('b1', '7.35', { balance: '993.15', txID: 'w-1' })
      .bet('b1', '7.35', { balance: '971.10', txID: 'w-4' })
      .win('w1', '14.70', { balance: '985.80' })
      .timeline();
    expect(sums(timeline)).toEqual(['1007.85', '985.80', '-22.05']);
    expect(causes(timeline)).toEqual(['idempotency.bet', 'idempotency.bet', 'idempotency.bet']);
    expect(walletSentence(only(timeline))).toBe(
      'Player anna should have 1007.85 EUR, and the operator said 985.80 EUR. The bet of 7.35 (txID b1) was taken again 3 times when it was sent again: the operator owes the player 22.05 EUR.',
    );
    expect(debtSentences(only(timeline))).toEqual([
      'The bet of 7.35 (txID b1) was taken again 3 times when it was sent again (2026-11-21 13:00:03 UTC and later, calls 3, 4 and 6): the operator owes the player 22.05 EUR.',
    ]);
  });

  it('that is repeated is found also if the replies hide it', () => {
    const log = new Log().balance('100').bet('b1', '7', { balance: '93' });
    for (let again = 0; again < 3; again += 1) log.bet('b1', '7', { balance: '93' });
    const timeline = log.win('w1', '14', { balance: '86' }).timeline();
    expect(causes(timeline)).toEqual(['idempotency.bet', 'idempotency.bet', 'idempotency.bet']);
    expect(walletSentence(only(timeline))).toContain('taken again 3 times when it was sent again');
  });

  it('is not assumed if a repeated call is answered with the current balance', () => {
    const log = new Log().balance('100').bet('b1', '7', { balance: '93' }).win('w1', '2', { balance: '95' });
    expect(debts(log.bet('b1', '7', { balance: '95' }).balance('95').timeline())).toEqual([]);
  });

  it('is shown by a balance that was possible after no attempt of a call, also if no other balance follows', () => {
    const failed = new Log().balance('100').bet('b1', '5', { balance: '95' }).win('w1', '25', { status: 503 });
    const timeline = failed.win('w1', '25', { balance: '145' }).timeline();
    expect(causes(timeline)).toEqual(['win.retried']);
    expect(sums(timeline)).toEqual(['120', '145', '25']);
    expect(timeline.status).toBe(1);
  });

  it('is not assumed if the balance in the reply to a repeated call is right, or was right before another call', () => {
    const failed = () => new Log().balance('100').bet('b1', '5', { balance: '95' }).win('w1', '25', { status: 503 });
    const right = failed().win('w1', '25', { balance: '120' }).timeline();
    expect([causes(right), sums(right)]).toEqual([[], ['120', '120', '0']]);
    // The reply is the stored one, from before the second bet.
    const stored = failed().bet('b2', '3', { balance: '117' }, { round: 'r-2' }).win('w1', '25', { balance: '120' });
    expect([causes(stored.timeline()), sums(stored.timeline())]).toEqual([[], ['117', '117', '0']]);
  });

  it('is not assumed if another call between the attempts may explain the balance', () => {
    const failed = new Log().balance('100').bet('b1', '5', { balance: '95' }).win('w1', '25', { status: 503 });
    const between = failed.bet('b2', '3', { none: 'unknown' }, { round: 'r-2' }).win('w1', '25', { balance: '145' });
    expect(causes(between.timeline())).toEqual([]);
  });

  it('of one cent is named, also if its sum is zero in the end', () => {
    const timeline = new Log()
      .balance('100')
      .bet('b1', '0.29', { balance: '99.72' })
      .win('w1', '0.58', { balance: '100.29' })
      .timeline();
    expect([timeline.status, causes(timeline), sums(timeline)]).toEqual([
      1,
      ['money.exact', 'money.exact'],
      ['100.29', '100.29', '0'],
    ]);
    expect(debtSentences(only(timeline))[0]).toContain(
      'The bet of 0.29 (txID b1) was booked as 0.28 (seen at 2026-11-21 13:00:02 UTC, call 2): the player has 0.01 EUR',
    );
  });

  it('is named together with a second one at the same time', () => {
    const log = new Log().balance('100').bet('b1', '5', { balance: '95' }).win('w1', '7', { balance: '102' });
    const timeline = log.bet('b1', '5', { balance: '95' }).win('w1', '7', { balance: '102' }).balance('104').timeline();
    expect(causes(timeline)).toEqual(['idempotency.bet', 'idempotency.win']);
    expect(sums(timeline)).toEqual(['102', '104', '2']);
  });

  it('may be an earlier one, if a balance seemed to show that a failed call was not carried out', () => {
    const timeline = new Log()
      .balance('100.00')
      .bet('b1', '10.00', { balance: '90.00' })
      .bet('b2', '5.00', { status: 502 }, { round: 'r-2' })
      .win('w1', '5.00', { status: 500 })
      .balance('90.00')
      .win('w1', '5.00', { balance: '90.00' })
      .balance('90.00')
      .timeline();
    expect(debtSentences(only(timeline))[0]).toMatch(
      /^Either the win of 5\.00 .* was answered 200, but was not paid, or the bet of 5\.00 .* was declined with 502, but was taken/,
    );
  });

  it('is no debt any more when a later balance shows that it was corrected', () => {
    const log = new Log().balance('100').bet('b1', '5', { status: 403 }).balance('95');
    const timeline = log.balance('100').timeline();
    expect([sums(timeline), debts(timeline)]).toEqual([['100', '100', '0'], []]);
    expect(only(timeline).books.deviations).toMatchObject([{ fixedBy: 4 }]);
    expect(timeline.oddities.map(({ text }) => text)).toEqual([
      'the balance in the reply to call 3 was 5.00 too little: the bet was declined with 403, but was taken; call 4 shows the correct balance',
    ]);
  });

  it('that no call explains is no debt, because something else may have moved the balance', () => {
    const timeline = new Log().balance('100').balance('93.37').timeline();
    expect([timeline.status, debts(timeline), sums(timeline)]).toEqual([3, [], [undefined, '93.37', undefined]]);
    expect(only(timeline).unknowns).toEqual([
      'between call 1 and call 2, the balance changed by -6.63 to 93.37, and no call in the logs explains it: a deposit, a withdrawal, a bonus, another game, or a call that is not in the logs',
    ]);
  });

  it.each([
    ['102', 3],
    ['100', 0],
  ] as const)(
    'is not cleared by a refund whose bet is not in the logs, if the refund was paid: balance %s',
    (balance, status) => {
      const timeline = new Log().balance('100').refund('t-1', 'earlier', '2', { balance }).balance(balance).timeline();
      expect(timeline.status).toBe(status);
      expect(only(timeline).unknowns).toEqual(
        status === 0
          ? []
          : [
              'the refund of call 2 gave the player 2.00; the logs do not have its bet (txID earlier), so it is unknown whether the operator had taken the bet',
            ],
      );
    },
  );

  it('is not searched for in calls that were in flight together', () => {
    const timeline = new Log()
      .balance('100', { at: 0 })
      .bet('b1', '5', { at: 1, tookMs: 500, balance: '92' })
      .bet('b2', '3', { at: 1.1, tookMs: 200, balance: '97' }, { round: 'r-2' })
      .balance('92', { at: 3 })
      .timeline();
    expect([sums(timeline), causes(timeline)]).toEqual([['92', '92', '0'], []]);
  });
});

describe('calls in flight for less than a millisecond', () => {
  // The operator carried out the win first, then the bet of 4, then the bet of 8.
  const timelineWith = (precisionMs: number): IncidentTimeline =>
    new Log()
      .balance('964', { at: 0 })
      .bet('b3', '1', { at: 0.5, balance: '963' }, { round: 'r-3' })
      .bet('b1', '8', { at: 1.0001, tookMs: 0.9, balance: '958', precisionMs })
      .bet('b2', '4', { at: 1.00015, tookMs: 0.9, balance: '966', precisionMs }, { round: 'r-2' })
      .win('w1', '7', { at: 1.0002, tookMs: 0.9, balance: '970', precisionMs }, { round: 'r-3' })
      .balance('958', { at: 2 })
      .timeline();

  it('are calls in flight together if the times are precise', () => {
    expect([debts(timelineWith(0.01)), sums(timelineWith(0.01))]).toEqual([[], ['958', '958', '0']]);
  });

  it('may be calls in flight together if the times have whole milliseconds', () => {
    expect([debts(timelineWith(1)), sums(timelineWith(1))]).toEqual([[], ['958', '958', '0']]);
  });

  it('came one after the other if precise times say so', () => {
    const timeline = new Log()
      .balance('963', { at: 1, tookMs: 0.4, precisionMs: 0.01 })
      .bet('b1', '8', { at: 1.0005, tookMs: 0.2, balance: '963', precisionMs: 0.01 })
      .balance('963', { at: 1.0008, tookMs: 0.2, precisionMs: 0.01 })
      .timeline();
    expect(sums(timeline)).toEqual(['955', '963', '8']);
  });
});

describe('the times in a log', () => {
  it('are read as the ends of the calls if all calls would overlap otherwise', () => {
    const timeline = new Log()
      .balance('100', { at: 0.1, tookMs: 5, mayBeEnd: true })
      .bet('b1', '5', { at: 0.2, tookMs: 90, balance: '95', mayBeEnd: true })
      .win('w1', '50', { at: 0.25, tookMs: 40, balance: '95', mayBeEnd: true })
      .balance('95', { at: 0.26, tookMs: 5, mayBeEnd: true })
      .timeline();
    expect([sums(timeline), causes(timeline)]).toEqual([['145', '95', '-50'], ['win.credit']]);
  });

  it('leave the verdict unknown if calls overlap and no balance fits', () => {
    const timeline = new Log()
      .balance('100', { at: 0.1, tookMs: 5 })
      .bet('b1', '5', { at: 0.2, tookMs: 200, balance: '95' })
      .win('w1', '50', { at: 0.3, tookMs: 200, balance: '95' })
      .timeline();
    expect([timeline.status, only(timeline).difference]).toEqual([3, null]);
    expect(walletSentence(only(timeline))).toContain(
      'the calls do not explain the last balance in a reply (95.00, call 3)',
    );
  });
});

describe('calls of one second, in a log that writes no finer', () => {
  const coarse = { precisionMs: 1000, tookMs: 0 };

  it('may have come in another order than that of the log', () => {
    const timeline = new Log()
      .balance('100', { at: 0, ...coarse })
      .win('w1', '7', { at: 5, balance: '102', ...coarse })
      .bet('b1', '5', { at: 5, balance: '95', ...coarse })
      .balance('102', { at: 9, ...coarse })
      .timeline();
    expect([sums(timeline), causes(timeline), debts(timeline)]).toEqual([['102', '102', '0'], [], []]);
  });

  it('leave the verdict unknown if their balances contradict each other, although each fits the last balance', () => {
    // Either the operator did not take the bet b3, or it gave back the bet b4, which the reply to b2 does not show.
    const timeline = new Log()
      .bet('b1', '10', { at: 0, balance: '90', ...coarse })
      .bet('b2', '10', { at: 0, balance: '80', ...coarse }, { round: 'r-2' })
      .bet('b4', '10', { at: 0, none: 'reset', ...coarse }, { round: 'r-4' })
      .bet('b3', '10', { at: 5, balance: '80', ...coarse }, { round: 'r-3' })
      .win('w1', '0', { at: 5, balance: '80', ...coarse })
      .refund('f4', 'b4', '10', { at: 7, balance: '80', ...coarse }, { round: 'r-4' })
      .balance('80', { at: 9, ...coarse })
      .timeline();
    expect([timeline.status, only(timeline).unknowns[0]]).toEqual([
      3,
      'the calls do not explain the first balance in a reply (80.00, call 4), and other calls were in flight at the same time',
    ]);
  });

  it('do not excuse a wrong balance that a later idle read shows', () => {
    const timeline = new Log()
      .balance('100', { at: 0, ...coarse })
      .bet('b1', '5', { at: 5, balance: '95', ...coarse })
      .bet('b1', '5', { at: 5, balance: '95', ...coarse })
      .balance('90', { at: 9, ...coarse })
      .timeline();
    expect(causes(timeline)).toEqual(['idempotency.bet']);
  });
});

describe('a win', () => {
  it('is owed to the player if it was never answered 200', () => {
    const log = new Log().balance('100').bet('b1', '5', { balance: '95' }).win('w1', '50', { status: 503 });
    const timeline = log.balance('95').timeline();
    expect([sums(timeline), debts(timeline)]).toEqual([['145', '95', '-50'], ['win-pending 50 operator operator']]);
    const corrected = log.win('w1', '50', { balance: '145' }).timeline();
    expect([sums(corrected), debts(corrected)]).toEqual([['145', '145', '0'], []]);
  });

  it('must be sent again after it failed, also if it was paid', () => {
    const timeline = new Log()
      .balance('100')
      .bet('b1', '5', { balance: '95' })
      .win('w1', '50', { status: 500 })
      .balance('145')
      .timeline();
    expect([sums(timeline), debts(timeline)]).toEqual([['145', '145', '0'], ['win-pending 50 nobody service']]);
  });

  it('that is not in the log leaves its round open and the result unknown', () => {
    const timeline = new Log().balance('100').bet('b1', '5', { balance: '95' }).timeline();
    expect(timeline.status).toBe(3);
    expect(only(timeline).rounds[0]?.state).toBe('open');
    expect(only(timeline).unknowns[0]).toContain('the logs have no win for round r-1');
  });
});

describe('a verdict that is not certain', () => {
  it('is unknown if no balance was answered', () => {
    const timeline = new Log().bet('b1', '5', { status: 500 }).refund('f1', 'b1', '5', {}).timeline();
    expect(sums(timeline)).toEqual([undefined, undefined, '0']);
    expect(only(timeline).unknowns).toEqual(['the logs have no reply with a usable balance']);
    expect(timeline.status).toBe(3);
  });

  it('is unknown if the answer to a call was not logged', () => {
    const timeline = new Log().balance('100').bet('b1', '5', { none: 'unknown' }).timeline();
    expect(timeline.status).toBe(3);
    expect(only(timeline).unknowns).toContain('the reply to call 2 was not logged');
  });

  it('is unknown if a free win did not change the balance', () => {
    const timeline = new Log()
      .balance('100.00')
      .bet('b1', '5.00', { balance: '100.00' }, { type: 'free', frID: 'f-1' })
      .win('w1', '20.00', { balance: '100.00' }, { type: 'free', frID: 'f-1' })
      .balance('100.00')
      .timeline();
    expect([timeline.status, sums(timeline), only(timeline).unknowns]).toEqual([
      3,
      [undefined, '100', undefined],
      [
        'the free win of call 3 did not change the balance, and the contract does not say whether a free win must do so. The agreement with the operator decides',
      ],
    ]);
  });

  it('is unknown if a free bet cost the player money', () => {
    const free = { type: 'free', frID: 'spring' };
    for (const [balance, status] of [
      ['100', 0],
      ['95', 3],
    ] as const) {
      const timeline = new Log()
        .balance('100')
        .bet('b1', '5', { balance }, free)
        .win('w1', '0', { balance }, free)
        .timeline();
      expect([timeline.status, causes(timeline)]).toEqual([status, []]);
      expect(only(timeline).unknowns.join()).toBe(
        status === 0
          ? ''
          : 'the free bet of call 2 cost the player money, and the contract does not say whether a free bet may do so. The agreement with the operator decides',
      );
    }
  });
});

describe('the order of the calls', () => {
  const kinds = (log: Log): readonly string[] =>
    log.timeline().oddities.map(({ kind, calls }) => `${kind} ${calls.join(',')}`);

  it('is reported with duplicates, late replies and calls out of order', () => {
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

  it('is reported with a bet above the balance, but not with the bets of a player who was in the red before', () => {
    const log = new Log().balance('5').bet('b1', '10', { balance: '-5' }).bet('b2', '10', { balance: '-15' });
    expect(kinds(log)).toEqual(['overdraft 2']);
    expect(log.timeline().oddities[0]?.text).toContain('though the balance was only 5.00');
    expect(kinds(new Log().balance('10').bet('b1', '10', { balance: '0' }))).toEqual([]);
  });

  it.each([
    ['reply.deadline', (log: Log) => log.bet('b1', '5', { none: 'too-late', tookMs: 5000 })],
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
  ])('includes a breach of %s', (rule, tell) => {
    const { breaches } = tell(new Log()).timeline();
    expect(breaches.map((breach) => [breach.rule, breach.verdict])).toContainEqual([rule, 'fail']);
  });
});

describe('the decisions that all commands share', () => {
  const breaches = (timeline: IncidentTimeline): readonly string[] =>
    timeline.breaches.map(({ call, rule, verdict }) => `${call} ${rule} ${verdict}`);
  const empty = { balance: '100', txID: '' };

  it('count a refund with an empty txID as a breach if its bet was accepted before', () => {
    const timeline = new Log()
      .balance('100')
      .bet('b1', '5', { balance: '95' })
      .refund('f1', 'b1', '5', empty)
      .timeline();
    expect(breaches(timeline)).toEqual(['3 reply.tx-id fail']);
  });

  it('count a refund with an empty txID as a warning if its bet is not known or had no answer', () => {
    const log = new Log().balance('100').refund('f1', 'b1', '5', empty);
    log.bet('b2', '5', { none: 'reset' }).refund('f2', 'b2', '5', empty);
    expect(breaches(log.timeline())).toEqual(['2 reply.tx-id warn', '4 reply.tx-id warn']);
  });

  it('count decimals as a warning if only a position says that the currency has none', () => {
    expect(breaches(new Log().balance('10.5').timeline({}, 'CLP'))).toEqual(['1 money.precision warn']);
    expect(breaches(new Log().balance('10.5').timeline({}, 'JPY'))).toEqual(['1 money.precision fail']);
  });

  it.each([502, 503, 504])('a bet answered %i is declined: no refund of it is owed', (status) => {
    const timeline = new Log().balance('100').bet('b1', '5', { status }).balance('100').timeline();
    expect([sums(timeline), debts(timeline)]).toEqual([['100', '100', '0'], []]);
  });

  it.each([502, 503, 504])('a bet answered %i that was taken is owed by the operator', (status) => {
    const timeline = new Log().balance('100').bet('b1', '5', { status }).balance('95').timeline();
    expect(causes(timeline)).toEqual(['bet.declined-takes-nothing']);
    expect(debts(timeline)).toEqual(['misbooked 5 operator operator']);
  });
});

describe('the logs of both sides', () => {
  const operator = { side: 'operator' } as const;
  const log = new Log()
    .balance('100', { at: 1 })
    .bet('b1', '5', { at: 2, balance: '95' })
    .bet('b2', '20', { at: 3, none: 'too-late', tookMs: 5000 }, { round: 'r-2' })
    .bet('b1', '5', { at: 4.5, balance: '95', ...operator })
    .bet('b2', '20', { at: 5.4, balance: '75', tookMs: 7000, ...operator }, { round: 'r-2' })
    .balance('100', { at: 3.5, ...operator });

  it('are joined, and the difference of their clocks is removed', () => {
    const { calls, clocks } = log.timeline();
    expect(clocks).toEqual({ aheadMs: 2500, pairs: 2 });
    expect(calls.map(({ seen, alsoSeen, atMs }) => [seen.call, alsoSeen !== null, (atMs ?? 0) - START])).toEqual([
      ['balance', true, 1000],
      ['bet', true, 2000],
      ['bet', true, 3000],
    ]);
  });

  it('show that the operator replied in time, although the reply did not reach the service in time', () => {
    const lost = (tookMs: number): IncidentTimeline =>
      new Log()
        .bet('b1', '5.00', { none: 'too-late', tookMs: 5000, at: 1 })
        .bet('b1', '5.00', { balance: '95.00', tookMs, at: 1, side: 'operator' })
        .timeline();
    expect(lost(40).breaches).toEqual([]);
    expect(lost(6000).breaches.map(({ rule }) => rule)).toEqual(['reply.deadline']);
  });

  it('show the balance and no breach of the operator if a gateway replaced the reply of the operator', () => {
    const resent = (second: string): IncidentTimeline => {
      const win = (status: number, answered: object, at: number): [string, string, object] => [
        'w1',
        '50.00',
        { status, at, ...answered },
      ];
      return new Log()
        .balance('80.00', { at: 0 })
        .bet('b1', '20.00', { balance: '60.00', at: 1 })
        .win(...win(504, {}, 2))
        .win(...win(200, { balance: second }, 3))
        .balance('80.00', { at: 0, side: 'operator' })
        .bet('b1', '20.00', { balance: '60.00', at: 1, side: 'operator' })
        .win(...win(200, { balance: '110.00', side: 'operator' }, 2))
        .win(...win(200, { balance: second, side: 'operator' }, 3))
        .timeline();
    };
    const [once, twice] = [resent('110.00'), resent('160.00')];
    expect([once.status, sums(once), once.breaches]).toEqual([0, ['110', '110', '0'], []]);
    expect([twice.status, sums(twice)]).toEqual([1, ['110', '160', '50']]);
    const refused = new Log()
      .balance('80.00', { at: 0 })
      .bet('b1', '20.00', { status: 500, at: 1 })
      .refund('f1', 'b1', '20.00', { status: 504, at: 2 })
      .refund('f1', 'b1', '20.00', { balance: '80.00', at: 2, side: 'operator' });
    expect(refused.timeline().breaches.filter(({ rule }) => rule.startsWith('refund.'))).toEqual([]);
  });

  it('show together that the operator carried out a call that the service saw as lost', () => {
    const timeline = log.timeline();
    expect(timeline.calls[2]).toMatchObject({ ending: 'late', done: 'yes' });
    expect(debts(timeline)).toContain('missing-refund 20 operator service');
    expect(timeline.oddities.map(({ kind }) => kind)).toEqual(['late', 'sides-differ']);
  });
});

describe('a debt that rests on the absence of a call', () => {
  const lost = { none: 'reset' } as const;
  const refused = { status: 500 } as const;
  const operator = { side: 'operator' } as const;

  it('is not certain if an earlier round has no win', () => {
    const log = (isWon: boolean): Log => {
      const begun = new Log().balance('100').bet('b1', '5', { balance: '95', at: 2 });
      return (isWon ? begun.win('w1', '0', { balance: '95', at: 4 }) : begun)
        .bet('b2', '7', { balance: '88', at: 12 }, { round: 'r-2' })
        .win('w2', '0', { balance: '88', at: 14 }, { round: 'r-2' })
        .bet('b3', '1', { ...lost, at: 22 }, { round: 'r-3' })
        .balance('87', { at: 24 });
    };
    expect(debts(log(true).timeline())).toEqual(['missing-refund 1 operator service']);
    expect(evidenceSentence(only(log(true).timeline()))).toContain(' It assumes that no line is missing after call 6.');
    const timeline = log(false).timeline();
    expect([timeline.status, debts(timeline)]).toEqual([3, []]);
    expect(timeline.wallets[0]?.unknowns[0]).toMatch(/no win for round r-1, although a later round was settled/);
  });

  it('is not certain if one log lacks a call that the other log has, unless the operator declined the call', () => {
    const log = (isWhole: boolean, refund: object): Log => {
      const both = new Log();
      for (const side of [{}, operator]) {
        both
          .balance('100', { at: 0, ...side })
          .bet('b1', '5', { at: 10, ...(side === operator ? { balance: '95' } : lost), ...side })
          .refund('f1', 'b1', '5', { at: 12, ...refund, ...side });
        for (const [number, balance] of [
          [2, '94'],
          [3, '93'],
          [4, '92'],
        ] as const) {
          const round = `r-${number}`;
          const at = 10 * number;
          if (isWhole || side !== operator || number !== 3)
            both.bet(`b${number}`, '1', { balance, at, ...side }, { round });
          both.win(`w${number}`, '0', { balance, at: at + 2, ...side }, { round });
        }
      }
      return both;
    };
    const owed = ['refund-pending 5 operator service'];
    expect(debts(log(true, refused).timeline()).map((debt) => debt.replace(/\w+$/, 'service'))).toEqual(owed);
    const timeline = log(false, refused).timeline();
    expect(debts(timeline)).toEqual([]);
    expect(timeline.wallets[0]?.unknowns).toContain(
      'call 6 was answered 200, but only the log of the service has it, so the logs lack calls',
    );
    expect(debts(log(false, { status: 404 }).timeline())).toEqual(['refund-pending 5 operator operator']);
  });

  it('is unknown if a refund was not answered 200 and its bet is not in the logs', () => {
    const log = (side: { side?: 'operator' }, first: object, second?: object): Log => {
      const begun = new Log().balance('100', side).refund('f1', 'b1', '5', { ...first, ...side });
      return (second ? begun.refund('f1', 'b1', '5', { ...second, ...side }) : begun).balance('100', side);
    };
    expect(log({}, lost).timeline().status).toBe(3);
    for (const side of [{}, operator]) {
      const timeline = log(side, refused).timeline();
      expect(timeline.wallets[0]?.unknowns).toEqual([
        'the refund of call 2 was not answered 200, and the logs do not have its bet (txID b1), so it is unknown whether the operator must give money back',
      ]);
    }
    // The operator's log would have the bet if the operator had got it.
    expect(sums(log(operator, refused).timeline())).toEqual(['100', '100', '0']);
    const settled = only(log(operator, refused, { balance: '100' }).timeline());
    expect(settled.unknowns).toEqual([]);
    expect(evidenceSentence(settled)).toContain(' It assumes that this log has all calls of the player.');
  });
});

describe('an id in upper case and in lower case', () => {
  const lower = '0b3f5a1c-7e2d-4c55-9a57-0000000000ab';
  const [upper, win] = [lower.toUpperCase(), '0b3f5a1c-7e2d-4c55-9a57-0000000000cd'];

  it('is one id if each side has its own spelling', () => {
    const ofOperator = { side: 'operator' } as const;
    const timeline = new Log()
      .balance('100.00', { at: 1 })
      .balance('100.00', { at: 1, ...ofOperator })
      .bet(lower, '5.00', { balance: '95.00', at: 2 })
      .bet(upper, '5.00', { balance: '95.00', at: 2, ...ofOperator })
      .win(win, '9.00', { balance: '104.00', at: 4 })
      .win(win.toUpperCase(), '9.00', { balance: '104.00', at: 4, ...ofOperator })
      .timeline();
    expect([timeline.status, sums(timeline), timeline.calls.length]).toEqual([0, ['104', '104', '0'], 3]);
    expect(timeline.calls.filter(({ seen }) => seen.txID === lower)).toHaveLength(1);
  });

  it('leaves the result unknown if one side has both spellings', () => {
    const timeline = new Log()
      .balance('100.00')
      .bet(lower, '5.00', { balance: '95.00' })
      .bet(upper, '5.00', { balance: '90.00' })
      .win(win, '9.00', { balance: '99.00' })
      .timeline();
    expect([timeline.status, timeline.wallets[0]?.should, timeline.wallets[0]?.unknowns[0]]).toEqual([
      3,
      null,
      'an id of call 3 differs from an id of another call only in upper and lower case, so it is not known whether both are the same',
    ]);
  });

  it('is selected by each spelling', () => {
    const log = new Log().balance('100.00').bet(lower, '5.00', { balance: '95.00' });
    expect(log.timeline({ tx: upper }).calls).toHaveLength(1);
  });
});

describe('a value that only the log of one side shows', () => {
  it('is the duration of a call, so a balance in the same time can be right', () => {
    const timeline = new Log()
      .balance('100.00', { at: 0 })
      .bet('b1', '10.00', { none: 'too-late', tookMs: null, at: 1 })
      .bet('b1', '10.00', { balance: '85.00', tookMs: 6200, at: 1, side: 'operator' })
      .bet('b2', '5.00', { balance: '95.00', tookMs: null, at: 6.5 }, { round: 'r-2' })
      .bet('b2', '5.00', { balance: '95.00', at: 6.5, side: 'operator' }, { round: 'r-2' })
      .balance('85.00', { at: 12 })
      .timeline();
    expect([only(timeline).books.deviations, sums(timeline)]).toEqual([[], ['95', '85', '-10']]);
  });

  it('is the time at which a lost call reached the operator', () => {
    const timeline = new Log()
      .balance('100.00', { at: 0 })
      .balance('100.00', { at: 0, side: 'operator' })
      .bet('b1', '10.00', { none: 'reset', at: 1 })
      .bet('b2', '5.00', { balance: '95.00', at: 3 }, { round: 'r-2' })
      .bet('b2', '5.00', { balance: '95.00', at: 3, side: 'operator' }, { round: 'r-2' })
      .win('w2', '0.00', { balance: '95.00', at: 5 }, { round: 'r-2' })
      .win('w2', '0.00', { balance: '95.00', at: 5, side: 'operator' }, { round: 'r-2' })
      .bet('b1', '10.00', { balance: '85.00', at: 8, side: 'operator' })
      .balance('85.00', { at: 12 })
      .timeline();
    expect([only(timeline).books.deviations, sums(timeline)[1]]).toEqual([[], '85']);
  });

  it('is a balance that the other side has masked', () => {
    const timeline = new Log()
      .balance('100.00', { at: 0 })
      .bet('b1', '10.00', { balance: '***', at: 1 })
      .bet('b1', '10.00', { balance: '100.00', at: 1, side: 'operator' })
      .win('w1', '0.00', { balance: '***', at: 3 })
      .timeline();
    expect(causes(timeline)).toEqual(['bet.debit']);
  });
});

describe('a call whose reply only the operator logged', () => {
  const unlogged = { at: 2, none: 'unknown', tookMs: null } as const;

  it('may have failed for the service, so its refund can be owed', () => {
    const timeline = new Log()
      .balance('100.00', { at: 1 })
      .bet('b1', '20.00', unlogged)
      .bet('b1', '20.00', { balance: '80.00', at: 2, side: 'operator' })
      .refund('f1', 'b1', '20.00', { status: 404, code: 'transaction_not_found', at: 9 })
      .refund('f1', 'b1', '20.00', { status: 404, code: 'transaction_not_found', at: 9, side: 'operator' })
      .balance('80.00', { at: 12 })
      .timeline();
    expect(debts(timeline)).toEqual(['refund-pending 20 operator operator']);
  });

  it('does not prove that the service repeated an answered call', () => {
    const timeline = new Log()
      .balance('100.00', { at: 0 })
      .bet('b1', '20.00', { balance: '80.00', at: 1 })
      .bet('b1', '20.00', { balance: '80.00', at: 1, side: 'operator' })
      .win('w1', '5.00', unlogged)
      .win('w1', '5.00', { balance: '85.00', at: 2, side: 'operator' })
      .win('w1', '5.00', { status: 500, at: 4 })
      .win('w1', '5.00', { status: 500, at: 4, side: 'operator' })
      .balance('85.00', { at: 12 })
      .timeline();
    expect(timeline.breaches).toEqual([]);
  });
});

describe('a balance that many errors explain equally well', () => {
  it('names some of the errors and counts the others', () => {
    const log = new Log().balance('100.00');
    for (const n of [1, 2, 3]) log.bet(`b${n}`, '5.00', { none: 'reset' }, { round: `r-${n}` });
    for (const n of [1, 2, 3]) log.refund(`f${n}`, `b${n}`, '5.00', { balance: '100.00' }, { round: `r-${n}` });
    const timeline = log.balance('105.00').timeline();
    const [debt] = only(timeline).possibleDebts;
    expect(debt?.deviation?.otherCauses).toHaveLength(5);
    expect(debt && debtClause(debt, 'EUR')).toMatch(/^either (?:[^,]+, or ){4}one of 2 more errors \(seen at /);
  });
});

describe('a last balance that is masked', () => {
  it('is not known, although the balance before it is', () => {
    const log = new Log()
      .balance('100.00')
      .bet('b1', '5.00', { balance: '95.00' })
      .win('w1', '0', { balance: '95.00' });
    const timeline = log.balance('***').timeline();
    expect([timeline.status, only(timeline).booked]).toEqual([3, null]);
  });
});

describe('lines that are not in the order of their times', () => {
  it('show a second win of a round, whichever attempt of the first win came first', () => {
    const timeline = new Log()
      .balance('100.00')
      .bet('b1', '5.00', { balance: '95.00' })
      .win('w1', '7.00', { none: 'reset', at: 5 })
      .win('w1', '7.00', { balance: '102.00', at: 4 })
      .win('w2', '0', { balance: '102.00', at: 9 })
      .timeline();
    expect([timeline.status, only(timeline).serviceFaults.length]).toEqual([1, 1]);
  });

  it('prove nothing if the balance before the first bet comes after it in the file', () => {
    const timeline = new Log()
      .bet('b1', '5.00', { balance: '100.00', at: 5 })
      .win('w1', '0', { balance: '100.00', at: 9 })
      .balance('100.00', { at: 0 })
      .balance('100.00', { at: 20 })
      .timeline();
    expect([timeline.status, only(timeline).difference]).toEqual([3, null]);
  });

  it('leave open which error made a balance wrong if each order shows another one', () => {
    const timeline = new Log()
      .balance('100.00')
      .bet('b1', '5.00', { none: 'reset' })
      .bet('b2', '20.00', { balance: '75.00' }, { round: 'r-2' })
      .refund('f1', 'b1', '5.00', { balance: '80.00' })
      .refund('f1', 'b1', '5.00', { balance: '85.00', txID: 'w-other', at: 7 })
      .win('w2', '0.00', { balance: '85.00', at: 6 }, { round: 'r-2' })
      .balance('85.00', { at: 8 })
      .timeline();
    expect(sums(timeline)).toEqual(['80', '85', '5']);
    expect(debtSentences(only(timeline))[0]).toMatch(
      /^Either the refund of 5\.00 .* was paid twice at once, or .*, or the refund of 5\.00 .* sent again/,
    );
  });
});

describe('an access log beside the log of the service', () => {
  const service = (): Log =>
    new Log()
      .balance('100', { at: 1 })
      .bet('b1', '20', { at: 60, none: 'too-late', tookMs: 5000 })
      .bet('b2', '5', { at: 120, none: 'reset' }, { round: 'r-2' })
      .bet('b3', '5', { at: 120.2, none: 'reset' }, { round: 'r-3' });

  it('adds the answer to a call if the time leaves no doubt about the call', () => {
    const { calls } = service().access('bet', 200, 64).access('bet', 200, 120).access('win', 200, 60).timeline();
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

  it('lists only the selected calls, and computes the sums from all calls', () => {
    const round = log.timeline({ round: 'r-2' });
    expect(round.calls.map(({ number }) => number)).toEqual([4]);
    expect(only(round).should?.toString()).toBe('99');
    expect(log.timeline({ tx: 'b1' }).calls.map(({ number }) => number)).toEqual([2, 5]);
    expect(
      log.timeline({ player: 'anna', fromMs: START + 3000, toMs: START + 4000 }).calls.map(({ number }) => number),
    ).toEqual([3, 4]);
    expect(log.timeline({ player: 'ben' }).calls).toEqual([]);
  });
});

describe('a long log', () => {
  it('takes no longer for each call than a short log', () => {
    const log = new Log().balance('1000000');
    let balance = 1_000_000;
    for (let round = 0; round < 3000; round += 1) {
      balance -= 1;
      log.bet(`b${round}`, '1', { balance: String(balance) }, { round: `r-${round}` });
      balance += 1;
      log.win(`w${round}`, '1', { balance: String(balance) }, { round: `r-${round}` });
    }
    expect(log.timeline().status).toBe(0);
  }, 10_000);
});

describe('a win whose bet is not in the logs', () => {
  it('makes the result unknown, because the win may not be due', () => {
    const timeline = new Log().balance('100').win('w1', '5', { balance: '105' }).timeline();
    expect(timeline.status).toBe(3);
    expect(only(timeline).unknowns.join(' ')).toMatch(/do not have the bet of the win of call 2/);
  });

  it('changes nothing if it is a win of 0', () => {
    expect(new Log().balance('100').win('w1', '0', { balance: '100' }).timeline().status).toBe(0);
  });
});

describe('a call that the service must not send', () => {
  const wonRound = (): Log =>
    new Log().balance('100.00').bet('b1', '10.00', { balance: '90.00' }).win('w1', '30.00', { balance: '120.00' });
  const failed = { status: 500 } as const;

  it.each([
    { title: 'a second win that was refused', log: wonRound().win('w2', '30.00', { status: 409 }).balance('120.00') },
    { title: 'a second win that was answered 500', log: wonRound().win('w2', '30.00', failed).balance('120.00') },
    { title: 'a refund after the win that was refused', log: wonRound().refund('f1', 'b1', '10.00', { status: 409 }) },
    {
      title: 'a refund after the win that gave nothing',
      log: wonRound().refund('f1', 'b1', '10.00', { balance: '120.00' }),
    },
    {
      title: 'a refund after the win that gave the bet',
      log: wonRound().refund('f1', 'b1', '10.00', {}).balance('130.00'),
    },
    {
      title: 'the refund of a win that took the win',
      log: wonRound().refund('f1', 'w1', '30.00', {}).balance('90.00'),
    },
    {
      title: 'a refund with another amount than its bet',
      log: new Log().balance('100.00').bet('b1', '10.00', failed).refund('f1', 'b1', '5.00', {}).balance('95.00'),
    },
  ])('makes the operator owe nothing, in the log of either side: $title', ({ log }) => {
    for (const side of ['service', 'operator'] as const) {
      const calls = log.calls.map((call) => ({ ...call, exchange: { ...call.exchange, side } }));
      const timeline = buildTimeline(calls, {}, new Map());
      const { serviceFaults } = only(timeline);
      expect([debts(timeline), timeline.breaches, serviceFaults.length, timeline.status]).toEqual([[], [], 1, 1]);
    }
  });

  it('makes the right balance unknown if the operator may have carried it out, but not the debts of the operator', () => {
    const paid = wonRound().refund('f1', 'b1', '10.00', { balance: '130.00' }).balance('130.00');
    expect(sums(paid.timeline())).toEqual([undefined, '130', '0']);
    const other = { round: 'r-2' };
    paid.bet('b2', '20.00', { balance: '110.00' }, other).win('w2', '50.00', failed, other).balance('110.00');
    const timeline = paid.timeline();
    expect([sums(timeline), debts(timeline)]).toEqual([[undefined, '110', '-50'], ['win-pending 50 operator service']]);
    expect(walletSentence(only(timeline))).toMatch(
      /^The balance of player anna was 110\.00 EUR( at .*)?\. Apart from the mistakes of the service, it is 50\.00 EUR too little\. The operator owes the player 50\.00 EUR/,
    );
    const refused = wonRound().refund('f1', 'b1', '10.00', { status: 409 }).balance('120.00');
    expect(sums(refused.timeline())).toEqual(['120', '120', '0']);
  });

  it('leaves open which win is due if a win that failed was followed by another win of its round', () => {
    const resent = (amount: string, balance: string): Log =>
      new Log()
        .balance('100.00')
        .bet('b1', '10.00', { balance: '90.00' })
        .win('w1', '30.00', failed)
        .win('w2', amount, { balance });
    for (const timeline of [resent('30.00', '120.00').timeline(), resent('20.00', '110.00').timeline()])
      expect([timeline.status, debts(timeline), sums(timeline)[0]]).toEqual([3, [], undefined]);
    // A bet between the two wins shows that two games use the same round id.
    const two = new Log()
      .balance('100.00')
      .bet('b1', '10.00', { balance: '90.00' })
      .win('w1', '30.00', failed)
      .bet('b2', '10.00', { balance: '80.00' })
      .win('w2', '30.00', { balance: '110.00' });
    expect(debts(two.timeline())).toEqual(['win-pending 30 operator service']);
  });

  it('leaves the right balance open if a win of zero that failed was followed by another win of its round', () => {
    const timeline = new Log()
      .balance('100.00')
      .bet('b1', '10.00', { balance: '90.00' })
      .win('w1', '0.00', failed)
      .win('w2', '30.00', { balance: '120.00' })
      .timeline();
    expect([timeline.status, sums(timeline), timeline.oddities.at(-1)?.text]).toEqual([
      1,
      [undefined, '120', '0'],
      'the win of call 3 was not answered 200, so the service must send it again with the same txID; but call 4 is a win of the same round with another txID',
    ]);
  });

  const faults = (log: Log): readonly string[] =>
    log.timeline().oddities.flatMap(({ kind, calls }) => (kind === 'service-fault' ? [calls.join()] : []));
  const verdictOf = (log: Log): readonly [number, string] => {
    const timeline = log.timeline();
    return [timeline.status, walletSentence(only(timeline))];
  };
  const settled = (): Log =>
    new Log().balance('100').bet('b1', '5', { balance: '95' }).win('w1', '9', { balance: '104' });

  it('is a win with another txID in a round that a win has settled', () => {
    expect(faults(settled().win('w2', '9', { balance: '113' }))).toEqual(['3,4']);
    expect(faults(settled().win('w1', '9', { balance: '104' }))).toEqual([]);
  });

  it('is a call with the txID of another player', () => {
    const log = settled().bet('b1', '5', { balance: '20' }, { session: 's-2', round: 'r-2' });
    expect(faults(log)).toEqual(['2,4']);
  });

  it('is no second win of a round id that another game uses again', () => {
    expect(faults(settled().bet('b2', '4', { balance: '100' }).win('w2', '9', { balance: '109' }))).toEqual([]);
  });

  it.each([
    ['took both 10.00 and 20.00', '70.00'],
    ['did not take 20.00', '90.00'],
  ])('is a bet sent again with another amount, and the result says if the operator %s', (did, balance) => {
    const timeline = new Log()
      .balance('100.00')
      .bet('b1', '10.00', { balance: '90.00' })
      .bet('b1', '20.00', { balance })
      .win('w1', '0.00', { balance })
      .balance(balance)
      .timeline();
    expect([timeline.status, debts(timeline), sums(timeline)]).toEqual([
      1,
      [],
      [undefined, String(Number(balance)), '0'],
    ]);
    expect(only(timeline).serviceFaults.map(({ text }) => text)).toEqual([
      `the service sent the bet with txID b1 twice, with different contents (calls 2 and 3), and the operator ${did}`,
    ]);
  });

  it('makes the status 1, and the first sentence names the service', () => {
    expect(verdictOf(settled().win('w2', '9', { balance: '113' }))).toEqual([
      1,
      'The service is at fault: the service sent the win of call 4 with another txID, although the win of call 3 had settled the round. The balance of player anna was 113.00 EUR at 2026-11-21 13:00:04 UTC, and the operator owes nothing.',
    ]);
  });

  it('is listed below the first sentence if there are several', () => {
    const wallet = only(
      settled().win('w2', '9', { balance: '113' }).refund('f1', 'b1', '5', { balance: '118' }).timeline(),
    );
    expect(walletSentence(wallet)).toMatch(
      /^The service is at fault: it made 2 mistakes, which are listed\. The balance of player anna was 118\.00 EUR/,
    );
    expect(debtSentences(wallet).join(' ')).toMatch(/call 4 .*call 5 after the win of the round \(call 3\)/);
  });

  it('is a refund of an accepted bet, if the log of the service shows the reply in time', () => {
    const refunded = (side: 'service' | 'operator'): Log =>
      new Log()
        .balance('100', { side })
        .bet('b1', '5', { balance: '95', side })
        .refund('f1', 'b1', '5', { balance: '100', side });
    expect(verdictOf(refunded('service'))[0]).toBe(1);
    // The reply may have been lost on its way, so the refund may be right.
    expect(verdictOf(refunded('operator'))[0]).toBe(0);
  });

  it('changes no result that is unknown', () => {
    const log = settled().win('w2', '9', { balance: '113' }).bet('b9', '5', { none: 'unknown' }, { round: 'r-9' });
    expect(verdictOf(log)[0]).toBe(3);
  });

  it('is named below a debt of the operator', () => {
    const log = settled()
      .win('w2', '9', { balance: '113' })
      .bet('b9', '5', { status: 500 }, { round: 'r-9' })
      .balance('108');
    const wallet = only(log.timeline());
    expect(walletSentence(wallet)).toMatch(/The operator owes the player 5\.00 EUR/);
    expect(debtSentences(wallet).at(-1)).toMatch(/^The service is at fault: the service sent the win of call 4/);
  });
});

describe('an entry that a log contains twice', () => {
  const twice = (first: number, second: number, txID = 'b1'): readonly string[] => {
    const failed = { status: 500, at: 1, precisionMs: 1000 };
    const log = new Log().balance('100', { at: 0 }).bet('b1', '5', { ...failed, tookMs: first });
    const { calls } = log.bet(txID, '5', { ...failed, tookMs: second }).timeline();
    return calls.map(({ number, seen }) => `${number} ${seen.call}`);
  };

  it('counts once, also if the times are whole seconds', () => {
    expect(twice(20, 20)).toEqual(['1 balance', '2 bet']);
  });

  it('counts once if the log shows no duration, but times of whole milliseconds', () => {
    const twiceAt = (precisionMs: number): number =>
      new Log()
        .bet('b1', '5', { status: 500, at: 1, precisionMs, tookMs: null })
        .bet('b1', '5', { status: 500, at: 1, precisionMs, tookMs: null })
        .timeline().calls.length;
    expect([twiceAt(1), twiceAt(1000)]).toEqual([1, 2]);
  });

  it('is another call if its duration or its txID differs, or if the log shows no duration', () => {
    const both = ['1 balance', '2 bet', '3 bet'];
    expect([twice(20, 21), twice(20, 20, 'b2'), twice(0, 0)]).toEqual([both, both, both]);
  });
});
