import { plural } from '../../contract/plural.ts';
import type { Cause } from '../../journal/cause.ts';
import { EXPECTATION } from '../../journal/finding.ts';
import type { Fold } from '../../journal/fold.ts';
import { movedAloneWarning } from '../../journal/scenario-result.ts';
import { forTerminal } from '../escape.ts';
import { verdictNoun } from '../marks.ts';
import type { ReportOptions } from '../options.ts';
import { runAgain, shownLine } from '../run-again.ts';
import { row } from './exchange.ts';
import { columnsOf, hanging, wrap } from './layout.ts';

/** Maximum number of scenarios that one line names. The line gives only the number of further scenarios. */
const MAX_NAMES = 6;

/** Returns the lines above the causes: the number of rules that explain all failures, and a warning about foreign changes. */
export function causeSummary(fold: Fold, options: ReportOptions): readonly string[] {
  if (fold.causes.length === 0) return [];
  const warning = movedAloneWarning(fold);
  return [
    ...wrap(summary(fold), options.width - 2).map((line) => `  ${line}`),
    ...(warning === null ? [] : ['', ...hanging('  ! ', forTerminal(warning), options.width)]),
  ];
}

/**
 * Returns the lines about the likely causes. For each cause: its effect, where to see it, and the command that plays its scenario
 * again.
 */
export function causeLines(fold: Fold, options: ReportOptions): readonly string[] {
  return [
    ...causeSummary(fold, options),
    ...fold.causes.flatMap((cause, at) => ['', ...oneCause(cause, at + 1, fold, options)]),
  ];
}

function summary(fold: Fold): string {
  const { causes } = fold;
  const explained = new Set(causes.flatMap(({ explains }) => explains.map(({ rule }) => rule))).size;
  const missed = fold.expectations.filter(({ verdict }) => verdict === 'fail').length;
  const rules = causes.length === 1 ? 'One broken rule explains' : `${causes.length} broken rules explain`;
  const all = explained === 0 ? 'all failures' : `all failures, and the results of ${plural(explained, 'other rule')}`;
  const expectations =
    missed === 0
      ? ''
      : ` Also, ${missed} ${missed === 1 ? `${EXPECTATION} of a scenario is` : `${EXPECTATION}s of scenarios are`} not met.`;
  return `${rules} ${all}.${expectations}`;
}

function oneCause(cause: Cause, number: number, fold: Fold, options: ReportOptions) {
  const { result, scenarios, mainFinding: telling } = cause;
  const { paint } = options;
  const { rule, isKnown } = result;
  const money = rule.money ? `  ${paint.yellow('$')} money is at stake` : '';
  const lines = [`  ${number}. ${paint.bold(paint.red(rule.id))}  ${rule.level}${money}`];
  if (isKnown) lines.push('     The baseline lists this rule, but not the other rules that it explains.');
  if (rule.means !== null) lines.push(...wrap(rule.means, options.width - 5).map((line) => `     ${line}`));
  lines.push(...extentLines(cause, 5, options));
  const where = telling?.place;
  const exchange = telling?.exchange;
  if (telling && where) lines.push(...lookAt(shownLine(telling.scenario, where), exchange ?? null, options));
  const again = commandFor(scenarios, fold);
  // This command is never wrapped, so that a user can copy it.
  if (again) lines.push(`     ${paint.dim('run alone'.padEnd(10))}${paint.cyan(forTerminal(again))}`);
  return lines;
}

/** Returns the row that says where to look. */
function lookAt(place: string, exchange: string | null, options: ReportOptions): readonly string[] {
  const below = exchange === null ? '' : `exchange ${exchange} below`;
  const [first, ...rest] = row('look at', [place, below].filter((part) => part !== '').join(', '), 5, options);
  if (first?.includes(forTerminal(place)) && columnsOf(first) <= options.width) return [first, ...rest];
  return [...placeRow('look at', place, 5, options), ...(below === '' ? [] : row('', below, 5, options))];
}

/** Returns the row with a place in a file. The path is never wrapped, so that a terminal can open the file. */
export function placeRow(label: string, place: string, indent: number, { paint }: ReportOptions): readonly string[] {
  return [`${' '.repeat(indent)}${paint.dim(label.padEnd(10))}${forTerminal(place)}`];
}

/** Returns the rows about the extent of a cause: the scenarios that show it, and the rules whose results it explains. */
export function extentLines(
  { result: { breaches, checks }, explains, scenarios }: Cause,
  indent: number,
  options: ReportOptions,
): readonly string[] {
  const shown = `${breaches} of ${plural(checks, 'check')}, in ${firstNames(withCasesCounted(scenarios))}`;
  return [
    ...row('shown by', shown, indent, options),
    ...(explains.length === 0 ? [] : row('explains', explainedText(explains), indent, options)),
  ];
}

/** Returns the command that plays the first of these scenarios that has a file. Returns null if no scenario has a file. */
export function commandFor(scenarios: readonly string[], fold: Fold): string | null {
  for (const scenario of scenarios) {
    const planned = fold.run.scenarios.find(({ id }) => id === scenario);
    const command = planned ? runAgain(planned, fold.run.flags) : null;
    if (command !== null) return command;
  }
  return null;
}

/** Lists the explained rules, grouped by verdict, as in `bet.debit (failed); win.credit, win.zero (undecided)`. */
function explainedText(explains: Cause['explains']): string {
  return [...Map.groupBy(explains, ({ verdict }) => verdict)]
    .map(([verdict, rules]) => `${rules.map(({ rule }) => rule).join(', ')} (${verdictNoun(verdict, rules.length)})`)
    .join('; ');
}

/** Replaces the cases of one scenario file by one name with their number, as in `signature/mismatch (21 cases)`. */
function withCasesCounted(scenarios: readonly string[]): readonly string[] {
  return [...Map.groupBy(scenarios, (id) => id.split('#')[0] ?? id)].map(([name, cases]) =>
    cases.length === 1 ? String(cases[0]) : `${name} (${cases.length} cases)`,
  );
}

function firstNames(names: readonly string[]): string {
  const more = names.length > MAX_NAMES ? `, and ${names.length - MAX_NAMES} more` : '';
  return names.slice(0, MAX_NAMES).join(', ') + more;
}
