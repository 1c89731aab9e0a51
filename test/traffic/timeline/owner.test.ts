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
