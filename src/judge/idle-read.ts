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
  /** True when no call that was sent before can take effect any more. */
  readonly lingered: boolean;
}

/** The next step after an idle read. */
export type ReadResult =
  /** The balance is possible, or what is wrong with it has been reported. */
  | { readonly kind: 'settled' }
  /** The balance shows a late bet that its refund may still undo: read again when no call can take effect any more. */
  | { readonly kind: 'wait' }
  /** The replies said another balance, which was possible: read again after a pause, to find out whether reads are stale. */
  | { readonly kind: 'behind' }
  /** Nothing explains the balance: read twice more, to find out whether it changes by itself. */
  | { readonly kind: 'probe' };

/** Calls that were sent at the same instant, and the rule that is reported if the next balance has no other explanation. */
export interface ConcurrentCalls {
  readonly rule: RuleId;
  readonly step: CallStep;
  readonly exchange: string;
  readonly expected: string;
  /** The rule that is reported instead if the balance is too high. Left out: the same. */
  readonly ifMore?: RuleId;
}

/** A reply with an impossible balance, to a call that was sent alone. */
export interface UnexpectedReply {
  readonly rule: RuleId;
  /** The decision if the next read is right, so that only the reply was wrong. `nothing`: the contract allows another balance in the reply. */
  readonly ifReadFits: 'breach' | 'warn' | 'nothing';
  readonly step: CallStep;
  readonly exchange: string;
  readonly expected: string;
  readonly actual: string;
}
