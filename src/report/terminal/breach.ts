import { type Rule, type RuleId, ruleById } from '../../contract/catalogue.ts';
import { isKnownBreach } from '../../journal/baseline.ts';
import { EXPECTATION, type Place } from '../../journal/finding.ts';
import type { Fold } from '../../journal/fold.ts';
import type { JudgedFinding } from '../../journal/judged-outcome.ts';
import { failedSums, mayExplainSums } from '../../journal/results/explained-sums.ts';
import { mayExplainIn } from '../../journal/results/explaining.ts';
import { playedPlayers } from '../../journal/results/played-players.ts';
import type { RuleResult } from '../../journal/rule-result.ts';
import { MOVED_ALONE, mayBeOfOthers } from '../../journal/scenario-result.ts';
import { needsMovedMoney } from '../../journal/second-effect.ts';
import { clauseText } from '../clause.ts';
import { forTerminal } from '../escape.ts';
import { type Evidence, timelineOf } from '../evidence.ts';
import { worseSentence } from '../known-failures.ts';
import { mark, tint } from '../marks.ts';
import type { ReportOptions } from '../options.ts';
import { shownLine } from '../run-again.ts';
import { commandFor, extentLines, placeRow } from './causes.ts';
import { exchangeLines, row, shortExchangeLines } from './exchange.ts';
import { capital, clip, columnsOf, padEnd, wrap } from './layout.ts';
import { timedCalls, timelineLines, timelineSummary } from './timeline.ts';

/**
 * Maximum number of findings of one rule that the report shows with all details. Of each further finding, the report shows only the
 * name of the scenario.
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
  /** Ids of the other scenarios with the same breach, without duplicates. The report does not show their findings. */
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
  // For a rule, only one finding of each scenario is kept. A finding in a second scenario says more than a second finding in the
  // first scenario. For expectations, all different findings are kept.
  const kindOf = ({ scenario, place, expected }: JudgedFinding): string =>
    id === EXPECTATION ? JSON.stringify([scenario, place?.line, place?.column, expected]) : scenario;
  const kinds = [...Map.groupBy(failing, kindOf).values()].flatMap(([first]) => first ?? []);
  const shown = kinds.slice(0, max);
  const alsoIn = [...new Set(kinds.slice(shown.length).map((finding) => finding.scenario))];
  return { id, shown, alsoIn, because: null };
}

/**
 * Returns the breaches that the short report shows. Leaves out a rule that another shown rule explains, because the lines about the
 * other rule name it as well.
 */
export function unexplained(all: readonly Breach[]): readonly Breach[] {
  const shown = new Set(all.map(({ id }) => id));
  return all.filter(({ because }) => because === null || !shown.has(because));
}

/**
 * Returns the lines of the short report about one breach. The first breach is shown with its whole exchange. Of each other breach,
 * only the facts are shown that differ from the first breach.
 *
 * @param number the number of the breach in the report, from 1
 */
export function shortBreachLines(
  { id, shown, alsoIn, because }: Breach,
  number: number,
  { fold, evidence }: { readonly fold: Fold; readonly evidence: Evidence },
  options: ReportOptions,
): readonly string[] {
  const isFirst = number === 1;
  const cause = fold.causes.find(({ result }) => result.rule.id === id);
  const result = fold.rules.find(({ rule }) => rule.id === id);
  const heading =
    id === EXPECTATION
      ? expectationHeading(options, `${number}. `)
      : ruleHeading(resultOf(id, fold), options, `${number}. `, isFirst);
  const worse = id === EXPECTATION ? null : worseSentence(id, fold);
  const lines = [...heading, ...(worse === null ? [] : row('worse', worse, 2, options))];
  if (because !== null) lines.push(...row('because', `${because} is broken and would explain this`, 2, options));
  for (const [at, finding] of (id === EXPECTATION ? shown : shown.slice(0, 1)).entries()) {
    const isWhole = isFirst && at === 0;
    if (isWhole) lines.push('', ...findingLines(finding, fold, evidence, options), '');
    else lines.push(...shortFindingLines(finding, fold, evidence, options));
  }
  if (cause) lines.push(...extentLines(cause, 2, options));
  else if (alsoIn.length > 0 || (id !== EXPECTATION && shown.length > 1)) {
    const names = [...(id === EXPECTATION ? [] : shown.slice(1).map(({ scenario }) => scenario)), ...alsoIn];
    const more = names.length > MAX_NAMES ? `, and ${names.length - MAX_NAMES} more` : '';
    lines.push(...row('also in', names.slice(0, MAX_NAMES).join(', ') + more, 2, options));
  }
  if (result) lines.push(...endpointRow(result, options));
  if (id !== EXPECTATION) lines.push(...row('to fix', resultOf(id, fold).hint, 2, options));
  return lines;
}

