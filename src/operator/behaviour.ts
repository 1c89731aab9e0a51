import { SIGNATURE_HEADER } from '../contract/signature.ts';
import { type HeaderPairs, headerOf, type ListenReply, type ListenRequest } from '../listen/message.ts';
import type { NewCampaign, NewGame } from '../sdk/core-api-client.ts';
import { failure, type Reply, success } from '../sdk/reply.ts';
import { type Refused, verifyBalance, verifyBet, verifyRefund, verifyWin } from '../sdk/reverse-call.ts';
import { type AmountScale, readAmount, scaleOf, writeAmount } from './amount.ts';
import { type Decision, type DeclineReason, WORDINGS } from './decision.ts';
import type { ClientOptions } from './options.ts';
import type { Claim, Session, Store, Transaction, TransactionEntry, Wallet } from './store.ts';

/** What the books say about those whom a call concerns. */
export interface Books {
  readonly session: Session | undefined;
  readonly wallet: Wallet | undefined;
  /** What has been processed under the call's txID. */
  readonly earlier: Transaction | undefined;
}

/** One call to be decided: to look into the books, then to act on what was read there. */
export interface Work {
  readonly look: () => Books;
  readonly act: (books: Books) => Decision;
}

/**
 * The steps in which operators differ, each by itself, so that one can be done in another way and the rest stays right.
 * None of the right ones keeps a state of its own.
 */
export interface Behaviour {
  /** Takes a request in, and lets the reply out. */
  readonly receive: (
    request: ListenRequest,
    answer: (request: ListenRequest) => Promise<ListenReply>,
  ) => Promise<ListenReply>;
  /** Lays the text of a finished reply out: how it looks, never what it says. */
  readonly layOut: (reply: ListenReply, request: ListenRequest) => ListenReply;
  /** Puts a reply on its way: how it is encoded and carried. */
  readonly deliver: (reply: ListenReply, request: ListenRequest) => ListenReply;
  /** Finds the signature among the headers. */
  readonly signatureOf: (headers: HeaderPairs) => string | undefined;
  /** The keys that may have signed a call for this client. */
  readonly keysOf: (client: ClientOptions, all: readonly ClientOptions[]) => readonly string[];
  /** Is the call signed with the client's key, and does it say what such a call must say? */
  readonly verify: {
    readonly balance: typeof verifyBalance;
    readonly bet: typeof verifyBet;
    readonly win: typeof verifyWin;
    readonly refund: typeof verifyRefund;
  };
  /**
   * Answers what can't be carried out as it is. `anyway` carries it out as though it were rightly signed; undefined: it
   * still can't be.
   */
  readonly refuse: (refused: Refused, anyway: () => Promise<Reply | undefined>) => Reply | Promise<Reply>;
  /** Carries out one call, apart from all others, whole or not at all. */
  readonly carryOut: (store: Store, work: Work) => Decision | Promise<Decision>;
  /** Finds the session that a call names. */
  readonly sessionOf: (store: Store, extCID: string, sessionID: string) => Session | undefined;
  /** Finds the wallet that a session plays with. */
  readonly walletOf: (store: Store, session: Session) => Wallet;
  /** Finds what was processed under the same txID. */
  readonly find: (store: Store, claim: Claim) => Transaction | undefined;
  /** The answer to a txID that was processed before; undefined: it is processed as though it were new. */
  readonly recall: (earlier: Transaction, again: Claim, store: Store) => Decision | undefined;
  /** Reads an amount as it was sent, in the smallest unit; undefined: it can't be. */
  readonly readAmount: (text: string, scale: AmountScale) => bigint | undefined;
  /** A reason of the operator's own not to carry out a new call. */
  readonly objection: (store: Store, claim: Claim, session: Session | undefined) => DeclineReason | undefined;
  /** May this session begin something new? */
  readonly isOpen: (session: Session) => boolean;
  /** Does the claim name a campaign of the client? */
  readonly knowsCampaign: (campaigns: ReadonlySet<string>, claim: Claim) => boolean;
  /** What a bet takes, in the smallest unit. */
  readonly debitOf: (bet: Claim) => bigint;
  /** Is there money enough for it? */
  readonly covers: (wallet: Wallet, debit: bigint) => boolean;
  /** The refunds because of which a bet that arrives only now must take nothing. */
  readonly refundsAhead: (store: Store, walletID: number, betTxID: string) => readonly Transaction[];
  /** Is a round of these bets, accepted and declined ones, over without anything to be won in it? */
  readonly isCancelled: (bets: readonly Transaction[]) => boolean;
  /** What a win adds, in the smallest unit. */
  readonly creditOf: (win: Claim) => bigint;
  /** The transaction that a refund is about. */
  readonly originalOf: (store: Store, refund: Claim) => Transaction | undefined;
  /** What a refund gives back to this wallet for the transaction that it names, if that is known. */
  readonly restoredBy: (refund: Claim, original: Transaction | undefined) => bigint;
  /** Moves money in the books, and says how much there is then. */
  readonly book: (store: Store, wallet: Wallet, moved: bigint) => bigint;
  /** Writes a transaction down under its txID. */
  readonly record: (store: Store, entry: TransactionEntry) => Transaction;
  /** Writes a balance as the player's currency wants it. */
  readonly show: (wallet: Wallet, balance: bigint) => string;
  /** Puts a decision into status, headers and body. */
  readonly reply: (decision: Decision) => Reply;
  /** What is sent to the service to launch a game. */
  readonly launch: (game: NewGame) => NewGame;
  /** What is sent to the service to promise free rounds. */
  readonly campaign: (campaign: NewCampaign) => NewCampaign;
  /** The encodings that the operator asks the service for, as `Accept-Encoding` has them. */
  readonly encodings: string;
}

