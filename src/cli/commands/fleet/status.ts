import { existsSync, readdirSync } from 'node:fs';
import path from 'node:path';
import { UsageError } from '../../../app/exit-status.ts';
import { useHistory } from '../../../app/history/use-history.ts';
import { isOwnJournalName, journalEvents, runningWriter } from '../../../app/journal-files.ts';
import { owedBy } from '../../../app/run/earlier-journals.ts';
import { reportOptions } from '../../../app/run/publish.ts';
import type { Stdio } from '../../../app/stdio.ts';
import { type CheckedOperator, checkFleet } from '../../../fleet/check-fleet.ts';
import { nextStarts } from '../../../fleet/schedule.ts';
import { latestRunOf, latestStart, runIDs } from '../../../history/runs.ts';
import type { RunStarted } from '../../../journal/event.ts';
import { quoteWord } from '../../../report/curl.ts';
import { forTerminal } from '../../../report/escape.ts';
import { columnsOf, hanging, padEnd, plural } from '../../../report/terminal/layout.ts';
import { verdictText } from '../history/text.ts';
import type { FleetCheckFlags } from './flags.ts';

/**
 * `croupier fleet status`: prints the latest result of each operator, and which operators are being judged, are late or owe
 * something.
 *
 * @returns 0
 * @throws UsageError for a mistake in the fleet, or if the history can't be used
 */
export async function fleetStatusCommand({ file }: FleetCheckFlags, stdio: Stdio): Promise<number> {
  const { operators, dir } = await checkFleet(file, stdio);
  const { paint, width } = reportOptions(stdio.out, stdio, null);
  const now = new Date();
  const nameWidth = Math.max(...operators.map(({ name }) => columnsOf(name)));
  let late = 0;
  let running = 0;
  await useHistory(dir, async (history) => {
    const journals = await journalsIn(dir, history ? await runIDs(history) : new Set());
    for (const operator of operators) {
      const { extCID } = operator;
      const latest = history && (await latestRunOf(history, extCID));
      const begun = history && (await latestStart(history, extCID));
      const toCheck = journals.get(extCID) ?? [];
      const own = toCheck.find(({ isRunning }) => isRunning)?.begun;
      if (own) running += 1;
      const lateSince = own ? undefined : lateTime(operator, begun, now);
      if (lateSince !== undefined) late += 1;
      const result = latest ? verdictText(latest.verdict, paint) : 'never judged';
      const facts = [
        ...(latest ? [`run ${latest.number}, ${minute(latest.started_at)}`] : []),
        ...(latest?.build == null ? [] : [`build ${latest.build}`]),
        ...(own ? [`running since ${minute(own.startedAt)}`] : []),
        ...(lateSince === undefined ? [] : [lateSince]),
      ];
      stdio.out.write(`${paint.bold(padEnd(operator.name, nameWidth))}  ${result}  ${forTerminal(facts.join(', '))}\n`);
      const details = latest ? [latest.first_line] : [];
      for (const journal of toCheck) details.push(...(await owedText(journal, dir)));
      for (const text of details) stdio.out.write(`${hanging('    ', forTerminal(text), width).join('\n')}\n`);
    }
  });
  stdio.out.write(`\n${plural(operators.length, 'operator')}, ${running} running, ${late} late.\n`);
  return 0;
}

/** Says since when an operator is due; undefined if the operator is not due. */
function lateTime({ schedule }: CheckedOperator, latest: string | undefined, now: Date): string | undefined {
  if (!schedule) return undefined;
  if (latest === undefined) return 'late, because no run has judged it yet';
  const [due] = nextStarts(schedule, new Date(latest), 1);
  return due && due <= now ? `late since ${minute(due.toISOString())}` : undefined;
}

/** A journal of a client whose run may still be in progress or owe something. */
interface CheckedJournal {
  /** The path from the folder of the fleet. */
  readonly name: string;
  readonly begun: RunStarted;
  readonly isRunning: boolean;
}

/** Says what the run of a journal owes, with the command that settles it. */
async function owedText({ name, isRunning }: CheckedJournal, dir: string): Promise<readonly string[]> {
  const owed = isRunning ? 0 : await owedBy(path.resolve(dir, name), name, undefined);
  return owed === 0 ? [] : [`A run owes ${plural(owed, 'item')}: croupier settle ${quoteWord(name)}`];
}

/**
 * Returns the journals that must be checked, by ExtCID: the newest journal of each client, and the journals of runs that are
 * not in the history, because these runs are still in progress or were killed.
 */
async function journalsIn(
  dir: string,
  inHistory: ReadonlySet<string>,
): Promise<ReadonlyMap<string, readonly CheckedJournal[]>> {
  const folder = path.join(dir, '.croupier');
  // Each name begins with the time, so the sorted list is in the order of time.
  const files = existsSync(folder) ? readdirSync(folder).filter(isOwnJournalName).toSorted() : [];
  const all: CheckedJournal[] = [];
  for (const file of files) {
    const name = path.join('.croupier', file);
    const begun = await beginningOf(path.join(folder, file), name);
    if (begun) all.push({ name, begun, isRunning: runningWriter(begun) !== undefined });
  }
  const byClient = Map.groupBy(all, ({ begun }) => begun.client.extCID);
  return new Map(
    [...byClient].map(([extCID, own]) => [
      extCID,
      own.filter(({ begun }, at) => at === own.length - 1 || !inHistory.has(begun.runID)),
    ]),
  );
}

async function beginningOf(file: string, name: string): Promise<RunStarted | undefined> {
  try {
    for await (const event of journalEvents(file, name)) return event.event === 'run-started' ? event : undefined;
  } catch (error) {
    // A file that is no journal has no running process.
    if (!(error instanceof UsageError)) throw error;
  }
  return undefined;
}

/** Formats an ISO time as `2026-11-20 09:30 UTC`. */
function minute(iso: string): string {
  return `${iso.slice(0, 16).replace('T', ' ')} UTC`;
}
