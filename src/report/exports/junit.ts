import { type RuleId, ruleById } from '../../contract/catalogue.ts';
import { RULE_GROUPS } from '../../contract/rule.ts';
import { isKnownBreach, type KnownGroup, knownGroups } from '../../journal/baseline.ts';
import { conclude } from '../../journal/conclusion.ts';
import type { Place, Verdict } from '../../journal/finding.ts';
import type { Fold } from '../../journal/fold.ts';
import type { JudgedFinding } from '../../journal/judged-outcome.ts';
import { type BudgetResult, budgetResults } from '../../journal/latency.ts';
import type { RuleResult } from '../../journal/rule-result.ts';
import type { ScenarioResult } from '../../journal/scenario-result.ts';
import { clauseText } from '../clause.ts';
import { forXmlAttribute, forXmlText } from '../escape.ts';
import { baselineFile, knownName, knownSentence, worseSentence } from '../known-failures.ts';
import type { OpenJournal, ReportOptions } from '../options.ts';
import { owedClauses, settleCommandLine } from '../owed.ts';
import { notPlayed } from '../scope.ts';
import { duration } from '../terminal/layout.ts';

type Options = Pick<ReportOptions, 'repositoryFile' | 'journal'>;

/**
 * One test of the report. It stands for a rule, a scenario with a missed expectation, an entry of the baseline, a budget, or the
 * run.
 */
export interface TestCase {
  readonly name: string;
  readonly classname: string;
  readonly place: Place | null;
  readonly seconds: number;
  readonly verdict: Verdict;
  readonly message: string;
  readonly details: string;
  /** True if the test failed and then passed on retry. */
  readonly flaky?: boolean;
}

/**
 * Writes the report for CI as JUnit XML, with one suite for each group of rules and one test for each rule. A breach is a
 * failure, an undecided rule is an error, and a skipped or untested rule is skipped. Paths are relative to the repository.
 */
export function junitReport(fold: Fold, _open: OpenJournal, options: Options): AsyncGenerator<string> {
  return junitXml(fold, options, false);
}

/**
 * Writes the report for CI as JUnit XML that the schema of Jenkins' xunit plugin (`junit-10.xsd`) allows: without the attributes
 * `file` and `line` of a test, and without the number of skipped tests of the whole file.
 */
export function strictJunitReport(fold: Fold, _open: OpenJournal, options: Options): AsyncGenerator<string> {
  return junitXml(fold, options, true);
}

/** Tests of one kind, such as the rules of one group. */
interface TestSuite {
  readonly name: string;
  readonly cases: readonly TestCase[];
}

/**
 * Returns the results of a run as tests, for reports that programs of CI systems read. The path of a test is relative to the
 * repository. A test outside of the repository has no place.
 */
export function testSuites(fold: Fold, options: Options): readonly TestSuite[] {
  const inRepository = options.repositoryFile ?? unchanged;
  const durations = new Map(fold.scenarios.map((result) => [result.planned.id, (result.durationMs ?? 0) / 1000]));
  const places = firstPlaces(fold.scenarios);
  const suites: TestSuite[] = RULE_GROUPS.map((group) => ({
    name: group,
    cases: fold.rules
      .filter((result) => result.rule.group === group)
      .map((result) => ruleCase(result, places, fold, durations, inRepository)),
  }));
  const missed = expectationCases(fold, durations, inRepository);
  if (missed.length > 0) suites.push({ name: 'expectation', cases: missed });
  const listed = knownGroups(fold.baseline).filter(({ state }) => state !== 'failing');
  if (listed.length > 0) suites.push({ name: 'baseline', cases: listed.map((known) => baselineCase(known, fold)) });
  const budgets = budgetResults(fold).map(budgetCase);
  if (budgets.length > 0) suites.push({ name: 'budget', cases: budgets });
  const run = runCase(fold, options);
  if (run) suites.push({ name: 'run', cases: [run] });
  return suites.map(({ name, cases }) => ({
    name,
    cases: cases.map((test) => ({ ...test, place: placeOf(test, inRepository) })),
  }));
}

