import type { ToldCall } from '../incident/story/told-call.ts';
import type { Crossing } from './crossing.ts';
import type { Signature } from './signatures.ts';
import { WalletBooks } from './wallet-books.ts';

/** A call that is on its way, and whether it met another one about money. */
export interface UnderWay {
  readonly number: number;
  readonly isMoney: boolean;
  met: boolean;
}

/** A call that has ended and is yet to be judged. */
export interface Ended {
  readonly underWay: UnderWay;
  readonly crossing: Crossing;
  readonly told: ToldCall;
  readonly signature: Signature;
  readonly isWellFormed: boolean;
}

/** Calls that end while others are under way wait until all have ended, but no more of them than this. */
const MOST_WAITING = 64;

/** What is known of one wallet while its calls pass: a player's, or a session's where nobody says who plays. */
export class Wallet {
  readonly name: string;
  /** Another session may be the same player's. */
  readonly isAlias: boolean;
  readonly books: WalletBooks;
  readonly #underWay = new Set<UnderWay>();
  #waiting: Ended[] = [];

  constructor(name: string, isAlias: boolean, onForgotten: (key: string) => void) {
    this.name = name;
    this.isAlias = isAlias;
    this.books = new WalletBooks(onForgotten);
  }

  begin(number: number, isMoney: boolean): UnderWay {
    const call: UnderWay = { number, isMoney, met: false };
    for (const other of this.#underWay) {
      if (isMoney) other.met = true;
      if (other.isMoney) call.met = true;
    }
    this.#underWay.add(call);
    return call;
  }

  /** @returns calls that can be judged now, in the order in which they began */
  end(ended: Ended): readonly Ended[] {
    this.#underWay.delete(ended.underWay);
    this.#waiting.push(ended);
    return this.#underWay.size === 0 || this.#waiting.length >= MOST_WAITING ? this.take() : [];
  }

  /** What has ended and was not judged yet. */
  take(): readonly Ended[] {
    const ready = this.#waiting.toSorted((a, b) => a.underWay.number - b.underWay.number);
    this.#waiting = [];
    return ready;
  }

  /** A call won't be heard of any more. */
  drop(call: UnderWay): void {
    this.#underWay.delete(call);
  }
}
