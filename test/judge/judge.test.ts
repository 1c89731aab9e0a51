import { describe, expect, it } from 'vitest';
import { tell } from './story-builder.ts';

const BROKEN_WIN = '{ bet: , as: opened }, { win: { amount: "5.00" }, as: won, break: sent }';

describe('the balance in the reply to what is sent again', () => {
  it.each([
    ['was seen to be carried out', `${BROKEN_WIN}, { balance: }, { bet: { amount: "2.00" } }, { resend: won }`],
    ['may have been carried out before others', `${BROKEN_WIN}, { bet: { amount: "2.00" } }, { resend: won }`],
  ])('is that of then, when it %s', (_when, steps) => {
    const judged = tell(`rules: [win.retried]\nsteps: [${steps}, { balance: }]`);
    expect([judged.broken, judged.verdict('win.retried')]).toEqual([[], 'pass']);
  });

  it('is that of now, when the first was refused', () => {
    const judged = tell(
      'rules: [bet.debit]\nsteps: [{ bet: , as: forged, sign: garbage, expect: refused }, { resend: forged, sign: valid }, { balance: }]',
      { lie: (ask, honest) => (ask.key === '2' ? { ...honest(), body: { txID: 'x', balance: '7.77' } } : honest()) },
    );
    expect(judged.broken).toEqual(['bet.debit']);
  });
});

describe('bets of one roundID in two games', () => {
  it('are not bets of one round', () => {
    const judged = tell(
      'rules: [refund.restore]\nneeds: { other: { player: same, game: other } }\nsteps: [{ bet: , as: here }, { bet: { round: here, session: other }, as: there }, { refund: { of: there, session: other } }, { balance: }]',
    );
    expect([judged.verdict('refund.restore'), judged.verdict('refund.one-of-many')]).toEqual(['pass', 'untested']);
  });
});

describe('a refund whose connection broke and that was seen to be paid', () => {
  it('leaves nothing for another one to give back', () => {
    const judged = tell(
      'rules: [refund.retried]\nsteps: [{ bet: , as: taken }, { refund: { of: taken }, as: back, break: sent }, { balance: }, { resend: back }, { refund: { of: taken }, expect: either }, { balance: }]',
    );
    expect([judged.broken, judged.verdict('refund.retried')]).toEqual([[], 'pass']);
  });
});
