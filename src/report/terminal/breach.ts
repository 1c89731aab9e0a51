import { type Rule, type RuleId, ruleById } from '../../contract/catalogue.ts';
import { isKnownBreach } from '../../journal/baseline.ts';
import { EXPECTATION, type Place } from '../../journal/finding.ts';
import type { Fold } from '../../journal/fold.ts';
import type { JudgedFinding } from '../../journal/judged-outcome.ts';
import type { RuleResult } from '../../journal/rule-result.ts';
import { MOVED_ALONE } from '../../journal/scenario-result.ts';
import { clauseText } from '../clause.ts';
import { forTerminal } from '../escape.ts';
import { type Evidence, timelineOf } from '../evidence.ts';
import { mark, tint } from '../marks.ts';
import type { ReportOptions } from '../options.ts';
import { exchangeLines, row } from './exchange.ts';
import { clip, columnsOf, wrap } from './layout.ts';
import { timelineLines } from './timeline.ts';

/**
 * Maximum number of findings of one rule that the report shows with all details. Of further findings, it names only the scenario.
 */
const MAX_DETAILED = 2;
/**
 * Maximum number of missed expectations that the report shows. The limit is higher than for rules, because each missed
 * expectation has its own cause.
 */
const MAX_EXPECTATIONS = 10;
const MAX_NAMES = 6;
const MAX_SOURCE_LINE = 160;

/** The breach of one rule, or all missed expectations of scenarios, as a report shows them. */
export interface Breach {
  readonly id: RuleResult['rule']['id'] | typeof EXPECTATION;
  readonly shown: readonly JudgedFinding[];
  /** The broken rule that is the likely cause of this breach. Null if there is no such rule. */
  readonly because: RuleId | null;
  /** Ids of further scenarios with the same breach. Their findings are not shown. Each id occurs once. */
  readonly alsoIn: readonly string[];
}

/**
 * Returns all breaches that are not on the baseline. The likely causes come first, then the rules that they explain, and the
 * missed expectations come last.
 */
export function breaches(fold: Fold): readonly Breach[] {
  const causes = fold.causes.map(({ result }) => result);
  const explained = fold.rules.filter((result) => result.verdict === 'fail' && !causes.includes(result));
  const ordered = [...causes, ...explained].filter(({ isKnown }) => !isKnown);
  const all = ordered.map(({ rule, findings }) => {
    const cause = fold.causes.find(({ explains }) => explains.some((explained) => explained.rule === rule.id));
    return { ...breach(rule.id, findings), because: cause?.result.rule.id ?? null };
  });
  const missed = fold.expectations.filter(
    (finding) => finding.verdict === 'fail' && !isKnownBreach(fold.baseline, finding),
  );
  return missed.length === 0 ? all : [...all, breach(EXPECTATION, missed, MAX_EXPECTATIONS)];
}

function breach(id: Breach['id'], findings: readonly JudgedFinding[], max = MAX_DETAILED): Breach {
  const failing = findings.filter((finding) => finding.verdict === 'fail');
  // For a rule, one finding of each scenario is kept, because a second scenario shows more than a second finding in the first
  // scenario. For expectations, all different findings are kept.
  const kindOf = ({ scenario, place, expected }: JudgedFinding): string =>
    id === EXPECTATION ? JSON.stringify([scenario, place?.line, place?.column, expected]) : scenario;
  const kinds = [...Map.groupBy(failing, kindOf).values()].flatMap(([first]) => first ?? []);
  const shown = kinds.slice(0, max);
  const alsoIn = [...new Set(kinds.slice(shown.length).map((finding) => finding.scenario))];
  return { id, shown, alsoIn, because: null };
}

/** Returns the lines of the report about one breach: what is broken, its findings, and how to fix it. */
export function breachLines(
  { id, shown, alsoIn, because }: Breach,
  fold: Fold,
  evidence: Evidence,
  options: ReportOptions,
): readonly string[] {
  const lines = id === EXPECTATION ? expectationHeading(options) : ruleHeading(resultOf(id, fold), options);
  if (because !== null)
    lines.push(...row('because', `${because} is broken and would explain these findings`, 2, options));
  for (const [at, finding] of shown.entries()) {
    const before = shown[at - 1];
    const sameCall = finding.exchange !== null && before?.exchange === finding.exchange;
    lines.push('', ...(sameCall ? claimLines(finding, options) : findingLines(finding, fold, evidence, options)));
  }
  if (alsoIn.length > 0) {
    const names = alsoIn.slice(0, MAX_NAMES).join(', ');
    const more = alsoIn.length > MAX_NAMES ? `, and ${alsoIn.length - MAX_NAMES} more` : '';
    lines.push('', ...row('also in', names + more, 2, options));
  }
  if (id !== EXPECTATION)
    lines.push(...(alsoIn.length === 0 ? [''] : []), ...row('to fix', ruleById(id).hint, 2, options));
  return lines;
}

