import { describe, expect, it } from 'vitest';
import { at, movingSilently, saying } from './lies.ts';
import { tell } from './story-builder.ts';
import { error, type Lie } from './toy-wallet.ts';

const never: Lie = (ask, honest, wallet) => (ask.key === '1' ? wallet.ok() : honest());

const READS = 'steps: [{ balance: }, { balance: }, { balance: }]';
const BROKEN =
  'rules: [refund.broken-connection]\nsteps: [{ bet: { amount: "7.00" }, as: lost, break: sent }, { refund: { of: lost } }, { balance: }, { balance: , after: linger }]';

const drifting = (amounts: readonly string[]): Lie => {
  let reads = 0;
  return (ask, honest, wallet) => {
    if (ask.call === 'balance') {
      wallet.move(amounts[reads] ?? '0');
      reads += 1;
    }
    return honest();
  };
};

describe('a balance that nothing explains', () => {
  it('and that moves with every read is moved by reading', () => {
    const judged = tell(READS, { lie: drifting(['0', '-0.05', '-0.05', '-0.05', '-0.05', '-0.05', '-0.05']) });
    expect(judged.broken).toEqual(['balance.read-only']);
  });

  it('and that moves otherwise is moved by somebody else', () => {
    const judged = tell(READS, { lie: drifting(['0', '-0.05', '3.00', '-1.00']) });
    expect([judged.broken, judged.stop?.verdict, judged.stop?.reason]).toEqual([[], 'inconclusive', 'somebody-else']);
  });

  it('and that moved once while nothing was sent was moved by somebody else', () => {
    const judged = tell(READS, { lie: drifting(['0', '5.00']) });
    expect([judged.broken, judged.stop?.verdict]).toEqual([[], 'inconclusive']);
  });

  it("and that moved at the same step by the same sum again, though calls were sent in another player's session only, is the other player's", () => {
    const yaml = `
rules: [session.isolated]
needs: { other: { player: other } }
steps: [{ balance: { session: other } }, { bet: }, { balance: { session: other } }]`;
    const leak: Lie = (ask, honest, wallet) => {
      if (ask.call === 'bet') wallet.move('-0.01', 'p2');
      return honest();
    };
    expect(tell(yaml, { lie: leak }).broken).toEqual([]);
    expect(tell(yaml, { lie: leak, seenBefore: true }).broken).toEqual(['session.isolated']);
  });

  it('and that stays after calls is wrong', () => {
    const judged = tell('rules: [money.conservation]\nsteps: [{ bet: }, { win: }, { balance: }]', {
      lie: movingSilently('2', '0.37'),
    });
    expect([judged.stop, judged.verdict('money.conservation')]).toEqual([null, 'fail']);
  });

  it('by less than the smallest unit is a matter of exactness', () => {
    const judged = tell('rules: [money.exact]\nsteps: [{ bet: }, { win: }, { balance: }]', {
      lie: (ask, honest) => {
        const told = honest();
        return ask.key === '3' ? { ...told, body: { balance: '100.0000000001' } } : told;
      },
    });
    expect(judged.broken).toContain('money.exact');
    expect(judged.broken).not.toContain('money.conservation');
  });
});

describe('a read that is behind the replies', () => {
  const stale =
    (reads: readonly string[]): Lie =>
    (ask, honest) =>
      reads.includes(ask.key) ? { ...honest(), body: { balance: '100.00' } } : honest();

  it('and catches up is a matter of the call that it leaves out, and of no other rule', () => {
    const judged = tell('steps: [{ balance: }, { bet: }, { balance: }]', { lie: stale(['3']) });
    expect(judged.broken).toEqual(['bet.debit']);
  });

  it('does not spoil what is reckoned afterwards', () => {
    const judged = tell('steps: [{ balance: }, { bet: }, { balance: }, { win: { amount: "5.00" } }, { balance: }]', {
      lie: stale(['3']),
    });
    expect(judged.broken).toEqual(['bet.debit']);
  });
});

describe('a balance that is wrong in two ways', () => {
  it('is explained beside a sum that is not exact', () => {
    const judged = tell(
      'rules: [refund.once]\nsteps: [{ bet: , as: b }, { refund: { of: b } }, { balance: }, { refund: { of: b } }, { balance: }]',
      {
        lie: (ask, honest) =>
          ask.call === 'balance' && ask.key !== '3' && ask.key !== 'read.1'
            ? { ...honest(), body: { balance: '101.0000000000001' } }
            : honest(),
      },
    );
    expect(judged.broken).toContain('refund.once');
  });
});

describe('after a breach', () => {
  it('what was read is the truth, so that one fault counts once', () => {
    const judged = tell(
      'rules: [bet.debit]\nsteps: [{ bet: { amount: "3.00" } }, { balance: }, { bet: { amount: "2.00" } }, { balance: }, { win: }, { balance: }]',
      {
        lie: movingSilently('1', '3.00'),
      },
    );
    expect(
      judged.findings.filter(({ verdict }) => verdict === 'fail').map(({ rule, step }) => `${step} ${rule}`),
    ).toEqual(['1 bet.debit']);
    expect(judged.judge.passes['bet.debit']).toEqual({ '*': 1 });
    expect(judged.verdict('win.credit')).toBe('pass');
  });

  it('two faults are two findings', () => {
    const judged = tell(
      'rules: [bet.debit]\nsteps: [{ bet: { amount: "3.00" }, as: a }, { balance: }, { resend: a }, { balance: }, { win: { amount: "5.00" } }, { balance: }]',
      {
        lie: (ask, honest, wallet) => {
          const told = honest();
          if (ask.key === '3') wallet.move('-3.00');
          if (ask.key === '5') wallet.move('-5.00');
          return told;
        },
      },
    );
    expect([...judged.broken].sort()).toEqual(['idempotency.bet', 'win.credit']);
  });
});

describe('a lost bet', () => {
  it('that is taken after its refund, and given back within the linger, is a note', () => {
    const lie = at('2', (_ask, honest, wallet) => {
      const told = honest();
      wallet.move('-7.00');
      wallet.later(() => wallet.move('7.00'));
      return told;
    });
    expect(tell(BROKEN, { lie }).verdict('refund.broken-connection')).toBe('note');
  });

  it('that shows only after the linger is a fail', () => {
    const lie = at('1', (_ask, _honest, wallet) => {
      wallet.later(() => wallet.move('-7.00'));
      return wallet.ok();
    });
    const judged = tell(BROKEN, { lie });
    expect(judged.broken).toEqual(['refund.broken-connection']);
  });

  it('may have been taken or not, and either is right until it is refunded', () => {
    const story =
      'steps: [{ bet: { amount: "7.00" }, as: lost, break: sent }, { balance: }, { refund: { of: lost } }, { balance: }]';
    for (const lie of [never, undefined]) expect(tell(story, lie && { lie }).broken).toEqual([]);
  });
});

it('never makes a pass or a fail of transport', () => {
  for (const none of [
    'reset',
    'refused',
    'tls',
    'stale-connection',
    'closed-early',
    'not-http',
    'too-large',
  ] as const) {
    const judged = tell('rules: [bet.debit]\nsteps: [{ bet: { amount: "3.00" } }, { balance: }]', {
      lie: at('1', () => ({ none })),
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
] as const)('takes %s (%i) for the right of the operator', (code, status) => {
  const judged = tell('rules: [bet.debit]\nsteps: [{ bet: }, { balance: }]', {
    lie: saying('1', error(status, 'Not now', code)),
  });
  expect([judged.broken, judged.stop?.verdict]).toEqual([[], 'skip']);
});
