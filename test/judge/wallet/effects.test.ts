import { describe, expect, it } from 'vitest';
import { answering, answeringOnly, at } from '../faults.ts';
import { type Judged, judgeScenario } from '../judged-scenario.ts';
import { error, type Fault, type ToyReply } from '../toy-wallet.ts';

const state = (judged: Judged, step: string): string | undefined => judged.judge.effects.ofStep(step)?.state;

describe('a transaction', () => {
  it.each<[string, string, string, Fault | undefined]>([
    ['applied', '1', 'steps: [{ bet: }]', undefined],
    ['none', '1', 'steps: [{ bet: { amount: "500.00" }, expect: declined }]', undefined],
    ['refused', '1', 'steps: [{ bet: , sign: garbage, expect: refused }]', undefined],
    ['unknown', '1', 'steps: [{ bet: , break: sent }]', at('1', (_ask, _tell, wallet) => wallet.ok())],
    ['applied', '1', 'steps: [{ bet: , break: sent }, { balance: }]', undefined],
    ['unknown', '1', 'steps: [{ bet: , expect: either }]', answering('1', error(500, 'Oops'))],
    ['none', '1', 'steps: [{ bet: , expect: either }]', at('1', () => ({ none: 'refused' }))],
    ['unknown', '1', 'steps: [{ bet: , expect: either }]', at('1', () => ({ none: 'reset' }))],
    ['reversed', '1', 'steps: [{ bet: }, { refund: }]', undefined],
    ['reversed', '1', 'steps: [{ bet: , as: b, break: sent }, { refund: { of: b } }]', undefined],
    ['reversed', '2', 'steps: [{ refund: { of: b } }, { bet: , as: b, expect: either }]', undefined],
    ['unknown', '2', 'steps: [{ bet: }, { win: , break: sent }]', at('2', (_ask, _tell, wallet) => wallet.ok())],
    ['applied', '2', 'steps: [{ bet: }, { win: , as: w, break: sent }, { resend: w }]', undefined],
    [
      'applied',
      '1',
      'steps: [{ bet: , as: b, sign: garbage, expect: refused }, { resend: b, sign: valid }]',
      undefined,
    ],
  ])('is %s (step %s of %s)', (expected, step, plannedCalls, lie) => {
    expect(state(judgeScenario(plannedCalls, lie && { fault: lie }), step)).toBe(expected);
  });

  it('that was reversed before it came takes nothing, whatever it is answered', () => {
    const plannedCalls = 'steps: [{ refund: { of: b } }, { balance: }, { bet: , as: b, expect: either }, { balance: }]';
    for (const lie of [
      answeringOnly('3'),
      answering('3', error(409, 'Refunded')),
      answering('3', error(500, 'Oops')),
    ]) {
      expect(judgeScenario(plannedCalls, { fault: lie }).broken).toEqual([]);
    }
  });

  it('may take nothing if its refund came first and failed, because the operator may have stored the refund', () => {
    const plannedCalls =
      'steps: [{ refund: { of: b }, expect: either }, { balance: }, { bet: , as: b, expect: either }, { balance: }]';
    const failing =
      (reply: ToyReply, isStored: boolean): Fault =>
      ({ key }, honest, wallet) => {
        if (key === '1') return reply;
        return key === '3' && isStored ? wallet.ok() : honest();
      };
    for (const reply of [error(500, 'Oops'), error(200, 'Unknown bet'), error(404, 'Unknown bet')]) {
      expect(judgeScenario(plannedCalls, { fault: failing(reply, true) }).broken).not.toContain('bet.debit');
      expect(judgeScenario(plannedCalls, { fault: failing(reply, false) }).broken).not.toContain('bet.debit');
    }
    expect(judgeScenario(plannedCalls, { fault: failing(error(401, 'Wrong'), true) }).broken).toContain('bet.debit');
  });

  it('without a known outcome keeps both worlds until it is answered 200', () => {
    const judged = judgeScenario(
      'steps: [{ bet: }, { balance: }, { win: { amount: "4.00" }, as: w, break: sent }, { balance: }, { resend: w }, { balance: }]',
    );
    expect(judged.broken).toEqual([]);
    const twice = judgeScenario(
      'rules: [win.retried]\nsteps: [{ bet: }, { balance: }, { win: { amount: "4.00" }, as: w, break: sent }, { balance: }, { resend: w }, { balance: }]',
      {
        fault: at('5', (_ask, honest, wallet) => {
          const told = honest();
          wallet.move('4.00');
          return told;
        }),
      },
    );
    expect(twice.verdict('win.retried')).toBe('fail');
  });
});

