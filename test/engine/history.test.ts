import { expect, it } from 'vitest';
import { Money } from '../../src/contract/money.ts';
import { History, type PastTransaction } from '../../src/engine/history.ts';

const transaction = (amount: string): PastTransaction =>
  ({ effect: Money.of(amount), request: {}, reply: {} }) as unknown as PastTransaction;

it('keeps the first of each kind and wallet', () => {
  const history = new History();
  const [first, second, win] = [transaction('1'), transaction('2'), transaction('3')];
  history.keep('anna', 'bet', 't1', first);
  history.keep('anna', 'bet', 't2', second);
  history.keep('anna', 'win', 't3', win);
  expect(history.earliest('anna', 'bet')).toBe(first);
  expect(history.earliest('anna', 'win')).toBe(win);
  expect(history.earliest('ben', 'bet')).toBeUndefined();
});

it('keeps a later bet in place of one that was given back', () => {
  const history = new History();
  const later = transaction('2');
  history.keep('anna', 'bet', 't1', transaction('1'));
  history.giveBack('t9');
  history.giveBack('t1');
  expect(history.earliest('anna', 'bet')).toBeUndefined();
  history.keep('anna', 'bet', 't2', later);
  history.giveBack('t1');
  expect(history.earliest('anna', 'bet')).toBe(later);
});
