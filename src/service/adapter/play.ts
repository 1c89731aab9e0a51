import { Money } from '../../contract/money.ts';
import { formatAmount } from '../bet-lines.ts';
import type { DemoBalances } from '../demo-balances.ts';
import type { GameSession } from '../game-sessions.ts';
import type { Adapter } from './adapter.ts';
import { drawMultiplier, PAYTABLE, type Paytable, prizeOf } from './paytable.ts';
import type { BalanceResult, BetResult, WinResult } from './results.ts';

/** The part of a campaign that is needed to play its free rounds. */
export interface FreeCampaign {
  /** The operator's id of the campaign. Every call of the campaign's rounds contains this id. */
  readonly frID: string;
  /** The number of free rounds that each player may play. */
  readonly quantity: number;
  /** The bet of each free round, in the main unit of the currency. It comes from the bet line of the campaign. */
  readonly amount: string;
  /** The highest multiplier that a free round of the campaign may win, a plain decimal. */
  readonly maxMult: string;
}

/** A round that was played, and the results of its calls. */
export interface PlayedRound {
  readonly roundID: string;
  readonly stake: string;
  /** The multiplier of the stake, a plain decimal. */
  readonly multiplier: string;
  /** The amount that the player wins if the bet is accepted, in the main unit. */
  readonly prize: string;
  readonly bet: BetResult;
  /** The result of the win; null if the bet was not accepted. */
  readonly win: WinResult | null;
}

/** The progress of a player in a campaign. */
export interface FreeProgress {
  readonly left: number;
  /** The sum of the player's free wins so far, in the main unit. */
  readonly won: string;
  /** The only game in which the player can use the campaign; null before the first free round. */
  readonly gameID: string | null;
  readonly withdrawn: boolean;
}

export interface PlayOptions {
  readonly adapter: Adapter;
  readonly demo: DemoBalances;
  readonly uuid: () => string;
  /** Returns a random number from 0 (included) to 1 (excluded). */
  readonly random: () => number;
  /** Returns the paytable of a game. If this is left out, all games have the default paytable. */
  readonly paytableOf?: (gameID: string) => Paytable;
  /** Is called with each round that is played with a demo balance. */
  readonly onDemoRound?: (session: GameSession, played: PlayedRound) => void;
}

/**
 * Plays rounds of three kinds: with the operator's money, as free rounds, or with a demo balance. Demo rounds make no
 * reverse calls.
 */
export class Play {
  readonly #options: PlayOptions;

  constructor(options: PlayOptions) {
    this.#options = options;
  }

  /** Returns the player's balance: the demo balance, or the balance that the operator answers. */
  async balance(session: GameSession): Promise<BalanceResult> {
    return session.demo
      ? { kind: 'balance', balance: this.#demoBalance(session) }
      : this.#options.adapter.balance(session);
  }

  /**
   * Plays one round.
   *
   * @param stake a plain decimal in the main unit
   * @param multiplier a plain decimal; drawn from the paytable if left out
   * @throws RangeError when stake or multiplier is not a plain decimal
   * @throws an SQLite error when the round can't be stored; then nothing is sent
   */
  async round(session: GameSession, stake: string, multiplier = this.#draw(session)): Promise<PlayedRound> {
    const prize = prizeOf(stake, multiplier, session.currency);
    if (session.demo) {
      const played = this.#demoRound(session, stake, multiplier, prize);
      this.#options.onDemoRound?.(session, played);
      return played;
    }
    const { roundID, bet, win } = await this.#options.adapter.play(session, stake, { win: prize });
    return { roundID, stake, multiplier, prize, bet, win };
  }

  /**
   * Plays one free round. The campaign must be running, and open to this player, game and currency. After the last free
   * round the player is paid the sum of all wins.
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

  /** Returns the progress of a session's player in a campaign. */
  progress({ extCID, player, currency }: GameSession, { frID, quantity }: FreeCampaign): FreeProgress {
    const { adapter } = this.#options;
    const tally = adapter.tally({ frID, extCID, player });
    const ended = adapter.hasCampaignEnded(extCID, frID);
    if (tally === undefined)
      return { left: ended ? 0 : quantity, won: formatAmount(Money.zero, currency), gameID: null, withdrawn: false };
    const { used, won, gameID, withdrawn } = tally;
    return {
      left: ended ? 0 : Math.max(0, quantity - used),
      won: formatAmount(Money.of(won), currency),
      gameID,
      withdrawn,
    };
  }

  #draw({ gameID }: GameSession): string {
    const { paytableOf, random } = this.#options;
    return drawMultiplier(paytableOf?.(gameID) ?? PAYTABLE, random);
  }

  #demoRound(session: GameSession, stake: string, multiplier: string, prize: string): PlayedRound {
    const { demo, uuid } = this.#options;
    const [roundID, txID, winTxID] = [uuid(), uuid(), uuid()];
    const round = { roundID, stake, multiplier, prize };
    if (!demo.debit(session, Money.of(stake))) {
      const bet = { kind: 'declined', txID, refunding: false, status: null, ...TOO_LITTLE } as const;
      return { ...round, bet, win: null };
    }
    const bet = { kind: 'accepted', txID, balance: this.#demoBalance(session) } as const;
    demo.credit(session, Money.of(prize));
    const win = { kind: 'settled', txID: winTxID, amount: prize, balance: this.#demoBalance(session) } as const;
    return { ...round, bet, win };
  }

  #demoBalance(session: GameSession): string {
    return formatAmount(this.#options.demo.balanceOf(session), session.currency);
  }
}

const TOO_LITTLE = { message: 'Your demo balance is too low for this bet.', code: 'insufficient_funds' };
