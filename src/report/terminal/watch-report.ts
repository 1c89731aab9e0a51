import { conclude } from '../../journal/conclusion.ts';
import type { Verdict } from '../../journal/finding.ts';
import type { Fold } from '../../journal/fold.ts';
import { quoteWord } from '../curl.ts';
import { forTerminal } from '../escape.ts';
import { mark, tint } from '../marks.ts';
import type { OpenJournal, Report, ReportOptions } from '../options.ts';
import { type Breach, breaches, breachSummaries, unexplained } from './breach.ts';
import { row } from './exchange.ts';
import { columnsOf, plural } from './layout.ts';
import { amounts, counts, inVerdictColour } from './terminal.ts';

/** The verdicts of the scenarios in the runs before, by the id of the scenario. */
export type EarlierVerdicts = ReadonlyMap<string, Verdict>;

/** Lines of the screen that are left for what `--watch` prints below the report: changed files, the state and the keys. */
const LINES_BELOW = 6;
const MIN_LINES = 10;

/**
 * Returns a report for `--watch` that fits on one screen: the verdict, the scenarios whose verdict changed, and each cause of a
 * failure with the command that plays it alone. The journal has everything else.
 *
 * @param earlier empty for the first run
 * @param rows the height of the screen, in lines
 */
export function watchReport(earlier: EarlierVerdicts, rows: number): Report {
  return async function* report(fold: Fold, _open: OpenJournal, options: ReportOptions): AsyncGenerator<string> {
    const conclusion = conclude(fold);
    const failing = unexplained(breaches(fold));
    const head = [
      inVerdictColour(conclusion, options)(forTerminal(conclusion.firstLine)),
      `  ${amounts(fold)}`,
      ...counts(fold, options).map((line) => `  ${line}`),
    ];
    const end =
      options.journal === null
        ? []
        : [options.paint.dim(forTerminal(`Details: croupier report convert ${quoteWord(options.journal)}`))];
    const room = Math.max(rows - LINES_BELOW, MIN_LINES) - height([...head, ...end], options);
    const blocks = [...changes(fold, earlier, options).map((line) => [line]), ...failures(failing, fold, options)];
    const lines: string[] = [];
    let left = blocks.length;
    for (const block of blocks) {
      // One line stays free, for the number of the blocks that do not fit.
      if (height([...lines, ...block], options) > room - (left > 1 ? 1 : 0)) break;
      lines.push(...block);
      left -= 1;
    }
    if (left > 0) lines.push(`  … and ${left} more`);
    yield [...head, ...lines, ...end].map((line) => `${line}\n`).join('');
  };
}

/** Returns one line for each scenario that had another verdict before. */
function changes({ scenarios }: Fold, earlier: EarlierVerdicts, { paint, unicode }: ReportOptions): readonly string[] {
  const changed = scenarios.filter(({ planned, state, verdict }) => {
    const before = earlier.get(planned.id);
    return state !== 'not-started' && before !== undefined && before !== verdict;
  });
  if (earlier.size > 0 && changed.length === 0) return ['  No scenario has changed its verdict.'];
  return changed.map(({ planned, verdict }) => {
    const words =
      verdict === 'fail' ? 'now fails' : verdict === 'pass' ? 'now passes' : `now has the verdict ${verdict}`;
    return `  ${tint(verdict, paint)(mark(verdict, unicode))} ${forTerminal(planned.id)} ${words}`;
  });
}

/** Returns for each cause its line, and what was expected and found. */
function failures(failing: readonly Breach[], fold: Fold, options: ReportOptions): readonly (readonly string[])[] {
  if (failing.length === 0) return [];
  const details = failing.map((breach) =>
    breach.shown
      .slice(0, 1)
      .flatMap(({ expected, actual }) => [
        ...row('expected', expected, 5, options),
        ...row('actual', actual, 5, options, options.paint.red),
      ]),
  );
  return [
    [`  ${plural(failing.length, 'cause')} of failures:`],
    ...failing.map((breach, at) => [...breachSummaries([breach], fold, options, at), ...(details[at] ?? [])]),
  ];
}

function height(lines: readonly string[], { width }: ReportOptions): number {
  return lines.reduce((sum, line) => sum + Math.max(Math.ceil(columnsOf(line) / width), 1), 0);
}
