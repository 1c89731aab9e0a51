import { type RuleId, ruleById } from '../../../contract/catalogue.ts';
import { plural } from '../../../contract/plural.ts';
import type { Exploration, Find, Flaky } from '../../../engine/explore/exploration.ts';
import { STOP_STATUSES, type StopSignal } from '../../../journal/event.ts';
import type { Finding } from '../../../journal/finding.ts';
import { quoteWord } from '../../../report/curl.ts';
import { forTerminal } from '../../../report/escape.ts';
import { mark } from '../../../report/marks.ts';
import type { ReportOptions } from '../../../report/options.ts';
import { duration, hanging, wrap } from '../../../report/terminal/layout.ts';
import { writeScenario } from '../../../scenario/write.ts';

/** The result of the search of one client: the verdict, the exit status and the first line of the report. */
export interface ExploreConclusion {
  readonly verdict: 'found' | 'nothing-found' | 'undecided';
  readonly exitCode: 0 | 1 | 3 | (typeof STOP_STATUSES)[StopSignal];
  readonly firstLine: string;
}

/**
 * Decides the result of a search. The first line contains names from the operator, which the caller must escape before
 * it prints them.
 */
export function concludeSearch(exploration: Exploration, extCID: string): ExploreConclusion {
  const { finds, flaky, histories, judged, ended } = exploration;
  const rules = finds.flatMap((find) => find.rules);
  const money = rules.filter((rule) => ruleById(rule).money).length;
  const about = money === 0 ? '' : money === rules.length ? ', about money' : `, ${money} of them about money`;
  const broken = `${extCID} breaks ${plural(rules.length, 'rule')}${about}`;
  if (ended.how === 'interrupted') {
    const exitCode = STOP_STATUSES[ended.signal ?? 'SIGINT'];
    return finds.length > 0
      ? { verdict: 'found', exitCode, firstLine: `FOUND: ${broken}, and the search was interrupted.` }
      : { verdict: 'undecided', exitCode, firstLine: `UNDECIDED: the search of ${extCID} was interrupted.` };
  }
  if (finds.length > 0) {
    const isOnlyWarning = finds.every((find) => find.findings.every((finding) => finding.verdict !== 'fail'));
    return isOnlyWarning
      ? {
          verdict: 'found',
          exitCode: 0,
          firstLine: `FOUND: ${broken}. The level of each rule is SHOULD, so this is only a warning.`,
        }
      : { verdict: 'found', exitCode: 1, firstLine: `FOUND: ${broken}.` };
  }
  const reason =
    ended.how === 'unreachable'
      ? `${extCID} could not be reached`
      : judged === 0
        ? `nothing about ${extCID} was judged`
        : flaky.length > 0
          ? `${plural(flaky.length, 'history').replace('historys', 'histories')} of ${extCID} failed once, but not when croupier repeated it`
          : null;
  if (reason !== null) return { verdict: 'undecided', exitCode: 3, firstLine: `UNDECIDED: ${reason}.` };
  return {
    verdict: 'nothing-found',
    exitCode: 0,
    firstLine: `NOTHING FOUND: ${extCID} broke none of ${plural(judged, 'rule')} in ${inHistories(histories)}.`,
  };
}

function inHistories(count: number): string {
  return count === 1 ? '1 history' : `${count} histories`;
}

/** One failing history: its scenario, its file, and the command that plays it again. */
export interface KeptFind {
  readonly find: Find;
  readonly yaml: string;
  /** The path of the file; null if no file was written. */
  readonly file: string | null;
  readonly command: string;
}

/** Writes a failing history as a scenario, with comments that say where it comes from. */
export function textOfFind({ draft, rules, history, steps, stepsBefore }: Find, seed: string, command: string): string {
  const shortened = steps < stepsBefore ? `, shortened from ${plural(stepsBefore, 'step')} to ${steps}` : '';
  return writeScenario(draft, {
    comments: [
      `Found by croupier explore --seed ${quoteWord(seed)} (history ${history}${shortened}).`,
      `Breaks ${rules.join(', ')}.`,
      `Run it again: ${command}`,
    ],
  });
}

