import { Semaphore } from 'async-mutex';
import { EXIT, interruptedStatus, UsageError, worstStatus } from '../../../app/exit-status.ts';
import { databaseIn, isHistoryWanted } from '../../../app/history/settings.ts';
import { useHistory } from '../../../app/history/use-history.ts';
import type { Stdio } from '../../../app/stdio.ts';
import { plural } from '../../../contract/plural.ts';
import { type CheckedFleet, type CheckedOperator, checkFleet } from '../../../fleet/check-fleet.ts';
import { type ProcessEnd, processEnd, processesOf, runArguments, startProcess } from '../../../fleet/run-process.ts';
import { isQuiet, nextStarts } from '../../../fleet/schedule.ts';
import { type History, isAddress, openHistoryAt } from '../../../history/history.ts';
import { latestStart } from '../../../history/runs.ts';
import { forTerminal } from '../../../report/escape.ts';
import { columnsOf, padEnd } from '../../../report/terminal/layout.ts';
import { nearest } from '../../../scenario/near.ts';
import { type Interrupt, listenForInterrupt } from '../../interrupt.ts';
import { withDatabase } from '../../options/database.ts';
import type { FleetRunFlags } from './flags.ts';
import { program } from './program.ts';

/** The result of the run of one operator. */
interface Judged extends ProcessEnd {
  readonly name: string;
}

/**
 * `croupier fleet run`: judges operators at the same time, each with `croupier run` in a process of its own.
 *
 * @returns the most severe exit status of all runs
 * @throws UsageError for a mistake in the fleet, before any call is sent
 */
export async function fleetRunCommand(
  names: readonly string[],
  { file, parallel, due, database }: FleetRunFlags,
  given: Stdio,
): Promise<number> {
  const stdio = withDatabase(given, database);
  const fleet = await checkFleet(file, stdio);
  const chosen = wanted(fleet, names, stdio);
  const operators = due ? await dueAmong(chosen, fleet.dir, databaseIn(stdio)) : chosen;
  if (operators.length === 0) {
    stdio.out.write('No operator to judge now.\n');
    return 0;
  }
  const interrupt = listenForInterrupt(
    stdio,
    'Interrupted: each run ends its open rounds. Interrupt again to end at once.\n',
    () => 'Ended at once. The journals in .croupier/ say what is owed: croupier settle JOURNAL\n',
    true,
  );
  const width = Math.max(...operators.map(({ name }) => columnsOf(name)), 0);
  const turns = new Semaphore(parallel);
  const history = await openForRuns(fleet.dir, stdio);
  try {
    const judged = await Promise.all(
      operators.map((operator) =>
        turns.runExclusive(async () => {
          const one = await judge(operator, fleet, interrupt, stdio);
          stdio.out.write(`${forTerminal(`${padEnd(one.name, width)}  ${one.status}  ${one.line}`)}\n`);
          for (const notice of one.notices) stdio.err.write(`${forTerminal(`${one.name}: ${notice}`)}\n`);
          return one;
        }),
      ),
    );
    const status = worstStatus(judged.map((one) => one.status));
    stdio.out.write(`\nExit status ${status}, the most severe of ${plural(judged.length, 'operator')}.\n`);
    return status;
  } finally {
    interrupt.dispose();
    await history?.destroy();
  }
}

/**
 * Opens the file of the history until the last run has ended. Otherwise, SQLite writes its log into the file and deletes it each
 * time that a run has added itself, and the other runs must wait.
 *
 * @returns undefined if the runs use no such file, or if it can't be opened: then each run says so
 */
async function openForRuns(dir: string, stdio: Stdio): Promise<History | undefined> {
  const database = databaseIn(stdio);
  if (!isHistoryWanted({}, stdio) || (database !== undefined && isAddress(database))) return undefined;
  return openHistoryAt({ dir, database }).catch(() => undefined);
}

/**
 * Returns the operators with these names. Without names, returns all operators that have no quiet hours now. @throws UsageError
 * for an unknown name
 */
function wanted({ operators }: CheckedFleet, names: readonly string[], stdio: Stdio): readonly CheckedOperator[] {
  if (names.length > 0)
    return [...new Set(names)].map((name) => {
      const found = operators.find((one) => one.name === name);
      if (found) return found;
      const known = operators.map((one) => one.name);
      const near = nearest(name, known);
      const help = near === undefined ? `The operators are ${known.join(', ')}.` : `Did you mean ${near}?`;
      throw new UsageError(`The fleet has no operator ${forTerminal(name)}. ${help} Nothing was sent.`);
    });
  const now = new Date();
  return operators.filter(({ name, quiet, zone }) => {
    const isLeftOut = quiet !== undefined && isQuiet(quiet, zone, now);
    if (isLeftOut)
      stdio.err.write(
        `${name} has quiet hours until ${quiet.to} ${zone}, so it is left out. Name it to judge it now.\n`,
      );
    return !isLeftOut;
  });
}

/** Returns the operators that have become due since their latest run. An operator without a run is due at once. */
async function dueAmong(
  operators: readonly CheckedOperator[],
  dir: string,
  database: string | undefined,
): Promise<readonly CheckedOperator[]> {
  const now = new Date();
  return useHistory(
    dir,
    async (history) => {
      const due: CheckedOperator[] = [];
      for (const operator of operators) {
        const { schedule } = operator;
        if (!schedule) continue;
        const latest = history && (await latestStart(history, operator));
        const [next] = latest === undefined ? [now] : nextStarts(schedule, new Date(latest), 1);
        if (next && next <= now) due.push(operator);
      }
      return due;
    },
    database,
  );
}

async function judge(
  operator: CheckedOperator,
  { dir }: CheckedFleet,
  interrupt: Interrupt,
  { env }: Stdio,
): Promise<Judged> {
  const { name } = operator;
  const { signal } = interrupt;
  if (signal.aborted)
    return { name, status: interruptedStatus(signal), line: 'not judged: the fleet was interrupted', notices: [] };
  try {
    const processes = processesOf(operator, { program: program(), dir, env, ...interrupt });
    const child = startProcess(await runArguments(operator, processes), processes);
    return { name, ...(await processEnd(child, processes)) };
  } catch (error) {
    if (!(error instanceof UsageError)) throw error;
    return { name, status: EXIT.USAGE, line: error.message, notices: [] };
  }
}
