import type { Currency } from '../contract/currencies.ts';
import type { Money } from '../contract/money.ts';
import type { ContractVersion } from '../contract/versions.ts';
import type { FoundSum } from '../journal/event.ts';
import type { Finding } from '../journal/finding.ts';
import type { RightUnit } from './attribution/units.ts';
import type { BalancesOfOthers } from './reads/balances-of-others.ts';
import type { GivenTxIDs } from './reads/given-tx-ids.ts';
import type { StaleReadHistory } from './reads/stale-reads.ts';
import type { Wallet } from './wallet/wallet.ts';

/** The settings and facts from outside the scenario that the judge needs. */
export interface JudgeContext {
  readonly strict: boolean;
  /**
   * The version of the contract that the operator follows. Rules of later versions are not judged. Left out: the latest version.
   */
  readonly contract?: ContractVersion | undefined;
  /**
   * True if each reply must also match the `expect` of its step. Then a reply that does not match fails the scenario, even if no
   * rule is broken.
   */
  readonly demanding: boolean;
  readonly deadlineMs: number;
  readonly campaignKnown: boolean;
  /** True if accounts have a credit line, so that a bet above the balance may be accepted. Left out: they have none. */
  readonly hasCredit?: boolean | undefined;
  /**
   * Returns the wallet of a session. `alias` is the name of the session in the scenario. null if the operator never issued the
   * session.
   */
  walletOf(alias: string): Wallet | null;
  /** The wallets of all sessions of the scenario. */
  readonly wallets: readonly Wallet[];
  currencyOf(alias: string): Currency | undefined;
  /**
   * Returns the number of decimals for a session's currency: the configured number, or the number in the balances of this run.
   * undefined if it is unknown.
   */
  decimalsOf?(alias: string): number | undefined;
  /** Returns the stake of a session: the amount of a bet that the operator is expected to accept. undefined if it is unknown. */
  stakeOf?(alias: string): Money | undefined;
  /** Returns true if other scenarios of the run have proven that the rule is broken. */
  proven(rule: string): boolean;
  /**
   * Returns true if the operator answered the step with a temporary error (5xx, 408, 423, 425 or 429) in every attempt at the
   * scenario.
   */
  isLasting(step: string): boolean;
  /** Returns true if the operator answers calls with temporary errors at random. */
  failsAtRandom(): boolean;
  /** Returns true if an earlier attempt at the scenario made the same observation. Stores the observation for later attempts. */
  seenBefore(observation: string): boolean;
  /** The stale reads that the run has observed so far. */
  readonly staleReads: StaleReadHistory;
  /** The kinds of calls for which this run has shown that the operator reads their amounts in the right unit. */
  readonly rightUnit: RightUnit;
  /** The balances of all players of the run. */
  readonly balancesOfOthers: BalancesOfOthers;
  /** The operator's txIDs that the run has got so far. */
  readonly givenTxIDs: GivenTxIDs;
  report(finding: Finding): void;
  /** Reports by how much a breach made a balance wrong. Is called if the finding was reported before a balance showed this sum. */
  reportSum?(found: FoundSum): void;
}