async function* junitXml(fold: Fold, options: Options, isStrict: boolean): AsyncGenerator<string> {
  const suites = testSuites(fold, options);
  const properties = propertiesElement(fold);
  const all = suites.flatMap(({ cases }) => cases);
  const seconds = (fold.ended?.durationMs ?? 0) / 1000;
  yield '<?xml version="1.0" encoding="UTF-8"?>\n';
  yield `<testsuites name="${forXmlAttribute(`croupier: ${fold.run.client.extCID}`)}"${totals(all, isStrict)} time="${time(seconds)}">\n`;
  const prefix = classPrefix(fold);
  for (const { name, cases } of suites) {
    const spent = cases.reduce((sum, test) => sum + test.seconds, 0);
    const at = forXmlAttribute(fold.run.startedAt.replace(/\.\d+Z$/, ''));
    yield `  <testsuite name="${name}"${totals(cases, false)} time="${time(spent)}" timestamp="${at}">\n`;
    yield properties;
    for (const test of cases) yield caseElement({ ...test, classname: `${prefix}.${test.classname}` }, isStrict);
    yield '  </testsuite>\n';
  }
  yield '</testsuites>\n';
}

/** Returns the path of a file in its repository. Null if the file is in no repository. */
type InRepository = (file: string) => string | null;

function unchanged(file: string): string {
  return file;
}

/** Returns the place of a test with a path in the repository. Null if its file is in no repository. */
function placeOf({ place }: TestCase, inRepository: InRepository): Place | null {
  const file = place === null || place.file === '' ? null : inRepository(place.file);
  return place === null || file === null ? null : { ...place, file };
}

/**
 * Returns the beginning of all class names: the client, and the part of a divided run. Without them, the tests of several
 * clients or parts would have the same names. For programs that read the report, a dot separates packages.
 */
function classPrefix({ run: { client, shard } }: Fold): string {
  const name = client.extCID.replaceAll('.', '_');
  return shard === undefined ? `croupier.${name}` : `croupier.${name}.part-${shard.index}-of-${shard.count}`;
}

/** Writes the labels of the run as properties of a suite. */
function propertiesElement({ labels }: Fold): string {
  const lines = Object.entries(labels).map(
    ([name, value]) => `      <property name="${forXmlAttribute(name)}" value="${forXmlAttribute(value)}"/>\n`,
  );
  return lines.length === 0 ? '' : `    <properties>\n${lines.join('')}    </properties>\n`;
}

function totals(cases: readonly TestCase[], withoutSkipped: boolean): string {
  const count = (verdicts: readonly Verdict[]): number =>
    cases.filter(({ verdict }) => verdicts.includes(verdict)).length;
  const failures = count(['fail']);
  const errors = count(['inconclusive']);
  const skipped = withoutSkipped ? '' : ` skipped="${count(['skip', 'untested'])}"`;
  return ` tests="${cases.length}" failures="${failures}" errors="${errors}"${skipped}`;
}

function time(seconds: number): string {
  return seconds.toFixed(3);
}

function caseElement(test: TestCase, isStrict: boolean): string {
  const { name, classname, place, seconds } = test;
  const where = place && !isStrict ? ` file="${forXmlAttribute(place.file)}" line="${place.line}"` : '';
  const start = `    <testcase name="${forXmlAttribute(name)}" classname="${forXmlAttribute(classname)}"${where} time="${time(seconds)}"`;
  const inside = outcomeElement(test);
  return inside === '' ? `${start}/>\n` : `${start}>\n${inside}    </testcase>\n`;
}

function outcomeElement({ verdict, message, details, flaky }: TestCase): string {
  const escaped = forXmlAttribute(message);
  // Maven Surefire writes this element for tests that passed on retry. Programs that read the report do not count this element as a
  // failure, although the run of croupier may fail because of such a test.
  const flakyFailure = flaky
    ? `      <flakyFailure message="${escaped}" type="flaky">${forXmlText(details)}</flakyFailure>\n`
    : '';
  switch (verdict) {
    case 'fail':
      return `      <failure message="${escaped}" type="${flaky ? 'flaky' : 'fail'}">${forXmlText(details)}</failure>\n${flakyFailure}`;
    case 'inconclusive':
      return `      <error message="${escaped}" type="inconclusive">${forXmlText(details)}</error>\n`;
    case 'skip':
    case 'untested':
      return `      <skipped message="${escaped}"/>\n`;
    case 'warn':
    case 'note':
      if (flakyFailure !== '') return flakyFailure;
      return `      <system-out>${forXmlText(`${verdict}: ${details === '' ? message : details}`)}</system-out>\n`;
    case 'pass':
      return '';
  }
}

