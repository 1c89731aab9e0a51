import { measureBoard, measureBoardGrowth } from './board.ts';
import { measureExchange } from './exchange.ts';
import { measureCalls, measureFar, measureQuick } from './far.ts';
import { measureFleet, measureFleetDue } from './fleet.ts';
import { measureHtml, measureOpening } from './html.ts';
import { measureAllIncidents, measureIncident, measureIncidentFormats, measureIncidentMemory } from './incident.ts';
import { measureLargeReplies } from './large-replies.ts';
import { measureLaunch } from './launch.ts';
import { measureLint, measureUserLint } from './lint.ts';
import { measureLoadCpu, measureLoadMemory, measureLoadRate, measureLoadReconcile } from './load.ts';
import { isExceeded, type Measurement } from './measurement.ts';
import { measureMemory } from './memory.ts';
import { measureMerge } from './merge.ts';
import { measureProxy, measureProxyRate } from './proxy.ts';
import { measureRounds } from './rounds.ts';
import { measureSuite } from './suite.ts';
import { measureBinary, measureVersion } from './version.ts';

const ALL: Readonly<Record<string, () => Promise<Measurement>>> = {
  version: measureVersion,
  binary: measureBinary,
  lint: measureLint,
  'user-lint': measureUserLint,
  suite: measureSuite,
  quick: measureQuick,
  far: measureFar,
  calls: measureCalls,
  'large-replies': measureLargeReplies,
  incident: measureIncident,
  incidents: measureAllIncidents,
  'incident-formats': measureIncidentFormats,
  'incident-memory': measureIncidentMemory,
  exchange: measureExchange,
  memory: measureMemory,
  merge: measureMerge,
  html: measureHtml,
  opening: measureOpening,
  launch: measureLaunch,
  rounds: measureRounds,
  proxy: measureProxy,
  'proxy-rate': measureProxyRate,
  'load-rate': measureLoadRate,
  'load-cpu': measureLoadCpu,
  'load-reconcile': measureLoadReconcile,
  'load-memory': measureLoadMemory,
  fleet: measureFleet,
  'fleet-due': measureFleetDue,
  board: measureBoard,
  'board-growth': measureBoardGrowth,
};

const MARKS = { seconds: ' s', milliseconds: ' ms', times: '×', calls: '' } as const;

/** Returns the line of the summary for one measurement. */
function row({ what, detail, value, unit, limit }: Measurement, mark: string): string {
  const amount = (number: number) => `${number.toFixed(unit === 'calls' ? 0 : 2)}${MARKS[unit]}`;
  return `${mark} ${what.padEnd(42)} ${amount(value).padStart(8)}  at most ${amount(limit).padStart(6)}   ${detail}`;
}

/**
 * Runs the named measurements one after another, or all of them without a name. Exits with 1 if a value is above its
 * limit.
 */
async function main(names: readonly string[]): Promise<number> {
  const unknown = names.filter((name) => !(name in ALL));
  if (unknown.length > 0) {
    process.stderr.write(
      `There is no measurement ${unknown.join(', ')}. The measurements are: ${Object.keys(ALL).join(', ')}.\n`,
    );
    return 2;
  }
  const measured: Measurement[] = [];
  for (const [name, measure] of Object.entries(ALL)) {
    if (names.length > 0 && !names.includes(name)) continue;
    process.stderr.write(`Measuring ${name} …\n`);
    measured.push(await measure());
  }
  process.stdout.write(`${measured.map((one) => row(one, isExceeded(one) ? '✗' : '✓')).join('\n')}\n`);
  return measured.some(isExceeded) ? 1 : 0;
}

process.exitCode = await main(process.argv.slice(2));
