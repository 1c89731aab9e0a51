import type { Fold } from '../../journal/fold.ts';
import { forOthers } from '../for-others.ts';
import { jsonReport } from '../json/json.ts';
import type { OpenJournal, Report, ReportOptions } from '../options.ts';
import { terminalReport } from '../terminal/terminal.ts';
import { baselineReport } from './baseline.ts';
import { ctrfReport } from './ctrf.ts';
import { curlReport } from './curl-script.ts';
import { harReport } from './har.ts';
import { junitReport, strictJunitReport } from './junit.ts';
import { openMetricsReport } from './open-metrics.ts';
import { summaryReport } from './summary.ts';

async function* markdownReport(fold: Fold, open: OpenJournal, options: ReportOptions): AsyncGenerator<string> {
  yield* (await import('./markdown.ts')).markdownReport(fold, open, options);
}

async function* githubReport(fold: Fold, open: OpenJournal, options: ReportOptions): AsyncGenerator<string> {
  yield* (await import('./github.ts')).githubReport(fold, open, options);
}

async function* otlpReport(fold: Fold, open: OpenJournal): AsyncGenerator<string> {
  yield* (await import('./otlp.ts')).otlpReport(fold, open);
}

async function* slackReport(fold: Fold, open: OpenJournal, options: ReportOptions): AsyncGenerator<string> {
  yield* (await import('./chat-messages.ts')).slackReport(fold, open, options);
}

async function* teamsReport(fold: Fold, open: OpenJournal, options: ReportOptions): AsyncGenerator<string> {
  yield* (await import('./chat-messages.ts')).teamsReport(fold, open, options);
}

async function* htmlReport(fold: Fold, open: OpenJournal, options: ReportOptions): AsyncGenerator<string> {
  yield* (await import('../html/html-report.ts')).htmlReport(fold, open, options);
}

/** The reports that `--report KIND=FILE` can write, by kind. */
export const REPORT_KINDS: Readonly<Record<string, Report>> = {
  terminal: terminalReport,
  json: jsonReport,
  junit: forOthers(junitReport),
  ctrf: forOthers(ctrfReport),
  summary: summaryReport,
  slack: slackReport,
  teams: teamsReport,
  markdown: forOthers(markdownReport),
  github: forOthers(githubReport),
  baseline: baselineReport,
  har: harReport,
  curl: curlReport,
  html: forOthers(htmlReport),
  openmetrics: openMetricsReport,
  otlp: forOthers(otlpReport),
};

/** Other variants of a report. The user writes the name of the variant after the file name, as in `junit=FILE,strict`. */
export const REPORT_FORMS: Readonly<Record<string, Readonly<Record<string, Report>>>> = {
  junit: { strict: forOthers(strictJunitReport) },
};
