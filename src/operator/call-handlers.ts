import type { TransactionCall } from '../contract/call-name.ts';
import type { BetRequest, RefundRequest, WinRequest } from '../contract/calls.ts';
import type { BalanceQuery } from '../sdk/reverse-call.ts';
import { scaleOf } from './amount.ts';
import { type Behaviour, decisionOf, type StoredState, stands, type Work } from './behaviour.ts';
import type { Decision, DeclineReason } from './decision.ts';
import type { Claim, Session, Store, Transaction, Wallet } from './store.ts';

/** The data that is needed to process the calls of one client. */
export interface CallHandlers {
  readonly extCID: string;
  readonly store: Store;
  readonly behaviour: Behaviour;
  /** The `frID` of each campaign of free rounds that the client knows. */
  readonly campaigns: ReadonlySet<string>;
}

/** A decision about a call, before the decision is stored. */
type Ruling =
  | { readonly kind: 'done'; readonly moved: bigint; readonly reverses?: Transaction }
  | { readonly kind: 'declined'; readonly reason: DeclineReason };

/** A call whose session and wallet are known. */
interface KnownCall {
  readonly claim: Claim;
  readonly session: Session;
  readonly wallet: Wallet;
}

/**
 * Returns the work for a balance call. The work also answers in an expired session, because the player still wants to see the
 * result of the last round.
 */
export function balanceWork({ store, extCID, behaviour }: CallHandlers, { sessionID }: BalanceQuery): Work {
  const look = (): StoredState => {
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
 * Returns the work for a bet. A declined bet is stored. If it is sent again, it is declined again, even if the wallet now has
 * enough money. The player has already seen that the bet was declined, and the service never refunds a declined bet.
 */
export function betWork(handlers: CallHandlers, call: BetRequest): Work {
  return workOf(handlers, 'bet', { ...call, origTxID: null }, ({ claim, session, wallet }) => {
    const { behaviour } = handlers;
    if (behaviour.refundsAhead(handlers.store, wallet.id, claim.txID).length > 0) return declined('bet-reversed');
    if (!behaviour.isOpen(session)) return declined('session-expired');
    if (claim.type === 'free' && !behaviour.knowsCampaign(handlers.campaigns, claim))
      return declined('campaign-unknown');
    const debit = behaviour.debitOf(claim);
    return behaviour.covers(wallet, debit) ? { kind: 'done', moved: -debit } : declined('insufficient-funds');
  });
}

/**
 * Returns the work for a win. It decides as follows:
 *
 * - The round is unknown: the win is credited, because its bet may arrive later.
 * - Every bet of the round was declined or refunded: the win is declined.
 * - The session has expired: the win is credited if the round began before that, or if the amount is 0.
 * - The win is `regular` and has an `frID`: it pays out a campaign, in any round.
 */
export function winWork(handlers: CallHandlers, call: WinRequest): Work {
  return workOf(handlers, 'win', { ...call, origTxID: null }, ({ claim, session, wallet }) => {
    const { behaviour, store } = handlers;
    if (claim.frID !== null && !behaviour.knowsCampaign(handlers.campaigns, claim)) return declined('campaign-unknown');
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
 * Returns the work for a refund. The refund gives back the whole bet once, whatever its own amount is. It also does this in a
 * settled round: if a round has several bets, the service may have lost the reply to only one of them.
 *
 * If the refund does not name an accepted bet of this wallet, it succeeds and moves nothing. If the bet arrives later, this bet
 * takes nothing.
 */
export function refundWork(handlers: CallHandlers, call: RefundRequest): Work {
  return workOf(handlers, 'refund', { ...call, type: null, frID: null }, ({ claim }) => {
    const original = handlers.behaviour.originalOf(handlers.store, claim);
    const moved = handlers.behaviour.restoredBy(claim, original);
    const reverses = original?.call === 'bet' && original.walletID === claim.walletID ? original : undefined;
    return reverses ? { kind: 'done', moved, reverses } : { kind: 'done', moved };
  });
}

interface TransactionFields {
  readonly sessionID: string;
  readonly txID: string;
  readonly amount: string;
  readonly roundID?: string | null | undefined;
  readonly origTxID: string | null;
  readonly type?: string | null | undefined;
  readonly frID?: string | null | undefined;
}

function workOf(
  handlers: CallHandlers,
  call: TransactionCall,
  fields: TransactionFields,
  rule: (known: KnownCall) => Ruling,
): Work {
  const { store, extCID, behaviour } = handlers;
  const claimIn = ({ session, wallet }: Pick<StoredState, 'session' | 'wallet'>): Claim => ({
    extCID,
    txID: fields.txID,
    call,
    sessionID: fields.sessionID,
    walletID: wallet?.id ?? null,
    gameID: session?.gameID ?? null,
    roundID: fields.roundID ?? null,
    origTxID: fields.origTxID,
    amount: (wallet && behaviour.readAmount(fields.amount, scaleOf(wallet.currency))) ?? null,
    type: fields.type ?? null,
    frID: fields.frID ?? null,
  });
  return {
    look: () => {
      const session = behaviour.sessionOf(store, extCID, fields.sessionID);
      const wallet = session && behaviour.walletOf(store, session);
      return { session, wallet, earlier: behaviour.find(store, claimIn({ session, wallet })) };
    },
    act: ({ session, wallet, earlier }) => {
      const claim = claimIn({ session, wallet });
      const recalled = earlier && behaviour.recall(earlier, claim, store);
      if (recalled) return recalled;
      const objection = behaviour.objection(store, claim, session);
      if (objection) return declined(objection);
      if (!session || !wallet)
        return call === 'refund' ? refundWithoutSession(handlers, claim) : declined('session-unknown');
      if (claim.amount === null) return declined('amount-invalid');
      return settle(handlers, { claim, session, wallet }, rule({ claim, session, wallet }));
    },
  };
}

/** Stores a decision and the change of the balance, and returns the decision with the new balance. */
function settle({ store, behaviour }: CallHandlers, { claim, wallet }: KnownCall, ruling: Ruling): Decision {
  if (ruling.kind === 'declined') {
    // The service sends a win or refund again until it succeeds. So a declined attempt is not stored, and each attempt is
    // decided again.
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

/**
 * Answers a refund in an unknown session with success. No bet was taken in such a session, and the service would repeat the
 * refund until it is answered 200.
 */
function refundWithoutSession({ store, behaviour }: CallHandlers, claim: Claim): Decision {
  return decisionOf(behaviour.record(store, { ...claim, outcome: 'done', moved: 0n, balance: '0' }));
}

function declined(reason: DeclineReason): { readonly kind: 'declined'; readonly reason: DeclineReason } {
  return { kind: 'declined', reason };
}
