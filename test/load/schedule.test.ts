import { expect, it } from 'vitest';
import { type Arrivals, highestRate, Schedule } from '../../src/load/schedule.ts';

/** A schedule whose clock is set by the test. */
function scheduleOf(arrivals: Arrivals, durationMs: number) {
  const clock = { now: 0 };
  return { clock, schedule: new Schedule(arrivals, durationMs, () => clock.now) };
}

it('calls that nobody was ready to send are overdue, with the time at which each was due', () => {
  const { clock, schedule } = scheduleOf({ kind: 'rate', from: 10, to: 10 }, 1000);
  schedule.begin();
  clock.now = 550;
  expect([...schedule.overdue()]).toEqual([0, 100, 200, 300, 400, 500]);
  clock.now = 5000;
  expect([...schedule.overdue()]).toHaveLength(10);
});

it('a ramp has as many calls as its average rate, and more of them in its second half', () => {
  const { clock, schedule } = scheduleOf({ kind: 'rate', from: 100, to: 300 }, 10_000);
  schedule.begin();
  clock.now = 10_000;
  const due = [...schedule.overdue()];
  expect(due).toHaveLength(2000);
  expect(due.filter((time) => time < 5000)).toHaveLength(750);
  expect(schedule.rateAt(5000)).toBe(200);
  const falling = scheduleOf({ kind: 'rate', from: 300, to: 100 }, 10_000);
  falling.schedule.begin();
  falling.clock.now = 20_000;
  expect([...falling.schedule.overdue()]).toHaveLength(2000);
});

it('the calls that are due in each second add up to the whole load, also if its last second is not whole', () => {
  const { schedule } = scheduleOf({ kind: 'rate', from: 100, to: 300 }, 2500);
  const due = [0, 1, 2, 3].map((second) => schedule.dueIn(second) ?? 0);
  expect(due).toEqual([140, 220, 140, 0]);
});

it('tickets carry the time at which the call was due, and say whose fault a late one is', async () => {
  const { clock, schedule } = scheduleOf({ kind: 'rate', from: 10, to: 10 }, 10_000);
  schedule.begin();
  clock.now = 450;
  const tickets = await Promise.all([schedule.ticket(), schedule.ticket()]);
  expect(tickets).toEqual([0, 100]);
  expect([schedule.lateForPlayers, schedule.lateForCroupier]).toEqual([2, 0]);
  clock.now = 900;
  expect(await schedule.ticket()).toBe(200);
  schedule.stop();
  expect(await schedule.ticket()).toBeNull();
  // The load was stopped after 0.9 seconds.
  expect([schedule.dueIn(0), schedule.dueIn(1)]).toEqual([9, 0]);
});

it('in a closed model, every call is due as soon as a player is ready', async () => {
  const { clock, schedule } = scheduleOf({ kind: 'closed', players: 2 }, 1000);
  schedule.begin();
  clock.now = 7;
  expect(await Promise.all([schedule.ticket(), schedule.ticket()])).toEqual([7, 7]);
  expect([...schedule.overdue()]).toEqual([]);
  expect([schedule.rateAt(500), schedule.dueIn(0)]).toEqual([null, null]);
});

it('recorded calls are due at their times, and no more of them come', async () => {
  const { clock, schedule } = scheduleOf({ kind: 'recorded', offsets: [0, 10, 10, 2500] }, 10_000);
  schedule.begin();
  clock.now = 3000;
  expect(await schedule.ticket()).toBe(0);
  expect([...schedule.overdue()]).toEqual([10, 10, 2500]);
  expect([schedule.dueIn(0), schedule.dueIn(1), schedule.dueIn(2)]).toEqual([3, 0, 1]);
});

it('recorded calls after the end of the load are not due', () => {
  const { schedule } = scheduleOf({ kind: 'recorded', offsets: [0, 1000, 1499, 1500, 2500] }, 1500);
  expect([schedule.dueIn(0), schedule.dueIn(1), schedule.dueIn(2)]).toEqual([1, 2, 0]);
});

it('a recorded load may last for weeks', () => {
  const offsets = Array.from({ length: 300_000 }, (_, second) => second * 1000);
  expect(highestRate({ kind: 'recorded', offsets: [...offsets, 299_999_500] })).toBe(2);
});

it('before the load, a call that waits for a place gets a ticket without a time', async () => {
  const { schedule } = scheduleOf({ kind: 'closed', players: 2 }, 1000);
  for (let count = 0; count < 64; count += 1) await schedule.ticket();
  const waiting = schedule.ticket();
  expect(waiting).toBeInstanceOf(Promise);
  schedule.ended();
  expect(await waiting).toBeNull();
});
