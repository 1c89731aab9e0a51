import { setTimeout as sleep } from 'node:timers/promises';
import type { TransactionCall } from '../../contract/call-name.ts';
import type { Behaviour } from '../behaviour.ts';
import type { DeclineReason } from '../decision.ts';
import type { Claim, Store, Transaction, TransactionEntry } from '../store.ts';

/** Sends each reply whose number is a multiple of `every` late, by `delayMs`. Its money has moved before. */
export function slowNowAndThen(right: Behaviour, every: number, delayMs: number): Partial<Behaviour> {
  let calls = 0;
  return {
    receive: async (request, answer) => {
      calls += 1;
      const isSlow = calls % every === 0;
      const reply = await right.receive(request, answer);
      if (isSlow) await sleep(delayMs);
      return reply;
    },
  };
}

/** Returns the transactions of one kind in the round that a call names. Returns an empty list if the call names no round. */
export function inRound(store: Store, { walletID, gameID, roundID }: Claim, call: TransactionCall): Transaction[] {
  return walletID === null || gameID === null || roundID === null
    ? []
    : store.round(walletID, gameID, roundID).filter((one) => one.call === call);
}

/** True if the round that a call names has a transaction of this kind. */
export function hasInRound(store: Store, claim: Claim, call: TransactionCall): boolean {
  return inRound(store, claim, call).length > 0;
}

/** Lets accepted calls move the amount that `movedBy` returns. The stored balance and the reply show this amount. */
export function booking(
  right: Behaviour,
  movedBy: (store: Store, entry: TransactionEntry) => bigint,
): Partial<Behaviour> {
  return {
    record: (store, entry) => {
      const { walletID, outcome } = entry;
      const moved = outcome === 'done' && walletID !== null ? movedBy(store, entry) : entry.moved;
      if (walletID === null || moved === entry.moved) return right.record(store, entry);
      const wallet = store.wallet(walletID);
      const balance = wallet.balance - entry.moved + moved;
      store.setBalance(walletID, balance);
      return right.record(store, { ...entry, moved, balance: right.show(wallet, balance) });
    },
  };
}

/**
 * Pays wins or refunds some time after they are answered 200.
 *
 * @param options `isPromised`: the reply shows the balance that the player will have after the payment
 */
export function payingLater(
  right: Behaviour,
  paid: 'win' | 'refund',
  { delayMs, isPromised }: { readonly delayMs: number; readonly isPromised: boolean },
): Partial<Behaviour> {
  let unpaid: { readonly walletID: number; readonly moved: bigint; readonly at: number }[] = [];
  return {
    // Makes the payments that are due before the call reads the state, so that the state contains these payments.
    carryOut: (store, work) => {
      const isDue = ({ at }: { readonly at: number }): boolean => performance.now() - at >= delayMs;
      for (const { walletID, moved } of unpaid.filter(isDue))
        store.setBalance(walletID, store.wallet(walletID).balance + moved);
      unpaid = unpaid.filter((one) => !isDue(one));
      return right.carryOut(store, work);
    },
    record: (store, entry) => {
      const { call, walletID, moved } = entry;
      if (call !== paid || walletID === null || moved === 0n) return right.record(store, entry);
      const wallet = store.wallet(walletID);
      const balance = wallet.balance - moved;
      store.setBalance(walletID, balance);
      unpaid.push({ walletID, moved, at: performance.now() });
      return right.record(store, isPromised ? entry : { ...entry, balance: right.show(wallet, balance) });
    },
  };
}

/** Declines new calls of one kind for a reason if `when` returns true. */
export function objecting(
  right: Behaviour,
  call: TransactionCall,
  when: (store: Store, claim: Claim) => boolean,
  reason: DeclineReason = 'transaction-conflict',
): Partial<Behaviour> {
  return {
    objection: (store, claim, session) =>
      claim.call === call && when(store, claim) ? reason : right.objection(store, claim, session),
  };
}

/**
 * Makes refunds give back the amount that `otherwise` returns, in the smallest unit. If the function returns undefined, the
 * refund gives back the correct amount.
 */
export function restoring(
  right: Behaviour,
  otherwise: (refund: Claim, original: Transaction | undefined) => bigint | undefined,
): Partial<Behaviour> {
  return { restoredBy: (refund, original) => otherwise(refund, original) ?? right.restoredBy(refund, original) };
}

/** Answers 200 to each bet that arrives after its own refund. Takes nothing for such a bet. */
export function answeringLateBets(right: Behaviour): Pick<Behaviour, 'carryOut'> {
  return {
    carryOut: async (store, work) => {
      const decision = await right.carryOut(store, work);
      const { earlier, wallet } = work.look();
      if (decision.kind !== 'declined' || decision.reason !== 'bet-reversed' || !earlier || !wallet) return decision;
      return { kind: 'done', txID: `op-${earlier.id}`, balance: right.show(wallet, wallet.balance) };
    },
  };
}
