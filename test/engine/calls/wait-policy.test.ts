import { expect, it } from 'vitest';
import { WaitPolicy } from '../../../src/engine/calls/wait-policy.ts';
import type { Exchange } from '../../../src/journal/exchange.ts';

/** Notes 100 replies with the statuses, in turn. */
function replied(...statuses: readonly number[]): WaitPolicy {
  const policy = new WaitPolicy();
  for (let n = 0; n < 100; n += 1)
    policy.note({
      call: 'win',
      outcome: { kind: 'reply', reply: { status: statuses[n % statuses.length] } },
    } as Exchange);
  return policy;
}

it.each([
  ['one call in twenty fails', [500, ...Array.from({ length: 19 }, () => 200)], 6],
  ['one call in five fails', [500, 200, 200, 200, 200], 9],
  ['one call in three fails', [500, 200, 401], 13],
  ['every call but one fails', [500], 16],
])('the more calls fail at random, the more attempts prove a lasting error: %s', (_title, statuses, attempts) => {
  const policy = replied(...statuses);
  policy.noteRandomFailure();
  expect(policy.attemptsOfLasting).toBe(attempts);
});

it('three attempts prove a lasting error after an error has lasted for eight', () => {
  const policy = replied(500, 200);
  expect(policy.attemptsOfLasting).toBe(8);
  policy.noteLastingFailure();
  expect(policy.attemptsOfLasting).toBe(3);
});

it('three attempts prove that an operator is "too busy", since each of them sends the call again', () => {
  expect(replied(503, 200).attemptsOfLasting).toBe(3);
});
