import { expect, it } from 'vitest';
import { Money } from '../../../src/contract/money.ts';
import { KnownBalances } from '../../../src/engine/balances/known-balances.ts';
import type { JournalEvent } from '../../../src/journal/event.ts';

const SENDING = { event: 'sending' } as JournalEvent;
const NOTICE: JournalEvent = { event: 'notice', text: 'nothing was sent' };
const TEN = Money.of('10.00');

it('knows a balance until the next call of the run', () => {
  const known = new KnownBalances();
  expect(known.of('anna USD')).toBeUndefined();
  known.note(SENDING);
  known.remember(new Map([['anna USD', TEN]]));
  known.note(NOTICE);
  expect(known.of('anna USD')).toBe(TEN);
  expect(known.of('berta USD')).toBeUndefined();
  known.note(SENDING);
  expect(known.of('anna USD')).toBeUndefined();
});