/** Returns a row with the verdict of a rule at each endpoint. Empty if the tested endpoints do not differ. */
function endpointRow({ endpoints }: RuleResult, options: ReportOptions): readonly string[] {
  const tested = endpoints.filter(({ verdict }) => verdict !== 'untested');
  if (new Set(tested.map(({ verdict }) => verdict)).size < 2) return [];
  const cells = tested.map(({ endpoint, verdict }) => `${mark(verdict, options.unicode)} ${endpoint}`);
  return row('endpoints', cells.join('   '), 2, options);
}

/** Returns a short description of a finding, in lines: its place, what was expected, and its call as a curl command. */
function shortFindingLines(
  finding: JudgedFinding,
  fold: Fold,
  evidence: Evidence,
  options: ReportOptions,
): readonly string[] {
  const { place, scenario, exchange: id, flaky } = finding;
  const exchange = id === null ? undefined : evidence.exchanges.get(id);
  const timeline = timelineOf(finding, evidence);
  return [
    ...(place ? placeRow('seen at', shownLine(scenario, place), 2, options) : row('seen in', scenario, 2, options)),
    ...row('expected', finding.expected, 2, options),
    ...row('actual', finding.actual, 2, options, tint('fail', options.paint)),
    ...(flaky ? row('flaky', 'the scenario passed on retry', 2, options, options.paint.yellow) : []),
    ...(timeline ? row('timeline', timelineSummary(timedCalls(timeline.calls), timeline.race), 2, options) : []),
    ...(exchange
      ? shortExchangeLines(
          exchange,
          { sessions: fold.run.settings.sessions, indent: 2, curl: options.curl, verbosity: options.verbosity },
          options,
        )
      : []),
  ];
}

/** One line of the summary: a breach with its number in the report, and the finding that the line names. */
interface Summarised {
  readonly number: number;
  readonly id: Breach['id'];
  readonly finding: JudgedFinding;
}

/** Returns the findings that the summary of a report names: the first finding of each rule, and each missed expectation. */
export function summarised(all: readonly Breach[]): readonly Summarised[] {
  return all.flatMap(({ id, shown }, at) =>
    (id === EXPECTATION ? shown : shown.slice(0, 1)).map((finding) => ({ number: at + 1, id, finding })),
  );
}

/** Returns one line for each of these breaches: the rule, its place, and the command that plays its scenario alone. */
export function summaryLines(all: readonly Summarised[], fold: Fold, { paint }: ReportOptions): readonly string[] {
  const rows = all.map(({ number, id, finding: { place, scenario } }) => ({
    name: `${number}. ${id}`,
    place: place ? shownLine(scenario, place) : scenario,
    command: commandFor([scenario], fold),
  }));
  const width = Math.max(0, ...rows.map(({ name }) => name.length));
  const placeWidth = Math.max(0, ...rows.map(({ place }) => columnsOf(forTerminal(place))));
  // The lines are not wrapped, so that a user can copy the paths and the commands.
  return rows.map(({ name, place, command }) => {
    const start = `  ${paint.red(name.padEnd(width))}  ${padEnd(forTerminal(place), placeWidth)}`;
    return command === null ? start.trimEnd() : `${start}  ${paint.cyan(forTerminal(command))}`;
  });
}