/** Returns the rule with what the run has shown about it. */
function resultOf(id: RuleId, { rules }: Fold): Rule {
  return rules.find(({ rule }) => rule.id === id)?.rule ?? ruleById(id);
}

function ruleHeading(rule: Rule, options: ReportOptions): string[] {
  const { paint } = options;
  const money = rule.money ? `  ${paint.yellow('$')} money is at stake` : '';
  const title = `${paint.red(mark('fail', options.unicode))} ${paint.bold(rule.id)}  ${rule.level}${money}`;
  return [
    title,
    ...wrap(`${rule.sentence.charAt(0).toUpperCase()}${rule.sentence.slice(1)}.`, options.width - 2).map(
      (line) => `  ${line}`,
    ),
    paint.dim(`  ${clauseText(rule)}`),
  ];
}

function expectationHeading(options: ReportOptions): string[] {
  const { paint } = options;
  return [
    `${paint.red(mark('fail', options.unicode))} ${paint.bold(EXPECTATION)}  counts like a MUST`,
    '  The scenario states this expectation, not the contract.',
  ];
}

function findingLines(
  finding: JudgedFinding,
  fold: Fold,
  evidence: Evidence,
  options: ReportOptions,
): readonly string[] {
  const { paint } = options;
  const exchange = finding.exchange === null ? undefined : evidence.exchanges.get(finding.exchange);
  const timeline = timelineOf(finding, evidence);
  const played = fold.scenarios.find(({ planned }) => planned.id === finding.scenario);
  const title = played?.planned.title ?? '';
  const movedAlone = played?.reason === MOVED_ALONE ? MOVED_ALONE : null;
  const id = forTerminal(finding.scenario);
  const oneLine = columnsOf(id) + columnsOf(forTerminal(title)) + 4 <= options.width;
  const heading = [`  ${paint.bold(id)}${oneLine ? `  ${forTerminal(title)}` : ''}`];
  if (!oneLine) heading.push(...wrap(forTerminal(title), options.width - 4).map((line) => `    ${line}`));
  // Another rule is shown as a possible cause only if this run found it broken.
  const causes = finding.causes.filter((cause) =>
    fold.rules.some(({ rule, verdict }) => rule.id === cause && verdict === 'fail'),
  );
  return [
    ...heading,
    ...(finding.place ? placeLines(finding.place, options) : []),
    ...claimLines(finding, options),
    ...(movedAlone === null ? [] : row('also', movedAlone, 4, options)),
    ...(finding.flaky ? row('flaky', 'the scenario passed on retry', 4, options, paint.yellow) : []),
    ...(causes.length > 0 ? row('perhaps', `because of ${causes.join(', ')}`, 4, options) : []),
    ...(timeline ? timelineLines(timeline, finding.exchange, 4, options) : []),
    ...(exchange ? exchangeLines(exchange, 4, options) : []),
  ];
}

function claimLines({ expected, actual }: JudgedFinding, options: ReportOptions): readonly string[] {
  return [...row('expected', expected, 4, options), ...row('actual', actual, 4, options, tint('fail', options.paint))];
}

/**
 * Returns the position of a finding in the scenario file, the text of that line, and a caret below the first column of the step.
 */
function placeLines(place: Place, options: ReportOptions): readonly string[] {
  const { paint } = options;
  const where = paint.cyan(`    ${forTerminal(place.file)}:${place.line}:${place.column}`);
  const source = options.readLine(place);
  if (source === null) return [where];
  const gutter = String(place.line).padStart(7);
  const shown = (text: string): string => forTerminal(text.replaceAll('\t', ' '));
  const before = columnsOf(shown(source.slice(0, place.column - 1)));
  const bar = options.unicode ? '│' : '|';
  return [
    where,
    `${paint.dim(`${gutter} ${bar}`)} ${shown(clip(source.trimEnd(), MAX_SOURCE_LINE))}`,
    `${paint.dim(`${' '.repeat(gutter.length)} ${bar}`)} ${' '.repeat(before)}${paint.red('^')}`,
  ];
}
