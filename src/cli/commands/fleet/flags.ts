import { type CommandUnknownOpts, Option } from '@commander-js/extra-typings';
import { readDuration } from '../../../scenario/duration.ts';
import { databaseOption } from '../../options/database.ts';
import { countFlag, durationFlag, type FlagsOf, jsonOption } from '../../options/parts.ts';

/** Number of operators that are judged at the same time if no flag gives another number. */
const PARALLEL = 30;

/** Defines `croupier fleet`, which only groups its subcommands. */
export function describeFleet(program: CommandUnknownOpts) {
  return program
    .command('fleet')
    .description('judge many operators, which fleet.yaml names')
    .helpCommand(false)
    .addHelpText(
      'after',
      `
Examples:
  croupier fleet check
  croupier fleet run
  croupier fleet run acme-eu acme-asia
  croupier fleet status
  croupier fleet board

Each run adds itself to the history in the folder of fleet.yaml.`,
    );
}

/** Defines `croupier fleet check` and its flags. */
export function describeFleetCheck(fleet: CommandUnknownOpts) {
  return fleet
    .command('check')
    .description('check fleet.yaml and the files that it names, and print when each operator is due; sends nothing')
    .summary('check fleet.yaml, and print when each operator is due')
    .addOption(fileOption())
    .addHelpText(
      'after',
      `
Example:
  croupier fleet check

Exit status: 0 no mistakes, 2 mistakes, each with its line`,
    );
}

/** Defines `croupier fleet status` and its flags. */
export function describeFleetStatus(fleet: CommandUnknownOpts) {
  return fleet
    .command('status')
    .description('print the latest result of each operator, and which operators are running, late or owe something')
    .summary('print the latest result of each operator')
    .addOption(fileOption())
    .addOption(jsonOption())
    .addOption(databaseOption())
    .option('--openmetrics <file>', 'also write gauges of each operator in the OpenMetrics format to this file')
    .addHelpText(
      'after',
      `
Examples:
  croupier fleet status
  croupier fleet status --json
  croupier fleet status --openmetrics /var/lib/node_exporter/fleet.prom

Exit status: 0 shown, 2 mistakes in fleet.yaml, the history can't be read, or
  the file can't be written`,
    );
}

/** Defines `croupier fleet board` and its flags. */
export function describeFleetBoard(fleet: CommandUnknownOpts) {
  return fleet
    .command('board')
    .description(
      'serve a web page with the results of all operators: rules, trend, flakiness, what is late or owed, load tests, reports',
    )
    .summary('serve a web page with the results of all operators')
    .addOption(fileOption())
    .addOption(databaseOption())
    .option('--port <n>', 'port of the page (default: any free port)')
    .option('--host <address>', 'the address that the server listens on, such as 0.0.0.0', '127.0.0.1')
    .option('--public-url <url>', 'URL that users open, if it differs from the address of the server')
    .addHelpText(
      'after',
      `
The page only reads the history. It needs the token in its address, which is new
after each start.

Examples:
  croupier fleet board
  croupier fleet board --port 8080

It ends on SIGINT or SIGTERM with status 0, and with 2 if fleet.yaml has a
mistake or the port can't be opened.`,
    );
}

/** Defines `croupier fleet run` and its flags. */
export function describeFleetRun(fleet: CommandUnknownOpts) {
  return fleet
    .command('run')
    .description(
      'judge operators now, several at the same time; without names, all operators that have no quiet hours now',
    )
    .summary('judge operators now')
    .argument('[name...]', 'the names of operators in fleet.yaml (default: all)')
    .addOption(fileOption())
    .addOption(databaseOption())
    .option('--due', 'only operators that have become due since their latest run')
    .addOption(parallelOption())
    .addHelpText(
      'after',
      `
Examples:
  croupier fleet run
  croupier fleet run acme-eu --parallel 1
  croupier fleet run --due                 in a crontab, every few minutes

Exit status: the most severe status of all runs (0, 1, 3, 70, 129, 130, 143),
  2 mistakes in fleet.yaml (nothing was sent), or a run that could not begin`,
    );
}

/** If a worker does not renew its lease for this time, another worker takes over its run. */
const LEASE = '60s';

/** Defines `croupier fleet work` and its flags. */
export function describeFleetWork(fleet: CommandUnknownOpts) {
  return fleet
    .command('work')
    .description('judge each operator when it is due, until a signal ends the command; several workers share the work')
    .summary('judge each operator when it is due')
    .addOption(fileOption())
    .addOption(databaseOption())
    .addOption(parallelOption())
    .option('--until-idle', 'end when every operator that is due has been judged')
    .addOption(
      new Option(
        '--lease <duration>',
        `if this worker gives no sign for this time, another worker takes over its runs (default: ${LEASE})`,
      )
        .default(readDuration(LEASE) ?? 0)
        .argParser(durationFlag),
    )
    .addHelpText(
      'after',
      `
Examples:
  croupier fleet work
  croupier fleet work --until-idle         in a crontab, every few minutes

Each operator is judged once for each due time, whichever worker does it. If a
worker dies, another one first settles its run, and then repeats it.

Exit status: 0 ended by a signal, after its runs have ended their open rounds;
  with --until-idle the most severe status of all runs; 2 mistakes in
  fleet.yaml, or the database can't be used`,
    );
}

function parallelOption() {
  return new Option('--parallel <n>', `judge at most n operators at the same time (default: ${PARALLEL})`)
    .default(PARALLEL)
    .argParser(countFlag);
}

function fileOption() {
  return new Option('--file <file>', 'the file of the fleet').default('fleet.yaml');
}

export type FleetCheckFlags = FlagsOf<typeof describeFleetCheck>;
export type FleetBoardFlags = FlagsOf<typeof describeFleetBoard>;
export type FleetStatusFlags = FlagsOf<typeof describeFleetStatus>;
export type FleetRunFlags = FlagsOf<typeof describeFleetRun>;
export type FleetWorkFlags = FlagsOf<typeof describeFleetWork>;
