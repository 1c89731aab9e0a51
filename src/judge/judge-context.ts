import type { Currency } from '../contract/currencies.ts';
import type { ContractVersion } from '../contract/versions.ts';
import type { Finding } from '../journal/finding.ts';
import type { Lateness } from './lateness.ts';
import type { RightUnit } from './right-unit.ts';
import type { Wallet } from './wallet.ts';

/** What the judge must know of the world around a scenario. */
export interface JudgeContext {
  readonly strict: boolean;
  /** Rules that came with a later version decide nothing. Left out: the latest. */
  readonly contract?: ContractVersion | undefined;
  /** Whether what a scenario states of a reply beyond the rules is a demand of its own. */
  readonly demanding: boolean;
  readonly deadlineMs: number;
  readonly campaignKnown: boolean;
  /** The wallet of a session alias; null for a session that the operator never issued. */
  walletOf(alias: string): Wallet | null;
  /** The wallets of all sessions of the scenario. */
  readonly wallets: readonly Wallet[];
  currencyOf(alias: string): Currency | undefined;
  /** True when other scenarios of the run have shown the rule to be broken. */
  proven(rule: string): boolean;
  /** True when the step was answered as by one who is too busy, or who failed, each time that the scenario was played. */
  isLasting(step: string): boolean;
  /** True when the same, in these words, was seen in an earlier attempt at the scenario; it is remembered for the next. */
  seenBefore(what: string): boolean;
  /** What the run has seen of effects that show late. */
  readonly lateness: Lateness;
  /** What the run has seen to be in the right unit. */
  readonly rightUnit: RightUnit;
  report(finding: Finding): void;
}
