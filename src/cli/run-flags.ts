import type { ContractVersion } from '../contract/versions.ts';
import type { VariationFlags } from './variations.ts';

/** The flags (and, behind them, the CROUPIER_* variables) that say whom to judge and how. */
export interface ClientFlags {
  readonly config?: string;
  readonly client?: readonly string[];
  readonly baseUrl?: string;
  readonly extCid?: string;
  readonly session?: readonly string[];
  readonly keyFile?: string;
  readonly ca?: string;
  readonly insecure?: boolean;
  readonly proxy?: string;
  /** Money may be moved where real players' seems to be. */
  readonly production?: boolean;
  readonly contract?: ContractVersion;
  /** Sessions are taken as the operator launches them: so many. */
  readonly launches?: number;
}

/** The flags of `run`, as the command line gave them. */
export interface RunFlags extends ClientFlags, VariationFlags {
  readonly reference?: boolean;
  readonly tag?: readonly string[];
  readonly grep?: string;
  readonly list?: boolean;
  readonly coreApiPort?: string;
  readonly launchWait?: number;
  readonly after?: readonly string[];
  readonly bail?: number | true;
  readonly watch?: boolean;
  readonly lastFailed?: string | true;
  /** As `2/4`. */
  readonly shard?: string;
  readonly timings?: readonly string[];
  readonly retries?: number;
  readonly allowFlaky?: boolean;
  readonly baseline?: string;
  readonly strict?: boolean;
  readonly seed?: string;
  readonly workers?: number;
  readonly raceRounds?: number;
  readonly deadline?: number;
  readonly linger?: number;
  readonly campaign?: string;
  readonly stake?: readonly string[];
  readonly largeAmounts?: boolean;
  readonly report?: readonly string[];
  readonly journal?: string;
  readonly json?: boolean;
  /** false: nothing is said to GitHub Actions. */
  readonly github?: boolean;
  readonly verbose?: boolean;
}
