import { measureExchange } from './exchange.ts';
import { measureHtml, measureOpening } from './html.ts';
import { measureLaunch } from './launch.ts';
import { measureLint, measureUserLint } from './lint.ts';
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
  exchange: measureExchange,
  memory: measureMemory,
  merge: measureMerge,
  html: measureHtml,
  opening: measureOpening,
  launch: measureLaunch,
  rounds: measureRounds,
  proxy: measureProxy,
  'proxy-rate': measureProxyRate,
};

const MARKS = { seconds: ' s', milliseconds: ' ms', times: '×' } as const;

/** One line of the summary. */
function row({ what, detail, value, unit, limit }: Measurement, mark: string): string {
  const amount = (number: number) => `${number.toFixed(2)}${MARKS[unit]}`;
  return `${mark} ${what.padEnd(42)} ${amount(value).padStart(8)}  at most ${amount(limit).padStart(6)}   ${detail}`;
}

/** Measures what is named, or everything, one after another, and exits with 1 when a limit is exceeded. */
async function main(names: readonly string[]): Promise<number> {
  const unknown = names.filter((name) => !(name in ALL));
  if (unknown.length > 0) {
    process.stderr.write(`There is no measurement ${unknown.join(', ')}. There are: ${Object.keys(ALL).join(', ')}.\n`);
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
