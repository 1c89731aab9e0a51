import { describe, expect, it } from 'vitest';
import { saying } from './lies.ts';
import { tell } from './story-builder.ts';
import { error } from './toy-wallet.ts';

const NO_MONEY = error(402, 'Not enough money', 'insufficient_funds');

describe('a bet that is declined for want of money', () => {
  it('is held against an operator who has said that there is far more', () => {
    const judged = tell('rules: [bet.debit]\nsteps: [{ bet: }, { balance: }, { bet: }]', {
      lie: saying('3', NO_MONEY),
    });
    expect(judged.broken).toEqual(['bet.exact-balance']);
  });

  it('tells nothing of rounds', () => {
    const judged = tell(
      'rules: [bet.many-in-round]\nsteps: [{ bet: , as: a }, { balance: }, { bet: { round: a } }, { balance: }]',
      { lie: saying('3', NO_MONEY) },
    );
    expect([judged.broken, judged.verdict('bet.many-in-round')]).toEqual([['bet.exact-balance'], 'inconclusive']);
  });

  it('may be so where it asks for most of what is there', () => {
    const judged = tell('rules: [bet.debit]\nsteps: [{ balance: }, { bet: { amount: "99.00" } }]', {
      lie: saying('2', NO_MONEY),
    });
    expect(judged.broken).toEqual([]);
  });

  it('may be so where another may have been taken', () => {
    const judged = tell(
      'rules: [bet.debit]\nsteps: [{ bet: , break: sent, as: lost }, { bet: }, { refund: { of: lost } }]',
      {
        lie: saying('2', NO_MONEY),
      },
    );
    expect(judged.broken).toEqual([]);
  });
});

describe('what several refunds of a bet at once pay too much', () => {
  it('is held against those that repeat the first', () => {
    const judged = tell(
      'rules: [refund.once]\nsteps: [{ bet: { amount: "3.00" }, as: b }, { balance: }, { together: [{ refund: { of: b }, times: 3, expect: either }] }, { balance: }]',
      {
        lie: (ask, honest, wallet) => {
          if (ask.call === 'refund') wallet.move('0.50', 'p1');
          return honest();
        },
      },
    );
    expect(judged.broken).toEqual(['refund.once']);
  });

  it('is the test’s own doing where another player has less than it asks for', () => {
    const judged = tell(
      'rules: [session.round-id-reuse]\nneeds: { other: { player: other, game: other, currency: same } }\nsteps: [{ bet: , as: here }, { balance: { session: other } }, { bet: { session: other, round: here, amount: "150.00" } }]',
      { lie: saying('3', NO_MONEY) },
    );
    expect([judged.broken, judged.verdict('session.round-id-reuse'), judged.stop?.verdict]).toEqual([
      [],
      'skip',
      'skip',
    ]);
  });
});
