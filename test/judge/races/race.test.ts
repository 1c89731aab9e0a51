import { describe, expect, it } from 'vitest';
import type { JsonObject } from '../../../src/contract/json.ts';
import type { Finding } from '../../../src/journal/finding.ts';
import { withFields } from '../faults.ts';
import { judgeScenario } from '../judged-scenario.ts';
import type { Fault } from '../toy-wallet.ts';

const hidden: Fault = (request, honest, wallet) =>
  request.key.startsWith('3.') && request.key !== '3.1x1' ? wallet.ok() : honest();

const other: Fault = (request, honest) => {
  const reply = honest();
  return request.key.startsWith('3.') && request.key !== '3.1'
    ? { ...reply, body: { ...(reply.body as object), txID: request.key } }
    : reply;
};

const slow: Fault = (request, honest) => (request.key.startsWith('3.') ? { ...honest(), tookMs: 9000 } : honest());

const RACE =
  'rules: [concurrency.no-lost-update]\nsteps: [{ bet: , as: a }, { balance: }, { together: [{ bet: { amount: "2.00" } }, { win: { round: a, amount: "5.00" } }, { bet: { amount: "3.00" } }] }, { balance: }]';

const order = (findings: readonly Finding[]): string | undefined =>
  findings.find(({ rule }) => rule === 'concurrency.order')?.actual;

describe('calls that are sent at once', () => {
  it('are counted if they overlap', () => {
    expect(judgeScenario(RACE).overlapped).toBe(3);
    expect(judgeScenario(RACE, { overlap: false }).overlapped).toBe(0);
  });

  it('are not judged as a set if they do not overlap', () => {
    expect(judgeScenario(RACE, { overlap: false }).verdict('concurrency.no-lost-update')).toBe('untested');
  });

  it('are not judged by the deadline', () => {
    expect(judgeScenario(RACE, { fault: slow }).broken).toEqual([]);
  });

  it('may be answered with a balance that includes any of the overlapping calls', () => {
    // 100 - 1 - 2, and with or without the win and the other bet.
    for (const balance of ['97.00', '102.00', '94.00', '99.00']) {
      expect(judgeScenario(RACE, { fault: withFields('3.1', { balance }) }).broken).toEqual([]);
    }
    for (const balance of ['99.01', '96.00']) {
      expect(judgeScenario(RACE, { fault: withFields('3.1', { balance }) }).verdict('concurrency.no-lost-update')).toBe(
        'fail',
      );
    }
  });

  it('a balance call among them may show the balance before them or any of them, but not the balance of another player', () => {
    const yaml =
      'rules: [concurrency.no-lost-update]\nsteps: [{ bet: }, { balance: }, { together: [{ bet: { amount: "2.00" } }, { balance: }, { bet: { amount: "3.00" } }] }, { balance: }]';
    for (const balance of ['99.00', '97.00', '96.00', '94.00'])
      expect(judgeScenario(yaml, { fault: withFields('3.2', { balance }) }).broken).toEqual([]);
    const wrong = judgeScenario(yaml, { fault: withFields('3.2', { balance: '92.00' }) });
    expect(wrong.verdict('concurrency.no-lost-update')).toBe('fail');
    expect(wrong.findings.find(({ verdict }) => verdict === 'fail')?.actual).toContain('a balance call was answered');
  });

  it('may show a win that failed, because it may have been credited, but not a bet that was declined', () => {
    const failing =
      (key: string, balance: string): Fault =>
      (request, honest, wallet) => {
        if (request.key === key) {
          honest();
          return { status: 502, body: { message: 'Bad gateway' } };
        }
        return withFields('3.1', { balance })(request, honest, wallet);
      };
    expect(judgeScenario(RACE, { fault: failing('3.2', '102.00') }).broken).toEqual([]);
    expect(judgeScenario(RACE, { fault: failing('3.3', '94.00') }).verdict('concurrency.no-lost-update')).toBe('fail');
  });

  it('may be declined while another call is in progress, and are then skipped; without a reply they are inconclusive', () => {
    const all =
      (status: number): Fault =>
      (request, honest) =>
        request.key.startsWith('3.') && request.key !== '3.1'
          ? { status, body: { message: 'Please try again.' } }
          : honest();
    for (const status of [409, 500]) {
      const declining = judgeScenario(RACE, { fault: all(status) });
      expect(declining.broken).toEqual([]);
      expect(declining.verdict('concurrency.no-lost-update')).toBe('skip');
    }
    const silent: Fault = (request, honest) =>
      request.key.startsWith('3.') && request.key !== '3.1' ? { none: 'reset' } : honest();
    expect(judgeScenario(RACE, { fault: silent }).verdict('concurrency.no-lost-update')).toBe('inconclusive');
  });

  it('leave nothing undecided if a lock declines them with 409 or 423, but any other reason counts as a refusal', () => {
    const found = (...statuses: readonly number[]): Finding | undefined => {
      const declining: Fault = (request, honest) => {
        const status = ['3.2', '3.3'].includes(request.key) ? statuses.at(Number(request.key === '3.3')) : undefined;
        return status === undefined ? honest() : { status, body: { message: 'Please try again.' } };
      };
      const { findings } = judgeScenario(RACE, { fault: declining });
      return findings.find(({ rule }) => rule === 'concurrency.no-lost-update');
    };
    for (const statuses of [
      [409, 409],
      [423, 423],
      [409, 423],
    ]) {
      const skipped = found(...statuses);
      expect([skipped?.verdict, skipped?.declined]).toEqual(['skip', undefined]);
      expect(skipped?.actual).toContain('while another call is in progress');
    }
    for (const statuses of [
      [503, 503],
      [403, 403],
      [409, 403],
    ])
      expect(found(...statuses)).toMatchObject({ verdict: 'skip', declined: true });
  });

  it('are noted to fit one order, or no order', () => {
    expect(order(judgeScenario(RACE).findings)).toContain('an order of the calls exists');
    expect(order(judgeScenario(RACE, { fault: withFields('3.1', { balance: '99.00' }) }).findings)).toContain(
      'no order of the calls fits',
    );
  });

  it('are ordered quickly, also if many are equal', () => {
    const many =
      'rules: [concurrency.no-lost-update]\nsteps: [{ bet: }, { balance: }, { together: [{ bet: , times: 40 }] }, { balance: }]';
    expect(order(judgeScenario(many).findings)).toContain('an order of the calls exists');
    const last = judgeScenario(many, { fault: withFields('3.1x40', { balance: '58.00' }) });
    expect(order(last.findings)).toContain('no order of the calls fits');
  });
});

