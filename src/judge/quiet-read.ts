import type { RuleId } from '../contract/catalogue.ts';
import type { Money } from '../contract/money.ts';
import type { CallStep } from '../scenario/plan.ts';
import type { Wallet } from './wallet.ts';

/** A quiet read: nothing of ours was in flight when it was sent. */
export interface QuietRead {
  readonly wallet: Wallet;
  readonly value: Money;
  readonly step: CallStep;
  readonly exchange: string;
  /** True when nothing that was sent before can land any more. */
  readonly lingered: boolean;
}

/** What is to be done after a quiet read. */
export type ReadResult =
  /** It fits, or what is wrong with it has been said. */
  | { readonly kind: 'settled' }
  /** It shows a late bet that its refund may still undo: read again when nothing can land any more. */
  | { readonly kind: 'wait' }
  /** The replies told another balance, which fitted: read again after a while, to see whether reads are behind. */
  | { readonly kind: 'behind' }
  /** Nothing explains it: read twice more, to see whether the balance moves by itself. */
  | { readonly kind: 'probe' };

/** Whom an unexplained balance is laid at the door of: calls that were sent at the same instant. */
export interface Suspicion {
  readonly rule: RuleId;
  readonly step: CallStep;
  readonly exchange: string;
  readonly expected: string;
  /** The rule whose matter it is where there is more than there should be. Left out: the same. */
  readonly ifMore?: RuleId;
}

/** A reply to a call that was sent alone whose balance is not a possible one. */
export interface OddReply {
  readonly rule: RuleId;
  /** What it means when only the reply was wrong. `nothing`: the contract lets the reply say something else. */
  readonly ifReadFits: 'breach' | 'warn' | 'nothing';
  readonly step: CallStep;
  readonly exchange: string;
  readonly expected: string;
  readonly actual: string;
}
