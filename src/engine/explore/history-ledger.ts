import type { TransactionCall } from '../../contract/call-name.ts';
import type { Operation, Reference, Sum } from './operation.ts';

/** A game round as the service sees it. */
export interface Round {
  bets: number;
  wins: number;
  refunded: boolean;
  /** The round with the same `roundID` in the other game. */
  sameIDRound: Round | null;
}

/** A call of a history, with its result by the contract. */
export interface LedgerEntry {
  readonly id: number;
  readonly call: TransactionCall;
  /** The name by which other steps refer to it. */
  readonly name: string;
  readonly player: 'main' | 'other' | 'second';
  readonly sum: Sum;
  readonly round: Round;
  /** The bet that a refund gives back, or whose round a win ends. */
  readonly of: LedgerEntry | null;
  readonly free: boolean;
  /** `reversed`: a bet that was refunded. */
  state: 'accepted' | 'reversed' | 'declined';
  /** The contract leaves the result open, so only the same call may be sent again. */
  uncertain: boolean;
  /** No other call may refer to it, and it is not sent again. */
  unusable: boolean;
  /** It moves no money, whatever its sum is. */
  movesNothing: boolean;
  /** A bet of the whole balance. */
  isWholeBalance: boolean;
}

/** The part of a wallet's balance that is certain: the balance at the beginning, or zero, and the changes since. */
export class KnownBalance {
  #fromStart = true;
  #stakes = 0;
  #units = 0;
  readonly #limit: number;
  /** The balance that the wallet needs at the beginning. */
  needed: Sum = { stakes: 0, units: 0 };
  /** True if the contract leaves open what was moved since the last read. */
  uncertain = false;

  /** @param limit maximum of `needed`, in stakes: a scenario can demand a balance of the main wallet only */
  constructor(limit: number) {
    this.#limit = limit;
  }

  covers({ stakes, units }: Sum): boolean {
    if (this.#fromStart) return stakes - this.#stakes <= this.#limit;
    // Something must be left, because croupier cannot restore the balance of an empty wallet.
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

  /** Everything was bet. A rest that may remain is not counted. */
  empty(): void {
    this.#fromStart = false;
    this.#stakes = 0;
    this.#units = 0;
  }
}

/** Maximum number of stakes that a history takes from a player whose balance a scenario cannot demand. */
const MAX_OTHER = 8;
const MAX_MAIN = 60;

/**
 * The calls of a history so far, and what is certain of the balances.
 *
 * It does not use `ledger/`: a history is generated before anything is sent. No answer is known and no currency, so sums are in
 * stakes and units, and a balance is a lower bound that the scenario asks for.
 */
export class HistoryLedger {
  readonly entries: LedgerEntry[] = [];
  readonly #knownBalances = { main: new KnownBalance(MAX_MAIN), other: new KnownBalance(MAX_OTHER) };
  readonly #counts = { bet: 0, win: 0, refund: 0 };

  /** Sessions of one player share a wallet. */
  knownBalance(player: 'main' | 'other' | 'second'): KnownBalance {
    return player === 'other' ? this.#knownBalances.other : this.#knownBalances.main;
  }

  add(
    entry: Omit<LedgerEntry, 'name' | 'uncertain' | 'unusable' | 'movesNothing' | 'isWholeBalance' | 'free' | 'of'> &
      Partial<Pick<LedgerEntry, 'uncertain' | 'free' | 'of'>>,
  ): LedgerEntry {
    this.#counts[entry.call] += 1;
    if (entry.call === 'bet') entry.round.bets += 1;
    const name = `${entry.call}${this.#counts[entry.call]}`;
    const added = {
      uncertain: false,
      unusable: false,
      movesNothing: false,
      isWholeBalance: false,
      free: false,
      of: null,
      ...entry,
      name,
    };
    this.entries.push(added);
    return added;
  }

  /** The entry that a reference selects among those that fit; undefined: there is none. */
  choose(reference: Reference, isFit: (entry: LedgerEntry) => boolean): LedgerEntry | undefined {
    const fit = this.entries.filter(isFit);
    return 'id' in reference
      ? fit.find(({ id }) => id === reference.id)
      : fit[reference.pick % Math.max(fit.length, 1)];
  }
}

export function newRound(): Round {
  return { bets: 0, wins: 0, refunded: false, sameIDRound: null };
}

/** True for an accepted bet with a certain result. */
function isSound(entry: LedgerEntry): boolean {
  return entry.call === 'bet' && entry.state === 'accepted' && !entry.uncertain && !entry.unusable;
}

function isOngoing({ round }: LedgerEntry): boolean {
  return round.wins === 0 && !round.refunded;
}

/** True if the round of the entry has no other bet. */
export function isAlone({ round }: LedgerEntry): boolean {
  return round.bets === 1 && round.sameIDRound === null;
}

/** For each kind of operation: the earlier calls that it can be about. */
export const FIT: Readonly<Partial<Record<Operation['kind'], (entry: LedgerEntry) => boolean>>> = {
  bet: (entry) => isSound(entry) && !entry.free && isOngoing(entry),
  beyond: (entry) => isSound(entry) && !entry.free && isOngoing(entry) && entry.player === 'main',
  reuse: (entry) => isSound(entry) && !entry.free && entry.player === 'main',
  win: (entry) => isSound(entry) && !entry.free && !entry.round.refunded && entry.round.wins < 2,
  refund: (entry) => isSound(entry) && entry.round.wins === 0,
  'refund-unknown': (entry) => isSound(entry) && !entry.free && entry.player === 'main',
  'refund-again': (entry) => entry.call === 'bet' && entry.state === 'reversed' && !entry.uncertain && !entry.unusable,
  'refund-settled': (entry) =>
    isSound(entry) && !entry.free && entry.round.wins > 0 && !entry.round.refunded && isAlone(entry),
  'refund-declined': (entry) => entry.call === 'bet' && entry.state === 'declined',
  'refund-foreign': (entry) =>
    isSound(entry) && !entry.free && !entry.isWholeBalance && isOngoing(entry) && entry.player === 'main',
  resend: (entry) => !entry.unusable && (entry.state === 'accepted' || (entry.state === 'reversed' && !entry.free)),
  conflict: (entry) =>
    entry.state === 'accepted' &&
    !entry.uncertain &&
    !entry.unusable &&
    !entry.movesNothing &&
    !entry.free &&
    !entry.of?.free,
  tampered: (entry) =>
    entry.state === 'accepted' && entry.call !== 'refund' && !entry.uncertain && !entry.unusable && !entry.free,
  across: (entry) => isSound(entry) && !entry.free && !entry.isWholeBalance && isOngoing(entry),
  'free-win': (entry) => isSound(entry) && entry.free && isOngoing(entry),
  withdrawal: (entry) => isSound(entry) && entry.free && !entry.round.refunded,
};
