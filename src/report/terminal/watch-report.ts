import { conclude } from '../../journal/conclusion.ts';
import type { Verdict } from '../../journal/finding.ts';
import type { Fold } from '../../journal/fold.ts';
import { quoteWord } from '../curl.ts';
import { forTerminal } from '../escape.ts';
import { mark, tint } from '../marks.ts';
import type { OpenJournal, Report, ReportOptions } from '../options.ts';
import { type Breach, breaches, summarised, summaryLines, unexplained } from './breach.ts';
import { row } from './exchange.ts';
import { columnsOf } from './layout.ts';
import { amounts, counts, inVerdictColour } from './terminal.ts';

/** The latest earlier verdict of each scenario. The key is the id of the scenario. */
export type EarlierVerdicts = ReadonlyMap<string, Verdict>;

/**
 * Number of screen lines that stay free for the text that `--watch` prints below the report: changed files, the state and the
 * keys.
 */
const LINES_BELOW = 6;
const MIN_LINES = 10;

/**
 * Returns a report for `--watch` that fits on one screen: the verdict, the scenarios whose verdict changed, and each cause of a
 * failure, with the command that plays only the scenario of this cause. The journal has everything else.
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
    const changed = changes(fold, earlier, options).map((line) => [line]);
    const whole = [...changed, ...failures(failing, fold, true, options)];
    const blocks =
      height(whole.flat(), options) <= room ? whole : [...changed, ...failures(failing, fold, false, options)];
    const lines: string[] = [];
    let left = blocks.length;
    for (const block of blocks) {
      // One line stays free, for the text that gives the number of blocks that do not fit.
      if (height([...lines, ...block], options) > room - (left > 1 ? 1 : 0)) break;
      lines.push(...block);
      left -= 1;
    }
    if (left > 0) lines.push(`  … and ${left} more`);
    yield [...head, ...lines, ...end].map((line) => `${line}\n`).join('');
  };
}

/** Returns one line for each scenario whose verdict differs from its earlier verdict. */
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

/** Returns for each cause its line. If the caller wants it, also returns the expected and the actual behaviour. */
function failures(
  failing: readonly Breach[],
  fold: Fold,
  withDetails: boolean,
  options: ReportOptions,
): readonly (readonly string[])[] {
  const all = summarised(failing);
  return summaryLines(all, fold, options).map((line, at) => {
    const finding = all[at]?.finding;
    if (!finding || !withDetails) return [line];
    return [
      line,
      ...row('expected', finding.expected, 5, options),
      ...row('actual', finding.actual, 5, options, options.paint.red),
    ];
  });
}

function height(lines: readonly string[], { width }: ReportOptions): number {
  return lines.reduce((sum, line) => sum + Math.max(Math.ceil(columnsOf(line) / width), 1), 0);
}
