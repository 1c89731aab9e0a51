import { Money } from '../../contract/money.ts';

/** The facts that all possible states (worlds) have in common. Each world stores only its differences from these facts. */
interface Settled {
  readonly applied: Set<string>;
  readonly closed: Set<string>;
}

/**
 * One possible state of the operator's books. Until a reply contains the first balance, balances count from zero. After that, they
 * are the real balances.
 *
 * Effects depend on each other: a refund gives money back only if its bet was taken. So two worlds can differ in more than the
 * balance. Therefore this module can't use `ledger/worlds.ts` (see docs/architecture.md).
 */
export interface World {
  readonly balance: Money;
  readonly settled: Settled;
  /** Keys of the bets that were taken and not given back, and of the wins that were paid. */
  readonly applied: ReadonlySet<string>;
  /** Keys of the bets whose refund was answered 200. Such a bet was given back, or must never be taken. */
  readonly closed: ReadonlySet<string>;
}

/** Maximum number of worlds. If there are more, croupier treats the state of the books as unknown. */
export const MAX_WORLDS = 128;

const NONE: ReadonlySet<string> = new Set();

/** Returns the state of the books before the first call. */
export function beginning(): World {
  return { balance: Money.zero, settled: { applied: new Set(), closed: new Set() }, applied: NONE, closed: NONE };
}

/** True if the bet was taken and not given back, or the win was paid. */
export function isApplied({ applied, closed, settled }: World, key: string): boolean {
  return applied.has(key) || (settled.applied.has(key) && !closed.has(key));
}

/** True if the bet was given back, or cannot be taken any more. */
export function isClosed({ closed, settled }: World, key: string): boolean {
  return closed.has(key) || settled.closed.has(key);
}

/** Returns the world with its balance changed by an amount. */
export function moved(world: World, by: Money): World {
  return { ...world, balance: world.balance.plus(by) };
}

/** Returns the world after a transaction was carried out and changed the balance by an amount. */
export function applying(world: World, key: string, by: Money): World {
  return { ...world, balance: world.balance.plus(by), applied: new Set([...world.applied, key]) };
}

/**
 * Returns the state of the wallet (the world) after a bet was given back. Also used for a bet that the operator must not take any
 * more.
 */
export function closing(world: World, key: string, by: Money): World {
  const applied = new Set(world.applied);
  applied.delete(key);
  return { ...world, balance: world.balance.plus(by), applied, closed: new Set([...world.closed, key]) };
}

/** Removes a transaction from all worlds. Its effect on the balance stays. */
export function forgetting(worlds: readonly World[], key: string): readonly World[] {
  const without = (set: ReadonlySet<string>): ReadonlySet<string> =>
    set.has(key) ? new Set([...set].filter((other) => other !== key)) : set;
  for (const { settled } of worlds.slice(0, 1)) {
    settled.applied.delete(key);
    settled.closed.delete(key);
  }
  return worlds.map((world) => ({ ...world, applied: without(world.applied), closed: without(world.closed) }));
}

/** Returns the worlds without duplicates. */
export function distinct(worlds: readonly World[]): readonly World[] {
  if (worlds.length < 2) return worlds;
  const seen = new Map<string, World>();
  for (const world of worlds) {
    const name = [world.balance.toString(), [...world.applied].sort(), [...world.closed].sort()].join('|');
    if (!seen.has(name)) seen.set(name, world);
  }
  return [...seen.values()];
}

/**
 * Moves each fact that is the same in all possible states (worlds) into the part that the worlds share. Without this function, the
 * time that one call needs would grow with the length of the log.
 */
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
