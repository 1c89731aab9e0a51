import { describe, expect, it } from 'vitest';
import { Money } from '../../../src/contract/money.ts';
import { answering, at, moving, movingSilently } from '../faults.ts';
import { judgeScenario } from '../judged-scenario.ts';
import { error, type Fault } from '../toy-wallet.ts';

const never: Fault = (request, honest, wallet) => (request.key === '1' ? wallet.ok() : honest());

const READS = 'steps: [{ balance: }, { balance: }, { balance: }]';
const BROKEN =
  'rules: [refund.broken-connection]\nsteps: [{ bet: { amount: "7.00" }, as: lost, break: sent }, { refund: { of: lost } }, { balance: }, { balance: , after: linger }]';

const drifting = (amounts: readonly string[]): Fault => {
  let reads = 0;
  return (request, honest, wallet) => {
    if (request.call === 'balance') {
      wallet.move(amounts[reads] ?? '0');
      reads += 1;
    }
    return honest();
  };
};

it('a balance lacks money if it stays too low after a pause, but not if it is too high or there was no pause', () => {
  const lacking = (fault: Fault): readonly string[] => {
    const { judge } = judgeScenario('rules: [bet.debit]\nsteps: [{ bet: { amount: "3.00" } }, { balance: }]', {
      fault,
    });
    return [...judge.collector.lackingMoney];
  };
  // The reply has the right balance, so croupier waits before it believes the read.
  expect(lacking(movingSilently('1', '-3.00'))).toEqual(['bet.debit']);
  expect(lacking(movingSilently('1', '-0.77'))).not.toEqual([]);
  expect(lacking(movingSilently('1', '3.00'))).toEqual([]);
  expect(lacking(moving('1', '-3.00'))).toEqual([]);
});

describe('a balance that nothing explains', () => {
  it('and that moves with every read breaks `balance.read-only`', () => {
    const judged = judgeScenario(READS, {
      fault: drifting(['0', '-0.05', '-0.05', '-0.05', '-0.05', '-0.05', '-0.05']),
    });
    expect(judged.broken).toEqual(['balance.read-only']);
  });

  it('and that moves in another way stops the scenario, because somebody else uses the wallet', () => {
    const judged = judgeScenario(READS, { fault: drifting(['0', '-0.05', '3.00', '-1.00']) });
    expect([judged.broken, judged.stop?.verdict, judged.stop?.reason]).toEqual([[], 'inconclusive', 'somebody-else']);
  });

  it('and that moved once while nothing was sent stops the scenario', () => {
    const judged = judgeScenario(READS, { fault: drifting(['0', '5.00']) });
    expect([judged.broken, judged.stop?.verdict]).toEqual([[], 'inconclusive']);
  });

  it("and that moved by the same sum in every attempt during another player's calls breaks `session.isolated`", () => {
    const yaml = `
rules: [session.isolated]
needs: { other: { player: other } }
steps: [{ balance: { session: other } }, { bet: }, { balance: { session: other } }]`;
    const leak: Fault = (request, honest, wallet) => {
      if (request.call === 'bet') wallet.move('-0.01', 'p2');
      return honest();
    };
    expect(judgeScenario(yaml, { fault: leak }).broken).toEqual([]);
    expect(judgeScenario(yaml, { fault: leak, seenBefore: true }).broken).toEqual(['session.isolated']);
  });

  it('breaks the rule of the call with the first wrong reply, even if twice an earlier bet fits the sum', () => {
    const half: Fault = (request, honest, wallet) => {
      if (request.call === 'win') wallet.move('-2.00');
      return honest();
    };
    const judged = judgeScenario(
      'rules: [win.credit]\nsteps: [{ balance: }, { bet: { amount: "2.00" } }, { bet: , as: own }, { win: { round: own, amount: "4.00" } }, { balance: }]',
      { fault: half },
    );
    expect(judged.broken).toEqual(['win.credit']);
  });

  it('and that stays after several calls breaks `money.conservation`', () => {
    const judged = judgeScenario('rules: [money.conservation]\nsteps: [{ bet: }, { win: }, { balance: }]', {
      fault: movingSilently('2', '0.37'),
    });
    expect([judged.stop, judged.verdict('money.conservation')]).toEqual([null, 'fail']);
  });

  it('and that is wrong by less than the smallest unit breaks `money.exact`', () => {
    const judged = judgeScenario('rules: [money.exact]\nsteps: [{ bet: }, { win: }, { balance: }]', {
      fault: (request, honest) => {
        const reply = honest();
        return request.key === '3' ? { ...reply, body: { balance: '100.0000000001' } } : reply;
      },
    });
    expect(judged.broken).toContain('money.exact');
    expect(judged.broken).not.toContain('money.conservation');
  });
});

