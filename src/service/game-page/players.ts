import { LRUCache } from 'lru-cache';
import type { Campaign } from '../../contract/core-api.ts';
import { Money } from '../../contract/money.ts';
import type { Adapter } from '../adapter/adapter.ts';
import { PAYTABLE, type Paytable } from '../adapter/paytable.ts';
import type { FreeCampaign, Play } from '../adapter/play.ts';
import type { BalanceResult, RefusalReason } from '../adapter/results.ts';
import type { RoundRecord } from '../adapter/round-record.ts';
import { betLinesOf, formatAmount, USUAL_LINE } from '../bet-lines.ts';
import type { Campaigns } from '../campaigns.ts';
import { Feed } from '../feed.ts';
import { hueOf } from '../game-images.ts';
import type { GameSession, GameSessions } from '../game-sessions.ts';
import type { Game } from '../games.ts';
import { viewOfPlayed, viewOfRecord } from './round-view.ts';
import type { FreeView, GameView, RoundView } from './view.ts';

export interface PlayersOptions {
  readonly games: readonly Game[];
  readonly sessions: Pick<GameSessions, 'isExpired'>;
  readonly campaigns: Campaigns;
  readonly play: Pick<Play, 'balance' | 'round' | 'freeRound' | 'progress'>;
  readonly adapter: Pick<Adapter, 'roundsOf'>;
  /** Returns the paytable of a game. If left out, all games have the default paytable. */
  readonly paytableOf?: (gameID: string) => Paytable;
  /**
   * Registers a listener that is called with a round after each event of the round.
   *
   * @returns a function that removes the listener
   */
  readonly onRound: (listener: (record: RoundRecord) => void) => () => void;
  /** Returns the milliseconds since 1970. */
  readonly clock: () => number;
  /** Is called with errors of work in the background. */
  readonly onFault: (error: unknown) => void;
}

/** The result of a request to play a round. */
export type Played =
  | { readonly kind: 'played'; readonly view: GameView; readonly roundID: string }
  /** The round was not played, and nothing was sent. */
  | { readonly kind: 'refused'; readonly reason: 'expired' | 'busy' | 'stake' | RefusalReason };

/** A request to play a round. */
export interface RoundRequest {
  /** One of the stakes of the view. Ignored if the player has free rounds. */
  readonly stake: string;
  /** The multiplier of the stake, a plain decimal. Drawn at random if left out. */
  readonly multiplier?: string;
}

/** The state of a session's game page. */
interface PlayerState {
  readonly session: GameSession;
  balance: string | null;
  trouble: string | null;
  playing: boolean;
  /** The rounds by `roundID`, oldest first. */
  readonly rounds: Map<string, RoundView>;
}

/** The maximum number of rounds that are kept for a page. */
const MAX_ROUNDS = 50;
/** The maximum number of sessions whose page state is kept. */
const MAX_STATES = 1000;

/**
 * The players of the game pages. The class plays the rounds of each session one after the other, and keeps the state that the
 * session's page shows.
 */
export class Players {
  readonly #options: PlayersOptions;
  readonly #states = new LRUCache<string, PlayerState>({ max: MAX_STATES });
  readonly #changed = new Feed<string>();
  /** The number of listeners of each session, by `gsID`. */
  readonly #listening = new Map<string, number>();
  #version: number;

