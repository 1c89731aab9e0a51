import type { JsonObject, JsonValue } from '../../contract/json.ts';
import { type Deed, FIT, Ledger } from './ledger.ts';
import type { History, Operation, Player, Reference } from './operation.ts';
import { tellAtOnce } from './tell-at-once.ts';
import { tellBet, tellMany, tellRefund, tellRefundUnknown, tellResend, tellReuse, tellWin } from './tell-calls.ts';
import { tellFreeBet, tellFreeWin, tellWithdrawal } from './tell-free.ts';
import {
  tellAcross,
  tellBeyond,
  tellConflict,
  tellEverything,
  tellForeignRefund,
  tellForged,
  tellOpenRefund,
  tellRefundAhead,
  tellSettledRefund,
  tellTampered,
} from './tell-twists.ts';
import { A_WHILE, amountText } from './wording.ts';

/** A history as the steps of a scenario. */
export interface Told {
  readonly needs: JsonObject;
  readonly steps: readonly JsonObject[];
  /** What the players get back at the end, whatever happened. */
  readonly always: readonly JsonObject[];
  /** The operations that came to something, every reference made. */
  readonly operations: readonly Operation[];
}

const NEEDED_OF: Readonly<Record<Exclude<Player, 'main'>, JsonObject>> = {
  other: { player: 'other', currency: 'same' },
  second: { player: 'same', game: 'other', currency: 'same' },
  onlooker: { player: 'other', currency: 'other' },
};

/**
 * Tells a history as a person would write it. What can't happen at its place (a win without a bet, a bet without money) is
 * left out, so that every list of operations is a history, and every part of one is too.
 *
 * @param players who can take part
 */
export function tell({ currency, operations }: History, players: ReadonlySet<Player>): Told {
  const teller = new Teller(players);
  const kept = operations.flatMap((operation) => teller.take(operation) ?? []);
  return toldBy(teller, currency, kept);
}

/** The same for what is drawn: where something can't happen, a bet is made instead, upon which more can rest. */
export function tellDrawn({ currency, operations }: History, players: ReadonlySet<Player>): Told {
  const teller = new Teller(players);
  const kept = operations.flatMap((operation) => {
    const { id, read } = operation;
    const sum = { stakes: 1 + (id % 5), units: 0 };
    return (
      teller.take(operation) ??
      teller.take({ id, read, kind: 'bet', player: 'main', sum, round: null, broken: null }) ??
      []
    );
  });
  return toldBy(teller, currency, kept);
}

function toldBy(teller: Teller, currency: History['currency'], kept: readonly Operation[]): Told {
  const { needed } = teller.ledger.purse('main');
  const needs: Record<string, JsonValue> = {
    ...((needed.stakes > 0 || needed.units > 0) && { balance: amountText(needed) }),
    ...(currency && { currency: { ...currency } }),
    ...(kept.some(({ kind }) => kind === 'free-bet') && { campaign: 'known' }),
  };
  for (const player of teller.seen) if (player !== 'main') needs[player] = NEEDED_OF[player];
  const always = wonBack(teller.ledger);
  const all = named([...teller.steps, ...always]);
  const { length } = teller.steps;
  return { needs, steps: all.slice(0, length), always: all.slice(length), operations: kept };
}

/** An empty wallet can't be played back to what it held: a bet of everything is won back in its own round. */
function wonBack({ deeds }: Ledger): JsonObject[] {
  const open = deeds.filter(({ whole, state, round }) => whole && state === 'accepted' && round.wins === 0);
  return open.map(({ name }) => ({ win: { round: name, amount: `\${${name}.amount}` } }));
}

/** Where no step refers to a name, it is not given. */
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

/** Goes through a history and keeps the books of it. */
export class Teller {
  readonly ledger = new Ledger();
  readonly steps: JsonObject[] = [];
  /** Who has taken part. */
  readonly seen = new Set<Player>(['main']);
  readonly #players: ReadonlySet<Player>;

  constructor(players: ReadonlySet<Player>) {
    this.#players = players;
  }

  /** @returns the operation with its reference made; undefined: it can't happen here */
  take(operation: Operation): Operation | undefined {
    const done = this.#tell(operation);
    if (done?.read && done.kind !== 'read') this.#readBalance('player' in done ? done.player : 'main');
    return done;
  }

  step(step: JsonObject): void {
    this.steps.push(step);
  }

  /** True when this player can take part; he has, from then on. */
  enter(player: Player): boolean {
    if (!this.#players.has(player)) return false;
    this.seen.add(player);
    return true;
  }

  /** An operation about an earlier call, when there is one that is fit for it, and the act comes to something. */
  about<O extends Operation & { readonly of: Reference }>(
    operation: O,
    act: (deed: Deed) => boolean,
    isFit = FIT[operation.kind],
  ): O | undefined {
    const deed = this.ledger.choose(operation.of, (one) => isFit?.(one) === true);
    return deed && act(deed) ? { ...operation, of: { id: deed.id } } : undefined;
  }

  #readBalance(player: Player): void {
    this.step({ balance: player === 'main' ? null : { session: player } });
    if (player !== 'onlooker') this.ledger.purse(player).open = false;
  }

  #tell(operation: Operation): Operation | undefined {
    switch (operation.kind) {
      case 'bet':
        return tellBet(operation, this);
      case 'reuse':
        return tellReuse(operation, this);
      case 'win':
        return tellWin(operation, this);
      case 'refund':
        return tellRefund(operation, this);
      case 'refund-unknown':
        return tellRefundUnknown(operation, this);
      case 'refund-again':
      case 'refund-declined':
        return tellOpenRefund(operation, this);
      case 'refund-settled':
        return tellSettledRefund(operation, this);
      case 'refund-foreign':
        return tellForeignRefund(operation, this);
      case 'refund-ahead':
        return tellRefundAhead(operation, this);
      case 'resend':
        return tellResend(operation, this);
      case 'conflict':
        return tellConflict(operation, this);
      case 'across':
        return tellAcross(operation, this);
      case 'beyond':
        return tellBeyond(operation, this);
      case 'everything':
        return tellEverything(operation, this);
      case 'zero-bet':
        this.step({ bet: { amount: '0' }, expect: 'either' });
        return operation;
      case 'free-bet':
        return tellFreeBet(operation, this);
      case 'free-win':
        return tellFreeWin(operation, this);
      case 'withdrawal':
        return tellWithdrawal(operation, this);
      case 'forged':
        return tellForged(operation, this);
      case 'forged-read':
        this.step({ balance: null, sign: operation.sign, expect: 'refused' });
        return operation;
      case 'tampered':
        return tellTampered(operation, this);
      case 'pause':
        this.step({ wait: A_WHILE });
        return operation;
      case 'many':
        return tellMany(operation, this);
      case 'read':
        if (!this.enter(operation.player)) return undefined;
        this.#readBalance(operation.player);
        return operation;
      case 'at-once':
        return tellAtOnce(operation, this);
    }
  }
}
