import type { CallName } from '../../contract/call-name.ts';
import type { RuleId } from '../../contract/catalogue.ts';
import type { Money } from '../../contract/money.ts';
import type { LoadTransaction } from '../wallet.ts';

/** A reply with an impossible balance: none of the calls that were open at that time can explain it. */
export interface OddReply {
  readonly call: CallName;
  readonly sessionID: string;
  readonly transaction: LoadTransaction | undefined;
  readonly shown: Money;
  readonly low: Money;
  readonly high: Money;
  readonly isExact: boolean;
  /** True if the balance lies between `low` and `high`, but is none of the possible balances. */
  readonly isWithin: boolean;
  readonly at: number;
}

/** The rule that an odd reply breaks, and the call that broke it. */
interface OddReplyFinding extends Pick<OddReply, 'call' | 'sessionID' | 'transaction'> {
  readonly rule: RuleId;
  readonly expected: string;
  readonly actual: string;
}

/**
 * Explains a reply that showed a wrong balance, although the stored balance is right.
 *
 * If an earlier transaction was sent again later, and processed again, its first processing may have had no effect. Then the
 * transaction is at fault, and not the call whose reply showed this.
 *
 * @param transactions the transactions before the reply, as far as they are known
 */
export function explainOddReply(odd: OddReply, transactions: readonly LoadTransaction[]): OddReplyFinding {
  const { call, sessionID, transaction, shown, low, high, isExact, isWithin } = odd;
  const range = isExact ? `the balance ${low}` : isWithin ? 'one of the balances' : `a balance from ${low} to ${high}`;
  const place = isWithin ? `, which is none of them, although it lies between ${low} and ${high}` : '';
  const expected = `the reply shows ${range}${isWithin ? ' that' : ', which'} the calls at that moment allow`;
  const lost = isExact ? transactions.filter((one) => wasLostAtFirst(one, odd)) : [];
  const [first] = lost;
  if (first !== undefined && lost.length === 1) {
    return {
      call: first.call,
      sessionID: first.sessionID,
      transaction: first,
      rule: first.isOverlapped ? 'concurrency.no-lost-update' : first.call === 'bet' ? 'bet.debit' : 'win.credit',
      expected: `a later reply shows the balance ${low}, which the calls at that moment allow`,
      actual: `it shows ${shown}, as if this ${first.call} of ${first.amountText} had moved no money. It moved its amount when it was sent again`,
    };
  }
  return {
    call,
    sessionID,
    transaction,
    rule: ruleOf(odd),
    expected,
    actual: `the reply shows ${shown}${place}. The stored balance is right`,
  };
}

function ruleOf({ call, isExact, transaction }: OddReply): RuleId {
  if (call === 'balance' && isExact) return 'balance.read';
  if (call === 'balance' || transaction?.isOverlapped) return 'concurrency.no-lost-update';
  return call === 'bet' ? 'bet.debit' : 'win.credit';
}

/** True if the reply shows exactly that this transaction had moved no money until then. */
function wasLostAtFirst(one: LoadTransaction, { transaction, shown, low, at }: OddReply): boolean {
  const { call, amount, state, isFree, isProcessedAgain, sentAt } = one;
  if (one === transaction || call === 'refund' || isFree || state !== 'applied' || !isProcessedAgain) return false;
  return sentAt < at && shown.minus(low).equals(call === 'bet' ? amount : amount.negated());
}
