import type { History, Operation, Player } from './operation.ts';
import { tell } from './teller.ts';

/**
 * Histories that are simpler than this one, those first that would save most: without broken connections, without half of it, without a quarter, without
 * each operation, then each operation made plainer. Each once, and none is as it was.
 */
export function* simpler(history: History, players: ReadonlySet<Player>): Generator<History> {
  const seen = new Set([JSON.stringify(history)]);
  for (const candidate of candidates(history)) {
    const smaller = { ...candidate, operations: tell(candidate, players).operations };
    const text = JSON.stringify(smaller);
    if (smaller.operations.length === 0 || seen.has(text)) continue;
    seen.add(text);
    yield smaller;
  }
}

function* candidates(history: History): Generator<History> {
  const { operations } = history;
  // After a broken connection each candidate would have to wait for what may land late.
  yield { ...history, operations: operations.flatMap((one) => unbroken(one, operations)) };
  for (let size = Math.ceil(operations.length / 2); size >= 1; size = size === 1 ? 0 : Math.ceil(size / 2)) {
    // From the end: what nothing rests upon goes first.
    for (let end = operations.length; end > 0; end -= size)
      yield { ...history, operations: operations.toSpliced(Math.max(0, end - size), size) };
  }
  if (history.currency) yield { ...history, currency: null };
  for (const [at, operation] of operations.entries()) {
    yield { ...history, operations: operations.toSpliced(at, 1, ...unbroken(operation, operations)) };
    for (const plainer of plainerThan(operation, operations.length))
      yield { ...history, operations: operations.toSpliced(at, 1, plainer) };
  }
}

/** The same over a connection that holds. The refund that the service owed for a bet is then one that it sends of itself. */
function unbroken(operation: Operation, among: readonly Operation[]): readonly Operation[] {
  if (!('broken' in operation) || operation.broken === null) return [operation];
  const held = { ...operation, broken: null };
  if (operation.kind !== 'bet') return [held];
  const { id, read } = operation;
  const next = among.reduce((most, one) => Math.max(most, one.id), 0) + 1 + id;
  const refund: Operation = { id: next, kind: 'refund', of: { id }, roundless: false, broken: null, read };
  return [{ ...held, read: false }, refund];
}

/** One change at a time. What is done is told apart from what it is done with, so that the result reads simply. */
function* plainerThan(operation: Operation, count: number): Generator<Operation> {
  // In a history of one step the read is what croupier does by itself in any case.
  if (operation.read && operation.kind !== 'read' && count > 0) yield { ...operation, read: false };
  if ('broken' in operation && operation.broken) yield { ...operation, broken: null };
  if ('broken' in operation && operation.broken && operation.broken !== 'sent') yield { ...operation, broken: 'sent' };
  if ('roundless' in operation && operation.roundless) yield { ...operation, roundless: false };
  if ('round' in operation && operation.round) yield { ...operation, round: null };
  if (operation.kind === 'bet' && operation.player !== 'main') yield { ...operation, player: 'main' };
  if (operation.kind === 'forged' && operation.again) yield { ...operation, again: false };
  // What is wrong with one signature may be wrong with all.
  if (operation.kind === 'refund-ahead' && operation.late) yield { ...operation, late: false };
  if ((operation.kind === 'forged' || operation.kind === 'forged-read') && operation.sign !== 'garbage')
    yield { ...operation, sign: 'garbage' };
  if (operation.kind === 'at-once') {
    const single = singleOf(operation);
    if (single) yield single;
    if (operation.size > 2) yield { ...operation, size: 2 };
    if (operation.size > 3) yield { ...operation, size: Math.ceil(operation.size / 2) };
    if (operation.what === 'bets-of-two' || operation.what === 'overdraft') yield { ...operation, what: 'bets' };
  }
  if (operation.kind === 'many') {
    for (const times of [2, Math.ceil(operation.times / 2)]) if (times < operation.times) yield { ...operation, times };
  }
  if ('sum' in operation) {
    const { stakes, units } = operation.sum;
    if (units > 0) yield { ...operation, sum: { stakes, units: 0 } };
    if (units > 1) yield { ...operation, sum: { stakes, units: 1 } };
    if (stakes > 1) yield { ...operation, sum: { stakes: 1, units } };
  }
}

/** The call of which there are several at once, by itself. */
function singleOf({
  id,
  read,
  what,
  of,
  sum,
}: Extract<Operation, { readonly kind: 'at-once' }>): Operation | undefined {
  switch (what) {
    case 'bets':
    case 'bets-of-two':
    case 'bet-copies':
    case 'bet-and-refund':
    case 'overdraft':
      return { id, read, kind: 'bet', player: 'main', sum, round: null, broken: null };
    case 'win-copies':
      return { id, read, kind: 'win', of, sum, broken: null };
    case 'refund-copies':
    case 'refunds':
      return { id, read, kind: 'refund', of, roundless: false, broken: null };
    case 'wins': // It is about no bet in particular.
      return undefined;
  }
}
