import type { Clients } from '../../../app/config/clients.ts';
import type { RunFlags } from '../../../app/config/run-flags.ts';
import { embeddedOperator } from '../../../app/embedded-operator.ts';
import { UsageError } from '../../../app/exit-status.ts';
import type { Reference } from '../../../app/reference-operator.ts';
import { assign } from '../../../app/run/assignment.ts';
import { judgeEach, type Runner } from '../../../app/run/judge-clients.ts';
import { isJournalName, type LastFailed, readLastFailed } from '../../../app/run/last-failed.ts';
import type { Launches } from '../../../app/run/launches.ts';
import { isPlainList, type PreparedRun, prepareRun } from '../../../app/run/prepare-run.ts';
import type { Stdio } from '../../../app/stdio.ts';
import type { SuiteScenario } from '../../../app/suite.ts';
import { columnsOf, padEnd } from '../../../report/terminal/layout.ts';
import { limitHeapGrowth } from '../../heap-growth.ts';
import { endedAtOnce, listenForInterrupt } from '../../interrupt.ts';
import { progressOfClients } from '../../progress.ts';
import { leaseFromWorker } from '../../worker-lease.ts';

/**
 * `croupier run`: judges operators. All flags and files are checked before the first request, so that no result is lost because
 * of a wrong flag or file.
 *
 * @returns the exit status
 */
export async function runCommand(given: readonly string[], givenFlags: RunFlags, stdio: Stdio): Promise<number> {
  limitHeapGrowth();
  const { words, flags } = separateJournal(given, givenFlags, stdio.cwd);
  refuseWatchFlags(flags);
  const prepared = await prepareRun(words, flags, stdio);
  if (isPlainList(flags)) {
    listChosen(prepared.chosen, flags, stdio);
    return 0;
  }
  const reference = await embeddedOperator(flags, prepared.variations, prepared.settings, stdio);
  try {
    const clients = clientsWith(reference, prepared);
    const failed = await lastFailed(clients, flags, stdio);
    if (flags.list) {
      listAssigned(clients, prepared, failed);
      return 0;
    }
    if (!flags.watch) return await judgeOnce(prepared, clients, { reference, failed });
    const { watchRuns } = await import('./watch.ts');
    return await watchRuns(prepared, failed, {
      clientsOf: (now) => clientsWith(reference, now).clients.map(({ extCID }) => extCID),
      judge: (now, only, hooks) => judgeOnce(now, clientsWith(reference, now), { reference, failed: only, ...hooks }),
    });
  } finally {
    await reference?.close();
  }
}

/** Refuses flags that contradict `--watch`. @throws UsageError that names them */
function refuseWatchFlags(flags: RunFlags): void {
  const given = [
    flags.list && '--list',
    flags.json && '--json',
    flags.shard && '--shard',
    flags.launches !== undefined && '--launches',
    flags.keyFile === '-' && '--key-file -',
  ].filter((name) => typeof name === 'string');
  if (!flags.watch || given.length === 0) return;
  throw new UsageError(
    `--watch repeats the run, and cannot be combined with ${given.join(', ')}. Leave one of them out.`,
  );
}

/** Decides whether the word after `--last-failed` names a journal or belongs to the selection. */
function separateJournal(words: readonly string[], flags: RunFlags, cwd: string) {
  const word = flags.lastFailed;
  if (typeof word !== 'string' || isJournalName(word, cwd)) return { words, flags };
  return { words: [word, ...words], flags: { ...flags, lastFailed: true as const } };
}

/** Returns the clients of the configuration, or the client of the embedded operator if there is one. */
function clientsWith(reference: Reference | undefined, { clients, flags }: PreparedRun): Clients {
  if (!reference) return clients;
  return {
    ...clients,
    clients: [{ ...reference.client, contract: flags.contract }],
    secrets: reference.secrets,
  };
}

async function lastFailed({ clients }: Clients, flags: RunFlags, stdio: Stdio) {
  if (flags.lastFailed === undefined) return undefined;
  return readLastFailed(
    flags.lastFailed,
    clients.map(({ extCID }) => extCID),
    stdio,
  );
}

async function judgeOnce(
  prepared: PreparedRun,
  clients: Clients,
  { reference, failed, onPlayed, reportOf }: Pick<Runner, 'reference' | 'failed' | 'onPlayed' | 'reportOf'>,
): Promise<number> {
  const { flags, stdio, configuration } = prepared;
  const journals: string[] = [];
  let launches: Launches | undefined;
  const lease = leaseFromWorker(stdio);
  const interrupt = listenForInterrupt(
    stdio,
    'Interrupted: croupier completes or refunds the open rounds. Interrupt again to end at once.\n',
    () => endedAtOnce(journals.at(-1), { isEmbedded: reference !== undefined, stdio }),
    true,
  );
  try {
    const options = { flags, sources: clients.sources, dir: configuration.dir, signal: interrupt.signal, stdio };
    launches =
      flags.launches === undefined || reference
        ? undefined
        : await (await import('../../../app/run/launches.ts')).openLaunches(clients.clients, options);
    return await judgeEach(
      {
        prepared,
        signal: interrupt.signal,
        atOnce: interrupt.atOnce,
        startProgress: progressOfClients(),
        reference,
        launches,
        lease,
        failed,
        journals,
        onPlayed,
        reportOf,
      },
      clients,
    );
  } finally {
    interrupt.dispose();
    lease?.close();
    await launches?.close();
  }
}

/** Prints the scenarios that would run for the client. @throws UsageError when there are several clients */
function listAssigned(
  { clients }: Clients,
  prepared: PreparedRun,
  failed: ReadonlyMap<string, LastFailed> | undefined,
): void {
  const [client] = clients;
  if (!client || clients.length > 1) {
    throw new UsageError(
      `--list: the scenarios of the ${clients.length} clients differ, and --list shows those of one client. Choose a client with --client.`,
    );
  }
  listChosen(assign(client, prepared, { failed }).scenarios, prepared.flags, prepared.stdio);
}

function listChosen(chosen: readonly SuiteScenario[], flags: RunFlags, stdio: Stdio): void {
  if (flags.json) {
    const rows = chosen.map(({ id, title, place, rules, tags }) => ({ id, title, file: place.file, rules, tags }));
    stdio.out.write(`${JSON.stringify(rows, null, 2)}\n`);
    return;
  }
  const width = Math.max(...chosen.map(({ id }) => columnsOf(id)));
  for (const { id, title } of chosen) stdio.out.write(`${padEnd(id, width)}  ${title}\n`);
  stdio.err.write(`${chosen.length} scenario${chosen.length === 1 ? '' : 's'}\n`);
}
