import type { TransactionCall } from '../../contract/call-name.ts';
import type { Operation, Reference, Sum } from './operation.ts';

/** A game round, with the calls that the service has sent in it. */
export interface Round {
  bets: number;
  wins: number;
  refunded: boolean;
  /** The round with the same `roundID` in the other game. Null if there is none. */
  sameIDRound: Round | null;
}

/** A call of a history, with the result that the contract defines. */
export interface LedgerEntry {
  readonly id: number;
  readonly call: TransactionCall;
  /** The name by which other steps refer to this call. */
  readonly name: string;
  readonly player: 'main' | 'other' | 'second';
  readonly sum: Sum;
  readonly round: Round;
  /** For a refund: the bet that it gives back. For a win: the bet of its round. Null for a bet. */
  readonly of: LedgerEntry | null;
  readonly free: boolean;
  /** `reversed`: a bet that was refunded. */
  state: 'accepted' | 'reversed' | 'declined';
  /** True if the contract does not define the result of this call. Then only the identical call may be sent again. */
  uncertain: boolean;
  /** True if no other call may refer to this call, and this call may not be sent again. */
  unusable: boolean;
  /** True if the call moves no money, whatever its amount is. */
  movesNothing: boolean;
  /** True for a bet of the whole balance. */
  isWholeBalance: boolean;
}

/**
 * The part of a wallet's balance that is certain: the balance at the beginning of the scenario with all later changes. After a bet
 * of the whole balance, it starts again from zero.
 */
export class KnownBalance {
  #fromStart = true;
  #stakes = 0;
  #units = 0;
  readonly #limit: number;
  /** The balance that the wallet needs at the beginning of the scenario. */
  needed: Sum = { stakes: 0, units: 0 };
  /** True if the contract does not define which amount was moved since the last read. */
  uncertain = false;

  /** @param limit maximum of `needed`, in stakes: a scenario can require a balance of the main wallet only */
  constructor(limit: number) {
    this.#limit = limit;
  }

  covers({ stakes, units }: Sum): boolean {
    if (this.#fromStart) return stakes - this.#stakes <= this.#limit;
    // Some money must stay in the wallet, because croupier cannot restore the balance of an empty wallet.
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

  /** Notes that the whole balance was bet. A small amount that may be left in the wallet is ignored. */
  empty(): void {
    this.#fromStart = false;
    this.#stakes = 0;
    this.#units = 0;
  }
}

/**
 * Maximum number of stakes that a history takes from the other player. It is low, because a scenario cannot require a balance
 * of this player.
 */
const MAX_OTHER = 8;
const MAX_MAIN = 60;

/**
 * The calls of a history so far, and the certain part of the balances.
 *
 * The classes in `ledger/` can't be used here: a history is generated before any call is sent, so answers and currencies are not
 * known yet. Therefore amounts are counted in stakes and units, and a balance is only a minimum that the scenario requires.
 */
export class HistoryLedger {
  readonly entries: LedgerEntry[] = [];
  readonly #knownBalances = { main: new KnownBalance(MAX_MAIN), other: new KnownBalance(MAX_OTHER) };
  readonly #counts = { bet: 0, win: 0, refund: 0 };

  /** Returns the certain balance of a player. `main` and `second` are sessions of one player, so they share a wallet. */
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

  /** Returns the entry that a reference selects among the entries that fit. Returns undefined if no entry fits. */
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

/** For each kind of operation: a condition that is true if the operation can be about this earlier call. */
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