it('a refund that missed the deadline may give its bet back after a read has shown that the bet was taken', () => {
  const steps =
    'steps: [{ balance: }, { bet: { amount: "8.00" }, as: b, break: sent }, { refund: { of: b }, as: r }, { balance: }, { balance: }, { resend: r }, { balance: }]';
  const late =
    (sum: string): Fault =>
    ({ key }, honest, wallet) => {
      if (key === '3') return { none: 'too-late' };
      // The operator carries out the refund only now.
      if (key === '5') wallet.move(sum);
      return key === '6' ? wallet.ok() : honest();
    };
  const right = judgeScenario(steps, { fault: late('8.00') });
  expect([right.broken, state(right, '2')]).toEqual([['reply.deadline'], 'reversed']);
  expect(judgeScenario(steps, { fault: late('9.00') }).broken).toContain('money.conservation');
});

it.each([true, false])(
  'a refund of a free bet that failed first gives back what the bet took (took money: %s)',
  (takes) => {
    for (const reads of ['', '{ balance: }, ']) {
      const steps = `steps: [{ bet: }, { win: }, { balance: }, { bet: { type: free, amount: "2.00" }, as: f }, ${reads}{ refund: { of: f }, as: r }, { balance: }, { resend: r }, { balance: }]`;
      const failing =
        (paid: string): Fault =>
        ({ key, call, fields }, honest, wallet) => {
          if (takes && fields?.type === 'free') wallet.move('-2.00');
          if (call !== 'refund') return fields?.type === 'free' ? wallet.ok() : honest();
          if (key === (reads ? '6' : '5')) return { none: 'too-late' };
          wallet.move(paid);
          return wallet.ok();
        };
      expect(judgeScenario(steps, { campaignKnown: true, fault: failing(takes ? '2.00' : '0.00') }).broken).toEqual([
        'reply.deadline',
      ]);
    }
  },
);

it('takes two calls under one txID for one, though one of them fails', () => {
  const plannedCalls = `needs: { second: { player: same } }
rules: [idempotency.conflicting-body]
steps: [{ bet: , as: opened }, { balance: }, { together: [{ win: { round: opened, amount: "4.00" }, as: raced, expect: either },
  { win: { round: opened, amount: "4.00", txID: "\${raced.txID}", session: second }, expect: either }] }, { resend: raced }, { balance: }]`;
  const judged = judgeScenario(plannedCalls, { fault: answering('3.1', error(500, 'Oops')) });
  expect(judged.broken).toEqual([]);
  expect(judged.verdict('idempotency.conflicting-body')).toBe('pass');
});

it('expects nothing of a withdrawal whose sum free wins have paid, also when it fails first', () => {
  const plannedCalls = `steps: [{ bet: { type: free, frID: "\${campaign}" } }, { balance: }, { win: { type: free, frID: "\${campaign}", amount: "3.00" } }, { balance: },
  { win: { amount: "3.00", frID: "\${campaign}" }, as: w, expect: either }, { resend: w }, { balance: }]`;
  const judged = judgeScenario(plannedCalls, {
    campaignKnown: true,
    fault: (ask, honest, wallet) => {
      if (ask.key === '3') wallet.move('3.00');
      if (ask.key === '5') return error(500, 'Oops');
      return ask.key === '3' || ask.key === '6' ? wallet.ok() : honest();
    },
  });
  expect(judged.broken).toEqual([]);
});

it('leaves a declined bet that is sent again, and what the contract leaves open, to the next read', () => {
  const plannedCalls =
    'steps: [{ bet: }, { balance: }, { win: { round: new, amount: "3.00" }, expect: either }, { balance: }, { bet: }, { balance: }]';
  for (const lie of [undefined, answering('3', error(404, 'No such round')), answeringOnly('3')]) {
    expect(judgeScenario(plannedCalls, lie && { fault: lie }).broken).toEqual([]);
  }
});
