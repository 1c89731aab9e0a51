import { describe, expect, it } from 'vitest';
import { Log } from './calls.ts';

const MASKED = '***';

describe('a call with a masked session', () => {
  /** Two players. The session of the last bet is masked. */
  const log = (roundOfOther: string) =>
    new Log()
      .bet('b1', '5.00', { balance: '95.00' }, { round: '1' })
      .bet('b2', '7.00', { balance: '43.00' }, { round: roundOfOther, session: 's-2' })
      .win('w1', '0.00', { balance: '95.00' }, { round: '1' })
      .win('w2', '0.00', { balance: '43.00' }, { round: roundOfOther, session: 's-2' })
      .bet('b3', '5.00', { balance: '90.00' }, { round: '2' })
      .win('w3', '9.00', { balance: '52.00' }, { round: '2', session: MASKED })
      .timeline();

  it('belongs to the wallet of its round', () => {
    expect(log('11').calls.at(-1)?.wallet).toBe('player anna');
  });

  it('belongs to nobody if the rounds of each player have numbers of their own', () => {
    expect(log('1').calls.at(-1)?.wallet).toBeNull();
  });
});

describe('a call that both sides logged', () => {
  it('has the round of the other log if its own log masks the round', () => {
    const timeline = new Log()
      .bet('b1', '5.00', { balance: '95.00' })
      .win('w1', '0.00', { balance: '95.00' })
      .win('w2', '9.00', { balance: '104.00' }, { round: MASKED })
      .win('w2', '9.00', { balance: '104.00', at: 3, side: 'operator' })
      .timeline();
    expect(timeline.calls.at(-1)?.seen.roundID).toBe('r-1');
    expect(timeline.wallets.flatMap(({ serviceFaults }) => serviceFaults)).toHaveLength(1);
  });
});

describe('ids that the writer of the log has shortened', () => {
  it('do not show that the service used one id for several calls', () => {
    const { wallets } = new Log()
      .bet('0c9e1d20', '5.00', { balance: '95.00' })
      .win('0c9e1d20', '0.00', { balance: '95.00' })
      .bet('0c9e1d20', '20.00', { status: 500 }, { round: 'r-2' })
      .refund('0c9e1d20', '0c9e1d20', '20.00', { status: 404 }, { round: 'r-2' })
      .balance('75.00')
      .timeline();
    expect(wallets.flatMap(({ serviceFaults }) => serviceFaults)).toEqual([]);
    expect(wallets.flatMap(({ unknowns }) => unknowns)).not.toEqual([]);
  });
});

describe('an entry in two files of one side', () => {
  it('counts once', () => {
    const log = new Log()
      .balance('100.00')
      .bet('b1', '5.00', { status: 500 })
      .refund('f1', 'b1', '5.00', { balance: '100.00' });
    const again = log.calls.map((call) => ({
      ...call,
      exchange: { ...call.exchange, place: { ...call.exchange.place, file: 'service-2.log' } },
    }));
    log.calls.push(...again);
    const timeline = log.timeline();
    expect(timeline.calls).toHaveLength(3);
    expect(timeline.status).toBe(0);
  });
});
