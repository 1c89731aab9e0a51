import type { BalanceQuery, BetRequest, RefundRequest, WinRequest } from '../contract/calls.ts';
import { readAmount, scaleOf, writeAmount } from './amount.ts';
import { type Behaviour, decisionOf } from './behaviour.ts';
import type { Decision, DeclineReason } from './decision.ts';
import type { Claim, Session, Store, Transaction, TransactionCall, Wallet } from './store.ts';

/** Where the calls of one client are decided. Each function here is to be run by {@link Behaviour.carryOut}. */
export interface Desk {
  readonly extCID: string;
  readonly store: Store;
  readonly behaviour: Behaviour;
  /** The free-rounds campaigns that the client knows, by frID. */
  readonly campaigns: ReadonlySet<string>;
}

/** What is to happen, before it does. */
type Ruling =
  | { readonly kind: 'done'; readonly moved: bigint; readonly reverses?: Transaction }
  | { readonly kind: 'declined'; readonly reason: DeclineReason };

/** Who calls and what is said, once session, wallet and amount are known. */
interface Matter {
  readonly claim: Claim;
  readonly session: Session;
  readonly wallet: Wallet;
}

/** The balance can be read in an expired session too: a player still wants to see what a last round brought. */
export function decideBalance(desk: Desk, { sessionID }: BalanceQuery): Decision {
  const session = desk.store.session(desk.extCID, sessionID);
  if (!session) return declined('session-unknown');
  const wallet = desk.store.wallet(session.walletID);
  return { kind: 'balance', balance: writeAmount(wallet.balance, scaleOf(wallet.currency)) };
}

/**
 * A declined bet is remembered, and declined again when it is sent again, with enough money too: the service has told
 * the player that it was declined, and would never give back what a late copy of it took.
 */
export function decideBet(desk: Desk, call: BetRequest): Decision {
  return decide(desk, 'bet', { ...call, origTxID: null }, ({ claim, session, wallet }) => {
    const { behaviour } = desk;
    if (behaviour.refundsAhead(desk.store, wallet.id, claim.txID).length > 0) return declined('bet-reversed');
    if (!behaviour.isOpen(session)) return declined('session-expired');
    if (claim.type === 'free' && !knowsCampaign(desk, claim)) return declined('campaign-unknown');
    const debit = behaviour.debitOf(claim);
    return behaviour.covers(wallet.balance, debit) ? { kind: 'done', moved: -debit } : declined('insufficient-funds');
  });
}

/**
 * A win of an unknown round is credited, for its bet may still be on its way. A round of which every bet was declined or
 * given back has nothing to win. After a session's end, what began in time is still settled, and a win that adds nothing
 * may always close its round. A `regular` win with an frID pays out a campaign, whatever its round.
 */
export function decideWin(desk: Desk, call: WinRequest): Decision {
  return decide(desk, 'win', { ...call, origTxID: null }, ({ claim, session, wallet }) => {
    const { behaviour, store } = desk;
    if (claim.frID !== null && !knowsCampaign(desk, claim)) return declined('campaign-unknown');
    const bets = store.round(wallet.id, session.gameID, call.roundID).filter(({ call }) => call === 'bet');
    const standing = bets.some(stands);
    const withdrawal = claim.frID !== null && claim.type !== 'free';
    if (bets.length > 0 && !standing && !withdrawal) return declined('round-cancelled');
    const credit = behaviour.creditOf(claim);
    if (credit > 0n && !behaviour.isOpen(session)) {
      const begun = standing || (claim.frID !== null && store.campaign(wallet.id, claim.frID).some(stands));
      if (!begun) return declined('session-expired');
    }
    return { kind: 'done', moved: credit };
  });
}

/**
 * Gives back the whole bet, once, whatever amount was named, in a settled round too: of several bets the service may
 * have lost just this one. What is not an accepted bet of this wallet is answered with success and moves nothing, and
 * a bet that arrives after it will take nothing.
 */
export function decideRefund(desk: Desk, call: RefundRequest): Decision {
  return decide(desk, 'refund', { ...call, type: null, frID: null }, ({ claim }) => {
    const original = desk.store.transaction(desk.extCID, call.origTxID);
    const moved = desk.behaviour.restoredBy(claim, original);
    const reverses = original?.call === 'bet' && original.walletID === claim.walletID ? original : undefined;
    return reverses ? { kind: 'done', moved, reverses } : { kind: 'done', moved };
  });
}

interface Said {
  readonly sessionID: string;
  readonly txID: string;
  readonly amount: string;
  readonly roundID?: string | null | undefined;
  readonly origTxID: string | null;
  readonly type?: string | null | undefined;
  readonly frID?: string | null | undefined;
}

function decide(desk: Desk, call: TransactionCall, said: Said, rule: (matter: Matter) => Ruling): Decision {
  const { store, extCID } = desk;
  const session = store.session(extCID, said.sessionID);
  const wallet = session && store.wallet(session.walletID);
  const amount = wallet && readAmount(said.amount, scaleOf(wallet.currency));
  const claim: Claim = {
    extCID,
    txID: said.txID,
    call,
    sessionID: said.sessionID,
    walletID: wallet?.id ?? null,
    gameID: session?.gameID ?? null,
    roundID: said.roundID ?? null,
    origTxID: said.origTxID,
    amount: amount ?? null,
    type: said.type ?? null,
    frID: said.frID ?? null,
  };
  const earlier = store.transaction(extCID, said.txID);
  if (earlier) return desk.behaviour.recall(earlier, claim);
  if (!session || !wallet) return call === 'refund' ? refundOfNobody(store, claim) : declined('session-unknown');
  if (amount === undefined) return declined('amount-invalid');

  const ruling = rule({ claim, session, wallet });
  if (ruling.kind === 'declined') {
    // Wins and refunds are sent again until they succeed, so each try is decided afresh.
    if (call === 'bet') store.record({ ...claim, outcome: ruling.reason, moved: 0n, balance: null });
    return ruling;
  }
  const balance = wallet.balance + ruling.moved;
  const recorded = store.record({
    ...claim,
    outcome: 'done',
    moved: ruling.moved,
    balance: writeAmount(balance, scaleOf(wallet.currency)),
  });
  if (ruling.moved !== 0n) store.setBalance(wallet.id, balance);
  if (ruling.reverses && ruling.reverses.reversedBy === null) store.markReversed(ruling.reverses.id, recorded.id);
  return decisionOf(recorded);
}

/** The service repeats a refund until it is answered 200, and nothing was taken in a session that never was. */
function refundOfNobody(store: Store, claim: Claim): Decision {
  return decisionOf(store.record({ ...claim, outcome: 'done', moved: 0n, balance: '0' }));
}

function knowsCampaign(desk: Desk, { frID }: Claim): boolean {
  return frID !== null && desk.campaigns.has(frID);
}

/** An accepted bet that was not given back. */
function stands({ call, outcome, reversedBy }: Transaction): boolean {
  return call === 'bet' && outcome === 'done' && reversedBy === null;
}

function declined(reason: DeclineReason): { readonly kind: 'declined'; readonly reason: DeclineReason } {
  return { kind: 'declined', reason };
}
