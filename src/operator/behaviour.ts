import type { z } from 'zod';
import {
  type BetRequest,
  betRequestSchema,
  type RefundRequest,
  refundRequestSchema,
  type WinRequest,
  winRequestSchema,
} from '../contract/calls.ts';
import { SIGNATURE_HEADER } from '../contract/signature.ts';
import { type HeaderPairs, headerOf, type ListenReply, type ListenRequest } from '../listen/message.ts';
import type { NewCampaign, NewGame } from '../sdk/core-api-client.ts';
import { failure, type Reply, type Success, success } from '../sdk/reply.ts';
import {
  type Refused,
  type SignedBody,
  type Verified,
  verifyBalance,
  verifyBet,
  verifyRefund,
  verifyWin,
} from '../sdk/reverse-call.ts';
import { type AmountScale, readAmount, scaleOf, writeAmount } from './amount.ts';
import { type Decision, type DeclineReason, WORDINGS } from './decision.ts';
import type { ClientOptions, SessionOptions } from './options.ts';
import type { Claim, Session, Store, Transaction, TransactionEntry, Wallet } from './store.ts';

/** The stored data that is needed to decide a call. */
export interface StoredState {
  readonly session: Session | undefined;
  readonly wallet: Wallet | undefined;
  /** The earlier transaction with the txID of the call. Undefined if no such transaction was processed. */
  readonly earlier: Transaction | undefined;
}

/**
 * The processing of one call in two steps: `look` reads the stored state, and `act` decides about the call and stores the result.
 */
export interface Work {
  readonly look: () => StoredState;
  readonly act: (state: StoredState) => Decision;
}

/**
 * Writes the reply to a call that was carried out. The function of the SDK is not used, because it refuses balances that are no
 * plain decimals, and some defects send such balances.
 */
function done({ balance, txID }: Success): Reply {
  return { ...success({ balance: '0' }), body: JSON.stringify({ balance, txID }) };
}

type Verify<Call> = (signed: SignedBody) => Verified<Call>;

/**
 * Refuses a call if its fields differ from the fields that croupier's service sends. The SDK alone would also accept values
 * that the contract leaves open.
 */
function asInContract<Call>(verify: Verify<unknown>, schema: z.ZodType<Call>): Verify<Call> {
  return (signed) => {
    const verified = verify(signed);
    if (verified.kind === 'refused') return verified;
    const { data, error } = schema.safeParse(verified.call);
    if (data !== undefined) return { kind: 'call', call: data };
    const detail = error?.issues.map(({ path, message }) => `${path.join('.') || 'body'}: ${message}`).join('; ') ?? '';
    return { kind: 'refused', reason: 'invalid', detail };
  };
}

