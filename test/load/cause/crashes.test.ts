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

it('if a tenth of the calls fails, five failures one after another are no crash, but six are', () => {
  const crashes = new Crashes();
  for (let accepted = 10; accepted <= 1000; accepted += 10) crashes.failed(accepted, false, accepted);
  for (const at of [2000, 2001, 2002, 2003, 2004]) crashes.failed(at, false, 1010);
  expect(crashes.times).toEqual([]);
  for (const at of [3000, 3001, 3002, 3003, 3004, 3005]) crashes.failed(at, false, 1020);
  expect(crashes.times).toEqual([3000, 3020]);
});

it('a refused connection may be a crash, also if many calls fail', () => {
  const crashes = new Crashes();
  for (let accepted = 2; accepted <= 100; accepted += 2) crashes.failed(accepted, false, accepted);
  crashes.failed(2000, true, 110);
  expect(crashes.times).toEqual([2000, 2020]);
});