  constructor(options: PlayersOptions) {
    this.#options = options;
    this.#version = options.clock();
    options.onRound((record) => this.#update(record));
  }

  /** Returns the view of a session's page. */
  view(session: GameSession): GameView {
    const { gsID, player, currency, locale, demo, gameID } = session;
    const { games, sessions, clock, paytableOf } = this.#options;
    const state = this.#state(session);
    const stakes = betLinesOf(currency).map(({ maxBet }) => formatAmount(maxBet, currency));
    this.#version += 1;
    return {
      version: this.#version,
      gsID,
      player,
      currency,
      locale,
      demo,
      game: {
        id: gameID,
        title: games.find(({ id }) => id === gameID)?.title ?? gameID,
        hue: hueOf(games.findIndex(({ id }) => id === gameID)),
        multipliers: (paytableOf?.(gameID) ?? PAYTABLE).map(({ multiplier }) => multiplier),
      },
      balance: state.balance,
      trouble: state.trouble,
      stakes,
      usualStake: stakes[USUAL_LINE] ?? stakes[0] ?? '1',
      free: this.#freeOf(session),
      rounds: [...state.rounds.values()].toReversed(),
      playing: state.playing,
      expired: sessions.isExpired(session),
      expiresInMs: Math.max(0, session.expiresAt - clock()),
      returnUrl: webAddress(session.returnUrl),
      depositUrl: webAddress(session.depositUrl),
    };
  }

  /** Reads the player's balance, as a game must when it loads (contract, Events). Returns the view with the balance. */
  async readBalance(session: GameSession): Promise<GameView> {
    const state = this.#state(session);
    if (!this.#options.sessions.isExpired(session)) takeBalance(state, await this.#options.play.balance(session));
    return this.view(session);
  }

  /** Reads the player's balance if it is not known yet. */
  async readBalanceOnce(session: GameSession): Promise<void> {
    if (this.#state(session).balance !== null) return;
    await this.readBalance(session);
    this.#changed.publish(session.gsID);
  }

  /**
   * Plays a free round if the player has any. Otherwise it plays a round for the stake.
   *
   * @throws RangeError when the multiplier is not a plain decimal
   * @throws an SQLite error when the round can't be stored; then nothing is sent
   */
  async play(session: GameSession, { stake, multiplier }: RoundRequest): Promise<Played> {
    const { play, sessions, campaigns, clock } = this.#options;
    if (sessions.isExpired(session)) return { kind: 'refused', reason: 'expired' };
    const state = this.#state(session);
    if (state.playing) return { kind: 'refused', reason: 'busy' };
    const campaign = freeRoundsOf(session, campaigns, play, clock());
    if (campaign === undefined && !this.view(session).stakes.includes(stake))
      return { kind: 'refused', reason: 'stake' };
    state.playing = true;
    const at = clock();
    try {
      this.#changed.publish(session.gsID);
      const round = await (campaign
        ? play.freeRound(session, campaign, multiplier)
        : play.round(session, stake, multiplier));
      const { bet, win, roundID } = round;
      if (bet.kind === 'refused') return { kind: 'refused', reason: bet.reason };
      const record = this.#options.adapter.roundsOf(session.gsID).find((one) => one.round.roundID === roundID);
      storeRound(state, viewOfPlayed(round, record, { at, currency: session.currency, free: campaign !== undefined }));
      if (bet.kind === 'accepted') {
        const latest = (win?.kind === 'settled' && win.balance) || bet.balance;
        if (latest !== null) takeBalance(state, { kind: 'balance', balance: latest });
      }
      state.playing = false;
      return { kind: 'played', view: this.view(session), roundID };
    } finally {
      state.playing = false;
      this.#changed.publish(session.gsID);
    }
  }

  /**
   * Calls the listener whenever the view of a session may have changed.
   *
   * @returns a function that removes the listener
   */
  subscribe(gsID: string, listener: () => void): () => void {
    const end = this.#changed.subscribe((changed) => {
      if (changed === gsID) listener();
    });
    this.#listening.set(gsID, (this.#listening.get(gsID) ?? 0) + 1);
    return () => {
      end();
      const left = (this.#listening.get(gsID) ?? 1) - 1;
      if (left === 0) this.#listening.delete(gsID);
      else this.#listening.set(gsID, left);
    };
  }

  #freeOf(session: GameSession): FreeView | null {
    const { campaigns, play, clock } = this.#options;
    const campaign = freeRoundsOf(session, campaigns, play, clock());
    if (campaign === undefined) return null;
    const { left, won } = play.progress(session, campaign);
    return { left, amount: formatAmount(Money.of(campaign.amount), session.currency), won };
  }

  /** Returns the state of a session's page. A new state contains the session's earlier rounds. */
  #state(session: GameSession): PlayerState {
    const { gsID } = session;
    const known = this.#states.get(gsID);
    if (known) return known;
    const state: PlayerState = { session, balance: null, trouble: null, playing: false, rounds: new Map() };
    for (const record of this.#options.adapter.roundsOf(gsID)) storeRound(state, viewOfRecord(record));
    this.#states.set(gsID, state);
    return state;
  }

  #update(record: RoundRecord): void {
    const state = this.#states.get(record.gsID);
    if (state === undefined) return;
    const before = state.rounds.get(record.round.roundID);
    const now = viewOfRecord(record, before);
    storeRound(state, now);
    const wasOwed = before?.state === 'paying' || before?.state === 'returning';
    const isPaidOut = now.payout?.paid === true && before?.payout?.paid !== true;
    if ((wasOwed && now.state !== before.state) || isPaidOut)
      this.#readBalanceAgain(state).catch(this.#options.onFault);
    this.#changed.publish(record.gsID);
  }

  /**
   * Reads the balance after a call was settled in the background. If no page is open, the balance is read when a page
   * is opened.
   */
  async #readBalanceAgain(state: PlayerState): Promise<void> {
    const { session } = state;
    if (this.#listening.has(session.gsID)) takeBalance(state, await this.#options.play.balance(session));
    else state.balance = null;
    this.#changed.publish(session.gsID);
  }
}

function takeBalance(state: PlayerState, result: BalanceResult): void {
  switch (result.kind) {
    case 'balance':
      state.balance = result.balance;
      state.trouble = null;
      break;
    case 'failed':
      state.trouble = result.message;
      break;
    case 'refused':
      state.trouble = 'The game is being stopped.';
      break;
  }
}

/**
 * Stores a round in the state of its page, and removes the oldest round if there are too many. Rounds with an owed call stay,
 * so that the player sees how they end.
 */
function storeRound({ rounds }: PlayerState, round: RoundView): void {
  rounds.set(round.roundID, round);
  if (rounds.size <= MAX_ROUNDS) return;
  const oldest = [...rounds.values()].find(({ state }) => state !== 'paying' && state !== 'returning');
  if (oldest !== undefined) rounds.delete(oldest.roundID);
}

/**
 * Returns the properties of a campaign that its free rounds need. Reverse calls carry the operator's id of the
 * campaign, `extID`.
 */
function freeCampaignOf({ extID, quantity, maxBet, maxMult }: Campaign): FreeCampaign {
  return { frID: extID, quantity, amount: maxBet, maxMult };
}

/**
 * Returns the oldest campaign in which the session's player has free rounds left in this game; undefined if there is
 * none.
 *
 * @param now milliseconds since 1970
 */
export function freeRoundsOf(
  session: GameSession,
  campaigns: Campaigns,
  play: Pick<Play, 'progress'>,
  now: number,
): FreeCampaign | undefined {
  return campaigns
    .openTo(session, now)
    .map(freeCampaignOf)
    .find((campaign) => {
      const { left, gameID } = play.progress(session, campaign);
      return left > 0 && (gameID === null || gameID === session.gameID);
    });
}

/**
 * Returns an address if a page may link to it, that is, if it is http or https. Returns null for any other address,
 * because `javascript:` would run a script.
 */
export function webAddress(text: string | undefined): string | null {
  if (text === undefined || !URL.canParse(text)) return null;
  const { protocol, href } = new URL(text);
  return protocol === 'http:' || protocol === 'https:' ? href : null;
}
