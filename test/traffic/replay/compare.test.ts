import { describe, expect, it } from 'vitest';
import type { Outcome } from '../../../src/journal/exchange.ts';
import {
  type ComparedCall,
  compareReplies,
  hasRefundWithoutBet,
  verdictOf,
} from '../../../src/traffic/replay/compare.ts';
import { Log } from '../timeline/calls.ts';

const NOTHING = { rules: new Set<never>(), calls: new Set<number>() };
const REPEATED = { isDecided: true, isRepeated: true };

function reply(status: number, body: Record<string, string>): Outcome {
  const data = JSON.stringify(body);
  return {
    kind: 'reply',
    reply: {
      status,
      headers: [['content-type', 'application/json']],
      body: { encoding: 'utf8', data, length: data.length, truncated: false },
    },
  };
}

function byNumber(...replies: readonly Outcome[]): ReadonlyMap<number, Outcome> {
  return new Map(replies.map((one, index) => [index + 1, one]));
}

function compared(log: Log, ...replies: readonly Outcome[]): readonly ComparedCall[] {
  return compareReplies(log.timeline().calls, byNumber(...replies), new Set());
}

describe('replies that are compared', () => {
  it('are the same if status, code and the change of the balance are the same', () => {
    const log = new Log().balance('100').bet('b1', '5', { balance: '95' });
    const calls = compared(log, reply(200, { balance: '40.00' }), reply(200, { balance: '35.00', txID: 'op-1' }));
    expect(calls.map(({ verdict }) => verdict)).toEqual(['same', 'same']);
    expect(verdictOf(calls, NOTHING, NOTHING, REPEATED)).toBe('same');
  });

  it('differ if the balance changes by another amount', () => {
    const log = new Log().balance('100').bet('b1', '5', { balance: '95' });
    const calls = compared(log, reply(200, { balance: '40.00' }), reply(200, { balance: '34.00', txID: 'op-1' }));
    expect(calls.map(({ differences }) => differences)).toEqual([[], ['change']]);
    expect(verdictOf(calls, NOTHING, NOTHING, REPEATED)).toBe('differs');
  });

  it('are no new difference if the service broke the connection of a call that is now answered 200', () => {
    const log = new Log().bet('b1', '5', { balance: '90' }).bet('b2', '7', { none: 'broken' });
    const past = { rules: new Set(['bet.debit'] as const), calls: new Set([1]) };
    const first = reply(200, { balance: '35.00', txID: 'op-1' });
    const accepted = compared(log, first, reply(200, { balance: '28.00', txID: 'op-2' }));
    const declined = compared(log, first, reply(400, { message: 'No.' }));
    expect([accepted, declined].map((calls) => verdictOf(calls, past, NOTHING, REPEATED))).toEqual([
      'fixed',
      'differs',
    ]);
  });

  it('show that a bet was higher than the balance only in the record', () => {
    const log = new Log().balance('100').bet('b1', '200', { status: 402, code: 'insufficient_funds' });
    const rich = compared(log, reply(200, { balance: '500.00' }), reply(200, { balance: '300.00', txID: 'op-1' }));
    const poor = compared(log, reply(200, { balance: '50.00' }), reply(402, { code: 'insufficient_funds' }));
    expect(rich.map(({ wasScarce }) => wasScarce)).toEqual([false, true]);
    expect(poor.map(({ wasScarce }) => wasScarce)).toEqual([false, false]);
  });

  it('are no all-clear if the record paid a refund and does not have its bet', () => {
    const paid = compared(new Log().balance('100').refund('f1', 'b1', '5', { balance: '105' }));
    const unpaid = compared(new Log().balance('100').refund('f1', 'b1', '5', { balance: '100' }));
    const whole = compared(
      new Log().balance('100').bet('b1', '5', { balance: '95' }).refund('f1', 'b1', '5', { balance: '100' }),
    );
    expect([paid, unpaid, whole].map(hasRefundWithoutBet)).toEqual([true, false, false]);
    const log = new Log().balance('100').refund('f1', 'b1', '5', { balance: '105' });
    const again = compared(log, reply(200, { balance: '100.00' }), reply(200, { balance: '105.00', txID: 'op-1' }));
    expect(verdictOf(again, NOTHING, NOTHING, { ...REPEATED, isUnexplained: hasRefundWithoutBet(again) })).toBe(
      'undecided',
    );
  });

  describe('and now break a rule that the record did not break', () => {
    const log = new Log().balance('100').bet('b1', '5', { balance: '94' });
    const calls = compared(log, reply(200, { balance: '40.00' }), reply(200, { balance: '32.00', txID: 'op-1' }));
    const now = { rules: new Set(['bet.debit']), calls: new Set([2]) };
    const past = { rules: new Set(['money.conservation']), calls: new Set([1]) };

    it('are still failing if one of the two rules explains the other one', () => {
      const explained = { ...past, causes: new Set(['bet.debit']) };
      const explaining = { ...now, causes: new Set(['money.conservation']) };
      expect(verdictOf(calls, past, now, REPEATED)).toBe('regressed');
      expect(verdictOf(calls, explained, now, REPEATED)).toBe('still failing');
      expect(verdictOf(calls, past, explaining, REPEATED)).toBe('still failing');
    });

    it('are still failing if both have a wrong balance, which no call of the record explains', () => {
      const inBalance = { ...now, isInBalance: true };
      const unexplained = { ...REPEATED, isUnexplained: true };
      expect(verdictOf(calls, NOTHING, inBalance, REPEATED)).toBe('regressed');
      expect(verdictOf(calls, NOTHING, now, unexplained)).toBe('regressed');
      expect(verdictOf(calls, NOTHING, inBalance, unexplained)).toBe('still failing');
      // Another call failed as well, such as a bet with a 500.
      expect(verdictOf(calls, { ...NOTHING, calls: new Set([1]) }, inBalance, unexplained)).toBe('still failing');
    });

    it('are still failing if the wrong reply is the same error as in the record', () => {
      const conflicts = new Log().balance('100').win('w1', '5', { status: 409 });
      const before = { rules: new Set(['reply.deadline']), calls: new Set([1]) };
      const again = { rules: new Set(['idempotency.win']), calls: new Set([2]) };
      const verdictAfter = (status: number) =>
        verdictOf(
          compared(conflicts, reply(503, { message: 'No.' }), reply(status, { message: 'No.' })),
          before,
          again,
          REPEATED,
        );
      expect([409, 404].map(verdictAfter)).toEqual(['still failing', 'regressed']);
    });
  });
});