describe('a read that is older than the replies', () => {
  const stale =
    (reads: readonly string[]): Fault =>
    (request, honest) =>
      reads.includes(request.key) ? { ...honest(), body: { balance: '100.00' } } : honest();

  it('and catches up breaks only the rule of the call that it does not include', () => {
    const judged = judgeScenario('steps: [{ balance: }, { bet: }, { balance: }]', { fault: stale(['3']) });
    expect(judged.broken).toEqual(['bet.debit']);
  });

  it('does not change the findings about later calls', () => {
    const judged = judgeScenario(
      'steps: [{ balance: }, { bet: }, { balance: }, { win: { amount: "5.00" } }, { balance: }]',
      {
        fault: stale(['3']),
      },
    );
    expect(judged.broken).toEqual(['bet.debit']);
  });
});

describe('a balance that is wrong in two ways', () => {
  it('is explained by a breach together with an inexact sum', () => {
    const judged = judgeScenario(
      'rules: [refund.once]\nsteps: [{ bet: , as: b }, { refund: { of: b } }, { balance: }, { refund: { of: b } }, { balance: }]',
      {
        fault: (request, honest) =>
          request.call === 'balance' && request.key !== '3' && request.key !== 'read.1'
            ? { ...honest(), body: { balance: '101.0000000000001' } }
            : honest(),
      },
    );
    expect(judged.verdict('refund.once')).toBe('warn');
  });
});

describe('after a breach', () => {
  it('the balance that was read is the new starting point, so that one fault counts once', () => {
    const judged = judgeScenario(
      'rules: [bet.debit]\nsteps: [{ bet: { amount: "3.00" } }, { balance: }, { bet: { amount: "2.00" } }, { balance: }, { win: }, { balance: }]',
      {
        fault: movingSilently('1', '3.00'),
      },
    );
    expect(
      judged.findings.filter(({ verdict }) => verdict === 'fail').map(({ rule, step }) => `${step} ${rule}`),
    ).toEqual(['1 bet.debit']);
    expect(judged.judge.passes['bet.debit']).toEqual({ '*': 1 });
    expect(judged.verdict('win.credit')).toBe('pass');
  });

  it('a second fault is a second finding', () => {
    const judged = judgeScenario(
      'rules: [bet.debit]\nsteps: [{ bet: { amount: "3.00" }, as: a }, { balance: }, { resend: a }, { balance: }, { win: { amount: "5.00" } }, { balance: }]',
      {
        fault: (request, honest, wallet) => {
          const reply = honest();
          if (request.key === '3') wallet.move('-3.00');
          if (request.key === '5') wallet.move('-5.00');
          return reply;
        },
      },
    );
    expect([...judged.broken].sort()).toEqual(['idempotency.bet', 'win.credit']);
  });
});

