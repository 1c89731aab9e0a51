import type { Stdio } from '../../../app/stdio.ts';
import { plural } from '../../../contract/plural.ts';
import { type CheckedOperator, checkFleet } from '../../../fleet/check-fleet.ts';
import { nextStarts } from '../../../fleet/schedule.ts';
import { forTerminal } from '../../../report/escape.ts';
import { columnsOf, padEnd } from '../../../report/terminal/layout.ts';
import type { FleetCheckFlags } from './flags.ts';

/**
 * `croupier fleet check`: checks a fleet, and prints the next two runs of each operator.
 *
 * @returns 0
 * @throws UsageError with every mistake
 */
export async function fleetCheckCommand({ file }: FleetCheckFlags, stdio: Stdio): Promise<number> {
  const { operators, warnings } = await checkFleet(file, stdio);
  for (const warning of warnings) stdio.err.write(`${forTerminal(`warning: ${warning}`)}\n`);
  const names = Math.max(...operators.map(({ name }) => columnsOf(name)));
  const clients = Math.max(...operators.map(({ extCID }) => columnsOf(extCID)));
  const now = new Date();
  for (const operator of operators) {
    const row = `${padEnd(operator.name, names)}  ${padEnd(operator.extCID, clients)}  ${startsText(operator, now)}`;
    stdio.out.write(`${forTerminal(row)}\n`);
  }
  stdio.out.write(`\n${plural(operators.length, 'operator')}, no mistakes.\n`);
  return 0;
}

function startsText({ schedule, zone }: CheckedOperator, now: Date): string {
  if (!schedule) return 'no schedule';
  const [next, then] = nextStarts(schedule, now, 2).map((start) => localText(start, zone));
  return next === undefined ? 'never due' : `next run ${next} ${zone}${then === undefined ? '' : `, then ${then}`}`;
}

/** Formats a time in a zone as `Thu 2026-11-26 03:00`. */
function localText(time: Date, timeZone: string): string {
  const parts = new Intl.DateTimeFormat('en-GB', {
    timeZone,
    weekday: 'short',
    year: 'numeric',
    month: '2-digit',
    day: '2-digit',
    hour: '2-digit',
    minute: '2-digit',
    hourCycle: 'h23',
  }).formatToParts(time);
  const of = (type: string): string => parts.find((part) => part.type === type)?.value ?? '';
  return `${of('weekday')} ${of('year')}-${of('month')}-${of('day')} ${of('hour')}:${of('minute')}`;
}
