import { describe, expect, it } from 'vitest';
import { answering, answeringOnly, at, changing, moving, movingSilently, refused, withFields } from '../faults.ts';
import { judgeScenario } from '../judged-scenario.ts';
import { error, type Fault } from '../toy-wallet.ts';
import { judges } from './table.ts';

const BROKEN =
  'steps: [{ bet: { amount: "7.00" }, as: lost, break: sent }, { refund: { of: lost } }, { balance: }, { balance: , after: linger }]';

/** Takes the bet of step 1 only after the linger time, also if it was refunded before. */
const landsLate: Fault = at('1', (_request, _honest, wallet) => {
  wallet.later(() => wallet.move('-7.00'));
  return wallet.ok();
});

judges('refund', {
  'refund.restore': {
    yaml: 'steps: [{ bet: { amount: "3.00" } }, { balance: }, { refund: }, { balance: }]',
    faults: {
      'gives nothing back': answeringOnly('3'),
      'gives back twice': moving('3', '3.00'),
      'is refused': answering('3', refused),
      'is always turned away': answering('3', error(429, 'Slow down')),
      'gives back half': moving('3', '-1.50'),
    },
  },
  'refund.unknown': {
    yaml: 'steps: [{ bet: }, { refund: }, { refund: { of: unknown } }, { balance: }]',
    faults: {
      'is refused': answering('3', error(404, 'No such bet')),
      'has no balance': withFields('3', { balance: undefined }),
      'is an error with 200': [
        answering('3', { status: 200, body: { message: 'No such bet' } }),
        'fail',
        ['reply.error-is-not-200'],
      ],
    },
  },
  'refund.unknown-pays-nothing': {
    yaml: 'steps: [{ refund: { of: unknown, amount: "4.00" } }, { balance: }]',
    faults: { 'is paid': moving('1', '4.00') },
  },
  'refund.declined-bet': {
    yaml: 'steps: [{ bet: { amount: "${balance + stake}" }, as: no, expect: { outcome: declined, code: insufficient_funds } }, { balance: }, { refund: { of: no }, expect: either }, { balance: }]',
    faults: {
      'is paid': moving('3', '101.00'),
      'is not found': answering('3', error(404, 'No such bet')),
      'is always turned away': answering('3', error(503, 'Busy')),
    },
  },
  'refund.without-round': {
    yaml: 'steps: [{ bet: }, { refund: }, { balance: }, { bet: { amount: "2.00" } }, { balance: }, { refund: { round: none } }, { balance: }]',
    faults: {
      'is refused': answering('6', refused),
      'gives nothing back': answeringOnly('6'),
    },
  },
  'refund.broken-connection': [
    {
      yaml: BROKEN,
      faults: {
        'takes the bet late, and keeps it': landsLate,
        'took the bet, and does not give it back': answeringOnly('2'),
        'pays for a bet that it never took': at('1', (_request, honest, wallet) => {
          honest();
          wallet.move('7.00');
          return wallet.ok();
        }),
        'takes the bet after the refund, but then gives it back': [
          at('2', (_request, honest, wallet) => {
            const reply = honest();
            wallet.move('-7.00');
            wallet.later(() => wallet.move('7.00'));
            return reply;
          }),
          'note',
        ],
        'refuses the refund': answering('2', refused),
      },
    },
    {
      yaml: BROKEN,
      options: { fault: (request, honest, wallet) => (request.key === '1' ? wallet.ok() : honest()) },
      faults: {
        'replies with the balance 0 to the refund of a bet that it never took': [
          (request, honest) =>
            request.key === '2' ? withFields('2', { balance: '0' })(request, honest, null as never) : honest(),
          'pass',
        ],
      },
    },
  ],
  'refund.after-error': {
    yaml: 'steps: [{ bet: { amount: "2.00" }, as: failed, expect: either }, { refund: { of: failed } }, { balance: }]',
    honest: 'skip',
    faults: {
      'fails, and is given back by the refund': [changing('1', error(500, 'Oops')), 'pass'],
      'fails, and stays taken': [
        at('1', (_request, _honest, wallet) => {
          wallet.move('-2.00');
          return error(500, 'Oops');
        }),
        'fail',
      ],
      'is answered too late, and is given back by the refund': [
        at('1', (_request, honest) => {
          honest();
          return { none: 'too-late' };
        }),
        'pass',
        ['reply.deadline'],
      ],
    },
  },
  'refund.retried': {
    yaml: 'steps: [{ bet: { amount: "4.00" } }, { balance: }, { refund: , as: back, break: sent }, { resend: back }, { balance: }, { balance: , after: linger }]',
    faults: {
      'pays twice': moving('4', '4.00'),
      'never pays': at('3', (_request, honest, wallet) => {
        honest();
        wallet.move('-4.00');
        return wallet.ok();
      }),
      'is refused': answering('4', refused),
    },
  },
  'refund.one-of-many': {
    yaml: 'steps: [{ bet: , as: a }, { bet: { round: a, amount: "2.00" }, as: b }, { bet: { round: a, amount: "4.00" } }, { balance: }, { refund: { of: b } }, { balance: }]',
    faults: {
      'gives back the whole round': moving('5', '5.00'),
      'gives back another bet': moving('5', '-1.00'),
      'is refused': [answering('5', refused), 'fail', ['refund.restore']],
    },
  },
  'refund.once': {
    yaml: 'steps: [{ bet: { amount: "2.00" }, as: b }, { refund: { of: b } }, { balance: }, { refund: { of: b }, expect: either }, { balance: }]',
    faults: {
      'pays twice': [moving('4', '2.00'), 'warn'],
      'declines the second refund, which it may do': [answering('4', refused), 'pass'],
    },
  },
  'refund.before-bet': {
    yaml: 'steps: [{ refund: { of: late } }, { balance: }, { bet: { amount: "3.00" }, as: late, expect: either }, { balance: }]',
    faults: {
      'takes the bet': [movingSilently('3', '-3.00'), 'warn'],
      'answers 200 and takes nothing': [answeringOnly('3'), 'pass'],
    },
  },
  'refund.foreign-session': {
    yaml: 'needs: { other: { player: other } }\nsteps: [{ balance: { session: other } }, { bet: { amount: "2.00" }, as: mine }, { balance: }, { refund: { session: other, of: mine, amount: "${mine.amount}" }, expect: either }, { balance: { session: other } }, { balance: }]',
    faults: { 'pays the sender': [moving('4', '2.00', 'p2'), 'warn'] },
  },
  'refund.amount-mismatch': {
    yaml: 'steps: [{ bet: { amount: "2.00" }, as: b }, { balance: }, { refund: { of: b, amount: "1.00" }, expect: either }, { balance: }]',
    honest: 'note',
    faults: { 'gives back what it says': [moving('3', '-1.00'), 'note'] },
  },
  'refund.after-win': {
    yaml: 'steps: [{ bet: { amount: "2.00" }, as: b }, { win: }, { balance: }, { refund: { of: b }, expect: either }, { balance: }]',
    honest: 'note',
    faults: { 'is refused': [answering('4', refused), 'note'] },
  },
  'refund.of-win': {
    yaml: 'steps: [{ bet: }, { win: { amount: "2.00" }, as: w }, { balance: }, { refund: { of: w }, expect: either }, { balance: }]',
    honest: 'note',
    faults: { 'takes the win back': [moving('4', '-2.00'), 'note'] },
  },
});

