import type { Behaviour } from '../behaviour.ts';
import type { Claim, Store, TransactionCall } from '../store.ts';

/** Refuses new calls of a kind under a condition. */
export function objecting(
  right: Behaviour,
  call: TransactionCall,
  when: (store: Store, claim: Claim) => boolean,
): Partial<Behaviour> {
  return {
    objection: (store, claim, session) =>
      claim.call === call && when(store, claim) ? 'transaction-conflict' : right.objection(store, claim, session),
  };
}
