import type { Operation, Reference, Sum } from './operation.ts';

/** A game round as the service sees it. */
export interface Round {
  bets: number;
  wins: number;
  refunded: boolean;
  /** The round with the same `roundID` in the other game. */
  twin: Round | null;
}

/** A call of a history, and what it came to by the contract. */
export interface Deed {
  readonly id: number;
  readonly call: 'bet' | 'win' | 'refund';
  /** What other steps call it. */
  readonly name: string;
  readonly player: 'main' | 'other' | 'second';
  readonly sum: Sum;
  readonly round: Round;
  /** The bet that a refund gives back, or whose round a win ends. */
  readonly of: Deed | null;
  readonly free: boolean;
  /** `reversed`: a bet that was refunded. */
  state: 'accepted' | 'reversed' | 'declined';
  /** The contract leaves open what it came to: nothing but itself may be sent again. */
  odd: boolean;
  /** Not even that. */
  spoilt: boolean;
  /** It moves nothing, whatever its sum. */
  empty: boolean;
  /** A bet of all that there was. */
  whole: boolean;
}

/** A wallet's balance, no more than is certain of it: what it held at the beginning, or nothing, and what came since. */
export class Purse {
  #fromStart = true;
  #stakes = 0;
  #units = 0;
  readonly #limit: number;
  /** What it must hold at the beginning. */
  needed: Sum = { stakes: 0, units: 0 };
  /** The contract leaves open what was moved since the last read. */
  open = false;

  /** @param limit the most stakes that may be needed; of the main wallet alone a scenario can say what it needs */
  constructor(limit: number) {
    this.#limit = limit;
  }

  covers({ stakes, units }: Sum): boolean {
    if (this.#fromStart) return stakes - this.#stakes <= this.#limit;
    // Something must be left, for an empty wallet can't be played back to what it held.
    const isAll = this.#stakes === stakes && this.#units === units;
    return this.#stakes >= stakes && this.#units >= units && !isAll;
  }

  spend({ stakes, units }: Sum): void {
    this.#stakes -= stakes;
    this.#units -= units;
    if (!this.#fromStart) return;
    this.needed = {
      stakes: Math.max(this.needed.stakes, -this.#stakes),
      units: Math.max(this.needed.units, -this.#units),
    };
  }

  gain({ stakes, units }: Sum): void {
    this.#stakes += stakes;
    this.#units += units;
  }

  /** All is spent; what remains of it, if anything does, can't be relied upon. */
  empty(): void {
    this.#fromStart = false;
    this.#stakes = 0;
    this.#units = 0;
  }
}

/** The most that a bet history may take from a player whose balance a scenario can't ask for. */
const MOST_OF_OTHERS = 8;
const MOST_OF_MAIN = 60;

/** What has happened in a history so far. */
export class Ledger {
  readonly deeds: Deed[] = [];
  readonly #purses = { main: new Purse(MOST_OF_MAIN), other: new Purse(MOST_OF_OTHERS) };
  readonly #counts = { bet: 0, win: 0, refund: 0 };

  /** Sessions of one player share a wallet. */
  purse(player: 'main' | 'other' | 'second'): Purse {
    return player === 'other' ? this.#purses.other : this.#purses.main;
  }

  add(
    deed: Omit<Deed, 'name' | 'odd' | 'spoilt' | 'empty' | 'whole' | 'free' | 'of'> &
      Partial<Pick<Deed, 'odd' | 'free' | 'of'>>,
  ): Deed {
    this.#counts[deed.call] += 1;
    if (deed.call === 'bet') deed.round.bets += 1;
    const name = `${deed.call}${this.#counts[deed.call]}`;
    const added = { odd: false, spoilt: false, empty: false, whole: false, free: false, of: null, ...deed, name };
    this.deeds.push(added);
    return added;
  }

  /** The deed that a reference means among those that are fit; undefined: there is none. */
  choose(reference: Reference, isFit: (deed: Deed) => boolean): Deed | undefined {
    const fit = this.deeds.filter(isFit);
    return 'id' in reference
      ? fit.find(({ id }) => id === reference.id)
      : fit[reference.pick % Math.max(fit.length, 1)];
  }
}

export function newRound(): Round {
  return { bets: 0, wins: 0, refunded: false, twin: null };
}

/** A bet that stands, and nothing about it is open. */
function isSound(deed: Deed): boolean {
  return deed.call === 'bet' && deed.state === 'accepted' && !deed.odd && !deed.spoilt;
}

function isOngoing({ round }: Deed): boolean {
  return round.wins === 0 && !round.refunded;
}

/** No other bet has to do with its round. */
export function isAlone({ round }: Deed): boolean {
  return round.bets === 1 && round.twin === null;
}

/** For each kind of operation, which earlier calls it can be about. */
export const FIT: Readonly<Partial<Record<Operation['kind'], (deed: Deed) => boolean>>> = {
  bet: (deed) => isSound(deed) && !deed.free && isOngoing(deed),
  beyond: (deed) => isSound(deed) && !deed.free && isOngoing(deed) && deed.player === 'main',
  reuse: (deed) => isSound(deed) && !deed.free && deed.player === 'main',
  win: (deed) => isSound(deed) && !deed.free && !deed.round.refunded && deed.round.wins < 2,
  refund: (deed) => isSound(deed) && deed.round.wins === 0,
  'refund-unknown': (deed) => isSound(deed) && !deed.free && deed.player === 'main',
  'refund-again': (deed) => deed.call === 'bet' && deed.state === 'reversed' && !deed.odd && !deed.spoilt,
  'refund-settled': (deed) =>
    isSound(deed) && !deed.free && deed.round.wins > 0 && !deed.round.refunded && isAlone(deed),
  'refund-declined': (deed) => deed.call === 'bet' && deed.state === 'declined',
  'refund-foreign': (deed) => isSound(deed) && !deed.free && !deed.whole && isOngoing(deed) && deed.player === 'main',
  resend: (deed) => !deed.spoilt && (deed.state === 'accepted' || (deed.state === 'reversed' && !deed.free)),
  conflict: (deed) =>
    deed.state === 'accepted' && !deed.odd && !deed.spoilt && !deed.empty && !deed.free && !deed.of?.free,
  tampered: (deed) => deed.state === 'accepted' && deed.call !== 'refund' && !deed.odd && !deed.spoilt && !deed.free,
  across: (deed) => isSound(deed) && !deed.free && !deed.whole && isOngoing(deed),
  'free-win': (deed) => isSound(deed) && deed.free && isOngoing(deed),
  withdrawal: (deed) => isSound(deed) && deed.free && !deed.round.refunded,
};
