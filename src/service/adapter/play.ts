import { Money } from '../../contract/money.ts';
import { written } from '../bet-lines.ts';
import type { DemoBalances } from '../demo-balances.ts';
import type { GameSession } from '../game-session.ts';
import type { Adapter } from './adapter.ts';
import { drawMultiplier, PAYTABLE, type Paytable, prizeOf } from './paytable.ts';
import type { BalanceResult, BetResult, WinResult } from './results.ts';

/** A campaign of free rounds, as far as play has to know it. */
export interface FreeCampaign {
  /** What the operator knows it by; every call of its rounds carries it. */
  readonly frID: string;
  /** How many free rounds each player has. */
  readonly quantity: number;
  /** What each free round bets, in the main unit: the fixed amount of the campaign's bet line. */
  readonly amount: string;
  /** A win is at most so many times the amount. */
  readonly maxMult: string;
}

/** What a round of play came to. */
export interface PlayedRound {
  readonly roundID: string;
  readonly stake: string;
  /** By how much the stake was multiplied. */
  readonly multiplier: string;
  /** What the round wins if its bet is accepted, in the main unit. */
  readonly prize: string;
  readonly bet: BetResult;
  /** null when the bet was not accepted. */
  readonly win: WinResult | null;
}

/** How far a player is in a campaign. */
export interface FreeProgress {
  readonly left: number;
  /** What the free rounds won so far, in the main unit. */
  readonly won: string;
  /** The one game in which the player uses the campaign; null before the first free round. */
  readonly gameID: string | null;
  readonly withdrawn: boolean;
}

export interface PlayOptions {
  readonly adapter: Adapter;
  readonly demo: DemoBalances;
  readonly uuid: () => string;
  /** From 0 up to 1. */
  readonly random: () => number;
  /** What a game may bring; the same for all unless told otherwise. */
  readonly paytableOf?: (gameID: string) => Paytable;
}

/** Plays rounds: with the operator's money, for free, or with a demo balance that no operator hears of. */
export class Play {
  readonly #options: PlayOptions;

  constructor(options: PlayOptions) {
    this.#options = options;
  }

  /** What the player has. */
  async balance(session: GameSession): Promise<BalanceResult> {
    return session.demo
      ? { kind: 'balance', balance: this.#demoBalance(session) }
      : this.#options.adapter.balance(session);
  }

  /**
   * Plays one round.
   *
   * @param stake a plain decimal in the main unit
   * @param multiplier chosen instead of drawn
   * @throws RangeError when one of them is no plain decimal
   * @throws what the system says when the round can't be recorded; nothing was sent then
   */
  async round(session: GameSession, stake: string, multiplier = this.#draw(session)): Promise<PlayedRound> {
    const prize = prizeOf(stake, multiplier, session.currency);
    if (session.demo) return this.#demoRound(session, stake, multiplier, prize);
    const { roundID, bet, win } = await this.#options.adapter.play(session, stake, { win: prize });
    return { roundID, stake, multiplier, prize, bet, win };
  }

  /**
   * Plays one free round of a campaign, which must be running and meant for this player, game and currency. After the last one the
   * player is paid what all of them won.
   *
   * @throws what `round` throws
   */
  async freeRound(
    session: GameSession,
    { frID, quantity, amount, maxMult }: FreeCampaign,
    multiplier = this.#draw(session),
  ): Promise<PlayedRound> {
    const prize = prizeOf(amount, multiplier, session.currency, maxMult);
    const terms = { win: prize, free: { frID, quantity } };
    const { roundID, bet, win } = await this.#options.adapter.play(session, amount, terms);
    return { roundID, stake: amount, multiplier, prize, bet, win };
  }

  /** How far the player of a session is in a campaign. */
  progress({ extCID, player, currency }: GameSession, { frID, quantity }: FreeCampaign): FreeProgress {
    const { adapter } = this.#options;
    const tally = adapter.tally({ frID, extCID, player });
    const ended = adapter.hasCampaignEnded(extCID, frID);
    if (tally === undefined)
      return { left: ended ? 0 : quantity, won: written(Money.zero, currency), gameID: null, withdrawn: false };
    const { used, won, gameID, withdrawn } = tally;
    return { left: ended ? 0 : Math.max(0, quantity - used), won: written(Money.of(won), currency), gameID, withdrawn };
  }

  #draw({ gameID }: GameSession): string {
    const { paytableOf, random } = this.#options;
    return drawMultiplier(paytableOf?.(gameID) ?? PAYTABLE, random);
  }

  #demoRound(session: GameSession, stake: string, multiplier: string, prize: string): PlayedRound {
    const { demo, uuid } = this.#options;
    const [roundID, txID, winTxID] = [uuid(), uuid(), uuid()];
    const round = { roundID, stake, multiplier, prize };
    if (!demo.take(session, Money.of(stake))) {
      const bet = { kind: 'declined', txID, refunding: false, status: null, ...TOO_LITTLE } as const;
      return { ...round, bet, win: null };
    }
    const bet = { kind: 'accepted', txID, balance: this.#demoBalance(session) } as const;
    demo.give(session, Money.of(prize));
    const win = { kind: 'settled', txID: winTxID, amount: prize, balance: this.#demoBalance(session) } as const;
    return { ...round, bet, win };
  }

  #demoBalance(session: GameSession): string {
    return written(this.#options.demo.balanceOf(session), session.currency);
  }
}

const TOO_LITTLE = { message: 'Your demo balance is too low for this bet.', code: 'insufficient_funds' };
