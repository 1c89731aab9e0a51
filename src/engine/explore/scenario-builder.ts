import type { JsonObject } from '../../contract/json.ts';
import { FIT, HistoryLedger, type LedgerEntry } from './history-ledger.ts';
import type { Operation, Player, Reference, Sum } from './operation.ts';

/** Collects the steps of a history while it is built, and keeps the ledger of its calls. */
export class ScenarioBuilder {
  readonly ledger = new HistoryLedger();
  readonly steps: JsonObject[] = [];
  /** The players that have taken part so far. */
  readonly entered = new Set<Player>(['main']);
  readonly #players: ReadonlySet<Player>;

  /** @param players the players that can take part */
  constructor(players: ReadonlySet<Player>) {
    this.#players = players;
  }

  step(step: JsonObject): void {
    this.steps.push(step);
  }

  /**
   * Adds a player to the scenario.
   *
   * @returns false if no session is configured for this player
   */
  enter(player: Player): boolean {
    if (!this.#players.has(player)) return false;
    this.entered.add(player);
    return true;
  }

  /**
   * Builds an operation that refers to an earlier call.
   *
   * @param act adds the steps; returns false if the operation is not possible
   * @returns the operation with its reference resolved; undefined if no earlier call is suitable, or if `act` returned false
   */
  about<O extends Operation & { readonly of: Reference }>(
    operation: O,
    act: (entry: LedgerEntry) => boolean,
    isFit = FIT[operation.kind],
  ): O | undefined {
    const entry = this.ledger.choose(operation.of, (one) => isFit?.(one) === true);
    return entry && act(entry) ? { ...operation, of: { id: entry.id } } : undefined;
  }

  readBalance(player: Player): void {
    this.step({ balance: player === 'main' ? null : { session: player } });
    if (player !== 'onlooker') this.ledger.knownBalance(player).uncertain = false;
  }
}

/** Writes an amount as an expression of the scenario language. */
export function amountText({ stakes, units }: Sum): string {
  const termOf = (count: number, name: string) => (count === 1 ? name : `${count} * ${name}`);
  const terms = [...(stakes > 0 ? [termOf(stakes, 'stake')] : []), ...(units > 0 ? [termOf(units, 'unit')] : [])];
  return terms.length === 0 ? '0' : `\${${terms.join(' + ')}}`;
}

/** A pause after which some operators have forgotten a transaction. */
export const A_WHILE = '1500ms';

/** Returns the `session` field of a call. It is empty for the main player, whose session is the default. */
export function atSession({ player }: { readonly player: Player }): JsonObject {
  return player === 'main' ? {} : { session: player };
}
