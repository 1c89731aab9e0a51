import { expect, it } from 'vitest';
import { Money } from '../../../src/contract/money.ts';
import { KnownBalances } from '../../../src/engine/balances/known-balances.ts';
import type { JournalEvent } from '../../../src/journal/event.ts';

const READ = { event: 'sending', call: 'balance' } as JournalEvent;
const WIN = { event: 'sending', call: 'win' } as JournalEvent;
const NOTICE: JournalEvent = { event: 'notice', text: 'nothing was sent' };
const TEN = Money.of('10.00');

it('knows a balance until the next call of the run', () => {
  const known = new KnownBalances();
  expect(known.of('anna USD')).toBeUndefined();
  known.note(READ);
  known.remember(new Map([['anna USD', TEN]]));
  known.note(NOTICE);
  expect(known.of('anna USD')).toBe(TEN);
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
