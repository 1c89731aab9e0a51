import { Money } from '../../contract/money.ts';
import type { Adapter } from '../adapter/adapter.ts';
import { PAYTABLE, type Paytable } from '../adapter/paytable.ts';
import type { Play } from '../adapter/play.ts';
import type { BalanceResult, RefusalReason } from '../adapter/results.ts';
import type { RoundRecord } from '../adapter/round-record.ts';
import { betLinesOf, written } from '../bet-lines.ts';
import type { Campaigns } from '../campaigns.ts';
import { Feed } from '../feed.ts';
import { freeRoundsOf } from '../free-play.ts';
import type { Game } from '../game.ts';
import { hueOf } from '../game-images.ts';
import type { GameSession } from '../game-session.ts';
import type { GameSessions } from '../game-sessions.ts';
import { viewOfPlayed, viewOfRecord } from './round-view.ts';
import type { FreeView, GameView, RoundView } from './view.ts';
import { webAddress } from './web-address.ts';

export interface SeatsOptions {
  readonly games: readonly Game[];
  readonly sessions: Pick<GameSessions, 'isExpired'>;
  readonly campaigns: Campaigns;
  readonly play: Pick<Play, 'balance' | 'round' | 'freeRound' | 'progress'>;
  readonly adapter: Pick<Adapter, 'rounds'>;
  /** What a round of a game may bring; the same for all unless told otherwise. */
  readonly paytableOf?: (gameID: string) => Paytable;
  /** Hears of a round of the adapter's whenever something happened in it. */
  readonly onRound: (listener: (record: RoundRecord) => void) => () => void;
  /** Milliseconds since 1970. */
  readonly clock: () => number;
  /** Hears of what went wrong where nobody waits for an answer. */
  readonly onFault: (error: unknown) => void;
}

/** What came of the wish to play a round. */
export type Played =
  | { readonly kind: 'played'; readonly view: GameView; readonly roundID: string }
  /** Nothing was sent. */
  | { readonly kind: 'refused'; readonly reason: 'expired' | 'busy' | 'stake' | RefusalReason };

/** What is to be played. */
export interface RoundWish {
  /** One of the stakes of the view; not used in free rounds. */
  readonly stake: string;
  /** Chosen instead of drawn: by what the stake is multiplied, a plain decimal. */
  readonly multiplier?: string;
}

/** What a player sees of a session beside the session itself. */
interface Seat {
  readonly session: GameSession;
  balance: string | null;
  trouble: string | null;
  playing: boolean;
  /** Oldest first. */
  readonly rounds: Map<string, RoundView>;
}

/** So many rounds of a session are shown. */
const ROUNDS_KEPT = 50;
/** So many sessions are remembered with their rounds. */
const SEATS_KEPT = 1000;
const USUAL_LINE = 3;

/** Where players sit: plays their rounds one after the other, and knows what each of them sees. */
export class Seats {
  readonly #options: SeatsOptions;
  readonly #seats = new Map<string, Seat>();
  readonly #changed = new Feed<string>();
  /** How many listen for changes of a session. */
  readonly #listening = new Map<string, number>();
  #version: number;

  constructor(options: SeatsOptions) {
    this.#options = options;
    this.#version = options.clock();
    options.onRound((record) => this.#hear(record));
  }

  /** What the player of a session sees, as far as it is known. */
  view(session: GameSession): GameView {
    const { gsID, player, currency, locale, demo, gameID } = session;
    const { games, sessions, clock, paytableOf } = this.#options;
    const seat = this.#seat(session);
    const stakes = betLinesOf(currency).map(({ maxBet }) => written(maxBet, currency));
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
      balance: seat.balance,
      trouble: seat.trouble,
      stakes,
      usualStake: stakes[USUAL_LINE] ?? stakes[0] ?? '1',
      free: this.#freeOf(session),
      rounds: [...seat.rounds.values()].toReversed(),
      playing: seat.playing,
      expired: sessions.isExpired(session),
      expiresInMs: Math.max(0, session.expiresAt - clock()),
      returnUrl: webAddress(session.returnUrl),
      depositUrl: webAddress(session.depositUrl),
    };
  }

