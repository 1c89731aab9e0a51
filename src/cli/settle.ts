import { randomUUID } from 'node:crypto';
import path from 'node:path';
import type { Aftermath } from '../engine/aftermath.ts';
import { everythingDue } from '../engine/due.ts';
import { reopenJournalFile } from '../engine/journal-file.ts';
import type { ClientUnderTest } from '../engine/run-options.ts';
import { type Settled, settleRun } from '../engine/settle.ts';
import type { JournalEvent } from '../journal/event.ts';
import { createScrubber } from '../journal/scrubber.ts';
import { forTerminal } from '../report/escape.ts';
import { type Left, readAftermath } from './aftermath.ts';
import { complaintsError, loadConfiguration, whyUnreadable } from './configuration.ts';
import { listenForInterrupt } from './interrupt.ts';
import { clientOfJournal } from './journal-client.ts';
import { lastWords } from './last-words.ts';
import { livingProcess } from './living-run.ts';
import { askForProduction } from './production.ts';
import type { ClientFlags } from './run-flags.ts';
import { type RunSettings, runSettings } from './run-settings.ts';
import { itemLines, itemOf, lastSentence, type SettleItem } from './settle-text.ts';
import type { Stdio } from './stdio.ts';
import { UsageError } from './usage-error.ts';

export interface SettleFlags extends ClientFlags {
  readonly dryRun?: boolean;
  readonly time?: number;
  readonly stake?: readonly string[];
  readonly deadline?: number;
  readonly linger?: number;
  readonly json?: boolean;
}

const TIME_MS = 30_000;
const OWED_STATUS = 3;

/**
 * `croupier settle`: sends what a run that was cut short still owes.
 *
 * @returns 0 when nothing is owed any more, 3 while something is, 130 or 143 when it was interrupted before that
 */
export async function settleCommand(journal: string, flags: SettleFlags, stdio: Stdio): Promise<number> {
  const file = path.resolve(stdio.cwd, journal);
  const told: Told = { journal, isJson: flags.json === true, stdio };
  // Whether anything is owed at all can be told without a key, and then none is asked for.
  const { aftermath: first } = await readAftermath(file, journal, undefined);
  if (everythingDue(first).length === 0) return tell([], first, { ...told, isSent: false });
  const writer = first.ended ? undefined : livingProcess(first.run);
  if (writer !== undefined) {
    throw new UsageError(
      `${journal}: its run still goes on (process ${writer}). Nothing was sent.\nWait for its end, or end it: what it has under way is its own to settle until then.`,
    );
  }
  const configuration = await loadConfiguration(flags.config, stdio);
  const settings = runSettings(configuration.config, flags, stdio.env);
  const { client, secrets, complaints } = await clientOfJournal(first.run, journal, configuration, flags, stdio);
  if (!client) throw complaintsError(complaints);
  const left = await readAftermath(file, journal, client.integrationApiKey);
  const { aftermath } = left;
  const due = everythingDue(aftermath);
  const { integratorBaseUrl } = aftermath.run.client;
  if (client.integratorBaseUrl !== integratorBaseUrl) {
    stdio.err.write(
      forTerminal(`The run called ${integratorBaseUrl}; what it owes goes to ${client.integratorBaseUrl}.`),
    );
    stdio.err.write('\n');
  }
  if (due.length === 0 || flags.dryRun) {
    return tell(
      due.map((one) => itemOf(one, aftermath.run)),
      aftermath,
      { ...told, isSent: false },
    );
  }
  await askForProduction([client], flags, stdio);
  const interrupt = listenForInterrupt(
    stdio,
    'Interrupted: the call under way is ended. Once more ends at once.\n',
    () => lastWords(file, { isEmbedded: false, stdio }),
  );
  try {
    const settled = await settle(file, left, {
      client,
      settings,
      flags,
      scrub: createScrubber(secrets),
      signal: interrupt.signal,
    });
    const status = tell(
      settled.map((one) => itemOf(one.due, aftermath.run, one)),
      aftermath,
      { ...told, isSent: true },
    );
    if (status === 0 || !interrupt.signal.aborted) return status;
    return interrupt.signal.reason === 'SIGTERM' ? 143 : 130;
  } finally {
    interrupt.dispose();
  }
}

interface Means {
  readonly client: ClientUnderTest;
  readonly settings: RunSettings;
  readonly flags: SettleFlags;
  readonly scrub: (text: string) => string;
  readonly signal: AbortSignal;
}

async function settle(
  file: string,
  left: Left,
  { client, settings, flags, scrub, signal }: Means,
): Promise<readonly Settled[]> {
  const written = reopen(file, scrub);
  try {
    return await settleRun({
      ...settings,
      client,
      ...left,
      timeMs: flags.time ?? TIME_MS,
      record: (event: JournalEvent) => written.append(event),
      signal,
      uuid: randomUUID,
      now: () => performance.now(),
    });
  } finally {
    written.close();
  }
}

function reopen(file: string, scrub: (text: string) => string) {
  try {
    return reopenJournalFile(file, scrub);
  } catch (error) {
    throw new UsageError(
      `The journal can't be written: ${file}: ${whyUnreadable(error)}. Nothing was sent, for what is sent has to be written down first.`,
      { cause: error },
    );
  }
}

interface Told {
  readonly journal: string;
  readonly isJson: boolean;
  readonly stdio: Stdio;
}

function tell(
  items: readonly SettleItem[],
  { run, ended }: Aftermath,
  { journal, isJson, stdio, isSent }: Told & { readonly isSent: boolean },
): number {
  const owed = items.filter(({ settled }) => !settled).length;
  const status = owed === 0 ? 0 : OWED_STATUS;
  if (isJson) {
    const { client, runID, startedAt } = run;
    const result = { journal, runID, startedAt, client, dryRun: !isSent, owed, exitCode: status, items };
    stdio.out.write(`${JSON.stringify(result, null, 2)}\n`);
    return status;
  }
  const when = run.startedAt.replace(/^(\S+)T(\d\d:\d\d:\d\d).*$/, '$1 $2 UTC');
  const lines = [
    `${run.client.extCID}, the run of ${when}${ended ? '' : ', which was cut off'}`,
    ...items.flatMap((item) => ['', ...itemLines(item, isSent)]),
    '',
    lastSentence(owed, items.length, { isSent, journal }),
  ];
  stdio.out.write(lines.map((line) => `${forTerminal(line)}\n`).join(''));
  return status;
}
