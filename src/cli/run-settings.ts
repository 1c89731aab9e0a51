import { randomBytes } from 'node:crypto';
import { currencyByCode } from '../contract/currencies.ts';
import { Money } from '../contract/money.ts';
import type { RunOptions } from '../engine/run-options.ts';
import type { Budgets } from '../journal/latency.ts';
import { readDuration } from '../scenario/duration.ts';
import { nearest } from '../scenario/near.ts';
import type { Config } from './config-schema.ts';
import type { RunFlags } from './run-flags.ts';
import { isOn } from './switches.ts';
import { UsageError } from './usage-error.ts';

/** Those options of a run that are the same for every client. */
export type RunSettings = Pick<
  RunOptions,
  | 'seed'
  | 'strict'
  | 'stakes'
  | 'campaign'
  | 'largeAmounts'
  | 'raceRounds'
  | 'deadlineMs'
  | 'lingerMs'
  | 'budgetMs'
  | 'workers'
  | 'bail'
  | 'retries'
  | 'allowFlaky'
  | 'ratePerSecond'
  | 'maxAtOnce'
>;

/** What holds where nobody says anything, as croupier.yaml would say it. The deadline is the contract's, "Limits". */
export const DEFAULTS = { deadline: '5s', linger: '2s', workers: 8, maxAtOnce: 64 } as const;

function duration(text: string): number {
  const ms = readDuration(text);
  if (ms === undefined) throw new Error(`${text} is no duration, though the schema lets it pass`);
  return ms;
}

/** Flags before environment (commander has joined the two, apart from what is on or off) before file before defaults. */
export function runSettings(
  config: Config,
  flags: RunFlags,
  env: Readonly<Record<string, string | undefined>>,
): RunSettings {
  return {
    seed: flags.seed ?? randomBytes(4).toString('hex'),
    strict: flags.strict ?? (isOn(env.CROUPIER_STRICT) || config.strict === true),
    stakes: { ...config.stakes, ...Object.fromEntries((flags.stake ?? []).map(readStake)) },
    campaign: flags.campaign ?? config.freeRounds?.frID ?? null,
    largeAmounts: flags.largeAmounts ?? config.largeAmounts ?? false,
    raceRounds: flags.raceRounds,
    deadlineMs: flags.deadline ?? duration(config.deadline ?? DEFAULTS.deadline),
    lingerMs: flags.linger ?? duration(config.linger ?? DEFAULTS.linger),
    budgetMs: budgets(config),
    workers: flags.workers ?? config.workers ?? DEFAULTS.workers,
    bail: flags.bail === true ? 1 : (flags.bail ?? null),
    retries: flags.retries,
    allowFlaky: flags.allowFlaky,
    ratePerSecond: config.rate ?? null,
    maxAtOnce: config.maxAtOnce ?? DEFAULTS.maxAtOnce,
  };
}

function budgets({ budget }: Config): Budgets | undefined {
  if (budget === undefined) return undefined;
  return Object.fromEntries(Object.entries(budget).map(([call, text]) => [call, duration(text)]));
}

/** Reads `USD=1.00`. @throws UsageError for anything that is no currency with an amount that it can have */
export function readStake(text: string): [currency: string, amount: string] {
  const at = text.indexOf('=');
  const code = text.slice(0, Math.max(at, 0));
  const amount = text.slice(at + 1);
  const wrong = (problem: string) => new UsageError(`--stake ${text}: ${problem}. Write it as --stake USD=1.00`);
  if (at < 1) throw wrong('it needs a currency and an amount');
  if (!currencyByCode(code)) {
    const near = nearest(
      code,
      [code.toUpperCase()].filter((upper) => currencyByCode(upper)),
    );
    throw wrong(`${code} is no currency of the service${near === undefined ? '' : `; did you mean ${near}?`}`);
  }
  const money = Money.read(amount);
  if (!money || money.isZero()) throw wrong(`${amount} is no amount more than zero`);
  return [code, amount];
}