/** The steps of processing a call. A variant or a defect replaces single steps. The correct steps keep no state between calls. */
export interface Behaviour {
  /** Changes the sessions of the demonstration operator. The correct step changes nothing. */
  readonly accounts: (sessions: readonly SessionOptions[]) => readonly SessionOptions[];
  /** Receives a request and returns the reply. `answer` is the processing of the request. */
  readonly receive: (
    request: ListenRequest,
    answer: (request: ListenRequest) => Promise<ListenReply>,
  ) => Promise<ListenReply>;
  /** Formats the text of a finished reply without changing its content. */
  readonly format: (reply: ListenReply, request: ListenRequest) => ListenReply;
  /** Decides how a reply is encoded and sent. */
  readonly deliver: (reply: ListenReply, request: ListenRequest) => ListenReply;
  /** Finds the signature among the headers. */
  readonly signatureOf: (headers: HeaderPairs) => string | undefined;
  /** Returns the keys with which a call to this client may be signed. */
  readonly keysOf: (client: ClientOptions, all: readonly ClientOptions[]) => readonly string[];
  /** Checks the signature and the fields of a call. */
  readonly verify: {
    readonly balance: typeof verifyBalance;
    readonly bet: Verify<BetRequest>;
    readonly win: Verify<WinRequest>;
    readonly refund: Verify<RefundRequest>;
  };
  /**
   * Answers a call that was refused. Defects can use `anyway`: this function carries out the call as if the signature were correct.
   * It returns undefined if the call cannot be carried out.
   */
  readonly refuse: (refused: Refused, anyway: () => Promise<Reply | undefined>) => Reply | Promise<Reply>;
  /** Carries out one call, isolated from all other calls. If something fails, nothing of the call is carried out. */
  readonly carryOut: (store: Store, work: Work) => Decision | Promise<Decision>;
  /** Finds the session that a call names. */
  readonly sessionOf: (store: Store, extCID: string, sessionID: string) => Session | undefined;
  /** Finds the wallet of a session. */
  readonly walletOf: (store: Store, session: Session) => Wallet;
  /** Finds the earlier transaction with the same txID. */
  readonly find: (store: Store, claim: Claim) => Transaction | undefined;
  /** Decides a call whose txID was processed before. Returns undefined if the call must be processed as a new one. */
  readonly recall: (earlier: Transaction, again: Claim, store: Store) => Decision | undefined;
  /** Reads the amount of a call in the smallest unit. Returns undefined if the amount is not valid. */
  readonly readAmount: (text: string, scale: AmountScale) => bigint | undefined;
  /** Returns the reason if the operator declines a new call because of one of its own rules. Returns undefined otherwise. */
  readonly objection: (store: Store, claim: Claim, session: Session | undefined) => DeclineReason | undefined;
  /** True if a session may begin a new round. */
  readonly isOpen: (session: Session) => boolean;
  /** True if the claim names a campaign of the client. */
  readonly knowsCampaign: (campaigns: ReadonlySet<string>, claim: Claim) => boolean;
  /** Returns the amount that a bet takes, in the smallest unit. */
  readonly debitOf: (bet: Claim) => bigint;
  /** True if the balance is enough for a debit. */
  readonly covers: (wallet: Wallet, debit: bigint) => boolean;
  /** Returns the refunds that arrived before their bet. If there are any, the bet must take nothing. */
  readonly refundsAhead: (store: Store, walletID: number, betTxID: string) => readonly Transaction[];
  /** True if every bet of a round was declined or refunded, so that a win cannot belong to any of them. */
  readonly isCancelled: (bets: readonly Transaction[]) => boolean;
  /** Returns the amount that a win adds, in the smallest unit. */
  readonly creditOf: (win: Claim) => bigint;
  /** Returns the transaction that a refund names. Returns undefined if it is not known. */
  readonly originalOf: (store: Store, refund: Claim) => Transaction | undefined;
  /**
   * Returns the amount that a refund gives back, in the smallest unit. `original` is the transaction that the refund names, if it
   * is known.
   */
  readonly restoredBy: (refund: Claim, original: Transaction | undefined) => bigint;
  /** Changes a stored balance by an amount and returns the new balance. */
  readonly book: (store: Store, wallet: Wallet, moved: bigint) => bigint;
  /** Stores a transaction under its txID. */
  readonly record: (store: Store, entry: TransactionEntry) => Transaction;
  /** Writes a balance in the format of the player's currency. */
  readonly show: (wallet: Wallet, balance: bigint) => string;
  /** Turns a decision into status, headers and body. */
  readonly reply: (decision: Decision) => Reply;
  /** Changes the request that launches a game at the service. The correct step changes nothing. */
  readonly launch: (game: NewGame) => NewGame;
  /** Changes the request that creates free rounds at the service. The correct step changes nothing. */
  readonly campaign: (campaign: NewCampaign) => NewCampaign;
  /** Returns the key that signs requests to the service, from the API key that the service gave to the operator. */
  readonly coreApiKey: (apiKey: string) => string;
  /** The value of `Accept-Encoding` in requests to the service. */
  readonly encodings: string;
}

/** The behaviour that conforms to every MUST and SHOULD of the catalogue. */
export const CORRECT: Behaviour = {
  accounts: (sessions) => sessions,
  receive: (request, answer) => answer(request),
  format: (reply) => reply,
  deliver: (reply) => reply,
  signatureOf: (headers) => headerOf(headers, SIGNATURE_HEADER),
  keysOf: (client) => [client.integrationApiKey],
  verify: {
    balance: verifyBalance,
    bet: asInContract(verifyBet, betRequestSchema),
    win: asInContract(verifyWin, winRequestSchema),
    refund: asInContract(verifyRefund, refundRequestSchema),
  },
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
  reply: (decision) => (decision.kind === 'declined' ? failure(WORDINGS[decision.reason]) : done(decision)),
  launch: (game) => game,
  campaign: (campaign) => campaign,
  coreApiKey: (apiKey) => apiKey,
  encodings: 'gzip',
};

const REFUSALS: Readonly<Record<Refused['reason'], Reply>> = {
  'bad-signature': failure({ status: 401, message: 'This request could not be verified.' }),
  malformed: failure({ status: 400, message: 'This request could not be read.' }),
  invalid: failure({ status: 400, message: 'A field of this request is missing or has a wrong value.' }),
};

export const CONFLICT: Decision = { kind: 'declined', reason: 'transaction-conflict' };

/** True if a transaction is an accepted bet that was not given back. */
export function stands({ call, outcome, reversedBy }: Transaction): boolean {
  return call === 'bet' && outcome === 'done' && reversedBy === null;
}

/** Returns the decision that was made about a transaction when it first arrived. */
export function decisionOf(transaction: Transaction): Decision {
  return transaction.outcome === 'done'
    ? { kind: 'done', txID: `op-${transaction.id}`, balance: transaction.balance ?? '0' }
    : { kind: 'declined', reason: transaction.outcome };
}

/**
 * True if two claims are equal in the fields that decide about money. Other fields are not compared, and `1.0` and `1.00` are
 * the same amount.
 */
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
