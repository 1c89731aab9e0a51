import type { BalanceQuery, BetRequest, RefundRequest, WinRequest } from '../contract/calls.ts';
import { scaleOf } from './amount.ts';
import { type Behaviour, type Books, decisionOf, stands, type Work } from './behaviour.ts';
import type { Decision, DeclineReason } from './decision.ts';
import type { Claim, Session, Store, Transaction, TransactionCall, Wallet } from './store.ts';

/** Where the calls of one client are decided. */
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
export function balanceWork({ store, extCID, behaviour }: Desk, { sessionID }: BalanceQuery): Work {
  const look = (): Books => {
    const session = behaviour.sessionOf(store, extCID, sessionID);
    return { session, wallet: session && behaviour.walletOf(store, session), earlier: undefined };
  };
  return {
    look,
    act: ({ wallet }) =>
      wallet ? { kind: 'balance', balance: behaviour.show(wallet, wallet.balance) } : declined('session-unknown'),
  };
}

/**
 * A declined bet is remembered, and declined again when it is sent again, with enough money too: the service has told
 * the player that it was declined, and would never give back what a late copy of it took.
 */
export function betWork(desk: Desk, call: BetRequest): Work {
  return workOf(desk, 'bet', { ...call, origTxID: null }, ({ claim, session, wallet }) => {
    const { behaviour } = desk;
    if (behaviour.refundsAhead(desk.store, wallet.id, claim.txID).length > 0) return declined('bet-reversed');
    if (!behaviour.isOpen(session)) return declined('session-expired');
    if (claim.type === 'free' && !behaviour.knowsCampaign(desk.campaigns, claim)) return declined('campaign-unknown');
    const debit = behaviour.debitOf(claim);
    return behaviour.covers(wallet, debit) ? { kind: 'done', moved: -debit } : declined('insufficient-funds');
  });
}

/**
 * A win of an unknown round is credited, for its bet may still be on its way. A round of which every bet was declined or
 * given back has nothing to win. After a session's end, what began in time is still settled, and a win that adds nothing
 * may always close its round. A `regular` win with an frID pays out a campaign, whatever its round.
 */
export function winWork(desk: Desk, call: WinRequest): Work {
  return workOf(desk, 'win', { ...call, origTxID: null }, ({ claim, session, wallet }) => {
    const { behaviour, store } = desk;
    if (claim.frID !== null && !behaviour.knowsCampaign(desk.campaigns, claim)) return declined('campaign-unknown');
    const bets = store.round(wallet.id, session.gameID, call.roundID).filter(({ call }) => call === 'bet');
    const standing = bets.some(stands);
    const withdrawal = claim.frID !== null && claim.type !== 'free';
    if (behaviour.isCancelled(bets) && !withdrawal) return declined('round-cancelled');
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
export function refundWork(desk: Desk, call: RefundRequest): Work {
  return workOf(desk, 'refund', { ...call, type: null, frID: null }, ({ claim }) => {
    const original = desk.behaviour.originalOf(desk.store, claim);
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

function workOf(desk: Desk, call: TransactionCall, said: Said, rule: (matter: Matter) => Ruling): Work {
  const { store, extCID, behaviour } = desk;
  const claimIn = ({ session, wallet }: Pick<Books, 'session' | 'wallet'>): Claim => ({
    extCID,
    txID: said.txID,
    call,
    sessionID: said.sessionID,
    walletID: wallet?.id ?? null,
    gameID: session?.gameID ?? null,
    roundID: said.roundID ?? null,
    origTxID: said.origTxID,
    amount: (wallet && behaviour.readAmount(said.amount, scaleOf(wallet.currency))) ?? null,
    type: said.type ?? null,
    frID: said.frID ?? null,
  });
  return {
    look: () => {
      const session = behaviour.sessionOf(store, extCID, said.sessionID);
      const wallet = session && behaviour.walletOf(store, session);
      return { session, wallet, earlier: behaviour.find(store, claimIn({ session, wallet })) };
    },
    act: ({ session, wallet, earlier }) => {
      const claim = claimIn({ session, wallet });
      const recalled = earlier && behaviour.recall(earlier, claim, store);
      if (recalled) return recalled;
      const objection = behaviour.objection(store, claim, session);
      if (objection) return declined(objection);
      if (!session || !wallet) return call === 'refund' ? refundOfNobody(desk, claim) : declined('session-unknown');
      if (claim.amount === null) return declined('amount-invalid');
      return settle(desk, { claim, session, wallet }, rule({ claim, session, wallet }));
    },
  };
}

/** Writes what was ruled into the books. */
function settle({ store, behaviour }: Desk, { claim, wallet }: Matter, ruling: Ruling): Decision {
  if (ruling.kind === 'declined') {
    // Wins and refunds are sent again until they succeed, so each try is decided afresh.
    if (claim.call === 'bet') behaviour.record(store, { ...claim, outcome: ruling.reason, moved: 0n, balance: null });
    return ruling;
  }
  const { moved } = ruling;
  const balance = behaviour.book(store, wallet, moved);
  const recorded = behaviour.record(store, {
    ...claim,
    outcome: 'done',
    moved,
    balance: behaviour.show(wallet, balance),
  });
  if (ruling.reverses && ruling.reverses.reversedBy === null) store.markReversed(ruling.reverses.id, recorded.id);
  return decisionOf(recorded);
}

/** The service repeats a refund until it is answered 200, and nothing was taken in a session that never was. */
function refundOfNobody({ store, behaviour }: Desk, claim: Claim): Decision {
  return decisionOf(behaviour.record(store, { ...claim, outcome: 'done', moved: 0n, balance: '0' }));
}

function declined(reason: DeclineReason): { readonly kind: 'declined'; readonly reason: DeclineReason } {
  return { kind: 'declined', reason };
}
