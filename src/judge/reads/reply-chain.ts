import type { CallName } from '../../contract/call-name.ts';
import type { RuleId } from '../../contract/catalogue.ts';
import type { Money } from '../../contract/money.ts';
import type { CallStep } from '../../scenario/plan/plan.ts';

/** The reply to an accepted call that was sent alone. */
export interface ReplyLink {
  /** The rule that the call breaks if it moved a wrong sum. undefined if another rule than those about replies judges the call. */
  readonly rule: RuleId | undefined;
  readonly step: CallStep;
  readonly exchange: string;
  /** The balance in the reply. */
  readonly said: Money;
  /** The signed sum that the call must move. */
  readonly delta: Money;
  /** Other rules about the same call. The breach of one of them explains the wrong sum. */
  readonly alsoAbout: readonly RuleId[];
  /** The signed sum that the transaction moved at first, if the call sends it again, perhaps with another body. */
  readonly again?: Money;
  /** The id of the scenario that sent the call. */
  readonly scenario: string;
}

/** A call whose reply shows a wrong sum. */
export interface WrongLink extends ReplyLink {
  readonly rule: RuleId;
  /** The balance in the reply to the call before. */
  readonly before: Money;
  /** The sum by which the balance is wrong. */
  readonly by: Money;
  /** True if an earlier scenario sent the call. */
  readonly isOfEarlier: boolean;
}

interface Last {
  readonly said: Money;
  /** The kinds of calls whose replies continue each other, up to this reply. */
  readonly agreeing: ReadonlySet<CallName>;
  /** True if the next reply, or a read, shows that this reply is right. */
  readonly isSure: boolean;
}

interface PossiblyWrong extends WrongLink {
  readonly agreeing: ReadonlySet<CallName>;
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
 * - a read after the call shows another balance, so the reads are wrong, or the reads of the wallet are known to be old;
 * - the reply to the next call continues from the wrong sum. Repeated calls with a wrong sum may come before this reply;
 * - the replies to calls of the kind of the next call continued the replies before the wrong sum, because an operator may show wrong
 *   balances in all replies to one kind.
 */
export class ReplyChain {
  #last: Last | undefined;
  #wrong: PossiblyWrong | undefined;
  #lastRead: Money | undefined;
  /** The effects of the transactions that were sent again after the last reply. Perhaps they moved money again. */
  #sentAgain: readonly Money[] = [];

  /** Forgets the replies. This is necessary after a call whose effect is not certain. */
  interrupt(): void {
    this.#last = undefined;
    this.#wrong = undefined;
    this.#sentAgain = [];
  }

  /** Called when a scenario begins. */
  begin(): void {
    if (this.#wrong) this.#wrong = { ...this.#wrong, isOfEarlier: true };
  }

  /**
   * Notes that a transaction was sent again, and that its reply may be the stored first reply.
   *
   * @param effect the signed sum that the transaction moved at first
   */
  sentAgain(effect: Money): void {
    this.#sentAgain = [...this.#sentAgain, effect];
  }

  /** The balance in the last reply. undefined if it is not known. */
  get lastSaid(): Money | undefined {
    return this.#last?.said;
  }

  /**
   * Notes the balance of a read that was sent while no other call was in flight.
   *
   * @param isOld true if the reads of the wallet are known to show old balances
   */
  read(value: Money, isOld: boolean): void {
    const isNews = this.#lastRead?.equals(value) !== true;
    this.#lastRead = value;
    if (this.#wrong) {
      const { said, before, isBeforeSure, isContradicted } = this.#wrong;
      // The judge of the reads reports this sum, unless the reads are old.
      if (value.equals(said) && !isOld) this.#wrong = undefined;
      else
        this.#wrong = {
          ...this.#wrong,
          isContradicted: isContradicted || !value.equals(said),
          isBeforeSure: isBeforeSure || (isNews && value.equals(before)),
        };
    } else if (isNews && this.#last?.said.equals(value)) this.#last = { ...this.#last, isSure: true };
  }

  /**
   * Notes the reply to a call.
   *
   * @param isOld true if the reads of the wallet are known to show old balances
   * @returns the call before, if the replies prove that it moved a wrong sum
   */
  add(link: ReplyLink, isOld: boolean): WrongLink | undefined {
    const last = this.#last;
    const wrong = this.#wrong;
    const sentAgain = this.#sentAgain;
    const { rule, said, delta, step, again } = link;
    const by = last && said.minus(last.said).minus(delta);
    const fits = by?.isZero() === true;
    this.#wrong = undefined;
    this.#sentAgain = [];
    // Perhaps several repeated calls in a row have moved money. Then the reply to the next new call shows this for all of them.
    const isFurther = wrong?.again !== undefined && again !== undefined;
    // If this transaction has moved exactly its own sum again, and no other one could move this sum, the others do not matter.
    const isOwn = by !== undefined && again?.equals(by) === true && !sentAgain.some((one) => one.equals(by));
    // A call that moves nothing fits any reply that is repeated, so it does not show that its kind has right replies.
    this.#last =
      last && fits && delta.isZero()
        ? last
        : { said, agreeing: new Set([...(last && fits ? last.agreeing : []), step.call]), isSure: fits };
    if (!last || !by) return undefined;
    if (!fits) {
      if (isFurther) this.#wrong = wrong;
      else if (!wrong && (sentAgain.length === 0 || isOwn) && rule)
        this.#wrong = {
          ...link,
          rule,
          before: last.said,
          by,
          isOfEarlier: false,
          agreeing: last.agreeing,
          isBeforeSure: last.isSure,
          isContradicted: false,
        };
      return undefined;
    }
    const isProven = wrong && (wrong.isContradicted || isOld) && wrong.isBeforeSure && wrong.agreeing.has(step.call);
    return isProven ? wrong : undefined;
  }
}
