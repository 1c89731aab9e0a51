import type { CallName } from '../../contract/call-name.ts';
import type { SignKind } from '../../scenario/plan.ts';

/** How much, counted in stakes and in smallest units of the main session's currency. */
export interface Sum {
  readonly stakes: number;
  readonly units: number;
}

/**
 * Which earlier call an operation is about. `pick` chooses among those that are fit for it, modulo their number, so that any
 * number will do; `id` is the choice once it is made.
 */
export type Reference = { readonly pick: number } | { readonly id: number };

/**
 * Who plays: the main session, another player's in the same currency, the main player's in another game, and a player in
 * another currency, who is only looked at.
 */
export type Player = 'main' | 'other' | 'second' | 'onlooker';

/**
 * How the connection is broken: right after the last byte of the request, a moment later, or right after it with two
 * repetitions at the same instant. The service asks again at once: it refunds a bet, and repeats a win or a refund.
 */
type Break = 'sent' | '5ms' | 'raced';

interface Base {
  /** Names the call that it makes, for others to refer to; unique within a history. */
  readonly id: number;
  /** The balance is read after it. */
  readonly read: boolean;
}

/** One thing that a player, or the network between the service and the operator, does. */
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
    /** A refund of a bet that exists nowhere; in the round of one that does, or in a round of its own. */
    | { readonly kind: 'refund-unknown'; readonly sum: Sum; readonly round: Reference | null }
    /** A second refund of the same bet, under a txID of its own. */
    | { readonly kind: 'refund-again'; readonly of: Reference }
    /** A refund of a bet whose round was won. */
    | { readonly kind: 'refund-settled'; readonly of: Reference }
    /** A refund of a bet that was declined. */
    | { readonly kind: 'refund-declined'; readonly of: Reference }
    /** A refund in another player's session. */
    | { readonly kind: 'refund-foreign'; readonly of: Reference }
    /** A refund, and the bet that it is for after it; `late`: a while after it. */
    | { readonly kind: 'refund-ahead'; readonly sum: Sum; readonly late: boolean }
    | { readonly kind: 'resend'; readonly of: Reference }
    /** The same call under a used txID with another amount. */
    | { readonly kind: 'conflict'; readonly of: Reference; readonly sum: Sum }
    /** A win under the txID of its bet. */
    | { readonly kind: 'across'; readonly of: Reference; readonly sum: Sum }
    /** A bet of more than there is. */
    | { readonly kind: 'beyond'; readonly sum: Sum; readonly round: Reference | null }
    /** A bet of all that there is. */
    | { readonly kind: 'everything' }
    | { readonly kind: 'zero-bet' }
    | { readonly kind: 'free-bet'; readonly sum: Sum }
    | { readonly kind: 'free-win'; readonly of: Reference; readonly sum: Sum }
    /** The regular win that pays out a campaign. */
    | { readonly kind: 'withdrawal'; readonly of: Reference; readonly sum: Sum }
    /** A call with a wrong signature, and perhaps the same with the right one. */
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
    /** An earlier call again, under its own signature, with another amount. */
    | { readonly kind: 'tampered'; readonly of: Reference; readonly sum: Sum }
    /** Nothing for a while, in which an operator may forget. */
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

/** What several calls at the same instant are. */
export const AT_ONCE = [
  'bets', // of one player, each of another amount
  'bets-of-two', // of two players
  'wins', // of rounds that are open
  'bet-copies', // the same bytes
  'win-copies',
  'refund-copies',
  'refunds', // of one bet, each under a txID of its own
  'bet-and-refund',
  'overdraft', // bets of which two are more than there is
] as const;

type AtOnce = (typeof AT_ONCE)[number];

/** What a history is: what it is played with, and what happens in it. */
export interface History {
  /** What the main session's currency must be like; null: any. */
  readonly currency: CurrencyWish | null;
  readonly operations: readonly Operation[];
}

export interface CurrencyWish {
  readonly kind?: 'fiat' | 'crypto' | 'virtual';
  readonly decimals?: number | 'some';
}

/** Whom the configured sessions allow to play, by what the main session's currency is to be like. */
export interface Cast {
  readonly currency: CurrencyWish | null;
  readonly players: ReadonlySet<Player>;
}