/** Returns the lines of the report about one breach: what is broken, its findings, and how to fix it. */
export function breachLines(
  { id, shown, alsoIn, because }: Breach,
  fold: Fold,
  evidence: Evidence,
  options: ReportOptions,
): readonly string[] {
  const lines = id === EXPECTATION ? expectationHeading(options) : ruleHeading(resultOf(id, fold), options);
  const worse = id === EXPECTATION ? null : worseSentence(id, fold);
  if (worse !== null) lines.push(...row('worse', worse, 2, options));
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
    lines.push(...(alsoIn.length === 0 ? [''] : []), ...row('to fix', resultOf(id, fold).hint, 2, options));
  return lines;
}

/** Returns the rule with what the run has shown about it. */
function resultOf(id: RuleId, { rules }: Fold): Rule {
  return rules.find(({ rule }) => rule.id === id)?.rule ?? ruleById(id);
}

/**
 * Returns the heading of a broken rule: its id, its level, and the rule as a sentence.
 *
 * @param number stands before the id; empty for none
 * @param withHarm true if the harm of a breach is shown too
 */
function ruleHeading(rule: Rule, options: ReportOptions, number = '', withHarm = false): string[] {
  const { paint } = options;
  const money = rule.money ? `  ${paint.yellow('$')} money is at stake` : '';
  const title = `${paint.red(mark('fail', options.unicode))} ${number}${paint.bold(rule.id)}  ${rule.level}${money}`;
  const harm = withHarm && rule.means !== null ? [`Harm: ${rule.means}`] : [];
  return [
    title,
    ...[`${capital(rule.sentence)}.`, ...harm]
      .flatMap((sentence) => wrap(sentence, options.width - 2))
      .map((line) => `  ${line}`),
    paint.dim(`  ${clauseText(rule)}`),
  ];
}

function expectationHeading(options: ReportOptions, number = ''): string[] {
  const { paint } = options;
  return [
    `${paint.red(mark('fail', options.unicode))} ${number}${paint.bold(EXPECTATION)}  counts like a MUST`,
    '  The scenario expects this, and the contract does not.',
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
  const movedAlone = played?.reason === MOVED_ALONE && mayBeOfOthers(fold) ? MOVED_ALONE : null;
  const id = forTerminal(finding.scenario);
  const oneLine = columnsOf(id) + columnsOf(forTerminal(title)) + 4 <= options.width;
  const heading = [`  ${paint.bold(id)}${oneLine ? `  ${forTerminal(title)}` : ''}`];
  if (!oneLine) heading.push(...wrap(forTerminal(title), options.width - 4).map((line) => `    ${line}`));
  // Another rule is shown as a possible cause only if this run found this other rule broken, and not only with other players, and if its
  // error may give the wrong sum.
  const players = playedPlayers(fold);
  const sums = finding.wrongSum ? [finding.wrongSum] : [];
  const causes = finding.causes.filter((cause) =>
    fold.rules.some(
      (result) =>
        result.rule.id === cause &&
        result.verdict === 'fail' &&
        (!needsMovedMoney(cause, finding) || Object.keys(result.wrongSums).length > 0) &&
        mayExplainIn(finding.scenario, result, players) &&
        mayExplainSums(sums, cause, failedSums(result.findings), fold.run.settings.stakes ?? {}),
    ),
  );
  return [
    ...heading,
    ...(finding.place ? placeLines(finding.scenario, finding.place, options) : []),
    ...claimLines(finding, options),
    ...(movedAlone === null ? [] : row('also', movedAlone, 4, options)),
    ...(finding.unrepeated && !finding.flaky
      ? row('also', 'croupier repeated the scenario, and this failure did not occur again', 4, options, paint.yellow)
      : []),
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
function placeLines(scenario: string, place: Place, options: ReportOptions): readonly string[] {
  const { paint } = options;
  const where = paint.cyan(`    ${forTerminal(shownLine(scenario, place))}:${place.column}`);
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
