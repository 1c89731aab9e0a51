import { describe, expect, it } from 'vitest';
import { evidenceSentence } from '../../../src/traffic/timeline/sentence.ts';
import type { IncidentTimeline } from '../../../src/traffic/timeline/timeline.ts';
import type { WalletVerdict } from '../../../src/traffic/timeline/verdict.ts';
import { Log } from './calls.ts';

function only({ wallets }: IncidentTimeline): WalletVerdict {
  const [wallet] = wallets;
  if (!wallet || wallets.length > 1) throw new Error(`${wallets.length} wallets`);
  return wallet;
}

function causesOf(timeline: IncidentTimeline): readonly string[] {
  return only(timeline).debts.map(({ deviation }) => (deviation?.causes ?? []).map(({ rule }) => rule).join('+'));
}

function unknownsOf(timeline: IncidentTimeline): string {
  return only(timeline).unknowns.join('\n');
}

describe('an error that was corrected', () => {
  const corrected = (stake: string, balance: string, low: string): IncidentTimeline =>
    new Log()
      .balance('100.00')
      .bet('b1', stake, { balance })
      .win('w1', '0', { balance })
      .bet('b2', '2.75', { status: 403 }, { round: 'r-2' })
      .balance(low)
      .balance(balance, { at: 90 })
      .timeline();

  it('may also be a round that is not in the logs, if the player made another bet of this amount', () => {
    const timeline = corrected('2.75', '97.25', '94.50');
    expect(only(timeline).difference).toBeNull();
    expect(unknownsOf(timeline)).toContain('either the error was corrected, or the logs lack a round');
  });

  it('was corrected if the player made no other bet of this amount', () => {
    const timeline = corrected('1.00', '99.00', '96.25');
    expect([only(timeline).difference?.toString(), unknownsOf(timeline)]).toEqual(['0', '']);
  });

  it('does not take its place if another error was in a call between', () => {
    // Something took 10.00, and then a win of 10.00 was paid twice. The second txID shows this error.
    const timeline = new Log()
      .balance('100.00')
      .bet('b1', '4.00', { none: 'reset' })
      .refund('f1', 'b1', '4.00', { balance: '100.00' })
      .balance('90.00')
      .bet('b2', '3.00', { balance: '87.00' }, { round: 'r-2' })
      .win('w2', '10.00', { balance: '97.00', txID: 'w-1' }, { round: 'r-2' })
      .win('w2', '10.00', { balance: '107.00', txID: 'w-2' }, { round: 'r-2' })
      .balance('107.00')
      .timeline();
    expect(only(timeline).books.deviations.map(({ by, fixedBy }) => [by.toString(), fixedBy])).toEqual([
      ['-10', null],
      ['10', null],
    ]);
    expect(only(timeline).possibleDebts.map(({ deviation }) => deviation?.causes[0]?.rule)).toEqual([
      'idempotency.win',
    ]);
  });
});

describe('two errors that add up to the change of a balance', () => {
  it('are not certain, because a deposit can be the reason', () => {
    const timeline = new Log()
      .balance('100.00')
      .bet('b1', '12.50', { balance: '87.50' })
      .win('w1', '37.50', { balance: '125.00' })
      .win('w1', '37.50', { balance: '125.00' })
      .bet('b2', '12.50', { balance: '162.50' }, { round: 'r-2' })
      .win('w2', '0', { balance: '162.50' }, { round: 'r-2' })
      .timeline();
    expect([timeline.status, causesOf(timeline)]).toEqual([3, []]);
    expect(unknownsOf(timeline)).toContain('either two errors happened at the same time');
  });
});

/**
 * A log of a win that was sent again. The reply to the second win has the balance of the first reply. So only the next balance, in second
 * `at`, shows that something is wrong.
 */
function repeated(txID: string, at?: number): Log {
  return new Log()
    .balance('100.00')
    .bet('b1', '5.00', { balance: '95.00' })
    .win('w1', '10.00', { balance: '105.00', txID: 'w-1' })
    .win('w1', '10.00', { balance: '105.00', txID })
    .balance('115.00', at === undefined ? {} : { at });
}

describe('a call that was sent again before a wrong balance', () => {
  it('may not be the reason if the time is long enough for a round', () => {
    const timeline = repeated('w-1', 90).timeline();
    expect([timeline.status, causesOf(timeline)]).toEqual([3, []]);
    expect(unknownsOf(timeline)).toContain('or the logs lack a round');
  });

  it('is the reason if its reply has another txID', () => {
    expect(causesOf(repeated('w-2', 90).timeline())).toEqual(['idempotency.win']);
  });
});

