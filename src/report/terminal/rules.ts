import { plural } from '../../contract/plural.ts';
import { RULE_GROUPS, type RuleGroup } from '../../contract/rule.ts';
import type { Verdict } from '../../journal/finding.ts';
import type { Fold } from '../../journal/fold.ts';
import type { JudgedFinding } from '../../journal/judged-outcome.ts';
import { failedSums, mayExplainSums } from '../../journal/results/explained-sums.ts';
import type { RuleResult } from '../../journal/rule-result.ts';
import { clauseText } from '../clause.ts';
import { forTerminal } from '../escape.ts';
import type { Evidence } from '../evidence.ts';
import { callWords } from '../exchange-summary.ts';
import { mark, tint } from '../marks.ts';
import type { ReportOptions } from '../options.ts';
import { shownLine } from '../run-again.ts';
import { commandFor } from './causes.ts';
import { row, shortExchangeLines } from './exchange.ts';
import { capital, firstNames, flow, wrap } from './layout.ts';

const GROUP_COLUMN = 15;

/**
 * Lists every rule with the mark of its verdict, group by group. If a rule has different verdicts at different endpoints, an
 * extra line shows them.
 */
export function everyRule(fold: Fold, options: ReportOptions): readonly string[] {
  const groups = Map.groupBy(shown(fold), (result) => result.rule.group);
  return RULE_GROUPS.flatMap((group) => groupLines(group, groups.get(group) ?? [], options));
}

/**
 * Returns the rules that the report lists by name. Rules that the user's selection left out are not in this list: `leftOut`
 * counts them.
 */
function shown(fold: Fold): readonly RuleResult[] {
  const left = new Set(leftOutRules(fold));
  return fold.rules.filter((result) => !left.has(result));
}

/**
 * Returns a line with the number of rules that the user's selection left out. Returns undefined if the selection left out no
 * rule.
 */
export function leftOut(fold: Fold, { unicode }: ReportOptions): string | undefined {
  const count = leftOutRules(fold).length;
  return count === 0 ? undefined : `  ${mark('untested', unicode)} ${plural(count, 'rule')} not selected`;
}

function groupLines(group: RuleGroup, results: readonly RuleResult[], options: ReportOptions): readonly string[] {
  const { paint, unicode, width } = options;
  if (results.length === 0) return [];
  if (results.every(({ verdict }) => verdict === 'untested')) {
    const label = paint.bold(group.padEnd(GROUP_COLUMN - 2));
    return [`  ${label}${paint.dim(`${mark('untested', unicode)} ${plural(results.length, 'rule')} untested`)}`];
  }
  const pieces = results.map((result) => {
    const name = nameOf(result);
    const symbol = mark(result.verdict, unicode);
    const colour = tint(result.verdict, paint);
    return `${colour(symbol)} ${named(name, result, options)}`;
  });
  const lines = flow(pieces, '  ', width - GROUP_COLUMN).map((line, row) => {
    const label = row === 0 ? group : '';
    return `  ${paint.bold(label.padEnd(GROUP_COLUMN - 2))}${line}`;
  });
  return [...lines, ...results.flatMap((result) => endpointLines(result, options))];
}

function nameOf({ rule }: RuleResult): string {
  return rule.id.slice(rule.group.length + 1);
}

/**
 * Returns the name of a rule in the colour of its verdict. Passing rules have no colour. Failing rules that are not on the
 * baseline are also bold.
 */
function named(name: string, { verdict, isKnown }: RuleResult, { paint }: ReportOptions): string {
  if (isKnown) return paint.red(name);
  if (verdict === 'pass') return name;
  return verdict === 'fail' ? paint.bold(paint.red(name)) : tint(verdict, paint)(name);
}

/**
 * Returns a line with the verdict of a rule at each endpoint, if these verdicts differ. Without this line, a pass at one endpoint
 * could hide a failure at another.
 */
function endpointLines(result: RuleResult, { paint, unicode }: ReportOptions): readonly string[] {
  const kinds = new Set(result.endpoints.map(({ verdict }) => verdict));
  if (kinds.size < 2) return [];
  const cells = result.endpoints.map(({ endpoint, verdict }) => {
    const colour = tint(verdict, paint);
    return `${colour(mark(verdict, unicode))} ${endpoint}`;
  });
  return [`${' '.repeat(GROUP_COLUMN + 2)}${paint.dim(`${nameOf(result)}:`)} ${cells.join('  ')}`];
}

/**
 * Lists the rules that have one of these verdicts, with one entry for each reason. Reasons that concern a MUST rule come first,
 * then the reasons with the most rules.
 *
 * @param without rules that the report names elsewhere
 */
