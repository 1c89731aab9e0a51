import { baselineReport } from './baseline.ts';
import { jsonReport } from './json.ts';
import { junitReport } from './junit.ts';
import type { Report } from './options.ts';
import { terminalReport } from './terminal.ts';

/** What can stand before the `=` of `--report KIND=FILE`. */
export const REPORT_KINDS: Readonly<Record<string, Report>> = {
  terminal: terminalReport,
  json: jsonReport,
  junit: junitReport,
  baseline: baselineReport,
};