describe('the time of a change', () => {
  it('is between two attempts of a call whose replies have different balances', () => {
    const log = (again: string): Log =>
      new Log()
        .balance('90.00', { at: 0 })
        .bet('b1', '5.00', { status: 500, at: 4 })
        .refund('f1', 'b1', '5.00', { balance: '90.00', at: 8 })
        .refund('f1', 'b1', '5.00', { balance: again, at: 12 })
        .balance('95.00', { at: 15 });
    expect(causesOf(log('95.00').timeline())).toHaveLength(1);
    expect(causesOf(log('90.00').timeline())).toEqual([]);
  });

  it('is after the last right balance, also if the next reply has the effect of another bet', () => {
    const log = (refunded: string): Log =>
      new Log()
        .balance('80.00', { at: 0 })
        .bet('b1', '7.00', { none: 'too-late', tookMs: 5000, at: 4 })
        .refund('f1', 'b1', '7.00', { balance: refunded, at: 10 })
        .bet('b2', '3.00', { balance: '70.00', at: 16 }, { round: 'r-2' })
        .win('w2', '0', { balance: '70.00', at: 18 }, { round: 'r-2' });
    expect(causesOf(log('80.00').timeline())).toEqual(['refund.after-error']);
    expect(causesOf(log('0').timeline())).toEqual([]);
  });

  it('does not contain the time in which the service waited for a lost reply', () => {
    const log = (tookMs: number): Log =>
      new Log()
        .balance('30.00', { at: 0 })
        .bet('b1', '6.00', { none: 'reset', tookMs, at: 5 })
        .refund('f1', 'b1', '6.00', { balance: '24.00', at: 11 })
        .balance('24.00', { at: 15 });
    expect(causesOf(log(4800).timeline())).not.toEqual([]);
    expect(causesOf(log(40).timeline())).toEqual([]);
  });
});

describe('the sentence about the evidence', () => {
  it('says where no line may be missing if only a balance shows the error', () => {
    const timeline = repeated('w-1').timeline();
    expect(causesOf(timeline)).toEqual(['idempotency.win']);
    expect(evidenceSentence(only(timeline))).toBe(
      'It rests on 5 calls in service.log. The last balance is in the reply to call 5. It assumes that no line is missing between call 3 and call 5.',
    );
  });

  it('assumes nothing if a reply proves the error', () => {
    expect(evidenceSentence(only(repeated('w-2').timeline()))).not.toContain('assumes');
  });
});

describe('a wrong balance while rounds overlap', () => {
  const log = (): Log => {
    const calls = new Log().balance('100.00');
    let balance = 100;
    for (let round = 1; round <= 6; round += 1) {
      const more = { round: `r-${round}` };
      balance -= 2;
      calls.bet(`b${round}`, '2.00', { balance: `${balance}.00`, at: round * 4 }, more);
      if (round === 1) continue;
      const before = { round: `r-${round - 1}` };
      calls.win(`w${round - 1}`, '0', { balance: `${balance}.00`, at: round * 4 + 2 }, before);
    }
    return calls;
  };

  it('may come from a bet that is not in the logs, even after a pause that is too short for a round', () => {
    const timeline = log().bet('b7', '2.00', { balance: '84.00', at: 27.5 }, { round: 'r-7' }).timeline();
    expect([timeline.status, causesOf(timeline)]).toEqual([3, []]);
    expect(unknownsOf(timeline)).toContain('or the logs lack a round');
  });

  it('comes from the bet if there was no time for another one', () => {
    const timeline = log().bet('b7', '2.00', { balance: '84.00', at: 26.5 }, { round: 'r-7' }).timeline();
    expect(only(timeline).possibleDebts).toEqual([]);
    expect(causesOf(timeline)).toEqual(['bet.debit']);
  });
});

describe('a long pause in the logs of both sides', () => {
  const both = (more: { readonly side?: 'operator' }): Log =>
    new Log()
      .balance('25.00', { at: 0 })
      .balance('25.00', { at: 0.7, side: 'operator' })
      .bet('b1', '5.00', { none: 'reset', at: 4 })
      .bet('b1', '5.00', { balance: '20.00', at: 4.7, side: 'operator' })
      .balance('20.00', { at: 60 })
      .balance('20.00', { at: 60.7, ...more });

  it('hides no round if both logs have the same calls', () => {
    const timeline = both({ side: 'operator' }).timeline();
    expect([timeline.status, only(timeline).difference?.toString()]).toEqual([1, '-5']);
  });

  it('may hide a round if one log lacks a call of the other', () => {
    const timeline = both({}).timeline();
    expect([timeline.status, only(timeline).difference]).toEqual([3, null]);
  });
});
