import type { Habit } from './habit.ts';

/** Every habit that the reference operator can take on. */
export const HABITS: readonly Habit[] = [];

const BY_NAME = new Map(HABITS.map((habit) => [habit.name, habit]));

export function habitByName(name: string): Habit | undefined {
  return BY_NAME.get(name);
}
