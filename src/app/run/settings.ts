import { randomBytes } from 'node:crypto';
import { CALL_NAMES, type CallName } from '../../contract/call-name.ts';
import { codeProblem } from '../../contract/currencies.ts';
import { Money } from '../../contract/money.ts';
import type { RunOptions } from '../../engine/run-options.ts';
import type { Budgets } from '../../journal/event.ts';
import { readDuration } from '../../scenario/duration.ts';
import { decimalsProblem } from '../config/decimals.ts';
import { type RunFlags, switchOf } from '../config/run-flags.ts';
import { type Config, DEFAULTS } from '../config/schema.ts';
import { UsageError } from '../exit-status.ts';
import { QUICK_RACE_ROUNDS } from '../quick-scenarios.ts';

/** The settings of a run that are the same for every client. */
export type RunSettings = Pick<
  RunOptions,
  | 'seed'
  | 'strict'
  | 'stakes'
  | 'decimals'
  | 'campaign'
  | 'largeAmounts'
  | 'credit'
  | 'raceRounds'
  | 'deadlineMs'
  | 'lingerMs'
  | 'budgetMs'
  | 'budgetFails'
  | 'workers'
  | 'bail'
  | 'endAfterMs'
  | 'retries'
  | 'allowFlaky'
  | 'trace'
  | 'ratePerSecond'
  | 'maxAtOnce'
>;

function duration(text: string): number {
  const ms = readDuration(text);
  if (ms === undefined)
    throw new Error(`internal error: the schema accepts the duration ${text}, but croupier can't read it`);
  return ms;
}

/**
 * Returns the settings of a run. A flag overrides the environment, which overrides the file, which overrides the
 * default. Commander has already merged flags and environment variables, except for the variables that are only on or
 * off.
 */
export function runSettings(
  config: Config,
  flags: RunFlags,
  env: Readonly<Record<string, string | undefined>>,
): RunSettings {
  return {
    seed: flags.seed ?? randomBytes(4).toString('hex'),
    strict: flags.strict ?? switchOf(env, 'CROUPIER_STRICT') ?? config.strict === true,
    stakes: { ...config.stakes, ...Object.fromEntries((flags.stake ?? []).map(readStake)) },
    decimals: { ...config.decimals, ...Object.fromEntries((flags.decimals ?? []).map(readDecimals)) },
    campaign: flags.campaign ?? config.freeRounds?.frID ?? null,
    largeAmounts: flags.largeAmounts ?? config.largeAmounts ?? false,
    credit: config.credit,
    raceRounds: flags.raceRounds ?? (flags.quick ? QUICK_RACE_ROUNDS : undefined),
    deadlineMs: flags.deadline ?? duration(config.deadline ?? DEFAULTS.deadline),
    lingerMs: flags.linger ?? duration(config.linger ?? DEFAULTS.linger),
    budgetMs: budgets(config),
    budgetFails: failingBudgets(config),
    workers: flags.workers ?? config.workers ?? DEFAULTS.workers,
    bail: flags.bail === true ? 1 : (flags.bail ?? null),
    endAfterMs: flags.time,
    retries: flags.retries,
    allowFlaky: flags.allowFlaky,
    trace: (flags.trace ?? switchOf(env, 'CROUPIER_TRACE') ?? config.trace) || undefined,
    ratePerSecond: flags.rate ?? config.rate ?? null,
    maxAtOnce: config.maxAtOnce ?? DEFAULTS.maxAtOnce,
  };
}

function budgets({ budget }: Config): Budgets | undefined {
  if (budget === undefined) return undefined;
  return Object.fromEntries(
    Object.entries(budget).map(([call, limit]) => [call, duration(typeof limit === 'string' ? limit : limit.p95)]),
  );
}

/** Returns the calls whose slow replies fail the run. */
function failingBudgets({ budget = {} }: Config): readonly CallName[] {
  return CALL_NAMES.filter((call) => {
    const limit = budget[call];
    return typeof limit === 'object' && limit.fail === true;
  });
}

/**
 * Reads the value of `--stake`, such as `USD=1.00`.
 *
 * @throws UsageError unless it is a currency with an amount above zero
 */
export function readStake(text: string): [currency: string, amount: string] {
  const at = text.indexOf('=');
  const code = text.slice(0, Math.max(at, 0));
  const amount = text.slice(at + 1);
  const wrong = (problem: string) =>
    new UsageError(`--stake ${text}: ${problem}. Write the stake as in --stake USD=1.00.`);
  if (at < 1) throw wrong('it needs a currency and an amount');
  const notCode = codeProblem(code);
  if (notCode !== undefined) throw wrong(notCode);
  const money = Money.read(amount);
  if (!money || money.isZero()) throw wrong(`${amount} is not an amount above zero`);
  return [code, amount];
}

/**
 * Reads the value of `--decimals`, such as `USDT=6`.
 *
 * @throws UsageError if the text has another form, or if the contract does not allow this number of decimals
 */
export function readDecimals(text: string): [currency: string, decimals: number] {
  const [code = '', number = '', ...rest] = text.split('=');
  const wrong = (problem: string) =>
    new UsageError(`--decimals ${text}: ${problem}. Write the decimals as in --decimals USDT=6.`);
  if (!text.includes('=') || rest.length > 0) throw wrong('it needs a currency and a number of decimals');
  const notCode = codeProblem(code);
  if (notCode !== undefined) throw wrong(notCode);
  const decimals = /^\d{1,2}$/.test(number) ? Number(number) : Number.NaN;
  const problem = decimalsProblem(code, decimals);
  if (problem !== undefined) throw wrong(problem);
  return [code, decimals];
}
