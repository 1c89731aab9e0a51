import { describe, expect, it } from 'vitest';
import type { Finding } from '../../src/journal/finding.ts';
import { withFields } from './lies.ts';
import { tell } from './story-builder.ts';
import type { Lie } from './toy-wallet.ts';

const hidden: Lie = (ask, honest, wallet) => (ask.key.startsWith('3.') && ask.key !== '3.1x1' ? wallet.ok() : honest());

const other: Lie = (ask, honest) => {
  const told = honest();
  return ask.key.startsWith('3.') && ask.key !== '3.1'
    ? { ...told, body: { ...(told.body as object), txID: ask.key } }
    : told;
};

const slow: Lie = (ask, honest) => (ask.key.startsWith('3.') ? { ...honest(), tookMs: 9000 } : honest());

const RACE =
  'rules: [concurrency.no-lost-update]\nsteps: [{ bet: , as: a }, { balance: }, { together: [{ bet: { amount: "2.00" } }, { win: { round: a, amount: "5.00" } }, { bet: { amount: "3.00" } }] }, { balance: }]';

const order = (findings: readonly Finding[]): string | undefined =>
  findings.find(({ rule }) => rule === 'concurrency.order')?.actual;

describe('calls at once', () => {
  it('are counted where they overlap', () => {
    expect(tell(RACE).overlapped).toBe(3);
    expect(tell(RACE, { overlap: false }).overlapped).toBe(0);
  });

  it('are not judged as a set where they do not', () => {
    expect(tell(RACE, { overlap: false }).verdict('concurrency.no-lost-update')).toBe('untested');
  });

  it('have no deadline', () => {
    expect(tell(RACE, { lie: slow }).broken).toEqual([]);
  });

  it('may be answered with what others had done by then', () => {
    // 100 - 1 - 2, and with or without the win and the other bet.
    for (const balance of ['97.00', '102.00', '94.00', '99.00']) {
      expect(tell(RACE, { lie: withFields('3.1', { balance }) }).broken).toEqual([]);
    }
    for (const balance of ['99.01', '96.00']) {
      expect(tell(RACE, { lie: withFields('3.1', { balance }) }).verdict('concurrency.no-lost-update')).toBe('fail');
    }
  });

  it('may show a win that failed, for it may have been credited; not a bet that was declined', () => {
    const failing =
      (key: string, balance: string): Lie =>
      (ask, honest, wallet) => {
        if (ask.key === key) {
          honest();
          return { status: 502, body: { message: 'Bad gateway' } };
        }
        return withFields('3.1', { balance })(ask, honest, wallet);
      };
    expect(tell(RACE, { lie: failing('3.2', '102.00') }).broken).toEqual([]);
    expect(tell(RACE, { lie: failing('3.3', '94.00') }).verdict('concurrency.no-lost-update')).toBe('fail');
  });

  it('may be declined while another is under way, and then leave nothing to judge; not when no answer comes', () => {
    const all =
      (status: number): Lie =>
      (ask, honest) =>
        ask.key.startsWith('3.') && ask.key !== '3.1' ? { status, body: { message: 'Please try again.' } } : honest();
    for (const status of [409, 500]) {
      const declining = tell(RACE, { lie: all(status) });
      expect(declining.broken).toEqual([]);
      expect(declining.verdict('concurrency.no-lost-update')).toBe('skip');
    }
    const silent: Lie = (ask, honest) => (ask.key.startsWith('3.') && ask.key !== '3.1' ? { none: 'reset' } : honest());
    expect(tell(RACE, { lie: silent }).verdict('concurrency.no-lost-update')).toBe('inconclusive');
  });

  it('fit one order, or none', () => {
    expect(order(tell(RACE).findings)).toContain('fit one order');
    expect(order(tell(RACE, { lie: withFields('3.1', { balance: '99.00' }) }).findings)).toContain(
      'fit no single order',
    );
  });

  it('are put in order soon, however many are alike', () => {
    const many =
      'rules: [concurrency.no-lost-update]\nsteps: [{ bet: }, { balance: }, { together: [{ bet: , times: 40 }] }, { balance: }]';
    expect(order(tell(many).findings)).toContain('fit one order');
    const last = tell(many, { lie: withFields('3.1x40', { balance: '58.00' }) });
    expect(order(last.findings)).toContain('fit no single order');
  });
});

describe('copies at once', () => {
  const copies =
    'rules: [idempotency.concurrent]\nsteps: [{ bet: , as: a }, { balance: }, { together: [{ bet: { amount: "2.00" }, as: raced, copies: 4, expect: either }] }, { balance: }]';

  it('have one effect and one txID', () => {
    expect(tell(copies).verdict('idempotency.concurrent')).toBe('pass');
  });

  it('with two txIDs are two transactions, even where the balance hides it', () => {
    expect(tell(copies, { lie: other }).broken).toEqual(['idempotency.concurrent']);
  });

  it('that were taken several times say how often', () => {
    let seen = 0;
    const thrice: Lie = (ask, honest, wallet) => {
      const told = honest();
      if (ask.key.startsWith('3.')) {
        seen += 1;
        if (seen === 2 || seen === 3) wallet.move('-2.00');
      }
      return told;
    };
    const { findings } = tell(copies, { lie: thrice });
    expect(findings.find(({ rule }) => rule === 'idempotency.concurrent')?.actual).toContain('3 times');
  });
});

it('an overdraft is judged by what was accepted, not by the balance that a lost update hides', () => {
  const story =
    'rules: [concurrency.no-overdraft]\nsteps: [{ bet: }, { balance: }, { together: [{ bet: { amount: "${balance - stake}" }, times: 3, expect: either }] }, { balance: }]';
  expect(tell(story, { lie: hidden }).verdict('concurrency.no-overdraft')).toBe('fail');
  expect(tell(story).verdict('concurrency.no-overdraft')).toBe('pass');
});

it('leaves copies that were all declined, and what is sent again of them, to those who take them', () => {
  const story =
    'rules: [idempotency.concurrent, idempotency.refund]\nsteps: [{ bet: , as: b }, { balance: }, { together: [{ refund: { of: b }, as: r, copies: 3, expect: either }] }, { balance: }, { resend: r }, { balance: }]';
  const young: Lie = (ask, honest) =>
    ask.key.startsWith('3.') ? { status: 409, body: { message: 'Still being processed' } } : honest();
  const judged = tell(story, { lie: young });
  expect(judged.broken).toEqual([]);
  expect(judged.verdict('idempotency.concurrent')).toBe('skip');
  expect(judged.verdict('idempotency.refund')).toBe('skip');
});
