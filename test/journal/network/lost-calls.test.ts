import { expect, it } from 'vitest';
import { LostCalls } from '../../../src/journal/network/lost-calls.ts';

it('the calls that the network lost are counted by their reason, the most frequent first', () => {
  const lost = new LostCalls();
  for (const reason of ['closed-early', 'reset', 'reset', 'broken', 'too-late'] as const) lost.note(reason);
  expect(lost.text({ sent: 200, answered: 195 })).toMatch(
    /^Network: 3 of 200 calls got no reply: the connection was reset \(2\), the connection was closed within the reply \(1\)\./,
  );
});

it('nothing is said of the network if it lost no call, or if the operator was never reached', () => {
  const lost = new LostCalls();
  lost.note('too-late');
  expect(lost.text({ sent: 2, answered: 1 })).toBeNull();
  lost.note('refused');
  expect(lost.text({ sent: 2, answered: 0 })).toBeNull();
});
