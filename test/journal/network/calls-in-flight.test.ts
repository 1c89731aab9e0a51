import { expect, test } from 'vitest';
import { CallsInFlight } from '../../../src/journal/network/calls-in-flight.ts';

test('each call is taken once, and the rest keeps its order', () => {
  const calls = new CallsInFlight<string>();
  for (const id of ['a', 'b', 'c']) calls.set(id, `call ${id}`);
  expect(calls.take('b')).toBe('call b');
  expect(calls.take('b')).toBeUndefined();
  expect([...calls.values()]).toEqual(['call a', 'call c']);
  expect([calls.has('a'), calls.has('b')]).toEqual([true, false]);
});

test('a call that is sent after the last one was taken is in flight', () => {
  const calls = new CallsInFlight<string>();
  calls.set('a', 'call a');
  expect(calls.take('unknown')).toBeUndefined();
  expect(calls.take('a')).toBe('call a');
  expect([...calls.values()]).toEqual([]);
  calls.set('b', 'call b');
  expect(calls.take('b')).toBe('call b');
});