it('the refund of one of several bets names half refunds as a cause if another bet has half its amount', () => {
  const judged = judgeScenario(
    'steps: [{ bet: , as: a }, { bet: { round: a, amount: "2.00" }, as: b }, { balance: }, { refund: { of: b } }, { balance: }]',
    { fault: moving('4', '-1.00') },
  );
  const finding = judged.findings.find(({ rule }) => rule === 'refund.one-of-many');
  expect(finding?.actual).toContain('another bet of the round, 1, was given back');
  expect(finding?.causes).toContain('refund.restore');
});

describe('a refund without a roundID', () => {
  const unknownBet = error(404, 'No such bet');

  it('breaks only the rule about unknown bets if it names an unknown bet', () => {
    const { broken } = judgeScenario(
      'steps: [{ bet: }, { refund: }, { balance: }, { bet: { amount: "2.00" } }, { refund: { round: none } }, { balance: }, { refund: { of: unknown, round: none } }, { balance: }]',
      { fault: answering('7', unknownBet) },
    );
    expect(broken).toEqual(['refund.unknown']);
  });

  it('names the rule about unknown bets as a cause if its bet may never have arrived', () => {
    const { findings } = judgeScenario(
      'steps: [{ bet: }, { refund: }, { balance: }, { bet: , as: lost, break: sent }, { refund: { of: lost, round: none } }, { balance: }, { balance: , after: linger }]',
      { fault: answering('5', unknownBet) },
    );
    const finding = findings.find(({ rule, verdict }) => rule === 'refund.without-round' && verdict === 'fail');
    expect(finding?.causes).toContain('refund.unknown');
  });
});

