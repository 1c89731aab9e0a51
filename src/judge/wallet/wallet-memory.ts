import { Money } from '../../contract/money.ts';
import type { FindingCollector } from '../finding-collector.ts';
import type { ConcurrentCalls, UnexpectedReply } from '../idle-read.ts';
import type { Observation, PendingCheck } from '../pending-check.ts';
import type { Wallet } from './wallet.ts';

/** The facts about a wallet that are kept between two idle reads. */
export class WalletMemory {
  /** The balance of the last idle read; undefined: there was none, or it no longer counts. */
  last: Money | undefined;
  /** The answers to steps that only observe the operator. The next read shows what they moved. */
  observations: Observation[] = [];
  /** A bet was taken after its refund. It is no breach if the balance is right again within the settle time. */
  dip: PendingCheck | undefined;
  /** The calls that were sent at once. An unexplained balance is reported under their rule. */
  candidate: ConcurrentCalls | undefined;
  /** A reply whose balance did not fit. It is judged at the next read of the wallet. */
  odd: UnexpectedReply | undefined;
  /** The balance of a read that did not fit although the replies did. The balance is read again. */
  behind: Money | undefined;

  /** Ends the judgement of a read: nothing waits for it any more. */
  turn(value: Money): void {
    this.last = value;
    this.candidate = undefined;
    this.odd = undefined;
    this.behind = undefined;
  }

  /** Reports the answers to observed steps, and what they moved according to the read of `value`. */
  writeDown(value: Money, wallet: Wallet, collector: FindingCollector): void {
    const before = this.last ?? value;
    const sure = wallet.moves.reduce((sum, { delta }) => sum.plus(delta), Money.zero);
    const moved = value.minus(before).minus(sure);
    const effect = moved.isZero()
      ? 'nothing moved'
      : `the balance ${moved.isNegative() ? 'fell' : 'rose'} by ${moved.absolute()}`;
    for (const { rule, step, exchange, answered } of this.observations) {
      collector.decide({ rule, step, exchange }, { kind: 'note', actual: `${answered}; ${effect}` });
    }
    this.observations = [];
  }
}
