import type { RuleId } from '../contract/catalogue.ts';
import type { Money } from '../contract/money.ts';
import type { CallStep } from '../scenario/plan/plan.ts';
import type { Wallet } from './wallet/wallet.ts';

/** A balance read that was sent while no other call of croupier was in flight. */
export interface IdleRead {
  readonly wallet: Wallet;
  readonly value: Money;
  readonly step: CallStep;
  readonly exchange: string;
  /** True if no earlier call can still take effect, because enough time has passed. */
  readonly lingered: boolean;
  /** True if an earlier read had a wrong balance too, and croupier waited for late calls without success before this read. */
  readonly waited?: true;
}

/** The result of judging an idle read: whether the balance must be read again, and why. */
export type ReadResult =
  /** The balance is possible, or its fault has been reported. No further read is needed. */
  | { readonly kind: 'settled' }
  /** The balance includes a bet whose refund may still take effect. It must be read again when no call can take effect any more. */
  | { readonly kind: 'wait' }
  /**
   * The read shows a wrong balance, but the replies had the right one. The balance must be read again after a pause, to find out
   * whether reads show old balances.
   */
  | { readonly kind: 'behind' }
  /** Nothing explains the balance. croupier must read it twice more, to find out whether the balance changes without a call. */
  | { readonly kind: 'probe' };

/**
 * Calls that were sent at the same instant, and a rule about them. If nothing else explains the next balance, a breach of this rule
 * is reported.
 */
export interface ConcurrentCalls {
  readonly rule: RuleId;
  readonly step: CallStep;
  readonly exchange: string;
  readonly expected: string;
  /** The rule that is reported instead of `rule` if the balance is too high. Left out: `rule` is reported in this case too. */
  readonly ifMore?: RuleId;
}

/** A reply with an impossible balance, to a call that was sent alone. */
export interface UnexpectedReply {
  readonly rule: RuleId;
  /**
   * The decision if the next read shows the right balance: then only the balance in the reply was wrong. `nothing` if the contract
   * allows the wrong balance in the reply.
   */
  readonly ifReadFits: 'breach' | 'warn' | 'nothing';
  readonly step: CallStep;
  readonly exchange: string;
  /** The impossible balance. undefined if the balance in the reply is no amount. */
  readonly said: Money | undefined;
  readonly expected: string;
  readonly actual: string;
}
