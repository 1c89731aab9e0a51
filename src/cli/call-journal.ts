import { randomUUID } from 'node:crypto';
import { existsSync } from 'node:fs';
import path from 'node:path';
import type { PlayedByHand } from '../engine/by-hand.ts';
import type { HandCall } from '../engine/by-hand-plan.ts';
import { type JournalFile, reopenJournalFile } from '../engine/journal-file.ts';
import type { ClientUnderTest, SessionUnderTest } from '../engine/run-options.ts';
import { runStarted } from '../engine/run-started.ts';
import type { JournalEvent } from '../journal/event.ts';
import { graver, type Verdict } from '../journal/finding.ts';
import { whyUnreadable } from './configuration.ts';
import { journalEvents } from './journal-events.ts';
import { openJournal } from './new-journal.ts';
import type { RunSettings } from './run-settings.ts';
import { UsageError } from './usage-error.ts';
import { version } from './version.ts';

/** The journal of calls by hand: each is a small run of its own, and one file holds as many as are made. */
export interface CallJournal {
  readonly record: (event: JournalEvent) => void;
  /** Writes down what was found. */
  end(played: PlayedByHand): void;
}

interface Calling {
  readonly hand: HandCall;
  readonly client: ClientUnderTest;
  readonly session: SessionUnderTest;
  readonly settings: RunSettings;
  readonly scrub: (text: string) => string;
  readonly cwd: string;
}

/** @throws UsageError where it can't be written, or is no journal; nothing was sent then */
export async function callJournal(named: string, calling: Calling): Promise<CallJournal> {
  const { hand, client, session, settings, scrub, cwd } = calling;
  const file = await opened(named, cwd, scrub);
  const runID = randomUUID();
  const began = performance.now();
  // Several calls share the file, and what is said of one must not be looked up in another.
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

const PLACE = { file: 'croupier call', line: 1, column: 1 };

async function opened(named: string, cwd: string, scrub: (text: string) => string): Promise<JournalFile> {
  const file = path.resolve(cwd, named);
  if (!existsSync(file)) return openJournal(named, cwd, scrub);
  // What is no journal is somebody's file, and nothing is added to it.
  for await (const _ of journalEvents(file, named)) break;
  try {
    return reopenJournalFile(file, scrub);
  } catch (error) {
    throw new UsageError(`The journal can't be continued: ${file}: ${whyUnreadable(error)}. Nothing was sent.`, {
      cause: error,
    });
  }
}
