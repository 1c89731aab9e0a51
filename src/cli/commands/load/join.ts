import { resolveClients } from '../../../app/config/clients.ts';
import { diagnosticsError, loadConfiguration } from '../../../app/config/configuration.ts';
import { EXIT, interruptedStatus, UsageError } from '../../../app/exit-status.ts';
import { JobStore } from '../../../app/history/job-store.ts';
import { databaseIn } from '../../../app/history/settings.ts';
import { openJournal } from '../../../app/journal-files.ts';
import { joinLoad } from '../../../app/load/join-load.ts';
import { runSettings } from '../../../app/run/settings.ts';
import type { Stdio } from '../../../app/stdio.ts';
import { openHistoryAt } from '../../../history/history.ts';
import { createScrubber } from '../../../journal/secrets/scrubber.ts';
import { forTerminal } from '../../../report/escape.ts';
import { useLargeYoungHeap } from '../../heap-growth.ts';
import { listenForInterrupt } from '../../interrupt.ts';
import type { LoadFlags } from './flags.ts';

/** The flags that describe a load. A worker gets all of this from the command that has started the load. */
const OF_THE_LOAD = [
  'rate',
  'ramp',
  'closed',
  'like',
  'speed',
  'findLimit',
  'duration',
  'workers',
  'players',
  'mix',
  'limit',
  'disturb',
  'every',
  'report',
  'journal',
  'json',
  'reference',
] as const satisfies readonly (keyof LoadFlags)[];

/**
 * `croupier load --join`: waits until a command on any machine starts a load for one of the clients, plays a part of the load, and
 * ends with it.
 *
 * @returns the exit status
 * @throws UsageError for a mistake in the flags or in the configuration, or if the database can't be used
 */
export async function joinCommand(flags: LoadFlags, stdio: Stdio): Promise<number> {
  useLargeYoungHeap();
  const given = OF_THE_LOAD.find((name) => flags[name] !== undefined);
  if (given !== undefined) {
    const flag = `--${given.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`;
    throw new UsageError(
      `--join and ${flag} cannot be combined. The command that starts the load says what is played: croupier load ${flag} … --workers 2 --database …`,
    );
  }
  const configuration = await loadConfiguration(flags.config, stdio);
  const settings = runSettings(configuration.config, flags, stdio.env);
  const { clients, secrets, diagnostics } = await resolveClients(configuration, flags, stdio);
  if (diagnostics.length > 0) throw diagnosticsError(diagnostics);
  const scrub = createScrubber(secrets);
  const say = (text: string): void => stdio.err.write(`${forTerminal(text)}\n`);
  const store = new JobStore(() => openHistoryAt({ dir: stdio.cwd, database: databaseIn(stdio) }), say);
  await store.start();
  const interrupt = listenForInterrupt(
    stdio,
    'Interrupted: this worker completes its open rounds. Interrupt again to end at once.\n',
    () => 'Ended at once. Another worker settles the players.\n',
  );
  try {
    say(`Waiting for a load for ${clients.map(({ extCID }) => extCID).join(', ')} …`);
    const { isComplete, isSettled } = await joinLoad({
      store,
      clients,
      settings,
      scrub,
      openJournal: () => openJournal(undefined, 'load', { cwd: stdio.cwd, scrub }),
      signal: interrupt.signal,
      say,
    });
    if (interrupt.signal.aborted) return interruptedStatus(interrupt.signal);
    return isComplete && isSettled ? 0 : EXIT.UNDECIDED;
  } finally {
    interrupt.dispose();
    await store.close();
  }
}
