import type { CallName } from '../../contract/call-name.ts';
import type { CurrencyType } from '../../contract/currencies.ts';
import type { SignKind } from '../../contract/deviation.ts';

/** An amount, counted in stakes and in smallest units of the main session's currency. */
export interface Sum {
  readonly stakes: number;
  readonly units: number;
}

/**
 * The earlier call that an operation is about. `pick` selects one of those that fit, modulo their number, so any number is valid.
 * `id` is the selected call.
 */
export type Reference = { readonly pick: number } | { readonly id: number };

/**
 * A player of a history: the main session, another player in the same currency, the main player in another game, and a player in
 * another currency, whose balance is only read.
 */
export type Player = 'main' | 'other' | 'second' | 'onlooker';

/**
 * The moment at which the connection is broken: right after the last byte of the request, a moment later, or right after it with
 * two repetitions at the same instant. The service reacts at once: it refunds a bet, and repeats a win or a refund.
 */
type Break = 'sent' | '5ms' | 'raced';

interface Base {
  /** Identifies the call for other operations; unique within a history. */
  readonly id: number;
  /** True if the balance is read after it. */
  readonly read: boolean;
}

/** One action of a player, or of the network between the service and the operator. */
export type Operation = Base &
  (
    | {
        readonly kind: 'bet';
        readonly player: 'main' | 'other';
        readonly sum: Sum;
        /** null: a round of its own. */
        readonly round: Reference | null;
        readonly broken: Break | null;
      }
    /** A bet of the same player in another game, with a `roundID` that the first game has used. */
    | { readonly kind: 'reuse'; readonly of: Reference; readonly sum: Sum }
    | { readonly kind: 'win'; readonly of: Reference; readonly sum: Sum; readonly broken: Break | null }
    | { readonly kind: 'refund'; readonly of: Reference; readonly roundless: boolean; readonly broken: Break | null }
    /** A refund of a bet that does not exist, in the round of an existing bet or in a round of its own. */
    | { readonly kind: 'refund-unknown'; readonly sum: Sum; readonly round: Reference | null }
    /** A second refund of the same bet, with a new txID. */
    | { readonly kind: 'refund-again'; readonly of: Reference }
    /** A refund of a bet whose round was won. */
    | { readonly kind: 'refund-settled'; readonly of: Reference }
    /** A refund of a bet that was declined. */
    | { readonly kind: 'refund-declined'; readonly of: Reference }
    /** A refund in another player's session. */
    | { readonly kind: 'refund-foreign'; readonly of: Reference }
    /** A refund, and after it the bet that it refunds; `late`: with a pause between them. */
    | { readonly kind: 'refund-ahead'; readonly sum: Sum; readonly late: boolean }
    | { readonly kind: 'resend'; readonly of: Reference }
    /** The same call with a used txID and another amount. */
    | { readonly kind: 'conflict'; readonly of: Reference; readonly sum: Sum }
    /** A win with the txID of its bet. */
    | { readonly kind: 'across'; readonly of: Reference; readonly sum: Sum }
    /** A bet of more than the balance. */
    | { readonly kind: 'beyond'; readonly sum: Sum; readonly round: Reference | null }
    /** A bet of the whole balance. */
    | { readonly kind: 'everything' }
    | { readonly kind: 'zero-bet' }
    | { readonly kind: 'free-bet'; readonly sum: Sum }
    | { readonly kind: 'free-win'; readonly of: Reference; readonly sum: Sum }
    /** The regular win that pays out a campaign. */
    | { readonly kind: 'withdrawal'; readonly of: Reference; readonly sum: Sum }
    /** A call with a wrong signature; `again`: and then the same call with the right one. */
    | {
        readonly kind: 'forged';
        readonly call: Exclude<CallName, 'balance'>;
        readonly of: Reference;
        readonly sum: Sum;
        readonly sign: Forgery;
        readonly again: boolean;
      }
    /** A read with a wrong signature. */
    | { readonly kind: 'forged-read'; readonly sign: Forgery }
    /** An earlier call with its own signature and another amount. */
    | { readonly kind: 'tampered'; readonly of: Reference; readonly sum: Sum }
    /** A pause, in which the operator may forget a transaction. */
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

/** The operations of one kind. */
export type OperationOf<Kind extends Operation['kind']> = Extract<Operation, { readonly kind: Kind }>;

/** The wrong signatures that are tried. */
export const FORGERIES = [
  'missing',
  'garbage',
  'wrong-key',
  'truncated',
  'prefix',
  'suffix',
] as const satisfies SignKind[];

type Forgery = (typeof FORGERIES)[number];

/** The kinds of calls at the same instant. */
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

/** A history: the currency that it needs, and its operations. */
export interface History {
  /** The currency of the main session; null: any. */
  readonly currency: CurrencyChoice | null;
  readonly operations: readonly Operation[];
}

export interface CurrencyChoice {
  readonly kind?: CurrencyType;
  readonly decimals?: number | 'some';
}

/** The players that the configured sessions allow, for one choice of the main session's currency. */
export interface PlayerSetup {
  readonly currency: CurrencyChoice | null;
  readonly players: ReadonlySet<Player>;
}
