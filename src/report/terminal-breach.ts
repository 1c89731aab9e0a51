import { ruleById } from '../contract/catalogue.ts';
import { EXPECTATION, type Place } from '../journal/finding.ts';
import type { Fold } from '../journal/fold.ts';
import type { JudgedFinding } from '../journal/judged-cell.ts';
import type { RuleResult } from '../journal/rule-result.ts';
import { forTerminal } from './escape.ts';
import type { JournalledExchange } from './evidence.ts';
import { clip, wrap } from './layout.ts';
import { mark, tint } from './marks.ts';
import type { ReportOptions } from './options.ts';
import { exchangeLines, row } from './terminal-exchange.ts';

/** So many findings of one rule are shown with all their details; the others by the names of their scenarios. */
const DETAILED = 2;
/** Expectations have nothing in common but that they were not met, so that more of them are shown. */
const EXPECTATIONS = 10;
const NAMED = 6;
const SOURCE_LINE = 160;

/** A breach that a report shows in full: of a rule, or of what scenarios expect. */
export interface Breach {
  readonly id: RuleResult['rule']['id'] | typeof EXPECTATION;
  readonly shown: readonly JudgedFinding[];
  /** Scenarios whose findings are not shown, each once. */
  readonly alsoIn: readonly string[];
}

/** All breaches, those about money first, then in the order of the catalogue, expectations last. */
export function breaches(fold: Fold): readonly Breach[] {
  const failed = fold.rules.filter((result) => result.verdict === 'fail');
  const ordered = [...failed.filter(({ rule }) => rule.money), ...failed.filter(({ rule }) => !rule.money)];
  const all = ordered.map((result) => breach(result.rule.id, result.findings));
  const missed = fold.expectations.filter((finding) => finding.verdict === 'fail');
  return missed.length === 0 ? all : [...all, breach(EXPECTATION, missed, EXPECTATIONS)];
}

function breach(id: Breach['id'], findings: readonly JudgedFinding[], most = DETAILED): Breach {
  const failing = findings.filter((finding) => finding.verdict === 'fail');
  // One of each scenario first: a second scenario tells more than the same one again.
  const firsts = failing.filter(
    (finding, at) => failing.findIndex((other) => other.scenario === finding.scenario) === at,
  );
  const shown = firsts.slice(0, most);
  const alsoIn = [...new Set(firsts.slice(shown.length).map((finding) => finding.scenario))];
  return { id, shown, alsoIn };
}

/** One breach in lines. `exchanges` holds those that its findings name. */
export function breachLines(
  { id, shown, alsoIn }: Breach,
  fold: Fold,
  exchanges: ReadonlyMap<string, JournalledExchange>,
  options: ReportOptions,
): readonly string[] {
  const lines = id === EXPECTATION ? expectationHeading(options) : ruleHeading(id, options);
  for (const finding of shown) {
    const exchange = finding.exchange === null ? undefined : exchanges.get(finding.exchange);
    lines.push('', ...findingLines(finding, fold, exchange, options));
  }
  if (alsoIn.length > 0) {
    const names = alsoIn.slice(0, NAMED).join(', ');
    const more = alsoIn.length > NAMED ? `, and ${alsoIn.length - NAMED} more` : '';
    lines.push('', ...row('also in', names + more, 2, options));
  }
  if (id !== EXPECTATION)
    lines.push(...(alsoIn.length === 0 ? [''] : []), ...row('to mend', ruleById(id).hint, 2, options));
  return lines;
}

function ruleHeading(id: RuleResult['rule']['id'], options: ReportOptions): string[] {
  const { paint } = options;
  const rule = ruleById(id);
  const money = rule.money ? `  ${paint.yellow('$')} money is at stake` : '';
  const since = rule.since === '1.0.0' ? '' : `, since ${rule.since}`;
  const title = `${paint.red(mark('fail', options.unicode))} ${paint.bold(rule.id)}  ${rule.level}${money}`;
  return [
    title,
    ...wrap(`${rule.sentence.charAt(0).toUpperCase()}${rule.sentence.slice(1)}.`, options.width - 2).map(
      (line) => `  ${line}`,
    ),
    paint.dim(`  Contract: ${rule.clause}${since}`),
  ];
}

function expectationHeading(options: ReportOptions): string[] {
  const { paint } = options;
  return [
    `${paint.red(mark('fail', options.unicode))} ${paint.bold(EXPECTATION)}  weighs like a MUST`,
    '  What the scenario itself demands, beyond the rules.',
  ];
}

function findingLines(
  finding: JudgedFinding,
  fold: Fold,
  exchange: JournalledExchange | undefined,
  options: ReportOptions,
): readonly string[] {
  const { paint } = options;
  const title = fold.scenarios.find(({ planned }) => planned.id === finding.scenario)?.planned.title ?? '';
  const id = forTerminal(finding.scenario);
  const oneLine = id.length + title.length + 4 <= options.width;
  const heading = [`  ${paint.bold(id)}${oneLine ? `  ${forTerminal(title)}` : ''}`];
  if (!oneLine) heading.push(...wrap(forTerminal(title), options.width - 4).map((line) => `    ${line}`));
  // What would explain it too is worth a word only where this run has shown it to be broken.
  const causes = finding.causes.filter((cause) =>
    fold.rules.some(({ rule, verdict }) => rule.id === cause && verdict === 'fail'),
  );
  return [
    ...heading,
    ...(finding.place ? placeLines(finding.place, options) : []),
    ...row('expected', finding.expected, 4, options),
    ...row('actual', finding.actual, 4, options, tint('fail', paint)),
    ...(causes.length > 0 ? row('perhaps', `because of ${causes.join(', ')}`, 4, options) : []),
    ...(exchange ? exchangeLines(exchange, 4, options) : []),
  ];
}

/** The place in the scenario, its line, and a caret below the column where the step begins. */
function placeLines(place: Place, options: ReportOptions): readonly string[] {
  const { paint } = options;
  const where = paint.cyan(`    ${forTerminal(place.file)}:${place.line}:${place.column}`);
  const source = options.readLine(place);
  if (source === null) return [where];
  const gutter = String(place.line).padStart(7);
  const before = source.slice(0, place.column - 1).replace(/[^\t]/gu, ' ');
  const bar = options.unicode ? '│' : '|';
  const text = forTerminal(clip(source.trimEnd(), SOURCE_LINE).replaceAll('\t', ' '));
  return [
    where,
    `${paint.dim(`${gutter} ${bar}`)} ${text}`,
    `${paint.dim(`${' '.repeat(gutter.length)} ${bar}`)} ${before.replaceAll('\t', ' ')}${paint.red('^')}`,
  ];
}