/**
 * Returns the first scenario of each rule. If the findings of a rule have no place, the report uses the place of this scenario.
 */
function firstPlaces(scenarios: readonly ScenarioResult[]): ReadonlyMap<string, ScenarioResult> {
  const first = new Map<string, ScenarioResult>();
  for (const scenario of scenarios) {
    for (const rule of scenario.planned.rules) if (!first.has(rule)) first.set(rule, scenario);
  }
  return first;
}

function ruleCase(
  result: RuleResult,
  places: ReadonlyMap<string, ScenarioResult>,
  fold: Fold,
  durations: ReadonlyMap<string, number>,
  inRepository: InRepository,
): TestCase {
  const { rule, verdict, isKnown } = result;
  const known = knownGroups(fold.baseline).find((one) => one.state === 'failing' && one.known.rule === rule.id);
  const worse = worseSentence(rule.id, fold);
  const grave = result.findings.filter((finding) => finding.verdict === verdict);
  const cause = fold.causes.find(({ explains }) => explains.some((explained) => explained.rule === rule.id));
  const because = cause?.result.rule.id ?? result.because;
  // The duration of a scenario counts only for its first rule, so that the sum of all tests is near the duration of the run.
  const claimed = fold.scenarios.filter(({ planned }) => planned.rules[0] === rule.id).map(({ planned }) => planned.id);
  return {
    name: rule.id,
    classname: rule.group,
    place: grave.find(({ place }) => place !== null)?.place ?? places.get(rule.id)?.planned.place ?? null,
    seconds: claimed.reduce((sum, id) => sum + (durations.get(id) ?? 0), 0),
    // A known failure must not fail the build, but the rule has not passed either. So the test counts as skipped.
    verdict: isKnown ? 'skip' : verdict,
    flaky: result.flaky && !isKnown,
    message: isKnown && known ? `It ${knownSentence(known)}` : messageOf(result, because),
    details: [
      ...(worse === null ? [] : [`worse: ${worse}`]),
      ...(because === null ? [] : [`likely cause: ${because}. ${ruleById(because).means ?? ''}`]),
      `${rule.level}${rule.money ? ' $' : ''}: ${rule.sentence}`,
      clauseText(rule),
      ...grave.flatMap((finding) => findingLines(finding, inRepository)),
      ...(verdict === 'fail' ? [`to fix: ${rule.hint}`] : []),
    ].join('\n'),
  };
}

/** Returns the message of a test. The likely cause comes first, because a CI log shows only the beginning. */
function messageOf({ rule, verdict, reason }: RuleResult, because: RuleId | null): string {
  const seen = reason ?? '';
  if (because !== null && verdict !== 'fail') return `Because of ${because}: ${seen}`;
  if (because !== null) return `Because of ${because}: ${ruleById(because).means ?? ''} Seen: ${seen}`;
  return verdict === 'fail' && rule.means !== null ? `${rule.means} Seen: ${seen}` : seen;
}

function findingLines(finding: JudgedFinding, inRepository: InRepository): readonly string[] {
  const { scenario, place, expected, actual, exchange } = finding;
  const where =
    place === null ? scenario : `${scenario} (${inRepository(place.file) ?? place.file}:${place.line}:${place.column})`;
  return [
    '',
    where,
    `expected: ${expected}`,
    `actual: ${actual}`,
    ...(exchange === null ? [] : [`exchange: ${exchange} of the journal`]),
  ];
}

