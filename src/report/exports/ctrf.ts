import { conclude } from '../../journal/conclusion.ts';
import type { Verdict } from '../../journal/finding.ts';
import type { Fold } from '../../journal/fold.ts';
import { baseUrlsText } from '../base-urls.ts';
import { forTerminal } from '../escape.ts';
import type { OpenJournal, ReportOptions } from '../options.ts';
import { type TestCase, testSuites } from './junit.ts';

/** The version of the report's format (Common Test Report Format, ctrf.io). */
const SPEC_VERSION = '0.0.0';

type Status = 'passed' | 'failed' | 'skipped' | 'other';

/**
 * Returns the status of a test. An undecided test has failed, as in JUnit: programs that read the report must not show a run as a
 * success if a rule could not be decided.
 */
function statusOf(verdict: Verdict): Status {
  switch (verdict) {
    case 'fail':
    case 'inconclusive':
      return 'failed';
    case 'skip':
    case 'untested':
      return 'skipped';
    case 'warn':
    case 'note':
    case 'pass':
      return 'passed';
  }
}

/** Writes the report as CTRF, a JSON format for test results of any tool. The report has the same tests as the JUnit report. */
export async function* ctrfReport(
  fold: Fold,
  _open: OpenJournal,
  options: Pick<ReportOptions, 'repositoryFile' | 'journal' | 'endedAtOnce'>,
): AsyncGenerator<string> {
  const { run, ended } = fold;
  const tests = testSuites(fold, options).flatMap(({ name, cases }) => cases.map((test) => testOf(test, name, fold)));
  const count = (wanted: Status): number => tests.filter(({ status }) => status === wanted).length;
  const start = Date.parse(run.startedAt);
  const durationMs = Math.round(ended?.durationMs ?? 0);
  const { verdict, exitCode, firstLine } = conclude(fold);
  const report = {
    reportFormat: 'CTRF',
    specVersion: SPEC_VERSION,
    runId: run.runID,
    timestamp: new Date(start + durationMs).toISOString(),
    generatedBy: `croupier ${run.croupier}`,
    results: {
      tool: { name: 'croupier', version: run.croupier },
      summary: {
        tests: tests.length,
        passed: count('passed'),
        failed: count('failed'),
        skipped: count('skipped'),
        pending: 0,
        other: count('other'),
        flaky: tests.filter(({ flaky }) => flaky === true).length,
        suites: new Set(tests.map(({ suite }) => suite.join(' '))).size,
        start,
        stop: start + durationMs,
        duration: durationMs,
      },
      tests,
      environment: {
        reportName: firstLine,
        appName: run.client.extCID,
        testEnvironment: baseUrlsText(run),
        ...(run.shard && { shardId: `${run.shard.index}/${run.shard.count}` }),
        healthy: verdict === 'conforming',
        extra: {
          verdict,
          exitCode: options.endedAtOnce ?? exitCode,
          contract: run.contract,
          seed: run.seed,
          whole: run.whole,
        },
      },
    },
  };
  yield `${JSON.stringify(report, null, 2)}\n`;
}

function testOf(test: TestCase, suite: string, fold: Fold) {
  const { name, place, verdict, message, details } = test;
  const rule = fold.rules.find((result) => result.rule.id === name)?.rule;
  return {
    name,
    status: statusOf(verdict),
    duration: Math.round(test.seconds * 1000),
    suite: [fold.run.client.extCID, suite],
    rawStatus: verdict,
    ...(message !== '' && { message: forTerminal(message) }),
    ...(verdict !== 'pass' && details !== '' && { trace: details.split('\n').map(forTerminal).join('\n') }),
    ...(place && { filePath: place.file, line: place.line }),
    ...(rule && { labels: { level: rule.level, money: rule.money } }),
    // In this format, a flaky test is a test that passed in the end. But in croupier, a flaky scenario fails the run, unless the
    // user allows flaky scenarios. So a test gets the mark `flaky` only if it passed.
    ...(test.flaky && statusOf(verdict) === 'passed' && { flaky: true }),
    ...(test.flaky && { tags: ['flaky'] }),
  };
}
