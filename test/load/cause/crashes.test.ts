import { expect, it } from 'vitest';
import { Crashes } from '../../../src/load/cause/crashes.ts';

it('a refused connection may be a crash', () => {
  const crashes = new Crashes();
  crashes.failed(100, true, 7);
  crashes.failed(130, true, 7);
  expect(crashes.times).toEqual([100, 120]);
});

it('calls that fail one after another may be a crash, at the time of the first one', () => {
  const crashes = new Crashes();
  for (const at of [100, 110, 120, 130]) crashes.failed(at, false, 7);
  expect(crashes.times).toEqual([100, 120]);
});

it('a call that fails now and then is no crash', () => {
  const crashes = new Crashes();
  for (const accepted of [7, 7, 8, 9, 9, 10]) crashes.failed(accepted * 100, false, accepted);
  expect(crashes.times).toEqual([]);
});