describe('the reply to a win', () => {
  const PAID = 'rules: [win.credit]\nsteps: [{ bet: }, { win: { amount: "5.00" } }, { balance: }]';
  /** The win moves its amount and `fee`. Its reply has the balance after the win and `shown`. */
  const showing = (fee: string, shown: string): Fault => {
    return (request, honest, wallet) => {
      if (request.call !== 'win' || request.key !== '2') return honest();
      honest();
      wallet.move(fee);
      return wallet.ok('p1', wallet.balance('p1').plus(Money.of(shown)));
    };
  };

  it.each([
    ['is marked if only the reply is wrong', '0', '5', [undefined, true]],
    ['is marked if the reply is wrong in another way than the read', '-0.50', '5', ['-0.50', true]],
    ['is not marked if the reply and the read are wrong by the same sum', '-0.50', '0', ['-0.50', undefined]],
  ])('%s', (_title, fee, shown, expected) => {
    const { findings } = judgeScenario(PAID, { fault: showing(fee, shown) });
    const failed = findings.filter(({ verdict }) => verdict === 'fail');
    expect(failed.map(({ rule, wrongSum, wrongReply }) => [rule, wrongSum?.amount, wrongReply])).toEqual([
      ['win.credit', ...expected],
    ]);
  });
});

describe('a lost bet', () => {
  it('that is taken after its refund, and given back within the linger time, is a note', () => {
    const fault = at('2', (_request, honest, wallet) => {
      const reply = honest();
      wallet.move('-7.00');
      wallet.later(() => wallet.move('7.00'));
      return reply;
    });
    expect(judgeScenario(BROKEN, { fault }).verdict('refund.broken-connection')).toBe('note');
  });

  it.each([
    ['90.00', []],
    ['92.00', ['bet.debit']],
  ])('may show in the reply to the next bet while it is not given back (the reply says %s)', (said, broken) => {
    const judged = judgeScenario(
      'rules: [refund.broken-connection]\nsteps: [{ bet: { amount: "7.00" }, as: lost, break: sent }, { refund: { of: lost } }, { bet: { amount: "3.00" } }, { balance: }]',
      {
        fault: ({ key }, honest, wallet) => {
          const reply = honest();
          if (key === '2') {
            wallet.move('-7.00');
            wallet.later(() => wallet.move('7.00'));
          }
          return key === '3' ? wallet.ok('p1', Money.of(said)) : reply;
        },
      },
    );
    expect(judged.broken).toEqual(broken);
    expect(judged.verdict('refund.broken-connection')).toBe('note');
  });

  it('that is taken only after the linger time fails', () => {
    const fault = at('1', (_request, _honest, wallet) => {
      wallet.later(() => wallet.move('-7.00'));
      return wallet.ok();
    });
    const judged = judgeScenario(BROKEN, { fault });
    expect(judged.broken).toEqual(['refund.broken-connection']);
  });

  it('may have been taken or not until it is refunded', () => {
    const yaml =
      'steps: [{ bet: { amount: "7.00" }, as: lost, break: sent }, { balance: }, { refund: { of: lost } }, { balance: }]';
    for (const fault of [never, undefined]) expect(judgeScenario(yaml, fault && { fault }).broken).toEqual([]);
  });
});

it('a connection error gives neither a pass nor a fail', () => {
  for (const none of [
    'reset',
    'refused',
    'tls',
    'stale-connection',
    'closed-early',
    'not-http',
    'too-large',
  ] as const) {
    const judged = judgeScenario('rules: [bet.debit]\nsteps: [{ bet: { amount: "3.00" } }, { balance: }]', {
      fault: at('1', () => ({ none })),
    });
    expect([judged.broken, judged.verdict('bet.debit'), judged.stop?.connection]).toEqual([[], 'untested', true]);
  }
});

it.each([
  ['bet_limit', 403],
  ['loss_limit', 403],
  ['account_blocked', 403],
  [undefined, 429],
  [undefined, 503],
] as const)(
  'the code %s with status %i is a reason of the operator to decline, so the scenario is skipped',
  (code, status) => {
    const judged = judgeScenario('rules: [bet.debit]\nsteps: [{ bet: }, { balance: }]', {
      fault: answering('1', error(status, 'Not now', code)),
    });
    expect([judged.broken, judged.stop?.verdict]).toEqual([[], 'skip']);
  },
);
