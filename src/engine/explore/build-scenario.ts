import type { JsonObject, JsonValue } from '../../contract/json.ts';
import { buildAtOnce } from './build-at-once.ts';
import {
  buildBet,
  buildFreeBet,
  buildFreeWin,
  buildMany,
  buildRefund,
  buildRefundUnknown,
  buildResend,
  buildReuse,
  buildWin,
  buildWithdrawal,
} from './build-calls.ts';
import {
  buildAcross,
  buildBeyond,
  buildConflict,
  buildEverything,
  buildForeignRefund,
  buildForged,
  buildOpenRefund,
  buildRefundAhead,
  buildSettledRefund,
  buildTampered,
} from './build-deviations.ts';
import type { HistoryLedger } from './history-ledger.ts';
import type { History, Operation, Player } from './operation.ts';
import { SESSION_NEEDS } from './player-setups.ts';
import { A_WHILE, amountText, ScenarioBuilder } from './scenario-builder.ts';

/** A generated history in the form of a scenario. */
export interface BuiltScenario {
  readonly needs: JsonObject;
  readonly steps: readonly JsonObject[];
  /** The calls that give the players their money back at the end, even if a step failed. */
  readonly always: readonly JsonObject[];
  /** The operations that were possible. Each reference in them is the id of one call. */
  readonly operations: readonly Operation[];
}

/**
 * Builds a scenario from a history. Leaves out each operation that is not possible at its place, for example a win without a bet.
 * So every list of operations is a valid history, and so is every part of a list.
 *
 * @param players the players that can take part
 */
export function buildScenario({ currency, operations }: History, players: ReadonlySet<Player>): BuiltScenario {
  const builder = new ScenarioBuilder(players);
  const kept = operations.flatMap((operation) => buildOperation(operation, builder) ?? []);
  return builtScenario(builder, currency, kept);
}

/**
 * Builds a scenario from randomly drawn operations. Replaces each operation that is not possible by a plain bet, so that later
 * operations have a bet to which they can refer.
 */
export function buildDrawn({ currency, operations }: History, players: ReadonlySet<Player>): BuiltScenario {
  const builder = new ScenarioBuilder(players);
  const kept = operations.flatMap((operation) => {
    const { id, read } = operation;
    const sum = { stakes: 1 + (id % 5), units: 0 };
    return (
      buildOperation(operation, builder) ??
      buildOperation({ id, read, kind: 'bet', player: 'main', sum, round: null, broken: null }, builder) ??
      []
    );
  });
  return builtScenario(builder, currency, kept);
}

function builtScenario(
  builder: ScenarioBuilder,
  currency: History['currency'],
  kept: readonly Operation[],
): BuiltScenario {
  const { needed } = builder.ledger.knownBalance('main');
  const needs: Record<string, JsonValue> = {
    ...((needed.stakes > 0 || needed.units > 0) && { balance: amountText(needed) }),
    ...(currency && { currency: { ...currency } }),
    ...(kept.some(({ kind }) => kind === 'free-bet') && { campaign: 'known' }),
  };
  for (const player of builder.entered) if (player !== 'main') needs[player] = { ...SESSION_NEEDS[player] };
  const always = wonBack(builder.ledger);
  const all = named([...builder.steps, ...always]);
  const { length } = builder.steps;
  return { needs, steps: all.slice(0, length), always: all.slice(length), operations: kept };
}

/**
 * Some bets take the whole balance. Returns for each of these bets a win that pays the same amount. Without these wins, the wallet
 * would stay empty, and croupier could not restore its balance: croupier raises a balance with a bet and a win, and an empty wallet
 * cannot pay a bet.
 */
function wonBack({ entries }: HistoryLedger): JsonObject[] {
  const open = entries.filter(
    ({ isWholeBalance: whole, state, round }) => whole && state === 'accepted' && round.wins === 0,
  );
  return open.map(({ name }) => ({ win: { round: name, amount: `\${${name}.amount}` } }));
}

/** Removes the names of steps that no other step uses. */
function named(steps: readonly JsonObject[]): JsonObject[] {
  const text = JSON.stringify(steps, (key, value: unknown) => (key === 'as' ? undefined : value));
  const isUsed = (name: JsonValue | undefined) => typeof name === 'string' && new RegExp(`\\b${name}\\b`).test(text);
  const withoutName = (step: JsonObject): JsonObject =>
    Object.fromEntries(
      Object.entries(step).flatMap(([key, value]) => {
        if (key === 'as' && !isUsed(value)) return [];
        return [[key, key === 'together' ? (value as readonly JsonObject[]).map(withoutName) : value]];
      }),
    );
  return steps.map(withoutName);
}

/**
 * Adds the steps of an operation to the scenario.
 *
 * @returns the operation with its reference resolved; undefined if the operation is not possible at this place
 */
function buildOperation(operation: Operation, builder: ScenarioBuilder): Operation | undefined {
  const built = buildSteps(operation, builder);
  if (built?.read && built.kind !== 'read') builder.readBalance('player' in built ? built.player : 'main');
  return built;
}

function buildSteps(operation: Operation, builder: ScenarioBuilder): Operation | undefined {
  switch (operation.kind) {
    case 'bet':
      return buildBet(operation, builder);
    case 'reuse':
      return buildReuse(operation, builder);
    case 'win':
      return buildWin(operation, builder);
    case 'refund':
      return buildRefund(operation, builder);
    case 'refund-unknown':
      return buildRefundUnknown(operation, builder);
    case 'refund-again':
    case 'refund-declined':
      return buildOpenRefund(operation, builder);
    case 'refund-settled':
      return buildSettledRefund(operation, builder);
    case 'refund-foreign':
      return buildForeignRefund(operation, builder);
    case 'refund-ahead':
      return buildRefundAhead(operation, builder);
    case 'resend':
      return buildResend(operation, builder);
    case 'conflict':
      return buildConflict(operation, builder);
    case 'across':
      return buildAcross(operation, builder);
    case 'beyond':
      return buildBeyond(operation, builder);
    case 'everything':
      return buildEverything(operation, builder);
    case 'zero-bet':
      builder.step({ bet: { amount: '0' }, expect: 'either' });
      return operation;
    case 'free-bet':
      return buildFreeBet(operation, builder);
    case 'free-win':
      return buildFreeWin(operation, builder);
    case 'withdrawal':
      return buildWithdrawal(operation, builder);
    case 'forged':
      return buildForged(operation, builder);
    case 'forged-read':
      builder.step({ balance: null, sign: operation.sign, expect: 'refused' });
      return operation;
    case 'tampered':
      return buildTampered(operation, builder);
    case 'pause':
      builder.step({ wait: A_WHILE });
      return operation;
    case 'many':
      return buildMany(operation, builder);
    case 'read':
      if (!builder.enter(operation.player)) return undefined;
      builder.readBalance(operation.player);
      return operation;
    case 'at-once':
      return buildAtOnce(operation, builder);
  }
}
