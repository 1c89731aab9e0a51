import type { Behaviour } from '../behaviour.ts';
import type { Claim, Store, Transaction, TransactionCall, TransactionEntry } from '../store.ts';

/** What one kind of call has moved in the round of a call; nothing where the call names no round. */
export function inRound(store: Store, { walletID, gameID, roundID }: Claim, call: TransactionCall): Transaction[] {
  return walletID === null || gameID === null || roundID === null
    ? []
    : store.round(walletID, gameID, roundID).filter((one) => one.call === call);
}

/** Whether a call is a further one of its kind in its round. */
export function hasInRound(store: Store, claim: Claim, call: TransactionCall): boolean {
  return inRound(store, claim, call).length > 0;
}

/** What is carried out moves another sum than it should, in the books and in the reply. */
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