describe('the refund of a bet that took a fee', () => {
  const PLAY = 'steps: [{ balance: }, { bet: { amount: "4.00" } }, { balance: }, { refund: }, { balance: }]';
  const RETRIED =
    'steps: [{ balance: }, { bet: { amount: "4.00" } }, { balance: }, { refund: , as: back, break: sent }, { resend: back }, { balance: }, { balance: , after: linger }]';
  const fee = moving('2', '-0.40');
  /** Takes a fee for the bet, and moves the given sum beside the refund. */
  const feeAnd =
    (key: string, beside: string): Fault =>
    (request, honest, wallet) =>
      request.key === key ? moving(key, beside)(request, honest, wallet) : fee(request, honest, wallet);

  it.each([
    ['the amount of the bet', '0.00'],
    ['the amount of the bet and the fee', '0.40'],
  ])('is right if it gives back %s', (_what, beside) => {
    for (const [yaml, rule] of [
      [PLAY, 'refund.restore'],
      [RETRIED, 'refund.retried'],
    ] as const) {
      const judged = judgeScenario(yaml, { fault: feeAnd('4', beside) });
      expect({ verdict: judged.verdict(rule), broken: judged.broken }).toEqual({
        verdict: 'pass',
        broken: ['bet.debit'],
      });
    }
  });

  it.each([
    ['gives nothing back', '-4.00'],
    ['gives back half', '-2.00'],
    ['gives back ten times the amount', '36.00'],
    ['gives back twice the amount', '4.00'],
  ])('breaks a rule of its own if it %s', (_what, beside) => {
    const judged = judgeScenario(PLAY, { fault: feeAnd('4', beside) });
    expect(judged.broken).toEqual(['bet.debit', 'refund.restore']);
  });

  it('breaks a rule of its own if it is sent twice and gives nothing back', () => {
    const judged = judgeScenario(RETRIED, { fault: feeAnd('4', '-4.00') });
    expect(judged.broken).toEqual(['bet.debit', 'refund.retried']);
  });

  it('is not judged if the balance does not show what the bet took', () => {
    const judged = judgeScenario(
      'steps: [{ balance: }, { bet: { amount: "4.00" }, as: one }, { bet: { amount: "7.00" } }, { balance: }, { refund: { of: one } }, { balance: }]',
      {
        fault: (request, honest, wallet) =>
          request.key === '5' ? wallet.ok() : movingSilently('2', '-0.40')(request, honest, wallet),
      },
    );
    expect(judged.verdict('refund.restore')).not.toBe('fail');
  });
});
