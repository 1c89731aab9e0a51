import { Money } from '../../contract/money.ts';
import type { FindingCollector } from '../finding-collector.ts';
import type { ConcurrentCalls, UnexpectedReply } from '../idle-read.ts';
import type { Observation, PendingCheck } from '../pending-check.ts';
import type { Wallet } from './wallet.ts';

/** The facts about a wallet that the judge keeps from one balance read to the next. */
export class WalletMemory {
  /** The balance of the last read. undefined if there was no read, or if its balance does not count any more. */
  last: Money | undefined;
  /** The answers to steps that only show how the operator behaves. The next read shows what these steps moved. */
  observations: Observation[] = [];
  /**
   * The check of a bet that the operator seems to have taken after its refund. If a read after the settle time shows the right
   * balance, there is no breach.
   */
  dip: { readonly check: PendingCheck; readonly balance: Money } | undefined;
  /**
   * Calls that were sent at the same instant since the last read. If nothing explains the next balance, a breach of the rule about
   * these calls is reported.
   */
  candidate: ConcurrentCalls | undefined;
  /** The first reply with an impossible balance since the last read. It is judged at the next read. */
  odd: UnexpectedReply | undefined;
  /** A wrong balance that may be out of date, because the replies had the right balance. So it is read again. */
  behind: Money | undefined;
  /** True if a wrong balance was compared with the balances of other players already. */
  comparedWithOthers = false;

  /** Called when a read has been judged. Stores its balance, and forgets everything that the read has decided. */
  turn(value: Money): void {
    this.last = value;
    this.candidate = undefined;
    this.odd = undefined;
    this.behind = undefined;
    this.comparedWithOthers = false;
  }

  /**
   * Reports the answers to steps that only show how the operator behaves, with the sum that moved.
   *
   * @param value the balance that was read
   */
  writeDown(value: Money, wallet: Wallet, collector: FindingCollector): void {
    if (this.observations.length === 0) return;
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
