import { LRUCache } from 'lru-cache';
import type { JsonObject } from '../../contract/json.ts';
import { bodyFields } from '../call-amount.ts';
import type { Received, Sending } from '../event.ts';
import { bodyText } from '../exchange.ts';

/** Minimum number of bets that the operator declined with the same words, before croupier says that it requires a pause. */
const MIN_DECLINED = 3;
/** Maximum number of different declines, of players, and of ids of transactions that are kept. */
const MAX_DECLINES = 20;
const MAX_PLAYERS = 1000;
const MAX_TRANSACTIONS = 2000;

/** A pause that the operator seems to require between two bets of a player. */
export interface PauseBetweenBets {
  /** Number of bets that the operator declined because they came too early. */
  readonly declined: number;
  /** The longest time between the last bet of the player and a declined bet, in ms. */
  readonly tooShortMs: number;
  /** The shortest time between the last bet of the player and an accepted bet, in ms. */
  readonly longEnoughMs: number;
}

/** The bets of a player, or of one session of the player. */
interface Bets {
  readonly inFlight: Set<string>;
  /** The exchanges of the bets that were in flight at the same time as another bet. The order of such bets is not known. */
  readonly overlapped: Set<string>;
  readonly openRounds: Set<string>;
  /** When the reply to the last accepted bet ended. Undefined if there was none, or if the outcome of a later bet is not known. */
  lastMs: number | undefined;
  /** When the last decline with each of the words ended. */
  readonly declinedAt: Map<string, number>;
}

/** The outcome of a call that may be a part of the evidence. */
interface SeenCall {
  readonly id: string;
  readonly isBet: boolean;
  readonly roundID: string;
  readonly stamps: Received['stamps'];
  /** The declined bets are counted by these words of the operator. Null if the outcome of the call is not known. */
  readonly outcome: { readonly accepted: boolean; readonly words: string } | null;
}

/**
 * Finds out whether an operator requires a pause between two bets of a player, or of a session. The pause is the reason for a
 * decline only if every bet that was declined with these words came sooner after the last bet than every accepted bet, and no round
 * was open.
 */
export class PauseTally {
  readonly #ofPlayers = new PausesOf();
  readonly #ofSessions = new PausesOf();
  readonly #accepted = new LRUCache<string, true>({ max: MAX_TRANSACTIONS });

  /** Notes a call with a right signature that is about to be sent. */
  send({ id, call }: Sending, sessionID: string, player: string): void {
    if (call !== 'bet') return;
    this.#ofPlayers.send(id, player);
    this.#ofSessions.send(id, sessionID);
  }

  /** Notes the outcome of a call with a right signature. */
  receive({ call, request }: Sending, { id, outcome, stamps }: Received, sessionID: string, player: string): void {
    if (call === 'balance' || request.body === null) return;
    const fields: JsonObject = bodyFields(request.body) ?? {};
    const [txID, roundID] = [JSON.stringify(fields.txID ?? null), JSON.stringify(fields.roundID ?? null)];
    // The operator does not book a repeated bet again.
    if (this.#accepted.has(txID)) return;
    const reply = outcome.kind === 'reply' && outcome.reply.status < 500 ? outcome.reply : null;
    const accepted = reply?.status === 200;
    if (accepted && call === 'bet') this.#accepted.set(txID, true);
    const seen: SeenCall = {
      id,
      isBet: call === 'bet',
      roundID,
      stamps,
      outcome: reply && { accepted, words: `${reply.status} ${bodyText(reply.body)}` },
    };
    this.#ofPlayers.receive(seen, player);
    this.#ofSessions.receive(seen, sessionID);
  }

  /** The pause that the operator seems to require. Null if it seems to require none. */
  get result(): PauseBetweenBets | null {
    return this.#ofPlayers.result ?? this.#ofSessions.result;
  }
}

/** The evidence for a pause between two bets of one player, or between two bets of one session. */
class PausesOf {
  readonly #bets = new LRUCache<string, Bets>({ max: MAX_PLAYERS });
  /** Number and longest time of the declined bets, by the words of the operator. */
  readonly #declines = new Map<string, { count: number; longestMs: number }>();
  #longEnoughMs = Number.POSITIVE_INFINITY;

  send(id: string, whose: string): void {
    const { inFlight, overlapped } = this.#of(whose);
    inFlight.add(id);
    if (inFlight.size > 1) for (const each of inFlight) overlapped.add(each);
  }

  receive({ id, isBet, roundID, stamps, outcome }: SeenCall, whose: string): void {
    const bets = this.#of(whose);
    const isOverlapped = bets.overlapped.delete(id);
    bets.inFlight.delete(id);
    if (!isBet) {
      if (outcome?.accepted) bets.openRounds.delete(roundID);
      return;
    }
    if (!outcome) {
      bets.lastMs = undefined;
      return;
    }
    const sinceMs = isOverlapped || bets.lastMs === undefined ? undefined : Math.max(stamps.start - bets.lastMs, 0);
    if (outcome.accepted) {
      if (sinceMs !== undefined) this.#longEnoughMs = Math.min(this.#longEnoughMs, sinceMs);
      bets.openRounds.add(roundID);
      bets.lastMs = stamps.end;
      return;
    }
    const { words } = outcome;
    // At some operators, a bet that was declined for another reason begins a pause too.
    const others = [...bets.declinedAt].filter(([said]) => said !== words).map(([, atMs]) => stamps.start - atMs);
    if (bets.declinedAt.size < MAX_DECLINES || bets.declinedAt.has(words)) bets.declinedAt.set(words, stamps.end);
    // An operator may also decline a bet because a round of the player is open.
    if (sinceMs === undefined || bets.openRounds.size > 0) return;
    const decline = this.#declines.get(words) ?? { count: 0, longestMs: 0 };
    decline.count += 1;
    decline.longestMs = Math.max(decline.longestMs, Math.min(sinceMs, ...others));
    if (this.#declines.size < MAX_DECLINES) this.#declines.set(words, decline);
  }

  get result(): PauseBetweenBets | null {
    const longEnoughMs = this.#longEnoughMs;
    if (longEnoughMs === Number.POSITIVE_INFINITY) return null;
    const [most] = [...this.#declines.values()]
      .filter(({ count, longestMs }) => count >= MIN_DECLINED && longestMs < longEnoughMs)
      .toSorted((a, b) => b.count - a.count);
    return most ? { declined: most.count, tooShortMs: most.longestMs, longEnoughMs } : null;
  }

  #of(whose: string): Bets {
    const known = this.#bets.get(whose);
    if (known) return known;
    const bets = {
      inFlight: new Set<string>(),
      overlapped: new Set<string>(),
      openRounds: new Set<string>(),
      declinedAt: new Map<string, number>(),
      lastMs: undefined,
    };
    this.#bets.set(whose, bets);
    return bets;
  }
}

/** Says how soon the declined bets came, and which setting helps. */
export function pauseText({ declined, tooShortMs, longEnoughMs }: PauseBetweenBets): string {
  const seconds = (ms: number): string => `${(ms / 1000).toFixed(2)} s`;
  // At this rate, two calls are at least as far apart as the bets that were accepted.
  const rate = Math.max(Math.floor((1000 / longEnoughMs) * 10) / 10, 0.1);
  return `${declined} declined bets came at most ${seconds(tooShortMs)} after the last bet, and all accepted ones at least ${seconds(longEnoughMs)} after it: if a bet needs this pause, set \`rate: ${rate}\``;
}
