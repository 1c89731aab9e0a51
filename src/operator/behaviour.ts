import { failure, type Reply, success } from '../sdk/reply.ts';
import { verifyBalance, verifyBet, verifyRefund, verifyWin } from '../sdk/reverse-call.ts';
import type { Decision } from './decision.ts';
import { WORDINGS } from './decision.ts';
import type { Claim, Session, Store, Transaction } from './store.ts';

/**
 * The steps in which operators differ, each by itself, so that one can be done in another way and the rest stays right.
 * None keeps a state of its own.
 */
export interface Behaviour {
  /** Is the call signed with the client's key, and does it say what such a call must say? */
  readonly verify: {
    readonly balance: typeof verifyBalance;
    readonly bet: typeof verifyBet;
    readonly win: typeof verifyWin;
    readonly refund: typeof verifyRefund;
  };
  /** Carries out one call, apart from all others, whole or not at all. */
  readonly carryOut: (store: Store, work: () => Decision) => Decision | Promise<Decision>;
  /** The answer to a txID that was processed before. */
  readonly recall: (earlier: Transaction, again: Claim) => Decision;
  /** May this session begin something new? */
  readonly isOpen: (session: Session) => boolean;
  /** What a bet takes, in the smallest unit. */
  readonly debitOf: (bet: Claim) => bigint;
  /** Is there money enough for it? */
  readonly covers: (balance: bigint, debit: bigint) => boolean;
  /** The refunds because of which a bet that arrives only now must take nothing. */
  readonly refundsAhead: (store: Store, walletID: number, betTxID: string) => readonly Transaction[];
  /** What a win adds, in the smallest unit. */
  readonly creditOf: (win: Claim) => bigint;
  /** What a refund gives back to this wallet for the transaction that it names, if that is known. */
  readonly restoredBy: (refund: Claim, original: Transaction | undefined) => bigint;
  /** Puts a decision into status, headers and body. */
  readonly reply: (decision: Decision) => Reply;
}

/** Right by every MUST and SHOULD of the catalogue. */
export const CORRECT: Behaviour = {
  verify: { balance: verifyBalance, bet: verifyBet, win: verifyWin, refund: verifyRefund },
  carryOut: (store, work) => store.atomically(work),
  recall: (earlier, again) => (isSameClaim(earlier, again) ? decisionOf(earlier) : CONFLICT),
  isOpen: (session) => session.state === 'active',
  debitOf: (bet) => (bet.type === 'free' ? 0n : (bet.amount ?? 0n)),
  covers: (balance, debit) => balance >= debit,
  refundsAhead: (store, walletID, betTxID) => store.refundsOf(walletID, betTxID),
  creditOf: (win) => (win.type === 'free' ? 0n : (win.amount ?? 0n)),
  restoredBy: (refund, original) => {
    if (original?.call !== 'bet' || original.outcome !== 'done') return 0n;
    if (original.reversedBy !== null || original.walletID !== refund.walletID) return 0n;
    return -original.moved;
  },
  reply: (decision) => (decision.kind === 'declined' ? failure(WORDINGS[decision.reason]) : success(decision)),
};

const CONFLICT: Decision = { kind: 'declined', reason: 'transaction-conflict' };

/** The decision that was made about a transaction when it came first. */
export function decisionOf(transaction: Transaction): Decision {
  return transaction.outcome === 'done'
    ? { kind: 'done', txID: `op-${transaction.id}`, balance: transaction.balance ?? '0' }
    : { kind: 'declined', reason: transaction.outcome };
}

/** Compared by what moves money or decides where to: a further field, or `1.0` for `1.00`, makes no other claim. */
function isSameClaim(a: Claim, b: Claim): boolean {
  return (
    a.call === b.call &&
    a.sessionID === b.sessionID &&
    a.amount === b.amount &&
    a.roundID === b.roundID &&
    a.origTxID === b.origTxID &&
    (a.type === 'free') === (b.type === 'free') &&
    a.frID === b.frID
  );
}
