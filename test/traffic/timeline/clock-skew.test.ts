import { describe, expect, it } from 'vitest';
import type { RecordedCall } from '../../../src/traffic/recorded-call.ts';
import { pairSides } from '../../../src/traffic/timeline/clocks/clock-skew.ts';
import { Log, START } from './calls.ts';

const OPERATOR = { side: 'operator' } as const;

describe('the clocks of the two sides', () => {
  it('are compared by the calls that both sides logged, and the median difference counts', () => {
    const log = new Log();
    for (const [index, ahead] of [30, 31, 90].entries()) {
      const at = 10 * index;
      log.bet(`b${index}`, '1.00', { at }).bet(`b${index}`, '1.00', { at: at + ahead, ...OPERATOR });
    }
    const { clocks, paired } = pairSides(log.calls);
    expect(clocks).toEqual({ aheadMs: 31_000, pairs: 3 });
    expect(paired.map(({ atMs, also }) => [(atMs ?? 0) - START, also?.exchange.side])).toEqual([
      [0, 'operator'],
      [10_000, 'operator'],
      [20_000, 'operator'],
    ]);
  });

  it('are not compared if only one side has a log', () => {
    expect(pairSides(new Log().bet('b', '1.00', {}).calls).clocks).toBeNull();
  });

  it('are not compared by a transaction that the sides logged a different number of times', () => {
    const log = new Log()
      .bet('b', '1.00', { at: 0 })
      .bet('b', '1.00', { at: 5 })
      .bet('b', '1.00', { at: 40, ...OPERATOR });
    expect(pairSides(log.calls).clocks).toBeNull();
  });
});

describe('the calls of both sides', () => {
  it('stand beside their neighbours in the file of the operator, if the order of the lines counts', () => {
    const { calls } = new Log()
      .bet('b1', '1', { at: 1 })
      .bet('b2', '1', { at: 2 })
      .bet('b0', '1', { at: 1, side: 'operator' })
      .bet('b1', '1', { at: 1, side: 'operator' })
      .bet('b3', '1', { at: 1.5, side: 'operator' })
      .bet('b2', '1', { at: 2, side: 'operator' });
    expect(pairSides(calls, 'file').paired.map(({ seen }) => seen.txID)).toEqual(['b0', 'b1', 'b3', 'b2']);
  });

  it('stand in the order of the time of the service, also those that only the operator logged', () => {
    const log = new Log()
      .bet('a', '1.00', { at: 0 })
      .bet('a', '1.00', { at: 60, ...OPERATOR })
      .bet('only the operator', '1.00', { at: 65, ...OPERATOR })
      .bet('z', '1.00', { at: 10 })
      .bet('z', '1.00', { at: 70, ...OPERATOR });
    const { paired } = pairSides(log.calls);
    expect(paired.map(({ seen, atMs }) => `${seen.txID} ${((atMs ?? 0) - START) / 1000}`)).toEqual([
      'a 0',
      'only the operator 5',
      'z 10',
    ]);
  });

  it('pair each copy of a call with its own copy of the other side', () => {
    const log = new Log();
    for (const at of [0, 10]) log.bet('b', '1.00', { at }).bet('b', '1.00', { at: at + 60, ...OPERATOR });
    const pairs = pairSides(log.calls).paired.map(({ seen, also }) => [
      ((seen.exchange.time?.ms ?? 0) - START) / 1000,
      ((also?.exchange.time?.ms ?? 0) - START) / 1000,
    ]);
    expect(pairs).toEqual([
      [0, 60],
      [10, 70],
    ]);
  });

  it('pair a failed attempt with the failed attempt of the other side, even if another attempt is nearer in time', () => {
    const log = new Log().bet('b', '1.00', { at: 0 }).bet('b', '1.00', { at: 60, ...OPERATOR });
    // Servers whose clocks differ logged the attempts of the refund, so the operator's times are closer together.
    const attempt = (at: number, status: number, side: 'service' | 'operator') =>
      log.refund('r', 'b', '1.00', { at, status, side });
    attempt(10, 500, 'service');
    attempt(14, 200, 'service');
    attempt(72.5, 500, 'operator');
    attempt(72.8, 200, 'operator');
    const statusOf = (call: RecordedCall | null) =>
      call?.exchange.answer.kind === 'reply' ? call.exchange.answer.status : null;
    const refunds = pairSides(log.calls).paired.filter(({ seen }) => seen.call === 'refund');
    expect(refunds.map(({ seen, also }) => [statusOf(seen), statusOf(also)])).toEqual([
      [500, 500],
      [200, 200],
    ]);
  });

  it('do not pair two reads that are further apart than five seconds', () => {
    const pairsOf = (ms: number): number => {
      const log = new Log().bet('b', '1.00', { at: 0 }).bet('b', '1.00', { at: 0, ...OPERATOR });
      log
        .balance('9.00', { at: 100 })
        .balance('9.00', { at: 200, ...OPERATOR })
        .balance('9.00', { at: 100 + ms / 1000, ...OPERATOR });
      return pairSides(log.calls).paired.filter(({ seen, also }) => seen.call === 'balance' && also !== null).length;
    };
    expect([pairsOf(4000), pairsOf(6000)]).toEqual([1, 0]);
  });
});
