import type { ContractVersion } from '../../contract/versions.ts';

/** The flags (and, behind them, the CROUPIER_* variables) that name the clients to judge and how to reach them. */
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
  /** Calls may move money although the address looks like production. */
  readonly production?: boolean;
  readonly contract?: ContractVersion;
  /** The number of sessions that the operator must launch for the run. */
  readonly launches?: number;
}

/** The flags that make the reference operator differ from the plain correct one. */
export interface VariationFlags {
  readonly defect?: readonly string[];
  readonly variant?: readonly string[];
  /** The former name of `variant`. */
  readonly habit?: readonly string[];
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
  /** false: nothing is printed for GitHub Actions. */
  readonly github?: boolean;
  readonly verbose?: boolean;
}

/** The variants that the flags name, under either name of the flag. */
export function variantNames({ variant = [], habit = [] }: VariationFlags): readonly string[] {
  return [...new Set([...variant, ...habit])];
}

/** One part of a run that is divided into several, counted from 1. */
export interface ShardPart {
  readonly index: number;
  readonly count: number;
}

/** Reads `2/4`; undefined: it has another form. */
export function shardPart(text: string): ShardPart | undefined {
  const match = /^([1-9]\d{0,3})\/([1-9]\d{0,3})$/.exec(text);
  return match ? { index: Number(match[1]), count: Number(match[2]) } : undefined;
}

const ON: ReadonlySet<string> = new Set(['1', 'true', 'yes', 'on']);

/** The variables that are either on or off, by the attribute of their flag. Commander would read `0` as on. */
export const SWITCHES: Readonly<Record<string, string>> = {
  strict: 'CROUPIER_STRICT',
  insecure: 'CROUPIER_INSECURE',
  production: 'CROUPIER_PRODUCTION',
};

/** True if a variable of `SWITCHES` is on; false for `0`, `false` and the like. */
export function isOn(text: string | undefined): boolean {
  return ON.has(text?.toLowerCase() ?? '');
}

/**
 * The flags that make a later run call the same operator in the same way, with the same waits. Settings of the configuration
 * are left out, and a key has no flag.
 *
 * @param client the ExtCID, if several clients could be chosen
 */
export function repeatFlags(flags: RunFlags, client: string | undefined): readonly string[] {
  const one = (name: string, value: string | undefined): readonly string[] =>
    value === undefined ? [] : [name, value];
  const each = (name: string, values: readonly string[] = []): readonly string[] =>
    values.flatMap((value) => [name, value]);
  const milliseconds = (value: number | undefined): string | undefined =>
    value === undefined ? undefined : `${value}ms`;
  return [
    ...(flags.reference ? ['--reference'] : []),
    ...each('--variant', variantNames(flags)),
    ...each('--defect', flags.defect),
    ...one('--config', flags.config),
    ...one('--client', client),
    ...one('--base-url', flags.baseUrl),
    ...one('--ext-cid', flags.extCid),
    ...each('--session', flags.session),
    ...one('--key-file', flags.keyFile),
    ...one('--ca', flags.ca),
    ...(flags.insecure ? ['--insecure'] : []),
    ...one('--proxy', flags.proxy),
    ...one('--deadline', milliseconds(flags.deadline)),
    ...one('--linger', milliseconds(flags.linger)),
    ...one('--campaign', flags.campaign),
    ...each('--stake', flags.stake),
    ...one('--contract', flags.contract),
    ...(flags.largeAmounts ? ['--large-amounts'] : []),
    ...each('--after', flags.after),
  ];
}
