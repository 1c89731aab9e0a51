import { describe, expect, it } from 'vitest';
import { answering, at } from '../faults.ts';
import { judgeScenario } from '../judged-scenario.ts';
import { error } from '../toy-wallet.ts';

const LOW_BALANCE = error(402, 'Not enough money', 'insufficient_funds');

describe('a bet that is declined with `insufficient_funds`', () => {
  it('breaks `bet.exact-balance` if the balance is more than twice its amount', () => {
    const judged = judgeScenario('rules: [bet.debit]\nsteps: [{ bet: }, { balance: }, { bet: }]', {
      fault: answering('3', LOW_BALANCE),
    });
    expect(judged.broken).toEqual(['bet.exact-balance']);
  });

  it('may come from decimals that the operator rounds up, if the bet of the whole balance has decimals', () => {
    const causesOf = (first: string, rule: string): readonly string[] | undefined => {
      const yaml = `rules: [${rule}]\nsteps: [{ bet: { amount: "${first}" } }, { balance: }, { bet: { amount: "\${balance}" } }, { balance: }]`;
      const { findings } = judgeScenario(yaml, { fault: answering('3', LOW_BALANCE) });
      return findings.find((one) => one.rule === rule && one.verdict === 'fail')?.causes;
    };
    for (const rule of ['money.exact', 'bet.exact-balance'])
      expect(causesOf('4.35', rule)).toContain('bet.decimal-amount');
    expect(causesOf('4.00', 'bet.exact-balance')).not.toContain('bet.decimal-amount');
  });

  it('shows nothing about further bets of a round', () => {
    const judged = judgeScenario(
      'rules: [bet.many-in-round]\nsteps: [{ bet: , as: a }, { balance: }, { bet: { round: a } }, { balance: }]',
      { fault: answering('3', LOW_BALANCE) },
    );
    expect([judged.broken, judged.verdict('bet.many-in-round')]).toEqual([['bet.exact-balance'], 'inconclusive']);
  });

  it('breaks nothing if it is most of the balance', () => {
    const judged = judgeScenario('rules: [bet.debit]\nsteps: [{ balance: }, { bet: { amount: "99.00" } }]', {
      fault: answering('2', LOW_BALANCE),
    });
    expect(judged.broken).toEqual([]);
  });

  it('breaks nothing if another bet may have been taken', () => {
    const judged = judgeScenario(
      'rules: [bet.debit]\nsteps: [{ bet: , break: sent, as: lost }, { bet: }, { refund: { of: lost } }]',
      {
        fault: answering('2', LOW_BALANCE),
      },
    );
    expect(judged.broken).toEqual([]);
  });

  it('is skipped if the balance of the other player is too low for it', () => {
    const judged = judgeScenario(
      'rules: [session.round-id-reuse]\nneeds: { other: { player: other, game: other, currency: same } }\nsteps: [{ bet: , as: here }, { balance: { session: other } }, { bet: { session: other, round: here, amount: "150.00" } }]',
      { fault: answering('3', LOW_BALANCE) },
    );
    expect([judged.broken, judged.verdict('session.round-id-reuse'), judged.stop?.verdict]).toEqual([
      [],
      'skip',
      'skip',
    ]);
  });
});

describe('several refunds of a bet that are sent at once', () => {
  it('break `refund.once` if together they pay too much', () => {
    const judged = judgeScenario(
      'rules: [refund.once]\nsteps: [{ bet: { amount: "3.00" }, as: b }, { balance: }, { together: [{ refund: { of: b }, times: 3, expect: either }] }, { balance: }]',
      {
        fault: (request, honest, wallet) => {
          if (request.call === 'refund') wallet.move('0.50', 'p1');
          return honest();
        },
      },
    );
    expect(judged.verdict('refund.once')).toBe('warn');
    expect(judged.broken).toEqual([]);
  });
});

it('an accepted bet above the balance is shown by its reply, if the balance is then below zero', () => {
  const yaml =
    'rules: [bet.insufficient-funds]\nsteps: [{ bet: }, { bet: { amount: "${balance + unit}" }, expect: { outcome: declined, code: insufficient_funds } }, { balance: }]';
  const shownIf = (before: string): true | undefined => {
    const fault = at('2', (_request, _honest, wallet) => {
      wallet.move(before);
      wallet.move('-99.01');
      return wallet.ok();
    });
    const found = judgeScenario(yaml, { fault }).findings.find(({ rule }) => rule === 'bet.insufficient-funds');
    return found?.shownByReplies;
  };
  expect([shownIf('0.00'), shownIf('0.01'), shownIf('2.00')]).toEqual([true, undefined, undefined]);
});
