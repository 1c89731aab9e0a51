import type { CallName } from '../../contract/call-name.ts';
import type { RuleId } from '../../contract/catalogue.ts';
import type { Money } from '../../contract/money.ts';
import type { CallStep } from '../../scenario/plan/plan.ts';

/** The reply to an accepted call that was sent alone. */
interface ReplyLink {
  /** The rule that the call breaks if it moved a wrong sum. */
  readonly rule: RuleId;
  readonly step: CallStep;
  readonly exchange: string;
  /** The balance in the reply. */
  readonly said: Money;
  /** The signed sum that the call must move. */
  readonly delta: Money;
  /** Other rules about the same call. The breach of one of them explains the wrong sum. */
  readonly alsoAbout: readonly RuleId[];
}

/** A call whose reply shows a wrong sum. */
export interface WrongLink extends ReplyLink {
  /** The balance in the reply to the call before. */
  readonly before: Money;
  /** The sum by which the balance is wrong. */
  readonly by: Money;
}

interface Last {
  readonly said: Money;
  readonly call: CallName;
  /** True if the next reply, or a read, shows that this reply is right. */
  readonly isSure: boolean;
}

interface PossiblyWrong extends WrongLink {
  readonly callBefore: CallName;
  readonly isBeforeSure: boolean;
  /** True if a read shows another balance than the reply. */
  readonly isContradicted: boolean;
}

/**
 * Compares the balances in the replies to calls of one wallet that follow each other, without the balances of reads. If reads show old
 * balances, only the replies show that a call moved a wrong sum.
 *
 * A wrong sum is certain only under all these conditions:
 *
 * - the reply before the call is right, as the reply before it, or a read, shows;
 * - a read after the call shows another balance, so the reads are wrong;
 * - the reply to the next call continues from the wrong sum;
 * - the calls before and after the call are of one kind, because an operator may show wrong balances in all replies to one kind.
 */
export class ReplyChain {
  #last: Last | undefined;
  #wrong: PossiblyWrong | undefined;
  #lastRead: Money | undefined;

  /** Forgets the replies. This is necessary after a call whose effect is not certain. */
  interrupt(): void {
    this.#last = undefined;
    this.#wrong = undefined;
  }

  /** Notes the balance of a read that was sent while no other call was in flight. */
  read(value: Money): void {
    const isNews = this.#lastRead?.equals(value) !== true;
    this.#lastRead = value;
    if (this.#wrong) {
      const { said, before, isBeforeSure } = this.#wrong;
      // The judge of the reads reports this sum.
      if (value.equals(said)) this.#wrong = undefined;
      else
        this.#wrong = {
          ...this.#wrong,
          isContradicted: true,
          isBeforeSure: isBeforeSure || (isNews && value.equals(before)),
        };
    } else if (isNews && this.#last?.said.equals(value)) this.#last = { ...this.#last, isSure: true };
  }

  /**
   * Notes the reply to a call.
   *
   * @returns the call before, if the replies prove that it moved a wrong sum
   */
  add(link: ReplyLink): WrongLink | undefined {
    const last = this.#last;
    const wrong = this.#wrong;
    const { said, delta, step } = link;
    const by = last && said.minus(last.said).minus(delta);
    this.#wrong = undefined;
    this.#last = { said, call: step.call, isSure: by?.isZero() === true };
    if (!last || !by) return undefined;
    if (!by.isZero()) {
      if (!wrong)
        this.#wrong = {
          ...link,
          before: last.said,
          by,
          callBefore: last.call,
          isBeforeSure: last.isSure,
          isContradicted: false,
        };
      return undefined;
    }
    const isProven = wrong?.isContradicted && wrong.isBeforeSure && wrong.callBefore === step.call;
    return isProven ? wrong : undefined;
  }
}
