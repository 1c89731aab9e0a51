import type { Habit } from './habit.ts';
import { BOOKS_HABITS } from './habits/books.ts';
import { DECLINING_HABITS } from './habits/declining.ts';
import { FAILING_HABITS } from './habits/failing.ts';
import { TIMING_HABITS } from './habits/timing.ts';
import { TRANSPORT_HABITS } from './habits/transport.ts';
import { WORDING_HABITS } from './habits/wording.ts';

/** Every habit that the reference operator can take on. */
export const HABITS: readonly Habit[] = [
  ...TRANSPORT_HABITS,
  ...WORDING_HABITS,
  ...DECLINING_HABITS,
  ...FAILING_HABITS,
  ...BOOKS_HABITS,
  ...TIMING_HABITS,
];

const BY_NAME = new Map(HABITS.map((habit) => [habit.name, habit]));

export function habitByName(name: string): Habit | undefined {
  return BY_NAME.get(name);
}
