import { expect, it } from 'vitest';
import { Money } from '../../../src/contract/money.ts';
import { KnownBalances, type LeftBalance } from '../../../src/engine/balances/known-balances.ts';
import type { JournalEvent } from '../../../src/journal/event.ts';

const READ = { event: 'sending', call: 'balance' } as JournalEvent;
const WIN = { event: 'sending', call: 'win' } as JournalEvent;
const NOTICE: JournalEvent = { event: 'notice', text: 'nothing was sent' };
const TEN: LeftBalance = { balance: Money.of('10.00'), completed: [] };
const COMPLETED = [{}] as unknown as LeftBalance['completed'];

it('knows a balance until the next call of the run', () => {
  const known = new KnownBalances();
  expect(known.of('anna USD')).toBeUndefined();
  known.note(READ);
  known.remember(new Map([['anna USD', TEN]]));
  known.note(NOTICE);
  expect(known.of('anna USD')).toMatchObject(TEN);
  expect(known.of('berta USD')).toBeUndefined();
  known.note(READ);
  expect(known.of('anna USD')).toBeUndefined();
});

it('does not know a balance if another call came after the read', () => {
  const known = new KnownBalances();
  known.note(READ);
  known.note(WIN);
  known.remember(new Map([['anna USD', TEN]]));
  expect(known.of('anna USD')).toBeUndefined();
});

it('knows a balance if only the completions of rounds came after the read', () => {
  const known = new KnownBalances();
  known.note(READ);
  known.note(WIN);
  known.remember(new Map([['anna USD', { ...TEN, completed: COMPLETED }]]));
  expect(known.of('anna USD')?.completed).toBe(COMPLETED);
  known.note(WIN);
  known.remember(new Map([['anna USD', { ...TEN, completed: COMPLETED }]]));
  expect(known.of('anna USD')).toBeUndefined();
});
