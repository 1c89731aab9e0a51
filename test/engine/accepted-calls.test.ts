import { expect, it } from 'vitest';
import { Money } from '../../src/contract/money.ts';
import { type AcceptedCall, AcceptedCalls } from '../../src/engine/accepted-calls.ts';

const accepted = (amount: string): AcceptedCall =>
  ({ effect: Money.of(amount), request: {}, reply: {} }) as unknown as AcceptedCall;

it('the list of accepted calls keeps the first accepted call of each kind in each wallet', () => {
  const calls = new AcceptedCalls();
  const [first, second, win] = [accepted('1'), accepted('2'), accepted('3')];
  calls.keep('anna', 'bet', 't1', first);
  calls.keep('anna', 'bet', 't2', second);
  calls.keep('anna', 'win', 't3', win);
  expect(calls.earliest('anna', 'bet')).toBe(first);
  expect(calls.earliest('anna', 'win')).toBe(win);
  expect(calls.earliest('ben', 'bet')).toBeUndefined();
});

it('the list of accepted calls keeps a later bet after the first bet was refunded', () => {
  const calls = new AcceptedCalls();
  const later = accepted('2');
  calls.keep('anna', 'bet', 't1', accepted('1'));
  calls.remove('t9');
  calls.remove('t1');
  expect(calls.earliest('anna', 'bet')).toBeUndefined();
  calls.keep('anna', 'bet', 't2', later);
  calls.remove('t1');
  expect(calls.earliest('anna', 'bet')).toBe(later);
});
