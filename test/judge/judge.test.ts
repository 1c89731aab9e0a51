import { describe, expect, it } from 'vitest';
import { judgeScenario } from './judged-scenario.ts';
import type { Fault } from './toy-wallet.ts';

const BROKEN_WIN = '{ bet: , as: opened }, { win: { amount: "5.00" }, as: won, break: sent }';

describe('the balance in the reply to a resend', () => {
  it.each([
    [
      'was carried out before the last read',
      `${BROKEN_WIN}, { balance: }, { bet: { amount: "2.00" } }, { resend: won }`,
    ],
    ['may have been carried out before other calls', `${BROKEN_WIN}, { bet: { amount: "2.00" } }, { resend: won }`],
  ])('may be the balance of that time if the call %s', (_when, steps) => {
    const judged = judgeScenario(`rules: [win.retried]\nsteps: [${steps}, { balance: }]`);
    expect([judged.broken, judged.verdict('win.retried')]).toEqual([[], 'pass']);
  });

  it('must be the present balance if the first call was refused', () => {
    const judged = judgeScenario(
      'rules: [bet.debit]\nsteps: [{ bet: , as: forged, sign: garbage, expect: refused }, { resend: forged, sign: valid }, { balance: }]',
      {
        fault: (request, honest) =>
          request.key === '2' ? { ...honest(), body: { txID: 'x', balance: '7.77' } } : honest(),
      },
    );
    expect(judged.broken).toEqual(['bet.debit']);
  });
});

describe('two bets with one roundID in two games', () => {
  it('do not belong to one round', () => {
    const judged = judgeScenario(
      'rules: [refund.restore]\nneeds: { other: { player: same, game: other } }\nsteps: [{ bet: , as: here }, { bet: { round: here, session: other }, as: there }, { refund: { of: there, session: other } }, { balance: }]',
    );
    expect([judged.verdict('refund.restore'), judged.verdict('refund.one-of-many')]).toEqual(['pass', 'untested']);
  });
});

describe('a refund whose connection broke and that a read has shown as paid', () => {
  it('leaves nothing to pay for another refund of the bet', () => {
    const judged = judgeScenario(
      'rules: [refund.retried]\nsteps: [{ bet: , as: taken }, { refund: { of: taken }, as: back, break: sent }, { balance: }, { resend: back }, { refund: { of: taken }, expect: either }, { balance: }]',
    );
    expect([judged.broken, judged.verdict('refund.retried')]).toEqual([[], 'pass']);
  });
});

describe('a win or refund that is repeated because its connection broke', () => {
  it.each([
    [
      'win.retried',
      '{ bet: }, { balance: }, { win: { amount: "5.00" }, as: cut, break: sent }, { resend: cut }',
      '5.00',
    ],
    [
      'refund.retried',
      '{ bet: { amount: "5.00" } }, { balance: }, { refund: , as: cut, break: sent }, { resend: cut }',
      '5.00',
    ],
  ])('may overlap with its first attempt: %s', (rule, steps, amount) => {
    const causesIfMoved = (sum: string): readonly string[] => {
      const yaml = `rules: [${rule}]\nsteps: [${steps}, { balance: }, { balance: , after: linger }]`;
      const fault: Fault = (request, honest, wallet) => {
        if (request.key === '4') wallet.move(sum);
        return honest();
      };
      return judgeScenario(yaml, { fault }).findings.find((one) => one.rule === rule)?.causes ?? [];
    };
    expect(causesIfMoved(amount)).toContain('idempotency.concurrent');
    expect(causesIfMoved(`-${amount}`)).toContain('concurrency.no-lost-update');
  });
});

describe('a repeated call that took effect twice', () => {
  it.each([
    ['idempotency.bet', '{ bet: { amount: "0.99" }, as: first }, { resend: first }, { bet: { amount: "0.01" } }'],
    ['idempotency.bet', '{ bet: { amount: "1.00" }, as: first }, { resend: first }, { bet: { amount: "0.50" } }'],
    ['idempotency.win', '{ bet: }, { win: { amount: "0.99" }, as: first }, { resend: first }, { bet: }'],
  ] as const)('breaks %s, although a later call was the first with a wrong balance: %s', (rule, steps) => {
    const seen = new Set<unknown>();
    const judged = judgeScenario(`rules: [${rule}]\nsteps: [${steps}, { balance: }]`, {
      fault: ({ fields, call }, honest, wallet) => {
        const reply = honest();
        if (fields && seen.has(fields.txID)) wallet.move(`${call === 'bet' ? '-' : ''}${fields.amount as string}`);
        if (fields?.txID !== undefined) seen.add(fields.txID);
        return reply;
      },
    });
    expect(judged.broken).toEqual([rule]);
  });
});