/** Right by every MUST and SHOULD of the catalogue. */
export const CORRECT: Behaviour = {
  receive: (request, answer) => answer(request),
  layOut: (reply) => reply,
  deliver: (reply) => reply,
  signatureOf: (headers) => headerOf(headers, SIGNATURE_HEADER),
  keysOf: (client) => [client.integrationApiKey],
  verify: { balance: verifyBalance, bet: verifyBet, win: verifyWin, refund: verifyRefund },
  refuse: ({ reason }) => REFUSALS[reason],
  carryOut: (store, { look, act }) => store.atomically(() => act(look())),
  sessionOf: (store, extCID, sessionID) => store.session(extCID, sessionID),
  walletOf: (store, { walletID }) => store.wallet(walletID),
  find: (store, { extCID, txID }) => store.transaction(extCID, txID),
  recall: (earlier, again) => (isSameClaim(earlier, again) ? decisionOf(earlier) : CONFLICT),
  readAmount,
  objection: () => undefined,
  isOpen: (session) => session.state === 'active',
  knowsCampaign: (campaigns, { frID }) => frID !== null && campaigns.has(frID),
  debitOf: (bet) => (bet.type === 'free' ? 0n : (bet.amount ?? 0n)),
  covers: (wallet, debit) => wallet.balance >= debit,
  refundsAhead: (store, walletID, betTxID) => store.refundsOf(walletID, betTxID),
  isCancelled: (bets) => bets.length > 0 && !bets.some(stands),
  creditOf: (win) => (win.type === 'free' ? 0n : (win.amount ?? 0n)),
  originalOf: (store, { extCID, origTxID }) => (origTxID === null ? undefined : store.transaction(extCID, origTxID)),
  restoredBy: (refund, original) => {
    if (original?.call !== 'bet' || original.outcome !== 'done') return 0n;
    if (original.reversedBy !== null || original.walletID !== refund.walletID) return 0n;
    return -original.moved;
  },
  book: (store, wallet, moved) => {
    const balance = wallet.balance + moved;
    if (moved !== 0n) store.setBalance(wallet.id, balance);
    return balance;
  },
  record: (store, entry) => store.record(entry),
  show: (wallet, balance) => writeAmount(balance, scaleOf(wallet.currency)),
  reply: (decision) => (decision.kind === 'declined' ? failure(WORDINGS[decision.reason]) : success(decision)),
  launch: (game) => game,
  campaign: (campaign) => campaign,
  encodings: 'gzip',
};

const REFUSALS: Readonly<Record<Refused['reason'], Reply>> = {
  'bad-signature': failure({ status: 401, message: 'This request could not be verified.' }),
  malformed: failure({ status: 400, message: 'This request could not be read.' }),
  invalid: failure({ status: 400, message: 'Something is missing from this request, or not as it should be.' }),
};

export const CONFLICT: Decision = { kind: 'declined', reason: 'transaction-conflict' };

/** An accepted bet that was not given back. */
export function stands({ call, outcome, reversedBy }: Transaction): boolean {
  return call === 'bet' && outcome === 'done' && reversedBy === null;
}

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