export function reasons(
  fold: Fold,
  verdicts: readonly Verdict[],
  options: ReportOptions,
  without: readonly RuleResult[] = [],
): readonly string[] {
  const { paint, unicode, width } = options;
  const found = shown(fold).filter(
    (result) =>
      verdicts.includes(result.verdict) && !without.includes(result) && !isNamedByCause(result, fold, options),
  );
  const byReason = [...Map.groupBy(found, (result) => `${result.verdict} ${reasonText(result)}`).values()];
  return byReason
    .toSorted((a, b) => Number(hasMust(b)) - Number(hasMust(a)) || b.length - a.length)
    .flatMap((results) => {
      const [first] = results;
      if (!first) return [];
      const symbol = mark(first.verdict, unicode);
      const ids =
        first.verdict === 'inconclusive'
          ? undecidedNames(results, options)
          : firstNames(namesOf(results, fold), options.verbosity, (name) => sizeOf(name, results));
      const lines = wrap(`${forTerminal(reasonText(first).replace(/\.$/, ''))}: ${ids}`, width - 4);
      return lines.map((line, at) => `  ${at === 0 ? tint(first.verdict, paint)(symbol) : ' '} ${line}`);
    });
}

/** True if the short report names this rule in the lines about its cause. */
function isNamedByCause({ rule }: RuleResult, { causes }: Fold, { verbosity }: ReportOptions): boolean {
  return verbosity === 0 && causes.some(({ explains }) => explains.some((explained) => explained.rule === rule.id));
}

function hasMust(results: readonly RuleResult[]): boolean {
  return results.some(({ rule }) => rule.level === 'MUST');
}

/** Returns the ids of rules. If all rules of a group are present, one name such as `launch.*` replaces their ids. */
function namesOf(results: readonly RuleResult[], fold: Fold): readonly string[] {
  return [...Map.groupBy(results, ({ rule }) => rule.group)].flatMap(([group, members]) => {
    const size = fold.rules.filter(({ rule }) => rule.group === group).length;
    return size === members.length ? [`${group}.*`] : members.map(({ rule }) => rule.id);
  });
}

/** Returns the number of rules that a name stands for: the rules of a group for a name such as `launch.*`, and 1 for an id. */
function sizeOf(name: string, results: readonly RuleResult[]): number {
  return name.endsWith('.*') ? results.filter(({ rule }) => `${rule.group}.*` === name).length : 1;
}

/**
 * Names each rule, followed by the scenario in which the rule could not be decided. The short report names only the first rules of
 * a long list. Such a list occurs, for example, if the key is wrong: then nearly every rule is undecided for the same reason.
 */
function undecidedNames(results: readonly RuleResult[], { verbosity }: ReportOptions): string {
  const names = results.map(({ rule, seenIn }) => (seenIn === null ? rule.id : `${rule.id} (${forTerminal(seenIn)})`));
  return firstNames(names, verbosity);
}

/**
 * Lists what the run observed about points that the contract leaves open, with one entry for each rule: what was sent, what
 * happened, and what it means.
 */
export function notes(fold: Fold, evidence: Evidence, options: ReportOptions): readonly string[] {
  const { paint, unicode, width } = options;
  return fold.rules
    .filter(({ verdict }) => verdict === 'note')
    .flatMap((result) => [
      `  ${tint('note', paint)(mark('note', unicode))} ${paint.bold(result.rule.id)}`,
      ...wrap(`Tested: ${result.rule.sentence}.`, width - 4).map((line) => `    ${line}`),
      ...wrap(forTerminal(noteText(result, fold, evidence)), width - 4).map((line) => `    ${line}`),
    ]);
}

function noteText(result: RuleResult, fold: Fold, evidence: Evidence): string {
  const finding = result.findings.find(({ verdict }) => verdict === 'note');
  const exchange = evidence.exchanges.get(finding?.exchange ?? '');
  const happened = reasonText(result);
  const { hint } = result.rule;
  if (!exchange) return `${capital(happened)}. ${hint}`;
  const sent = callWords(exchange.sending, fold.run.settings.sessions);
  const words = happened.startsWith('answered ') ? `The ${sent} was ${happened}` : `After the ${sent}: ${happened}`;
  return `${words}. ${hint}`;
}

/** Lists the rules that ended with a warning, each with the call that shows it, what to fix, and the cause that explains it. */
export function warnings(fold: Fold, evidence: Evidence, options: ReportOptions): readonly string[] {
  return fold.rules
    .filter(({ verdict }) => verdict === 'warn')
    .flatMap((result) => warning(result, fold, evidence, options));
}

