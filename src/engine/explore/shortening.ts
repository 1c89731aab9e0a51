import type { RuleId } from '../../contract/catalogue.ts';
import { buildScenario } from './build-scenario.ts';
import type { History, Operation, OperationOf, Player } from './operation.ts';
import type { Trial } from './trial.ts';

/**
 * Generates histories that are simpler than the given one, each only once. The largest simplifications come first: no broken
 * connections, one half left out, one quarter left out, and so on down to a single operation. Then single operations are
 * simplified.
 */
export function* simpler(history: History, players: ReadonlySet<Player>): Generator<History> {
  const seen = new Set([JSON.stringify(history)]);
  for (const candidate of candidates(history)) {
    const smaller = { ...candidate, operations: buildScenario(candidate, players).operations };
    const text = JSON.stringify(smaller);
    if (smaller.operations.length === 0 || seen.has(text)) continue;
    seen.add(text);
    yield smaller;
  }
}

function* candidates(history: History): Generator<History> {
  const { operations } = history;
  // Broken connections are removed first: after each of them, croupier must wait for late effects.
  yield { ...history, operations: operations.flatMap((one) => unbroken(one, operations)) };
  for (let size = Math.ceil(operations.length / 2); size >= 1; size = size === 1 ? 0 : Math.ceil(size / 2)) {
    // Operations are removed from the end first, because later operations depend on earlier ones.
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

/**
 * Returns the operation without its broken connection. If the connection of a bet was broken, the service also refunded this bet.
 * So this refund becomes an operation of its own.
 */
function unbroken(operation: Operation, among: readonly Operation[]): readonly Operation[] {
  if (!('broken' in operation) || operation.broken === null) return [operation];
  const held = { ...operation, broken: null };
  if (operation.kind !== 'bet') return [held];
  const { id, read } = operation;
  const next = among.reduce((max, one) => Math.max(max, one.id), 0) + 1 + id;
  const refund: Operation = { id: next, kind: 'refund', of: { id }, roundless: false, broken: null, read };
  return [{ ...held, read: false }, refund];
}

/** Simplifies one property of an operation at a time, so that the result shows which properties matter. */
function* plainerThan(operation: Operation, count: number): Generator<Operation> {
  // In a history of one step, croupier reads the balance anyway.
  if (operation.read && operation.kind !== 'read' && count > 0) yield { ...operation, read: false };
  if ('broken' in operation && operation.broken) yield { ...operation, broken: null };
  if ('broken' in operation && operation.broken && operation.broken !== 'sent') yield { ...operation, broken: 'sent' };
  if ('roundless' in operation && operation.roundless) yield { ...operation, roundless: false };
  if ('round' in operation && operation.round) yield { ...operation, round: null };
  if (operation.kind === 'bet' && operation.player !== 'main') yield { ...operation, player: 'main' };
  if (operation.kind === 'forged' && operation.again) yield { ...operation, again: false };
  if (operation.kind === 'refund-ahead' && operation.late) yield { ...operation, late: false };
  // An operator that accepts one kind of wrong signature may accept all kinds. So a failing history with the simplest kind shows
  // the fault too.
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

/** Returns a single call that can replace a race. Undefined if no single call has the same meaning. */
function singleOf({ id, read, what, of, sum }: OperationOf<'at-once'>): Operation | undefined {
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
    case 'wins': // It refers to no particular bet.
      return undefined;
  }
}

/** A failing history while it is being shortened. */
export interface Failing {
  /** A shorter history must break at least one of these rules. */
  targets: ReadonlySet<RuleId>;
  readonly first: History;
  best: History;
  /**
   * A shorter history must pass this number of times before it counts as passed. The number is above 1 if the failure does not
   * happen every time.
   */
  readonly tries: number;
}

/**
 * This rule is reported only if no other rule explains a difference. So if a shorter history breaks only this rule, it does not
 * help to find the fault.
 */
const UNEXPLAINED: RuleId = 'money.conservation';

/**
 * Decides whether the shorter history fails too. If it does, this function stores it as the best history.
 *
 * A history without a race and without a broken connection may break other rules than the longer history. Such a history also
 * counts as failing, because its fault is simpler. The search will find the fault of the longer history again later. A rule does
 * not count if the fault of the longer history explains its breach.
 *
 * @param news the rules that the trial broke and that were not known to be broken
 * @returns true if the shorter history fails
 */
export function stillFails(
  failing: Failing,
  shorter: History,
  { broken, findings }: Pick<Trial, 'broken' | 'findings'>,
  news: readonly RuleId[],
): boolean {
  if (!broken.some((rule) => failing.targets.has(rule))) {
    const follows = new Set(
      findings.flatMap(({ rule, causes }) => (causes.some((cause) => failing.targets.has(cause)) ? [rule] : [])),
    );
    const others = news.filter((rule) => rule !== UNEXPLAINED && !follows.has(rule));
    if (others.length === 0 || !isPlain(shorter)) return false;
    failing.targets = new Set([...failing.targets, ...others]);
  }
  failing.best = shorter;
  return true;
}

function isPlain({ operations }: History): boolean {
  return operations.every(
    (operation) => operation.kind !== 'at-once' && !('broken' in operation && operation.broken !== null),
  );
}
