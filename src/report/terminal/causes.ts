import type { Cause } from '../../journal/cause.ts';
import { EXPECTATION } from '../../journal/finding.ts';
import type { Fold } from '../../journal/fold.ts';
import { movedAloneWarning } from '../../journal/scenario-result.ts';
import { forTerminal } from '../escape.ts';
import { verdictNoun } from '../marks.ts';
import type { ReportOptions } from '../options.ts';
import { runAgain } from '../run-again.ts';
import { row } from './exchange.ts';
import { hanging, plural, wrap } from './layout.ts';

/** Maximum number of scenarios that one line names. Of further scenarios, the line gives only the number. */
const MAX_NAMES = 6;

/**
 * Returns the lines about the likely causes: the effect of each cause, where to see it, and the command that plays its scenario
 * again.
 */
export function causeLines(fold: Fold, options: ReportOptions): readonly string[] {
  if (fold.causes.length === 0) return [];
  const warning = movedAloneWarning(fold);
  return [
    ...wrap(summary(fold), options.width - 2).map((line) => `  ${line}`),
    ...(warning === null ? [] : ['', ...hanging('  ! ', forTerminal(warning), options.width)]),
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

function oneCause(
  { result, explains, scenarios, mainFinding: telling }: Cause,
  number: number,
  fold: Fold,
  options: ReportOptions,
) {
  const { paint } = options;
  const { rule, checks, breaches, isKnown } = result;
  const money = rule.money ? `  ${paint.yellow('$')} money is at stake` : '';
  const lines = [`  ${number}. ${paint.bold(paint.red(rule.id))}  ${rule.level}${money}`];
  if (isKnown) lines.push('     This rule is on the baseline, but it explains other rules that are not.');
  const detail = (label: string, text: string): void => void lines.push(...row(label, text, 5, options));
  if (rule.means !== null) lines.push(...wrap(rule.means, options.width - 5).map((line) => `     ${line}`));
  detail('shown by', `${breaches} of ${plural(checks, 'check')}, in ${firstNames(withCasesCounted(scenarios))}`);
  if (explains.length > 0) detail('explains', explainedText(explains));
  const where = telling?.place;
  const exchange = telling?.exchange;
  if (where) lines.push(...lookAt(`${where.file}:${where.line}`, exchange ?? null, options));
  const again = scenarios.map((scenario) => commandFor(scenario, fold)).find((command) => command !== null);
  // This command is never wrapped, so that a user can copy it.
  if (again) lines.push(`     ${paint.dim('run alone'.padEnd(10))}${paint.cyan(forTerminal(again))}`);
  return lines;
}

/** Returns the row that says where to look. The path is never wrapped, so that a terminal can open the file. */
function lookAt(place: string, exchange: string | null, options: ReportOptions): readonly string[] {
  const below = exchange === null ? '' : `exchange ${exchange} below`;
  const [first, ...rest] = row('look at', [place, below].filter((part) => part !== '').join(', '), 5, options);
  if (first?.includes(forTerminal(place))) return [first, ...rest];
  return [
    `     ${options.paint.dim('look at'.padEnd(10))}${forTerminal(place)}`,
    ...(below === '' ? [] : row('', below, 5, options)),
  ];
}

function commandFor(scenario: string, fold: Fold): string | null {
  const planned = fold.run.scenarios.find(({ id }) => id === scenario);
  return planned ? runAgain(planned, fold.run.flags) : null;
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
