import type { CallName } from '../../src/contract/call-name.ts';
import type { JsonObject, JsonValue } from '../../src/contract/json.ts';
import { Money } from '../../src/contract/money.ts';
import type { NoReplyReason } from '../../src/journal/exchange.ts';

/** One call as it reaches the operator, with its signature verified. */
export interface ToyRequest {
  /** The key of the step; `read.1` and so on for reads that the judge asks for. */
  readonly key: string;
  readonly call: CallName;
  /** null: the body is not JSON. */
  readonly fields: JsonObject | null;
  readonly signedRight: boolean;
}

export interface ToyReply {
  readonly status: number;
  /** An object is written as JSON; text is sent as it is. */
  readonly body: JsonValue;
  readonly type?: string;
  readonly tookMs?: number;
}

/** A reply, or no reply. `pausedMs` is the time in which croupier itself could not run during the call. */
export type ToyOutcome = ToyReply | { readonly none: NoReplyReason; readonly pausedMs?: number };

/** A fault of the operator. `honest` carries out the call correctly and returns the correct reply. */
export type Fault = (request: ToyRequest, honest: () => ToyReply, wallet: ToyWallet) => ToyOutcome;

interface Transaction {
  readonly call: CallName;
  readonly player: string;
  readonly amount: Money;
  readonly effect: Money;
  readonly reply: ToyReply;
  reversed: boolean;
}

export interface ToyOptions {
  readonly balance: string;
  /** The player of each session. */
  readonly players: ReadonlyMap<string, string>;
  readonly expired: boolean;
}

/** The smallest wallet that conforms to the contract. Free rounds move nothing in it. */
export class ToyWallet {
  readonly #balances = new Map<string, Money>();
  readonly #transactions = new Map<string, Transaction>();
  readonly #blocked = new Set<string>();
  readonly #later: (() => void)[] = [];
  readonly #players: ReadonlyMap<string, string>;
  readonly #expired: boolean;
  #number = 0;

  constructor({ balance, players, expired }: ToyOptions) {
    this.#players = players;
    this.#expired = expired;
    for (const player of players.values()) this.#balances.set(player, Money.of(balance));
  }

  balance(player = 'p1'): Money {
    return this.#balances.get(player) ?? Money.zero;
  }

  /** Moves money without a call. */
  move(amount: string, player = 'p1'): void {
    const sum = Money.of(amount.replace('-', ''));
    this.#balances.set(player, this.balance(player).plus(amount.startsWith('-') ? sum.negated() : sum));
  }

  /** Runs an action when the linger time has passed. */
  later(action: () => void): void {
    this.#later.push(action);
  }

  linger(): void {
    for (const action of this.#later.splice(0)) action();
  }

  /** Returns a reply with the present balance and a new operator txID. */
  ok(player = 'p1', amount = this.balance(player)): ToyReply {
    this.#number += 1;
    return { status: 200, body: { balance: amount.format(2), txID: `op-${this.#number}` } };
  }

  answer({ call, fields, signedRight }: ToyRequest): ToyReply {
    if (!signedRight) return error(401, 'Wrong signature');
    if (!fields) return error(400, 'Not JSON');
    const player = this.#players.get(textOf(fields.sessionID));
    if (call === 'balance') {
      if (player === undefined) return error(404, 'No such session', 'session_not_found');
      return { status: 200, body: { balance: this.balance(player).format(2) } };
    }
    const amount = typeof fields.amount === 'string' ? Money.read(fields.amount) : undefined;
    const { txID } = fields;
    if (typeof txID !== 'string' || !amount || amount.isNegative() || amount.decimals() > 2) {
      return error(400, 'A field is missing or wrong');
    }
    if (player === undefined) {
      return call === 'refund' ? this.ok('', Money.zero) : error(404, 'No such session', 'session_not_found');
    }
    if (this.#expired && call === 'bet') return error(403, 'The session is over', 'session_expired');
    const known = this.#transactions.get(txID);
    if (known) {
      return known.call === call && known.amount.equals(amount) ? known.reply : error(409, 'That txID was used');
    }
    if (call === 'bet' && this.#blocked.has(txID)) return error(409, 'It was refunded');
    const free = fields.type === 'free';
    if (call === 'bet' && !free && amount.compare(this.balance(player)) > 0) {
      return error(402, 'Not enough money', 'insufficient_funds');
    }
    const effect = free ? Money.zero : this.#effect(call, amount, player, fields);
    this.#balances.set(player, this.balance(player).plus(effect));
    const reply = this.ok(player);
    this.#transactions.set(txID, { call, player, amount, effect, reply, reversed: false });
    return reply;
  }

  #effect(call: CallName, amount: Money, player: string, fields: JsonObject): Money {
    if (call !== 'refund') return call === 'bet' ? amount.negated() : amount;
    const of = textOf(fields.origTxID);
    this.#blocked.add(of);
    const bet = this.#transactions.get(of);
    if (bet?.call !== 'bet' || bet.reversed || bet.player !== player) return Money.zero;
    bet.reversed = true;
    return bet.effect.negated();
  }
}

function textOf(value: JsonValue | undefined): string {
  return typeof value === 'string' ? value : '';
}

export function error(status: number, message: string, code?: string): ToyReply {
  return { status, body: { message, ...(code !== undefined && { code }) } };
}
