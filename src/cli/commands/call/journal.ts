import { existsSync } from 'node:fs';
import path from 'node:path';
import { UsageError } from '../../../app/exit-status.ts';
import { whyUnreadable } from '../../../app/files.ts';
import { JournalInUse, journalEvents, openJournal, reopenJournal } from '../../../app/journal-files.ts';
import type { RunSettings } from '../../../app/run/settings.ts';
import { version } from '../../../app/version.ts';
import type { ManualResult } from '../../../engine/by-hand/by-hand.ts';
import type { ManualCall } from '../../../engine/by-hand/plan.ts';
import type { JournalFile } from '../../../engine/run/journal-file.ts';
import { runStarted } from '../../../engine/run/run-started.ts';
import type { ClientUnderTest, SessionUnderTest } from '../../../engine/run-options.ts';
import { BY_HAND_FILE, type JournalEvent } from '../../../journal/event.ts';
import { graver, type Verdict } from '../../../journal/finding.ts';

/** A journal of single calls. Each call is recorded as a small run, and one file can hold several of them. */
export interface CallJournal {
  readonly record: (event: JournalEvent) => void;
  /** Writes the findings and the end of the run. */
  end(played: ManualResult): void;
}

interface JournalOptions {
  readonly runID: string;
  readonly hand: ManualCall;
  readonly client: ClientUnderTest;
  readonly session: SessionUnderTest;
  readonly settings: RunSettings;
  readonly scrub: (text: string) => string;
  readonly cwd: string;
}

/**
 * Opens the journal, or continues it if the file exists.
 *
 * @throws UsageError when the file can't be written or is not a journal, before any call is sent
 */
export async function callJournal(named: string, options: JournalOptions): Promise<CallJournal> {
  const { runID, hand, client, session, settings, scrub, cwd } = options;
  const file = await opened(named, cwd, scrub);
  const began = performance.now();
  // One file can contain several calls. With this tag, the ids of this call differ from the ids of the other calls.
  const tag = runID.slice(0, 8);
  const scenario = `call/${hand.call}-${tag}`;
  const idOf = (id: string): string => `${id}-${tag}`;
  file.append(
    runStarted({
      ...settings,
      croupier: version,
      client: { ...client, sessions: [session] },
      uuid: () => runID,
      selection: ['call', hand.call],
      whole: false,
      workers: 1,
      scenarios: [{ id: scenario, title: `A ${hand.call} by hand`, place: PLACE, rules: [] }],
    }),
  );
  file.append({ event: 'scenario-started', scenario, attempt: 1, at: began, sessions: { main: session.sessionID } });
  return {
    record: (event) => {
      if (event.event === 'sending' || event.event === 'received')
        file.append({ ...event, id: idOf(event.id), scenario });
    },
    end: ({ findings, passed, passes }) => {
      for (const finding of findings) {
        const exchange = finding.exchange === null ? null : idOf(finding.exchange);
        file.append({ event: 'finding', scenario, attempt: 1, finding: { ...finding, exchange } });
      }
      const verdict = findings.reduce<Verdict>(
        (worst, one) => graver(worst, one.verdict),
        passed.length > 0 ? 'pass' : 'skip',
      );
      const durationMs = performance.now() - began;
      const reason = verdict === 'pass' ? null : (findings.find((one) => one.verdict === verdict)?.actual ?? null);
      file.append({
        event: 'scenario-ended',
        scenario,
        attempt: 1,
        verdict,
        reason,
        durationMs,
        restored: null,
        passes,
      });
      file.append({ event: 'run-ended', how: 'complete', signal: null, detail: null, durationMs });
      file.close();
    },
  };
}

const PLACE = { file: BY_HAND_FILE, line: 1, column: 1 };

async function opened(named: string, cwd: string, scrub: (text: string) => string): Promise<JournalFile> {
  const file = path.resolve(cwd, named);
  if (!existsSync(file)) return openJournal(named, 'call', { cwd, scrub });
  // Reading the first event throws an error if the file is not a journal. So croupier appends nothing to a file that is not a
  // journal.
  for await (const _ of journalEvents(file, named)) break;
  try {
    return reopenJournal(file, 'call', scrub);
  } catch (error) {
    const why = error instanceof JournalInUse ? error.message : whyUnreadable(error);
    throw new UsageError(`The journal can't be continued: ${file}: ${why}. Nothing was sent.`, { cause: error });
  }
}
