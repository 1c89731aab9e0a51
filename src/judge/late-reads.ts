import type { RuleId } from '../contract/catalogue.ts';
import type { Money } from '../contract/money.ts';
import { breach } from './check.ts';
import type { Docket } from './docket.ts';
import type { Effects } from './effects.ts';
import type { Lateness } from './lateness.ts';
import { leftOut } from './left-out.ts';
import type { OddReply, QuietRead } from './quiet-read.ts';
import { either, isTiny } from './unexplained.ts';
import type { Wallet } from './wallet.ts';

/** Reads of one story that may leave out what was moved before them: how long they wait, and what is told of them. */
export class LateReads {
  readonly #docket: Docket;
  readonly #effects: Effects;
  readonly #lateness: Lateness;
  /** Rules under which it was told in this story that a read is behind. */
  readonly #told = new Set<RuleId>();

  constructor(docket: Docket, effects: Effects, lateness: Lateness) {
    this.#docket = docket;
    this.#effects = effects;
    this.#lateness = lateness;
  }

  /**
   * How many ms a read is to wait for what was moved before it. 0 also where a call of another kind than those that were
   * seen to be late was sent: whether it is late too is to be found out.
   */
  pauseMs(wallet: Wallet): number {
    // What was read already is not behind any more.
    const isNews = wallet.moves.length > 0 || wallet.forks.length > 0 || wallet.openSince !== null;
    if (wallet.known && !isNews) return 0;
    const kinds = [
      ...wallet.moves.map(({ step }) => this.#effects.callOf(step)),
      ...wallet.forks.map(({ txID }) => this.#effects.ofTxID(txID)?.part.step.call),
    ];
    return this.#lateness.covers(kinds.filter((kind) => kind !== undefined)) ? this.#lateness.pauseMs : 0;
  }

  /**
   * Whether a read that does not fit may do so a little later: where the replies had told otherwise, where a refund was not
   * paid yet, and wherever reads were seen to catch up.
   */
  mayCatchUp(read: QuietRead, odd: OddReply | undefined): boolean {
    const { wallet } = read;
    if (isTiny(read)) return false;
    const { isWaitedFor, isWorthWaiting, isSure } = this.#lateness;
    if (isWaitedFor) return true;
    if (odd) return odd.rule === 'refund.restore' && !isSure && isWorthWaiting;
    return wallet.isTold && !wallet.readsLag && !isSure;
  }

  /**
   * Tells, once in a story for each rule, that a read has left out what was moved before it.
   *
   * @param told the balance that it told
   * @param healed it told the right one when it was repeated a little later
   */
  tell({ wallet, step, exchange }: QuietRead, told: Money, healed: boolean, actual: string): void {
    const kinds = leftOut(wallet, told, {
      callOf: (key) => this.#effects.callOf(key),
      isLate: (kind) => this.#lateness.covers([kind]),
    });
    if (kinds.length === 0) return;
    this.#lateness.saw(kinds, healed);
    const { rule } = this.#lateness;
    if (rule === undefined || this.#told.has(rule)) return;
    this.#told.add(rule);
    // Where calls of another kind turn out to be late too, it is the reads, and not each kind of call by itself.
    const causes: readonly RuleId[] = rule === 'balance.read' ? [] : ['balance.read'];
    const expected = `the next read shows what was moved before it: the balance is ${either(wallet.possible())}`;
    this.#docket.decide({ rule, step, exchange }, breach(expected, actual, causes));
  }

  /** A read that was repeated told the same. */
  waitedInVain(): void {
    this.#lateness.waitedInVain();
  }
}
