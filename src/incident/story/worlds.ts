import { Money } from '../../contract/money.ts';

/** What is the same in all worlds, so that each holds only what sets it apart. */
interface Settled {
  readonly applied: Set<string>;
  readonly closed: Set<string>;
}

/**
 * One way in which the operator's books may stand. Balances count from the story's beginning until one was answered; then they are the
 * real ones.
 */
export interface World {
  readonly balance: Money;
  readonly settled: Settled;
  /** Bets that were taken and not given back, and wins that were paid, by the key of their transaction. */
  readonly applied: ReadonlySet<string>;
  /** Bets whose refund was answered 200: given back, or never to be taken. */
  readonly closed: ReadonlySet<string>;
}

/** More are not followed: then it is unknown how the books stand. */
export const MOST_WORLDS = 128;

const NONE: ReadonlySet<string> = new Set();

/** The books at the beginning of a story. */
export function beginning(): World {
  return { balance: Money.zero, settled: { applied: new Set(), closed: new Set() }, applied: NONE, closed: NONE };
}

/** The bet was taken and not given back, or the win was paid. */
export function isApplied({ applied, closed, settled }: World, key: string): boolean {
  return applied.has(key) || (settled.applied.has(key) && !closed.has(key));
}

/** The bet was given back, or can't be taken any more. */
export function isClosed({ closed, settled }: World, key: string): boolean {
  return closed.has(key) || settled.closed.has(key);
}

/** The world in which the balance is another, and all else as it was. */
export function moved(world: World, by: Money): World {
  return { ...world, balance: world.balance.plus(by) };
}

/** The world in which a transaction was carried out, and moved so much. */
export function applying(world: World, key: string, by: Money): World {
  return { ...world, balance: world.balance.plus(by), applied: new Set([...world.applied, key]) };
}

/** The world in which a bet was undone, or can't be taken any more. */
export function closing(world: World, key: string, by: Money): World {
  const applied = new Set(world.applied);
  applied.delete(key);
  return { ...world, balance: world.balance.plus(by), applied, closed: new Set([...world.closed, key]) };
}

/** The worlds without a word of a transaction: what it did to the balance stays. */
export function forgetting(worlds: readonly World[], key: string): readonly World[] {
  const without = (set: ReadonlySet<string>): ReadonlySet<string> =>
    set.has(key) ? new Set([...set].filter((other) => other !== key)) : set;
  for (const { settled } of worlds.slice(0, 1)) {
    settled.applied.delete(key);
    settled.closed.delete(key);
  }
  return worlds.map((world) => ({ ...world, applied: without(world.applied), closed: without(world.closed) }));
}

/** The worlds without those that are the same. */
export function distinct(worlds: readonly World[]): readonly World[] {
  if (worlds.length < 2) return worlds;
  const seen = new Map<string, World>();
  for (const world of worlds) {
    const name = [world.balance.toString(), [...world.applied].sort(), [...world.closed].sort()].join('|');
    if (!seen.has(name)) seen.set(name, world);
  }
  return [...seen.values()];
}

/** The same worlds, with what they have in common put where all share it: a long story costs no more for each call than a short one. */
export function settle(worlds: readonly World[]): readonly World[] {
  const [first] = worlds;
  if (!first) return worlds;
  const { settled } = first;
  const closed = [...first.closed].filter((key) => worlds.every((world) => world.closed.has(key)));
  const applied = [...first.applied].filter((key) => worlds.every((world) => world.applied.has(key)));
  if (closed.length + applied.length === 0) return worlds;
  for (const key of closed) {
    settled.closed.add(key);
    settled.applied.delete(key);
  }
  for (const key of applied) settled.applied.add(key);
  const gone = new Set([...closed, ...applied]);
  const less = (set: ReadonlySet<string>): ReadonlySet<string> => new Set([...set].filter((key) => !gone.has(key)));
  return worlds.map((world) => ({ ...world, applied: less(world.applied), closed: less(world.closed) }));
}