function warning(result: RuleResult, fold: Fold, evidence: Evidence, options: ReportOptions): readonly string[] {
  const { paint, unicode } = options;
  const { rule } = result;
  const money = rule.money ? `  ${paint.yellow('$')}` : '';
  const heading = `  ${paint.yellow(mark('warn', unicode))} ${paint.bold(rule.id)}  ${rule.level}${money}`;
  // The text describes the effect of a breach. A MUST rule that only warns was not broken, so this text would exaggerate.
  const text = rule.level === 'SHOULD' ? rule.means : null;
  const lines = [heading, ...(text === null ? [] : wrap(text, options.width - 4).map((line) => `    ${line}`))];
  if (rule.clause === 'position') lines.push(paint.dim(`    ${clauseText(rule)}`));
  const finding = result.findings.find(({ verdict }) => verdict === 'warn');
  if (finding) {
    const exchange = evidence.exchanges.get(finding.exchange ?? '');
    lines.push(
      ...row('expected', finding.expected, 4, options),
      ...row('actual', finding.actual, 4, options, paint.yellow),
      ...(finding.why === undefined
        ? []
        : row('why', `This is only a warning although the rule is a MUST, because ${finding.why}.`, 4, options)),
      ...(finding.flaky ? row('flaky', 'the scenario passed on retry', 4, options) : []),
      ...(exchange
        ? shortExchangeLines(
            exchange,
            {
              sessions: fold.run.settings.sessions,
              indent: 4,
              curl: options.curl && options.verbosity > 0,
              verbosity: options.verbosity,
            },
            options,
          )
        : []),
      ...row('seen in', whereSeen(finding), 4, options),
    );
    const again = commandFor([finding.scenario], fold);
    // This command is never wrapped, so that a user can copy it.
    if (again) lines.push(`    ${paint.dim('run alone'.padEnd(10))}${paint.cyan(forTerminal(again))}`);
  }
  const because = explanation(result, fold);
  if (because !== null) lines.push(...row('because', because, 4, options));
  return [...lines, ...row('to fix', rule.hint, 4, options)];
}

/** Says which broken rules explain a warning. Returns null if no broken rule explains the warning. */
function explanation({ rule, findings, because }: RuleResult, { causes, rules, run }: Fold): string | null {
  const finding = findings.find(({ verdict }) => verdict === 'warn');
  const broken = rules.filter(({ verdict }) => verdict === 'fail');
  const explaining = causes.filter(({ explains }) => explains.some((explained) => explained.rule === rule.id));
  const named = [...explaining.map(({ result }) => result.rule.id), ...(finding?.causes ?? []), because];
  const stakes = run.settings.stakes ?? {};
  const sums = finding?.wrongSum ? [finding.wrongSum] : [];
  const ids = broken
    .filter((result) => named.includes(result.rule.id))
    .filter((result) => mayExplainSums(sums, result.rule.id, failedSums(result.findings), stakes))
    .map((result) => result.rule.id);
  if (ids.length > 0)
    return `${ids.join(', ')} ${ids.length === 1 ? 'is' : 'are'} broken and would explain this warning`;
  const sameCall = broken.filter((result) =>
    result.findings.some(
      ({ verdict, exchange }) => verdict === 'fail' && exchange !== null && exchange === finding?.exchange,
    ),
  );
  return sameCall.length === 0 ? null : `the same call breaks ${sameCall.map((result) => result.rule.id).join(', ')}`;
}

/** Returns the findings whose exchanges `warnings` and `notes` show. */
export function shownFindings(fold: Fold, verdicts: readonly Verdict[]): readonly JudgedFinding[] {
  return fold.rules
    .filter(({ verdict }) => verdicts.includes(verdict))
    .flatMap(({ findings, verdict }) => findings.find((finding) => finding.verdict === verdict) ?? []);
}

function whereSeen({ place, scenario }: JudgedFinding): string {
  if (!place) return scenario;
  const where = `${shownLine(scenario, place)}:${place.column}`;
  return where.startsWith(`${scenario}:`) ? where : `${scenario}, ${where}`;
}

/** Returns the rules that no selected scenario tests. Returns an empty list if the run played the whole suite. */
export function leftOutRules(fold: Fold): readonly RuleResult[] {
  if (fold.run.whole) return [];
  const required = new Set(fold.run.required?.map(({ id }) => id));
  return fold.rules.filter(
    ({ verdict, scenarios, rule }) =>
      verdict === 'untested' &&
      scenarios.length === 0 &&
      !required.has(rule.id) &&
      !fold.run.scenarios.some(({ rules }) => rules.includes(rule.id)),
  );
}

/** Explains in one sentence why a rule has its verdict. */
export function reasonText({ reason, because, verdict }: RuleResult): string {
  const why = reason ?? (verdict === 'skip' ? 'no reason was given' : 'the reason is unknown');
  return because === null || why.includes(because) ? why : `${why} (because of ${because})`;
}
