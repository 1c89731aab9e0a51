import { Money } from '../contract/money.ts';
import type { Docket } from './docket.ts';
import type { Obligation, Observation } from './obligation.ts';
import type { OddReply, Suspicion } from './quiet-read.ts';
import type { Wallet } from './wallet.ts';

/** What is remembered of a wallet between two quiet reads. */
export class WalletMemory {
  /** What the last quiet read told. undefined: none is known that still counts. */
  last: Money | undefined;
  /** What was answered to steps that are there to see what the operator does; the next read tells what they moved. */
  observations: Observation[] = [];
  /** A bet was seen to be taken after its refund; forgiven when it heals within the linger. */
  dip: Obligation | undefined;
  /** The rule that an unexplained balance goes to: of the calls that were sent at once. */
  suspect: Suspicion | undefined;
  /** A reply whose balance did not fit, to be weighed when the wallet has been read. */
  odd: OddReply | undefined;
  /** What a read told that did not fit, though the replies did; it is asked for again. */
  behind: Money | undefined;

  /** A read was judged: what was to be weighed by it is done with. */
  turn(value: Money): void {
    this.last = value;
    this.suspect = undefined;
    this.odd = undefined;
    this.behind = undefined;
  }

  /** Notes what the observed steps were answered and have moved, now that `value` was read. */
  writeDown(value: Money, wallet: Wallet, docket: Docket): void {
    const before = this.last ?? value;
    const sure = wallet.moves.reduce((sum, { delta }) => sum.plus(delta), Money.zero);
    const moved = value.minus(before).minus(sure);
    const effect = moved.isZero()
      ? 'nothing moved'
      : `the balance ${moved.isNegative() ? 'fell' : 'rose'} by ${moved.absolute()}`;
    for (const { rule, step, exchange, answered } of this.observations) {
      docket.decide({ rule, step, exchange }, { kind: 'note', actual: `${answered}; ${effect}` });
    }
    this.observations = [];
  }
}
