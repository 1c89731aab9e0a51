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
  /** True when enough time has passed that no earlier call can still take effect. */
  readonly lingered: boolean;
}

/** The result of judging an idle read: whether the balance must be read again, and why. */
export type ReadResult =
  /** The balance is possible, or its fault has been reported. No further read is needed. */
  | { readonly kind: 'settled' }
  /** The balance includes a bet whose refund may still take effect. Read again when no call can still take effect. */
  | { readonly kind: 'wait' }
  /**
   * The balance is wrong, but the replies had the right balance. Read again after a pause, to find out whether reads
   * are stale.
   */
  | { readonly kind: 'behind' }
  /** Nothing explains the balance. Read twice more, to find out whether the balance changes by itself. */
  | { readonly kind: 'probe' };

/** Calls that were sent at the same instant, with the rule to report if nothing else explains the next balance. */
export interface ConcurrentCalls {
  readonly rule: RuleId;
  readonly step: CallStep;
  readonly exchange: string;
  readonly expected: string;
  /** The rule that is reported if the balance is too high. Left out means that `rule` is reported. */
  readonly ifMore?: RuleId;
}

/** A reply with an impossible balance, to a call that was sent alone. */
export interface UnexpectedReply {
  readonly rule: RuleId;
  /**
   * The decision if the next read shows the right balance, so that only the reply was wrong. `nothing` if the contract
   * allows another balance in the reply.
   */
  readonly ifReadFits: 'breach' | 'warn' | 'nothing';
  readonly step: CallStep;
  readonly exchange: string;
  readonly expected: string;
  readonly actual: string;
}
