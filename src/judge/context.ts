import type { Currency } from '../contract/currencies.ts';
import type { ContractVersion } from '../contract/versions.ts';
import type { Finding } from '../journal/finding.ts';
import type { RightUnit } from './attribution/units.ts';
import type { StaleReadHistory } from './reads/stale-reads.ts';
import type { Wallet } from './wallet/wallet.ts';

/** The settings and facts from outside the scenario that the judge needs. */
export interface JudgeContext {
  readonly strict: boolean;
  /** The version of the contract that the operator follows. Rules that were added later are not judged. Left out: the latest. */
  readonly contract?: ContractVersion | undefined;
  /** True when an unmet expectation of the scenario itself, beyond the rules, fails the scenario. */
  readonly demanding: boolean;
  readonly deadlineMs: number;
  readonly campaignKnown: boolean;
  /** Returns the wallet of a session alias; null for a session that the operator never issued. */
  walletOf(alias: string): Wallet | null;
  /** The wallets of all sessions of the scenario. */
  readonly wallets: readonly Wallet[];
  currencyOf(alias: string): Currency | undefined;
  /** Returns true when other scenarios of the run have proven that the rule is broken. */
  proven(rule: string): boolean;
  /** Returns true when every attempt at the scenario got a temporary error (5xx, 408, 423, 425 or 429) at the step. */
  isLasting(step: string): boolean;
  /** Returns true when an earlier attempt at the scenario observed the same, and remembers it for later attempts. */
  seenBefore(observation: string): boolean;
  /** The stale reads that the run has observed so far. */
  readonly staleReads: StaleReadHistory;
  /** The calls that the run has observed to be in the right unit. */
  readonly rightUnit: RightUnit;
  report(finding: Finding): void;
}
