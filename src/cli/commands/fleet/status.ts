import path from 'node:path';
import { UsageError } from '../../../app/exit-status.ts';
import { whyUnreadable } from '../../../app/files.ts';
import { databaseIn } from '../../../app/history/settings.ts';
import { useHistory } from '../../../app/history/use-history.ts';
import { writeWhole } from '../../../app/report-files.ts';
import { reportOptions } from '../../../app/run/publish.ts';
import type { Stdio } from '../../../app/stdio.ts';
import { plural } from '../../../contract/plural.ts';
import { checkFleet } from '../../../fleet/check-fleet.ts';
import type { Owed } from '../../../fleet/open-journals.ts';
import { fleetStatus, type OperatorStatus } from '../../../fleet/status.ts';
import { quoteWord } from '../../../report/curl.ts';
import { forTerminal } from '../../../report/escape.ts';
import type { Look } from '../../../report/options.ts';
import { columnsOf, hanging, padEnd } from '../../../report/terminal/layout.ts';
import { withDatabase } from '../../options/database.ts';
import { verdictText } from '../history/text.ts';
import type { FleetStatusFlags } from './flags.ts';
import { statusJson } from './json.ts';
import { fleetMetrics } from './metrics.ts';

/**
 * `croupier fleet status`: prints the latest result of each operator, and which operators are being judged, are late or owe
 * something.
 *
 * @returns 0
 * @throws UsageError for a mistake in the fleet, if the history can't be used, or if the file can't be written
 */
export async function fleetStatusCommand(
  { file, json, openmetrics, database }: FleetStatusFlags,
  given: Stdio,
): Promise<number> {
  const stdio = withDatabase(given, database);
  if (openmetrics === '-')
    throw new UsageError('--openmetrics - is not possible, because the status goes to stdout. Name a file.');
  const { operators, dir } = await checkFleet(file, stdio);
  const now = new Date();
  const all = await useHistory(dir, (history) => fleetStatus(operators, dir, history, now), databaseIn(stdio));
  if (openmetrics !== undefined) await writeMetrics(openmetrics, all, stdio);
  stdio.out.write(json ? statusJson(all, now) : statusText(all, reportOptions(stdio.out, stdio, null)));
  return 0;
}

async function writeMetrics(name: string, all: readonly OperatorStatus[], { cwd }: Stdio): Promise<void> {
  try {
    await writeWhole(path.resolve(cwd, name), fleetMetrics(all));
  } catch (error) {
    throw new UsageError(`--openmetrics: ${name} can't be written: ${whyUnreadable(error)}.`, { cause: error });
  }
}

function statusText(all: readonly OperatorStatus[], look: Look): string {
  const width = Math.max(...all.map(({ operator }) => columnsOf(operator.name)));
  const running = all.filter(({ runningSince }) => runningSince !== undefined).length;
  const late = all.filter((one) => one.late).length;
  const lines = all.flatMap((one) => operatorLines(one, width, look));
  return `${lines.join('\n')}\n\n${plural(all.length, 'operator')}, ${running} running, ${late} late.\n`;
}

function operatorLines(
  { operator, latest, runningSince, late, owed }: OperatorStatus,
  nameWidth: number,
  { paint, width }: Look,
): readonly string[] {
  const result = latest ? verdictText(latest.verdict, paint) : 'never judged';
  const facts = [
    ...(latest ? [`run ${latest.number}, ${minute(latest.started_at)}`] : []),
    ...(latest?.build == null ? [] : [`build ${latest.build}`]),
    ...(runningSince === undefined ? [] : [`running since ${minute(runningSince)}`]),
    ...(late
      ? [late.since === null ? 'late, because no run has judged it yet' : `late since ${minute(late.since)}`]
      : []),
  ];
  const details = [...(latest ? [latest.first_line] : []), ...owed.map(owedText)];
  return [
    `${paint.bold(padEnd(operator.name, nameWidth))}  ${result}  ${forTerminal(facts.join(', '))}`,
    ...details.flatMap((text) => hanging('    ', forTerminal(text), width)),
  ];
}

function owedText({ journal, items, worker }: Owed): string {
  if (worker === null) return `A run owes ${plural(items, 'item')}: croupier settle ${quoteWord(journal)}`;
  return `A run on another machine (${worker}) owes ${plural(items, 'item')}. The next worker that judges the operator settles it.`;
}

/** Formats an ISO time as `2026-11-20 09:30 UTC`. */
function minute(iso: string): string {
  return `${iso.slice(0, 16).replace('T', ' ')} UTC`;
}
