import { type CommandUnknownOpts, InvalidArgumentError, Option } from '@commander-js/extra-typings';
import { type Limit, readLimit } from '../../../load/limits.ts';
import {
  addClientOptions,
  addLockOptions,
  addWaitOptions,
  decimalsOption,
  historyOption,
  productionOption,
  stakeOption,
  traceOption,
} from '../../options/client.ts';
import { collect, countFlag, durationFlag, type FlagsOf, jsonOption } from '../../options/parts.ts';
import { addReferenceOptions } from '../../options/reference.ts';

/** Highest rate that a flag accepts, in calls per second. */
const MAX_RATE = 1_000_000;
const RATE = /^\d+(\.\d+)?$/;

function rateOf(text: string): number | undefined {
  const rate = RATE.test(text) ? Number(text) : 0;
  return rate > 0 && rate <= MAX_RATE ? rate : undefined;
}

function rateFlag(text: string): number {
  const rate = rateOf(text);
  if (rate === undefined)
    throw new InvalidArgumentError(`Write calls per second, more than 0 and at most ${MAX_RATE}, such as 500 or 0.5.`);
  return rate;
}

function speedFlag(text: string): number {
  const speed = rateOf(text);
  if (speed === undefined)
    throw new InvalidArgumentError('Write how many times as fast as the journal, more than 0, such as 10 or 0.5.');
  return speed;
}

function rampFlag(text: string): { readonly from: number; readonly to: number } {
  const [from, to, ...rest] = text.split('..').map(rateOf);
  if (from === undefined || to === undefined || rest.length > 0)
    throw new InvalidArgumentError('Write two rates in calls per second, such as 100..2000.');
  return { from, to };
}

function limitFlag(text: string, earlier: readonly Limit[] | undefined): readonly Limit[] {
  const limit = readLimit(text);
  if (limit === undefined)
    throw new InvalidArgumentError(
      "Write a limit such as 'bet p99 < 300ms', 'p99.9 < 1s', 'max < 5s' or 'errors < 0.1%'.",
    );
  return [...(earlier ?? []), limit];
}

/** Defines `croupier load` and its flags. */
export function describeLoad(program: CommandUnknownOpts) {
  const load = program
    .command('load')
    .description('send the traffic of many players at a rate, judge each reply, and compare every balance')
    .summary('send traffic at a rate, and compare every balance')
    .optionsGroup('Load:')
    .addOption(new Option('--rate <n>', 'calls per second, even if the operator is slower').argParser(rateFlag))
    .addOption(new Option('--ramp <a..b>', 'a rate that changes evenly from a to b').argParser(rampFlag))
    .addOption(new Option('--closed <n>', 'n players, each as fast as its replies come').argParser(countFlag))
    .option('--like <journal>', 'the mix and the times of the calls in a journal')
    .addOption(new Option('--speed <n>', 'n times as fast as the journal of --like (default: 1)').argParser(speedFlag))
    .addOption(
      new Option('--find-limit <limit>', 'search the highest rate that keeps the limit; repeatable').argParser(
        limitFlag,
      ),
    )
    .addOption(
      new Option('--duration <time>', 'how long calls are sent (default: 1m, or 10s a step)').argParser(durationFlag),
    )
    .addOption(new Option('--workers <n>', 'threads, each with its own players (default: 1)').argParser(countFlag))
    .addOption(new Option('--players <n>', 'maximum number of players').argParser(countFlag))
    .option('--mix <file>', 'shares of what players do, as YAML')
    .addOption(new Option('--limit <limit>', "a limit, as 'bet p99 < 300ms'; repeatable").argParser(limitFlag))
    .addOption(new Option('--seed <text>', 'repeat the decisions of an earlier test').env('CROUPIER_SEED'))
    .option('--disturb <command>', 'a shell command to run during the load; needs --every')
    .addOption(new Option('--every <time>', 'how often --disturb runs its command').argParser(durationFlag))
    .option('--database <address>', 'workers join through this database or file')
    .option('--join', 'play a part of a load that another command starts')
    .option('--allow-load', 'allow more than 100 calls per second to another machine')
    .optionsGroup('Operator (default: each client of croupier.yaml):');
  const operator = addClientOptions(addReferenceOptions(load))
    .addOption(productionOption())
    .addOption(stakeOption())
    .addOption(decimalsOption())
    .addOption(historyOption())
    .addOption(traceOption());
  return addLockOptions(addWaitOptions(operator))
    .optionsGroup('Output:')
    .addOption(
      new Option('--report <kind=file>', 'write json, html or hgrm (times for plotters); repeatable').argParser(
        collect,
      ),
    )
    .option('--journal <file>', 'journal file (default: a new one in .croupier/)')
    .addOption(jsonOption())
    .addHelpText(
      'after',
      `
Examples:
  croupier load --rate 50 --duration 30s
  croupier load --ramp 10..200 --duration 5m --limit 'bet p99 < 300ms'
  croupier load --like traffic.ndjson --speed 10
  croupier load --find-limit 'p99 < 1s'
  croupier load --rate 2000 --workers 2 --database postgres://db.example/load

Exit status: 0 RECONCILED, 1 NOT RECONCILED, 2 usage (nothing was sent),
  3 UNDECIDED, 70 a bug of croupier`,
    );
}

export type LoadFlags = FlagsOf<typeof describeLoad>;
