import { assign } from './assignment.ts';
import type { Clients } from './clients.ts';
import { listenForInterrupt } from './interrupt.ts';
import { judgeEach, type Runner } from './judge-clients.ts';
import { isJournalName, type LastFailed, readLastFailed } from './last-failed.ts';
import { lastWords } from './last-words.ts';
import type { Launches } from './launches.ts';
import { keepMemoryLean } from './lean-memory.ts';
import { isPlainList, type PreparedRun, prepareRun } from './prepare-run.ts';
import type { Reference } from './reference.ts';
import { embeddedOperator } from './reference-flags.ts';
import type { RunFlags } from './run-flags.ts';
import type { Stdio } from './stdio.ts';
import type { SuiteScenario } from './suite.ts';
import { UsageError } from './usage-error.ts';

/** `croupier run`. Everything is checked before the first request; after it, nothing that was gathered is lost. */
export async function runCommand(given: readonly string[], givenFlags: RunFlags, stdio: Stdio): Promise<number> {
  keepMemoryLean();
  const { words, flags } = tellApart(given, givenFlags, stdio.cwd);
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
      judge: (now, only, onPlayed) =>
        judgeOnce(now, clientsWith(reference, now), { reference, failed: only, onPlayed }),
    });
  } finally {
    await reference?.close();
  }
}

/** @throws UsageError for flags that need a run that ends */
function refuseWatchFlags(flags: RunFlags): void {
  const given = [
    flags.list && '--list',
    flags.json && '--json',
    flags.shard && '--shard',
    flags.launches !== undefined && '--launches',
    flags.keyFile === '-' && '--key-file -',
  ].filter((name) => typeof name === 'string');
  if (!flags.watch || given.length === 0) return;
  throw new UsageError(`--watch plays again and again, which ${given.join(', ')} can't. Leave one of them out.`);
}

/** The word after `--last-failed` may be its journal, or the first of the selection. */
function tellApart(words: readonly string[], flags: RunFlags, cwd: string) {
  const word = flags.lastFailed;
  if (typeof word !== 'string' || isJournalName(word, cwd)) return { words, flags };
  return { words: [word, ...words], flags: { ...flags, lastFailed: true as const } };
}

/** Those of the configuration, or the embedded operator's. */
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
  { reference, failed, onPlayed }: Pick<Runner, 'reference' | 'failed' | 'onPlayed'>,
): Promise<number> {
  const { flags, stdio, configuration } = prepared;
  const journals: string[] = [];
  let launches: Launches | undefined;
  const interrupt = listenForInterrupt(
    stdio,
    'Interrupted: what is under way is ended and given back. Once more ends at once.\n',
    () => lastWords(journals.at(-1), { isEmbedded: reference !== undefined, stdio }),
  );
  try {
    const options = { flags, sources: clients.sources, dir: configuration.dir, signal: interrupt.signal, stdio };
    launches =
      flags.launches === undefined || reference
        ? undefined
        : await (await import('./launches.ts')).openLaunches(clients.clients, options);
    return await judgeEach({ prepared, interrupt, reference, launches, failed, journals, onPlayed }, clients);
  } finally {
    interrupt.dispose();
    await launches?.close();
  }
}

/** What would run against the one client, where that depends on who it is. */
function listAssigned(
  { clients }: Clients,
  prepared: PreparedRun,
  failed: ReadonlyMap<string, LastFailed> | undefined,
): void {
  const [client] = clients;
  if (!client || clients.length > 1) {
    throw new UsageError(`--list: what would run differs between ${clients.length} clients. Choose one with --client.`);
  }
  listChosen(assign(client, prepared, { failed }).scenarios, prepared.flags, prepared.stdio);
}

function listChosen(chosen: readonly SuiteScenario[], flags: RunFlags, stdio: Stdio): void {
  if (flags.json) {
    const rows = chosen.map(({ id, title, place, rules, tags }) => ({ id, title, file: place.file, rules, tags }));
    stdio.out.write(`${JSON.stringify(rows, null, 2)}\n`);
    return;
  }
  const width = Math.max(...chosen.map(({ id }) => id.length));
  for (const { id, title } of chosen) stdio.out.write(`${id.padEnd(width)}  ${title}\n`);
  stdio.err.write(`${chosen.length} scenario${chosen.length === 1 ? '' : 's'}\n`);
}