function expectationCases(
  fold: Fold,
  durations: ReadonlyMap<string, number>,
  inRepository: InRepository,
): readonly TestCase[] {
  const byScenario = Map.groupBy(fold.expectations, ({ scenario }) => scenario);
  return [...byScenario].flatMap(([scenario, findings]) => {
    const [gravest] = findings;
    if (!gravest) return [];
    return {
      name: scenario,
      classname: 'expectation',
      place: gravest.place,
      seconds: durations.get(scenario) ?? 0,
      verdict: findings.every((finding) => isKnownBreach(fold.baseline, finding)) ? 'skip' : gravest.verdict,
      flaky: gravest.flaky,
      message: gravest.actual,
      details: findings
        .flatMap((finding) => findingLines(finding, inRepository))
        .join('\n')
        .trimStart(),
    };
  });
}

/**
 * Turns an entry of the baseline into a test. An outdated entry is a failure, and an undecided entry is skipped. If the entry
 * says that the failure occurs only now and then, and the failure did not occur, the test passes.
 */
function baselineCase(result: KnownGroup, fold: Fold): TestCase {
  const sentence = knownSentence(result);
  return {
    name: knownName(result),
    classname: 'baseline',
    place: { file: baselineFile(fold) ?? '', line: result.known.line, column: 1 },
    seconds: 0,
    verdict: result.state === 'undecided' ? 'skip' : result.state === 'passed' ? 'pass' : 'fail',
    message: sentence,
    details: sentence,
  };
}

/** Turns a budget into a test. Without `fail`, slow replies give only a warning. */
function budgetCase(result: BudgetResult): TestCase {
  const { call, budgetMs, p95Ms, replies, fails, state } = result;
  const measured =
    p95Ms === null
      ? 'there was no reply'
      : `95 of 100 replies came within ${duration(p95Ms)}, the budget is ${duration(budgetMs)}`;
  const message = state === 'unmeasured' ? `too few replies (${replies}): ${measured}` : measured;
  const verdicts = { kept: 'pass', exceeded: fails ? 'fail' : 'warn', unmeasured: 'skip' } as const;
  return {
    name: `95 of 100 ${call} calls are answered within ${duration(budgetMs)}`,
    classname: 'budget',
    place: null,
    seconds: 0,
    verdict: verdicts[state],
    message,
    details: message,
  };
}

/**
 * Returns a test for the run itself, or null if the run was complete and decided. Without this test, a run that was cut off or
 * did not reach the operator would look like a success.
 */
function runCase(fold: Fold, options: Options): TestCase | null {
  const conclusion = conclude(fold);
  const left = notPlayed(fold);
  const complete = fold.ended?.how === 'complete';
  const owed = owedLines(fold, options);
  if (complete && conclusion.verdict !== 'undecided')
    return owed.length === 0 ? null : owedCase(owed, conclusion.exitCode !== 0);
  return {
    name: 'the run was complete and decided',
    classname: 'run',
    place: null,
    seconds: 0,
    verdict: fold.ended?.how === 'bail' && conclusion.exitCode === 1 ? 'note' : 'inconclusive',
    message: conclusion.firstLine,
    details: [
      fold.ended?.detail ?? conclusion.firstLine,
      ...(left.length === 0 ? [] : [`not played: ${left.join(', ')}`]),
      ...owed,
    ].join('\n'),
  };
}

/**
 * Returns a test for what a complete run owes. The debt alone does not fail a run. So the test is a failure only if the run has
 * failed anyway. Otherwise the test is skipped, because most programs that read the report show the message of a skipped test, but
 * not the output of a passed one.
 */
function owedCase(owed: readonly string[], hasFailed: boolean): TestCase {
  return {
    name: 'nothing is owed after the run',
    classname: 'run',
    place: null,
    seconds: 0,
    verdict: hasFailed ? 'fail' : 'skip',
    message: hasFailed ? (owed[0] ?? '') : owed.join('; '),
    details: owed.join('\n'),
  };
}

/** Returns what the run owes, and the command that sends it. */
function owedLines(fold: Fold, { journal }: Options): readonly string[] {
  const lines = owedClauses(fold).map((text) => `owed: ${text}`);
  return lines.length === 0 || journal === null ? lines : [...lines, `to settle: ${settleCommandLine(journal)}`];
}
