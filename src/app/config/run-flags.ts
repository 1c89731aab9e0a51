import type { ContractVersion } from '../../contract/versions.ts';
import { UsageError } from '../exit-status.ts';

/**
 * The flags that name the clients to judge and the connection to them. A CROUPIER_* variable can give the same value.
 */
export interface ClientFlags {
  readonly config?: string;
  readonly client?: readonly string[];
  readonly baseUrl?: string;
  readonly extCid?: string;
  readonly session?: readonly string[];
  /** The name of the flag that gave `session`, for error messages. Default: `--session`. */
  readonly sessionFlag?: string;
  readonly keyFile?: string;
  readonly ca?: string;
  readonly insecure?: boolean;
  readonly proxy?: string;
  /** True if calls may move money although the address looks like production. */
  readonly production?: boolean;
  readonly contract?: ContractVersion;
  /** The number of sessions that the operator must launch for the run. */
  readonly launches?: number;
}

/** Returns the name of the flag with which the user gives sessions. */
export function sessionFlagOf({ sessionFlag = '--session' }: Pick<ClientFlags, 'sessionFlag'>): string {
  return sessionFlag;
}

/** The flags that add defects or variants to the reference operator. */
export interface VariationFlags {
  readonly defect?: readonly string[];
  readonly variant?: readonly string[];
  /** The values of `--habit`, the former name of `--variant`. */
  readonly habit?: readonly string[];
}

/** The flags about the locks of players. */
export interface LockFlags {
  /** False for `--no-lock`. */
  readonly lock?: boolean;
  /** Time to wait for players that are in use, in ms. */
  readonly lockWait?: number;
  readonly lockFolder?: string;
}

/** The flags of `run`, as the command line gave them. */
export interface RunFlags extends ClientFlags, VariationFlags, LockFlags {
  readonly reference?: boolean;
  readonly tag?: readonly string[];
  readonly grep?: string;
  readonly quick?: boolean;
  readonly list?: boolean;
  /** Groups and rules that the run must decide. A value can be a list with commas. */
  readonly require?: readonly string[];
  /** Labels of the run, such as `build=1.2.3`. */
  readonly label?: readonly string[];
  /** True if selected rules and scenarios may stay undecided. */
  readonly allowSkipped?: boolean;
  readonly coreApiPort?: string;
  readonly coreApiHost?: string;
  readonly coreApiUrl?: string;
  readonly launchWait?: number;
  readonly after?: readonly string[];
  readonly bail?: number | true;
  /** Time after which no new scenario begins, in ms. */
  readonly time?: number;
  readonly watch?: boolean;
  readonly lastFailed?: string | true;
  /** The shard to run, such as `2/4`: part 2 of 4. */
  readonly shard?: string;
  readonly timings?: readonly string[];
  readonly retries?: number;
  readonly allowFlaky?: boolean;
  readonly baseline?: string;
  readonly strict?: boolean;
  /** True if every call gets a `traceparent` header. */
  readonly trace?: boolean;
  readonly seed?: string;
  readonly workers?: number;
  /** Maximum number of calls per second. */
  readonly rate?: number;
  readonly raceRounds?: number;
  readonly deadline?: number;
  readonly linger?: number;
  readonly campaign?: string;
  readonly stake?: readonly string[];
  readonly decimals?: readonly string[];
  readonly largeAmounts?: boolean;
  readonly report?: readonly string[];
  /** True if reports for other people may contain signatures and curl commands. */
  readonly curl?: boolean;
  readonly journal?: string;
  /** The base URL of the collector that gets the spans of the run. */
  readonly otlp?: string;
  /** False for `--no-history`. */
  readonly history?: boolean;
  readonly json?: boolean;
  /** False if `--no-github` switches off the output for GitHub Actions. */
  readonly github?: boolean;
  /** The number of times that `-v` was given. */
  readonly verbose?: number;
}

/** Returns the variants that `--variant` and its former name `--habit` give, without duplicates. */
export function variantNames({ variant = [], habit = [] }: VariationFlags): readonly string[] {
  return [...new Set([...variant, ...habit])];
}

/** One part of a run that is divided into `count` parts. `index` counts from 1. */
export interface ShardPart {
  readonly index: number;
  readonly count: number;
}

/** Reads the value of `--shard`, such as `2/4`. Returns undefined for any other form. */
export function shardPart(text: string): ShardPart | undefined {
  const match = /^([1-9]\d{0,3})\/([1-9]\d{0,3})$/.exec(text);
  return match ? { index: Number(match[1]), count: Number(match[2]) } : undefined;
}

const ON: ReadonlySet<string> = new Set(['1', 'true', 'yes', 'on']);

/**
 * Environment variables that switch something on or off, by the name of their flag. croupier reads these variables itself, because
 * commander understands the value `0` as on.
 */
export const SWITCHES: Readonly<Record<string, string>> = {
  strict: 'CROUPIER_STRICT',
  insecure: 'CROUPIER_INSECURE',
  production: 'CROUPIER_PRODUCTION',
  trace: 'CROUPIER_TRACE',
};

const OFF: ReadonlySet<string> = new Set(['0', 'false', 'no', 'off']);

/** True if the value of a variable means on. */
export function isOn(text: string | undefined): boolean {
  return ON.has(text?.toLowerCase() ?? '');
}

/** True if the value of a variable means off. */
export function isOff(text: string | undefined): boolean {
  return OFF.has(text?.toLowerCase() ?? '');
}

/**
 * Reads a variable in `SWITCHES`. undefined if the variable is empty or not set.
 *
 * @throws UsageError if the value means neither on nor off. Otherwise a mistake such as `CROUPIER_STRICT=y` would switch a check
 * off
 */
export function switchOf(env: Readonly<Record<string, string | undefined>>, variable: string): boolean | undefined {
  const text = env[variable] ?? '';
  if (text === '') return undefined;
  if (isOn(text)) return true;
  if (isOff(text)) return false;
  throw new UsageError(
    `The variable ${variable} is ${JSON.stringify(text)}, but it must be 1 (on) or 0 (off). Nothing was sent.`,
  );
}

/**
 * Returns the flags with which a later run calls the same operator with the same timeouts. Settings of the
 * configuration and keys are left out.
 *
 * @param client the ExtCID, if the configuration has several clients
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
    ...each('--decimals', flags.decimals),
    ...one('--contract', flags.contract),
    ...(flags.largeAmounts ? ['--large-amounts'] : []),
    ...(flags.trace ? ['--trace'] : []),
    ...each('--after', flags.after),
  ];
}
