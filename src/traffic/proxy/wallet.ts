import type { SignatureState } from '../../contract/signature.ts';
import type { LoggedCall } from '../calls/logged-call.ts';
import type { JudgedCall } from './proxied-call.ts';
import { WalletHistory, type WalletHistoryOptions } from './wallet-history.ts';

/** A call that is in flight. `overlapped` is true if another call that moves money was in flight at the same time. */
export interface PendingCall {
  readonly number: number;
  readonly isMoney: boolean;
  overlapped: boolean;
}

/** A call that has ended and is not judged yet. */
export interface EndedCall {
  readonly pending: PendingCall;
  readonly proxiedCall: JudgedCall;
  readonly logged: LoggedCall;
  readonly signature: SignatureState;
  readonly isWellFormed: boolean;
}

/**
 * Maximum number of ended calls that wait for the calls in flight to end. After that, all these calls are judged together, in
 * order.
 */
const MAX_WAITING = 64;

/**
 * The calls in flight and the history of one wallet. A wallet belongs to a player, or to a session if its player is
 * unknown.
 */
export class Wallet {
  readonly name: string;
  /** True if the player of the session is unknown. Then other sessions may use the same wallet. */
  readonly isAlias: boolean;
  readonly history: WalletHistory;
  readonly #pending = new Set<PendingCall>();
  #waiting: EndedCall[] = [];

  constructor(name: string, isAlias: boolean, options: WalletHistoryOptions) {
    this.name = name;
    this.isAlias = isAlias;
    this.history = new WalletHistory(options);
  }

  begin(number: number, isMoney: boolean): PendingCall {
    const call: PendingCall = { number, isMoney, overlapped: false };
    for (const other of this.#pending) {
      if (isMoney) other.overlapped = true;
      if (other.isMoney) call.overlapped = true;
    }
    this.#pending.add(call);
    return call;
  }

  /** Ends a call. Returns the calls that can be judged now, in the order in which they began. */
  end(ended: EndedCall): readonly EndedCall[] {
    this.#pending.delete(ended.pending);
    this.#waiting.push(ended);
    return this.#pending.size === 0 || this.#waiting.length >= MAX_WAITING ? this.take() : [];
  }

  /** Returns and removes the calls that have ended and are not judged yet. */
  take(): readonly EndedCall[] {
    const ready = this.#waiting.toSorted((a, b) => a.pending.number - b.pending.number);
    this.#waiting = [];
    return ready;
  }

  /**
   * Makes the balance unknown until the reply to a later call shows the balance. A reply to a call that has already begun may still
   * contain the old balance, so it is not used.
   */
  balanceChanged(): void {
    for (const call of this.#pending) call.overlapped = true;
    for (const { pending } of this.#waiting) pending.overlapped = true;
    this.history.loosen();
  }

  /** Forgets a call whose end will never be known. */
  drop(call: PendingCall): void {
    this.#pending.delete(call);
  }
}