/** Returns the text report of a search. */
export function exploreText(
  exploration: Exploration,
  { firstLine, verdict }: ExploreConclusion,
  kept: readonly KeptFind[],
  about: { readonly seed: string; readonly journal: string },
  options: Pick<ReportOptions, 'paint' | 'unicode' | 'width'>,
): string {
  const { paint } = options;
  const { histories, calls, durationMs, ended } = exploration;
  const colour = verdict === 'found' ? paint.red : verdict === 'undecided' ? paint.yellow : paint.green;
  const lines = [paint.bold(colour(forTerminal(firstLine)))];
  const counts = [`seed ${about.seed}`, inHistories(histories), plural(calls, 'call'), duration(durationMs)];
  lines.push(paint.dim(forTerminal(counts.join(', '))));
  if (ended.how === 'unreachable' && ended.detail !== null)
    lines.push(...wrap(forTerminal(ended.detail), options.width));
  for (const one of kept) lines.push('', ...findLines(one, options));
  for (const one of exploration.flaky) lines.push('', ...flakyLines(one, options));
  lines.push('', paint.dim(`Journal of all calls: ${forTerminal(about.journal)}`));
  return `${lines.join('\n')}\n`;
}

function findLines(
  { find, yaml, file, command }: KeptFind,
  options: Pick<ReportOptions, 'paint' | 'unicode' | 'width'>,
): readonly string[] {
  const { paint, unicode } = options;
  const lines = find.findings.flatMap((finding) => findingLines(finding, paint.red(mark('fail', unicode)), options));
  const often = find.failed === find.played ? '' : ` The history failed in ${find.failed} of ${find.played} attempts.`;
  const unfinished = find.unfinished
    ? ' The time ended before croupier had made the history as short as possible.'
    : '';
  const saved =
    file === null ? 'Save the history to a file to run it again with' : `The history is in ${file}. Run it again with`;
  lines.push(
    '',
    ...wrap(
      forTerminal(
        `The shortest failing history has ${plural(find.steps, 'step')} (history ${find.history} had ${find.stepsBefore}).${often}${unfinished}`,
      ),
      options.width - 2,
    ).map((line) => `  ${line}`),
    '',
    ...yaml.trimEnd().split('\n').map(forTerminal),
    '',
    ...wrap(forTerminal(saved), options.width - 2).map((line) => `  ${line}`),
    `    ${forTerminal(command)}`,
  );
  return lines;
}

function findingLines(
  { rule, expected, actual }: Finding,
  symbol: string,
  { paint, width }: Pick<ReportOptions, 'paint' | 'width'>,
): readonly string[] {
  const { level, money, sentence } = ruleById(rule as RuleId);
  return [
    `${symbol} ${paint.bold(rule)}  ${level}${money ? ' $' : ''}`,
    ...wrap(forTerminal(sentence), width - 4).map((line) => `    ${line}`),
    ...hanging('    expected: ', forTerminal(expected), width),
    ...hanging('    but:      ', forTerminal(actual), width),
  ];
}

function flakyLines(
  { rules, findings, draft, history }: Flaky,
  options: Pick<ReportOptions, 'paint' | 'unicode' | 'width'>,
): readonly string[] {
  const { paint, unicode, width } = options;
  return [
    paint.bold(`FLAKY: history ${history} broke ${rules.join(', ')} once, but not when croupier repeated the history.`),
    ...findings.flatMap((finding) => findingLines(finding, paint.yellow(mark('inconclusive', unicode)), options)),
    '',
    ...wrap('The history:', width),
    '',
    ...writeScenario(draft).trimEnd().split('\n').map(forTerminal),
  ];
}
