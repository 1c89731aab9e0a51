import { interruptedStatus, UsageError, worstStatus } from '../../../app/exit-status.ts';
import { JobStore } from '../../../app/history/job-store.ts';
import { databaseIn } from '../../../app/history/settings.ts';
import type { Stdio } from '../../../app/stdio.ts';
import { plural } from '../../../contract/plural.ts';
import { type CheckedFleet, checkFleet } from '../../../fleet/check-fleet.ts';
import type { JobResult } from '../../../fleet/job-run.ts';
import { work } from '../../../fleet/worker.ts';
import { openHistoryAt } from '../../../history/history.ts';
import { quoteWord } from '../../../report/curl.ts';
import { forTerminal } from '../../../report/escape.ts';
import { columnsOf, padEnd } from '../../../report/terminal/layout.ts';
import { listenForInterrupt } from '../../interrupt.ts';
import { withDatabase } from '../../options/database.ts';
import type { FleetWorkFlags } from './flags.ts';
import { program } from './program.ts';

/** Time between two looks for jobs, in ms. */
const POLL_MS = 1000;
const MIN_LEASE_MS = 1000;

/**
 * `croupier fleet work`: judges each operator when it is due. Several workers share the work.
 *
 * @returns 0 after a signal; with `--until-idle` the most severe exit status of all runs
 * @throws UsageError for a mistake in the fleet, or if the database can't be used
 */
export async function fleetWorkCommand(
  { file, parallel, untilIdle, lease, database }: FleetWorkFlags,
  given: Stdio,
): Promise<number> {
  const stdio = withDatabase(given, database);
  if (lease < MIN_LEASE_MS)
    throw new UsageError('--lease must be at least 1s, because a worker must renew its leases before they end.');
  const fleet = await checkFleet(file, stdio);
  const operators = ready(fleet, stdio);
  const say = (text: string): void => stdio.err.write(`${forTerminal(text)}\n`);
  const store = new JobStore(() => openHistoryAt({ dir: fleet.dir, database: databaseIn(stdio) }), say);
  const interrupt = listenForInterrupt(
    stdio,
    'Interrupted: each run ends its open rounds. Interrupt again to end at once.\n',
    () => 'Ended at once. The next worker settles what the runs owe.\n',
    true,
  );
  const width = Math.max(...operators.map(({ name }) => columnsOf(name)), 0);
  const statuses: number[] = [];
  const onResult = ({ name, how, status, line, notices = [] }: JobResult): void => {
    if (how === 'done' || how === 'failed') statuses.push(status);
    const text = how === 'done' || how === 'failed' ? `${status}  ${line}` : `-  ${AFTER[how]}: ${line}`;
    stdio.out.write(`${forTerminal(`${padEnd(name, width)}  ${text}`)}\n`);
    for (const notice of notices) say(`${name}: ${notice}`);
  };
  const onOwed = (name: string, journal: string): void =>
    say(`${name}: an earlier run still owes something: croupier settle ${quoteWord(journal)}`);
  try {
    await store.start();
    say(`Working for ${plural(operators.length, 'operator')} …`);
    const processes = { program: program(), dir: fleet.dir, env: stdio.env, ...interrupt };
    await work({
      operators,
      store,
      parallel,
      untilIdle: untilIdle === true,
      leaseMs: lease,
      pollMs: POLL_MS,
      processes,
      onResult,
      onOwed,
    });
  } finally {
    interrupt.dispose();
    await store.close();
  }
  if (untilIdle && interrupt.signal.aborted) return interruptedStatus(interrupt.signal);
  return untilIdle ? worstStatus(statuses) : 0;
}

const AFTER = { again: 'not judged yet', lost: 'not judged here' } as const;

/** Returns the operators that this machine can judge. Prints the others. @throws UsageError if it can judge no operator */
function ready({ operators, warnings }: CheckedFleet, stdio: Stdio): CheckedFleet['operators'] {
  for (const warning of warnings) stdio.err.write(`${forTerminal(`warning: ${warning}`)}\n`);
  const others = operators.filter(({ isReady }) => !isReady);
  if (others.length > 0)
    stdio.err.write(
      `This worker can't judge ${others.map(({ name }) => name).join(', ')}, because the environment has no values for these variables.\n`,
    );
  if (others.length === operators.length)
    throw new UsageError('This worker can judge no operator of the fleet. Set the variables above.');
  return operators.filter(({ isReady }) => isReady);
}
