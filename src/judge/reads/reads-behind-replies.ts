import type { CallName } from '../../contract/call-name.ts';
import type { Money } from '../../contract/money.ts';
import type { CallStep } from '../../scenario/plan/plan.ts';
import type { IdleRead } from '../idle-read.ts';

/** A read that showed the balance before the last call, although the reply to this call had another balance. */
export interface OldRead {
  readonly value: Money;
  readonly step: CallStep;
  readonly exchange: string;
  /** The kind of the call whose effect the read does not include. */
  readonly call: CallName;
  /** The balance in the reply to this call. */
  readonly said: Money;
}

interface LastReply {
  readonly call: CallName;
  readonly said: Money;
  /** The signed sum that the call must move. */
  readonly delta: Money;
  /** The balance in the reply to the call before. */
  readonly before: Money | undefined;
}

/**
 * Finds the reads of one wallet that show old balances, also if the operator moves wrong sums. The replies prove this under all these
 * conditions:
 *
 * - the read showed the balance in the reply to the call before the last call;
 * - the reply to the next call continues from the reply to the last call, or it has the same balance, although the next call moves
 *   money in the other direction;
 * - the next read shows a balance that the replies had after the first read was old.
 */
export class ReadsBehindReplies {
  #last: LastReply | undefined;
  #old: OldRead | undefined;
  /** True if the reply to the call after the old read continues from the reply before it. */
  #isContinued = false;

  /** Forgets the replies. This is necessary after a call whose effect is not certain. */
  interrupt(): void {
    this.#last = undefined;
    this.#forgetOld();
  }

  /** Called when a scenario begins. Only a read of the current scenario can be reported. */
  begin(): void {
    this.#forgetOld();
  }

  /** Notes that a transaction was sent again. Only a later read counts, so that this call does not explain the balance. */
  sentAgain(): void {
    this.#forgetOld();
  }

  /**
   * Notes the reply to an accepted call that was sent alone.
   *
   * @param delta the signed sum that the call must move
   */
  reply(call: CallName, said: Money, delta: Money): void {
    const last = this.#last;
    this.#last = { call, said, delta, before: last?.said };
    // Only the very next reply counts, so that no further call can explain the balance.
    const isNext = this.#old !== undefined && !this.#isContinued && last !== undefined;
    if (isNext && (last.said.plus(delta).equals(said) || isLost(last, said, delta))) this.#isContinued = true;
    else this.#forgetOld();
  }

  /**
   * Notes the balance of a read that was sent while no other call was in flight.
   *
   * @returns an earlier read, if this read proves that it showed an old balance
   */
  read({ value, step, exchange }: Pick<IdleRead, 'value' | 'step' | 'exchange'>): OldRead | undefined {
    const old = this.#provenBy(value);
    this.#forgetOld();
    const last = this.#last;
    if (last?.before?.equals(value) && !last.said.equals(value))
      this.#old = { value, step, exchange, call: last.call, said: last.said };
    return old;
  }

  /**
   * Returns true if a balance includes the last call, also if this call moved a wrong sum: it is the balance in the reply to this call, and
   * the reply before had another balance, from which the call moved it in the right direction.
   */
  includesLast(value: Money): boolean {
    const last = this.#last;
    const moved = last?.before && last.said.minus(last.before);
    if (!last || !moved || moved.isZero() || last.delta.isZero()) return false;
    return value.equals(last.said) && moved.isNegative() === last.delta.isNegative();
  }

  #provenBy(value: Money): OldRead | undefined {
    const old = this.#old;
    if (!old || !this.#isContinued || value.equals(old.value)) return undefined;
    return value.equals(old.said) || this.#last?.said.equals(value) ? old : undefined;
  }

  #forgetOld(): void {
    this.#old = undefined;
    this.#isContinued = false;
  }
}

/**
 * True if the reply to a call has the balance of the last reply: the operator has not carried out the call. If the call moves money in
 * the other direction than the last call, no effect of this call explains that a later read shows this balance.
 */
function isLost({ said: last, before }: LastReply, said: Money, delta: Money): boolean {
  const moved = before && last.minus(before);
  return said.equals(last) && moved !== undefined && !delta.isZero() && moved.isNegative() !== delta.isNegative();
}