  /** Reads the balance: a game does so when it loads (contract, Events). */
  async look(session: GameSession): Promise<GameView> {
    const seat = this.#seat(session);
    if (!this.#options.sessions.isExpired(session)) takeBalance(seat, await this.#options.play.balance(session));
    return this.view(session);
  }

  /** As `look`, when the balance is not known yet. */
  async lookOnce(session: GameSession): Promise<void> {
    if (this.#seat(session).balance !== null) return;
    await this.look(session);
    this.#changed.publish(session.gsID);
  }

  /**
   * Plays a round: a free one as long as there are any, else one for the stake.
   *
   * @throws RangeError when the multiplier is no plain decimal
   * @throws what the system says when the round can't be recorded; nothing was sent then
   */
  async play(session: GameSession, { stake, multiplier }: RoundWish): Promise<Played> {
    const { play, sessions, campaigns, clock } = this.#options;
    if (sessions.isExpired(session)) return { kind: 'refused', reason: 'expired' };
    const seat = this.#seat(session);
    if (seat.playing) return { kind: 'refused', reason: 'busy' };
    const campaign = freeRoundsOf(session, campaigns, play, clock());
    if (campaign === undefined && !this.view(session).stakes.includes(stake))
      return { kind: 'refused', reason: 'stake' };
    seat.playing = true;
    const at = clock();
    try {
      this.#changed.publish(session.gsID);
      const round = await (campaign
        ? play.freeRound(session, campaign, multiplier)
        : play.round(session, stake, multiplier));
      const { bet, win, roundID } = round;
      if (bet.kind === 'refused') return { kind: 'refused', reason: bet.reason };
      const record = this.#options.adapter.rounds().find((one) => one.round.roundID === roundID);
      keep(seat, viewOfPlayed(round, record, { at, currency: session.currency, free: campaign !== undefined }));
      if (bet.kind === 'accepted') {
        const latest = (win?.kind === 'settled' && win.balance) || bet.balance;
        if (latest !== null) takeBalance(seat, { kind: 'balance', balance: latest });
      }
      seat.playing = false;
      return { kind: 'played', view: this.view(session), roundID };
    } finally {
      seat.playing = false;
      this.#changed.publish(session.gsID);
    }
  }

  /** Hears whenever a session's view may have changed. @returns ends it */
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
    return { left, amount: written(Money.of(campaign.amount), session.currency), won };
  }

  /** What a session is remembered by, with what is known of its rounds from before. */
  #seat(session: GameSession): Seat {
    const { gsID } = session;
    const known = this.#seats.get(gsID);
    if (known) return known;
    const seat: Seat = { session, balance: null, trouble: null, playing: false, rounds: new Map() };
    for (const record of this.#options.adapter.rounds()) {
      if (record.gsID === gsID) keep(seat, viewOfRecord(record));
    }
    this.#seats.set(gsID, seat);
    const [oldest] = this.#seats.keys();
    if (this.#seats.size > SEATS_KEPT && oldest !== undefined) this.#seats.delete(oldest);
    return seat;
  }

  #hear(record: RoundRecord): void {
    const seat = this.#seats.get(record.gsID);
    if (seat === undefined) return;
    const before = seat.rounds.get(record.round.roundID);
    const now = viewOfRecord(record, before);
    keep(seat, now);
    const wasOwed = before?.state === 'paying' || before?.state === 'returning';
    const isPaidOut = now.payout?.paid === true && before?.payout?.paid !== true;
    if ((wasOwed && now.state !== before.state) || isPaidOut) this.#readAgain(seat).catch(this.#options.onFault);
    this.#changed.publish(record.gsID);
  }

  /** What was settled in the background has moved the balance. Where nobody looks, the next look will read it. */
  async #readAgain(seat: Seat): Promise<void> {
    const { session } = seat;
    if (this.#listening.has(session.gsID)) takeBalance(seat, await this.#options.play.balance(session));
    else seat.balance = null;
    this.#changed.publish(session.gsID);
  }
}

function takeBalance(seat: Seat, result: BalanceResult): void {
  switch (result.kind) {
    case 'balance':
      seat.balance = result.balance;
      seat.trouble = null;
      break;
    case 'failed':
      seat.trouble = result.message;
      break;
    case 'refused':
      seat.trouble = 'The game is being stopped.';
      break;
  }
}

/** What is still owed stays, so that its player sees how it ends. */
function keep({ rounds }: Seat, round: RoundView): void {
  rounds.set(round.roundID, round);
  if (rounds.size <= ROUNDS_KEPT) return;
  const oldest = [...rounds.values()].find(({ state }) => state !== 'paying' && state !== 'returning');
  if (oldest !== undefined) rounds.delete(oldest.roundID);
}
