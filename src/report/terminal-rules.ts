import { RULE_GROUPS, type RuleGroup } from '../contract/rule.ts';
import type { Verdict } from '../journal/finding.ts';
import type { Fold } from '../journal/fold.ts';
import type { JudgedFinding } from '../journal/judged-cell.ts';
import type { RuleResult } from '../journal/rule-result.ts';
import { forTerminal } from './escape.ts';
import { flow, plural, wrap } from './layout.ts';
import { mark, tint } from './marks.ts';
import type { ReportOptions } from './options.ts';
import { leftOutRules, reasonText } from './rule-reasons.ts';
import { row } from './terminal-exchange.ts';

const GROUP_COLUMN = 15;

/** Every rule with the mark of its verdict, a group to a block, and below it the endpoints where these differ. */
export function everyRule(fold: Fold, options: ReportOptions): readonly string[] {
  const groups = Map.groupBy(shown(fold), (result) => result.rule.group);
  return RULE_GROUPS.flatMap((group) => groupLines(group, groups.get(group) ?? [], options));
}

/** Of a part of the suite only what it tried is listed: the rest was left out on purpose, and is counted. */
function shown(fold: Fold): readonly RuleResult[] {
  const left = new Set(leftOutRules(fold));
  return fold.rules.filter((result) => !left.has(result));
}

/** How many rules the selection left out; undefined: none. */
export function leftOut(fold: Fold, { unicode }: ReportOptions): string | undefined {
  const count = leftOutRules(fold).length;
  return count === 0
    ? undefined
    : `  ${mark('untested', unicode)} ${plural(count, 'rule')} not among what was selected`;
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
    return { plain: `${symbol} ${name}`, shown: `${colour(symbol)} ${named(name, result, options)}` };
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

/** Passing rules stay in the background, failing ones stand out. */
function named(name: string, { verdict, isKnown }: RuleResult, { paint }: ReportOptions): string {
  if (isKnown) return paint.red(name);
  if (verdict === 'pass') return name;
  return verdict === 'fail' ? paint.bold(paint.red(name)) : tint(verdict, paint)(name);
}

/** One pass must not hide that another endpoint was skipped or did something else. */
function endpointLines(result: RuleResult, { paint, unicode }: ReportOptions): readonly string[] {
  const kinds = new Set(result.endpoints.map(({ verdict }) => verdict));
  if (kinds.size < 2) return [];
  const cells = result.endpoints.map(({ endpoint, verdict }) => {
    const colour = tint(verdict, paint);
    return `${colour(mark(verdict, unicode))} ${endpoint}`;
  });
  return [`${' '.repeat(GROUP_COLUMN + 2)}${paint.dim(`${nameOf(result)}:`)} ${cells.join('  ')}`];
}

/** Rules with one of these verdicts, equal reasons together: those of a MUST first, then the most frequent. */
export function reasons(fold: Fold, verdicts: readonly Verdict[], options: ReportOptions): readonly string[] {
  const { paint, unicode, width } = options;
  const found = shown(fold).filter(({ verdict }) => verdicts.includes(verdict));
  const byReason = [...Map.groupBy(found, (result) => `${result.verdict} ${reasonText(result)}`).values()];
  return byReason
    .toSorted((a, b) => Number(hasMust(b)) - Number(hasMust(a)) || b.length - a.length)
    .flatMap((results) => {
      const [first] = results;
      if (!first) return [];
      const symbol = mark(first.verdict, unicode);
      const ids = (first.verdict === 'inconclusive' ? namesWithScenario(results) : namesOf(results, fold)).join(', ');
      const lines = wrap(`${forTerminal(reasonText(first))}: ${ids}`, width - 4);
      return lines.map((line, at) => `  ${at === 0 ? tint(first.verdict, paint)(symbol) : ' '} ${line}`);
    });
}

function hasMust(results: readonly RuleResult[]): boolean {
  return results.some(({ rule }) => rule.level === 'MUST');
}

/** Ids of rules; a group whose every rule is among them goes by its name, `launch.*`. */
function namesOf(results: readonly RuleResult[], fold: Fold): readonly string[] {
  return [...Map.groupBy(results, ({ rule }) => rule.group)].flatMap(([group, members]) => {
    const size = fold.rules.filter(({ rule }) => rule.group === group).length;
    return size === members.length ? [`${group}.*`] : members.map(({ rule }) => rule.id);
  });
}

/** A doubt is looked into where it arose, so that each rule names its scenario. */
function namesWithScenario(results: readonly RuleResult[]): readonly string[] {
  return results.map(({ rule, seenIn }) => (seenIn === null ? rule.id : `${rule.id} (${forTerminal(seenIn)})`));
}

/** What was seen where the contract leaves things open, a rule to a line. */
export function notes(fold: Fold, { paint, unicode, width }: ReportOptions): readonly string[] {
  const noted = fold.rules.filter(({ verdict }) => verdict === 'note');
  const column = Math.max(0, ...noted.map(({ rule }) => rule.id.length)) + 2;
  return noted.flatMap((result) => {
    const lines = wrap(forTerminal(reasonText(result)), width - 4 - column);
    return lines.map((line, at) => {
      if (at > 0) return `${' '.repeat(4 + column)}${line}`;
      return `  ${tint('note', paint)(mark('note', unicode))} ${result.rule.id.padEnd(column)}${line}`;
    });
  });
}

/** Each warning with what was expected and what was seen instead. */
export function warnings(fold: Fold, options: ReportOptions): readonly string[] {
  const { paint, unicode } = options;
  return fold.rules
    .filter(({ verdict }) => verdict === 'warn')
    .flatMap((result) => {
      const money = result.rule.money ? `  ${paint.yellow('$')}` : '';
      const heading = `  ${paint.yellow(mark('warn', unicode))} ${paint.bold(result.rule.id)}  ${result.rule.level}${money}`;
      // Where a MUST only warns, what was seen is milder than what its breach can do.
      const text = result.rule.level === 'SHOULD' ? result.rule.means : null;
      const means = text === null ? [] : wrap(text, options.width - 4).map((line) => `    ${line}`);
      const finding = result.findings.find(({ verdict }) => verdict === 'warn');
      if (!finding) return [heading, ...means];
      return [
        heading,
        ...means,
        ...row('expected', finding.expected, 4, options),
        ...row('actual', finding.actual, 4, options, paint.yellow),
        ...(finding.flaky ? row('flaky', 'when it was played again, it passed', 4, options) : []),
        ...row('seen in', whereSeen(finding), 4, options),
      ];
    });
}

function whereSeen({ place, scenario }: JudgedFinding): string {
  return place ? `${scenario}, ${place.file}:${place.line}:${place.column}` : scenario;
}
