import type { CallName } from '../../contract/call-name.ts';
import type { CurrencyType } from '../../contract/currencies.ts';
import type { SignKind } from '../../contract/deviation.ts';

/** An amount: a number of stakes plus a number of smallest units of the main session's currency. */
export interface Sum {
  readonly stakes: number;
  readonly units: number;
}

/**
 * The earlier call to which an operation refers. `id` is the id of this call. `pick` is the index of the call among the suitable
 * calls, modulo their number, so that every value of `pick` is valid.
 */
export type Reference = { readonly pick: number } | { readonly id: number };

/**
 * A player of a history. `main`: the first session. `other`: another player with the same currency. `second`: the main player
 * in another game. `onlooker`: a player with another currency, whose balance is only read.
 */
export type Player = 'main' | 'other' | 'second' | 'onlooker';

/**
 * The moment at which the connection is broken. `sent`: right after the last byte of the request. `5ms`: 5 milliseconds after it.
 * `raced`: like `sent`, and then croupier sends two repetitions at the same instant. After a broken connection, the service reacts
 * at once: it refunds a bet, and repeats a win or a refund.
 */
type Break = 'sent' | '5ms' | 'raced';

interface Base {
  /** Identifies the call for other operations. The id is unique within a history. */
  readonly id: number;
  /** True if the balance is read after the operation. */
  readonly read: boolean;
}

/** One action of a player, or of the network between the service and the operator. */
export type Operation = Base &
  (
    | {
        readonly kind: 'bet';
        readonly player: 'main' | 'other';
        readonly sum: Sum;
        /** The bet whose round is used. Null: the bet opens a new round. */
        readonly round: Reference | null;
        readonly broken: Break | null;
      }
    /** A bet of the same player in another game. Its `roundID` was already used in the first game. */
    | { readonly kind: 'reuse'; readonly of: Reference; readonly sum: Sum }
    | { readonly kind: 'win'; readonly of: Reference; readonly sum: Sum; readonly broken: Break | null }
    | { readonly kind: 'refund'; readonly of: Reference; readonly roundless: boolean; readonly broken: Break | null }
    /** A refund of a bet that does not exist, in the round of an existing bet or in a new round. */
    | { readonly kind: 'refund-unknown'; readonly sum: Sum; readonly round: Reference | null }
    /** A second refund of a bet, with a new txID. */
    | { readonly kind: 'refund-again'; readonly of: Reference }
    /** A refund of a bet whose round was won. */
    | { readonly kind: 'refund-settled'; readonly of: Reference }
    /** A refund of a bet that the operator declined. */
    | { readonly kind: 'refund-declined'; readonly of: Reference }
    /** A refund that is sent in another player's session. */
    | { readonly kind: 'refund-foreign'; readonly of: Reference }
    /** A refund that is sent before its bet. `late`: there is a pause between the refund and the bet. */
    | { readonly kind: 'refund-ahead'; readonly sum: Sum; readonly late: boolean }
    | { readonly kind: 'resend'; readonly of: Reference }
    /** A call that has the txID of an earlier call but another amount. */
    | { readonly kind: 'conflict'; readonly of: Reference; readonly sum: Sum }
    /** A win that has the txID of its bet. */
    | { readonly kind: 'across'; readonly of: Reference; readonly sum: Sum }
    /** A bet of more than the balance. */
    | { readonly kind: 'beyond'; readonly sum: Sum; readonly round: Reference | null }
    /** A bet of the whole balance. */
    | { readonly kind: 'everything' }
    | { readonly kind: 'zero-bet' }
    | { readonly kind: 'free-bet'; readonly sum: Sum }
    | { readonly kind: 'free-win'; readonly of: Reference; readonly sum: Sum }
    /** The regular win that pays out a campaign of free rounds. */
    | { readonly kind: 'withdrawal'; readonly of: Reference; readonly sum: Sum }
    /** A call with a wrong signature. `again`: the call is sent again with the right signature. */
    | {
        readonly kind: 'forged';
        readonly call: Exclude<CallName, 'balance'>;
        readonly of: Reference;
        readonly sum: Sum;
        readonly sign: Forgery;
        readonly again: boolean;
      }
    /** A balance call with a wrong signature. */
    | { readonly kind: 'forged-read'; readonly sign: Forgery }
    /** An earlier call with its own signature but another amount. */
    | { readonly kind: 'tampered'; readonly of: Reference; readonly sum: Sum }
    /** A pause in which the operator may forget a transaction. */
    | { readonly kind: 'pause' }
    /** Many small bets, one after another. */
    | { readonly kind: 'many'; readonly times: number }
    | { readonly kind: 'read'; readonly player: Player }
    | {
        readonly kind: 'at-once';
        readonly what: AtOnce;
        readonly size: number;
        readonly of: Reference;
        readonly sum: Sum;
      }
  );

/** The type of the operations of one kind. */
export type OperationOf<Kind extends Operation['kind']> = Extract<Operation, { readonly kind: Kind }>;

/** The kinds of wrong signatures that a history can use. */
export const FORGERIES = [
  'missing',
  'garbage',
  'wrong-key',
  'truncated',
  'prefix',
  'suffix',
] as const satisfies SignKind[];

type Forgery = (typeof FORGERIES)[number];

/** The kinds of races, in which several calls are sent at the same instant. */
export const AT_ONCE = [
  'bets', // of one player, each with another amount
  'bets-of-two', // of two players
  'wins', // of open rounds
  'bet-copies', // the same bytes
  'win-copies',
  'refund-copies',
  'refunds', // of one bet, each with a new txID
  'bet-and-refund',
  'overdraft', // bets of which two together exceed the balance
] as const;

type AtOnce = (typeof AT_ONCE)[number];

/** A generated sequence of operations, with the currency that it needs. */
export interface History {
  /** The currency of the main session. Null: any currency. */
  readonly currency: CurrencyChoice | null;
  readonly operations: readonly Operation[];
}

export interface CurrencyChoice {
  readonly kind?: CurrencyType;
  readonly decimals?: number | 'some';
}

/** The players that are possible with the configured sessions, if the main session has one certain currency. */
export interface PlayerSetup {
  readonly currency: CurrencyChoice | null;
  readonly players: ReadonlySet<Player>;
}