describe('copies that are sent at once', () => {
  const copies =
    'rules: [idempotency.concurrent]\nsteps: [{ bet: , as: a }, { balance: }, { together: [{ bet: { amount: "2.00" }, as: raced, copies: 4, expect: either }] }, { balance: }]';

  it('pass with one effect and one txID', () => {
    expect(judgeScenario(copies).verdict('idempotency.concurrent')).toBe('pass');
  });

  it('are two transactions if they have two txIDs, even if the balance is right', () => {
    expect(judgeScenario(copies, { fault: other }).broken).toEqual(['idempotency.concurrent']);
  });

  it('are reported with the number of times that they took effect', () => {
    let seen = 0;
    const thrice: Fault = (request, honest, wallet) => {
      const reply = honest();
      if (request.key.startsWith('3.')) {
        seen += 1;
        if (seen === 2 || seen === 3) wallet.move('-2.00');
      }
      return reply;
    };
    const { findings } = judgeScenario(copies, { fault: thrice });
    expect(findings.find(({ rule }) => rule === 'idempotency.concurrent')?.actual).toContain('3 times');
  });
});

it('an overdraft is judged by the accepted bets, even if a lost update hides it in the balance', () => {
  const yaml =
    'rules: [concurrency.no-overdraft]\nsteps: [{ bet: }, { balance: }, { together: [{ bet: { amount: "${balance - stake}" }, times: 3, expect: either }] }, { balance: }]';
  expect(judgeScenario(yaml, { fault: hidden }).verdict('concurrency.no-overdraft')).toBe('fail');
  expect(judgeScenario(yaml).verdict('concurrency.no-overdraft')).toBe('pass');
});

it('bets that the balance in their replies covers are no overdraft, although an older balance was read', () => {
  const yaml =
    'rules: [concurrency.no-overdraft]\nsteps: [{ bet: }, { balance: }, { together: [{ bet: { amount: "${balance - stake}" }, times: 3, expect: either }] }, { balance: }]';
  const paidIn =
    (sum: string): Fault =>
    (request, honest, wallet) => {
      if (request.key === '3.1x1') wallet.move(sum);
      return honest();
    };
  const judged = judgeScenario(yaml, { fault: paidIn('150.00') });
  expect([judged.verdict('concurrency.no-overdraft'), judged.broken]).toEqual(['inconclusive', []]);
  const overdrawn: Fault = (request, honest, wallet) => {
    if (!request.key.startsWith('3.')) return honest();
    wallet.move('-98.00');
    return wallet.ok();
  };
  const { findings } = judgeScenario(yaml, { fault: overdrawn });
  const found = findings.find(({ rule }) => rule === 'concurrency.no-overdraft');
  expect([found?.verdict, found?.shownByReplies]).toEqual(['fail', true]);
  // Both replies say 0.00, as after a lost update. So the replies do not show that there was enough money.
  const hiddenOne = judgeScenario(yaml, { fault: hidden }).findings.find(
    ({ rule }) => rule === 'concurrency.no-overdraft',
  );
  expect([hiddenOne?.verdict, hiddenOne?.shownByReplies]).toEqual(['fail', undefined]);
});

it('an overdraft, and copies without an effect, may come from lost updates', () => {
  const together = (calls: string): string =>
    `rules: [concurrency.no-overdraft]\nsteps: [{ bet: }, { balance: }, { together: [{ ${calls}, expect: either }] }, { balance: }]`;
  const causesOf = (yaml: string, fault: Fault, rule: string): readonly string[] =>
    judgeScenario(yaml, { fault }).findings.find((one) => one.rule === rule)?.causes ?? [];
  const overdraft = together('bet: { amount: "${balance - stake}" }, times: 3');
  expect(causesOf(overdraft, hidden, 'concurrency.no-overdraft')).toContain('concurrency.no-lost-update');
  const copies = together('bet: { amount: "2.00" }, as: raced, copies: 4');
  const lost: Fault = (request, honest, wallet) => {
    const reply = honest();
    if (request.key === '3.1x1') wallet.move('2.00');
    return reply;
  };
  expect(causesOf(copies, lost, 'idempotency.concurrent')).toContain('concurrency.no-lost-update');
});

it('an overdraft by at most one bet may come from a wallet that also accepts a single bet above the balance', () => {
  const causesOf = (amount: string, times: number): readonly string[] => {
    const yaml = `rules: [concurrency.no-overdraft]\nsteps: [{ bet: }, { balance: }, { together: [{ bet: { amount: "${amount}" }, times: ${times}, expect: either }] }, { balance: }]`;
    const { findings } = judgeScenario(yaml, { fault: hidden });
    return findings.find(({ rule }) => rule === 'concurrency.no-overdraft')?.causes ?? [];
  };
  expect(causesOf('${balance - stake}', 2)).toContain('bet.insufficient-funds');
  expect(causesOf('${balance - stake}', 3)).not.toContain('bet.insufficient-funds');
});

it('a declined bet that seems taken may be another bet at the same instant that was taken twice', () => {
  const yaml =
    'rules: [bet.declined-takes-nothing]\nsteps: [{ bet: }, { balance: }, { together: [{ bet: { amount: "${balance - stake}" }, times: 3, expect: either }] }, { balance: }]';
  const fault: Fault = (request, honest, wallet) => {
    const reply = honest();
    if (request.key === '3.1x1') wallet.move('-98.00');
    return reply;
  };
  const found = judgeScenario(yaml, { fault }).findings.find(({ rule }) => rule === 'bet.declined-takes-nothing');
  expect([found?.verdict, found?.causes.includes('bet.debit')]).toEqual(['fail', true]);
});

it('copies that were all declined are skipped, and a resend of them too', () => {
  const yaml =
    'rules: [idempotency.concurrent, idempotency.refund]\nsteps: [{ bet: , as: b }, { balance: }, { together: [{ refund: { of: b }, as: r, copies: 3, expect: either }] }, { balance: }, { resend: r }, { balance: }]';
  const young: Fault = (request, honest) =>
    request.key.startsWith('3.') ? { status: 409, body: { message: 'Still being processed' } } : honest();
  const judged = judgeScenario(yaml, { fault: young });
  expect(judged.broken).toEqual([]);
  expect(judged.verdict('idempotency.concurrent')).toBe('skip');
  expect(judged.verdict('idempotency.refund')).toBe('skip');
});

it.each([
  [
    'bet.insufficient-funds',
    'steps: [{ bet: , as: a }, { balance: }, { bet: { amount: "${balance + unit}" }, expect: { outcome: declined, code: insufficient_funds } }, { balance: }]',
  ],
  [
    'concurrency.no-overdraft',
    'steps: [{ bet: }, { balance: }, { together: [{ bet: { amount: "${balance - stake}" }, times: 3, expect: either }] }, { balance: }]',
  ],
] as const)('an accepted bet above the balance breaks %s, unless accounts have a credit line', (rule, steps) => {
  const credit: Fault = ({ call }, honest, wallet) => {
    if (call !== 'bet') return honest();
    wallet.move('500');
    const { status, body } = honest();
    wallet.move('-500');
    return { status, body: { ...(body as JsonObject), balance: wallet.balance().format(2) } };
  };
  const yaml = `rules: [${rule}]\n${steps}`;
  expect(judgeScenario(yaml, { fault: credit }).verdict(rule)).toBe('fail');
  const judged = judgeScenario(yaml, { fault: credit, hasCredit: true });
  expect(judged.verdict(rule)).toBe('skip');
  expect(judged.broken).toEqual([]);
  expect(judgeScenario(yaml, { hasCredit: true }).verdict(rule)).toBe('pass');
});
