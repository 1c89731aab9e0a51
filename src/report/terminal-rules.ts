import { RULE_GROUPS, type RuleGroup } from '../contract/rule.ts';
import type { Verdict } from '../journal/finding.ts';
import type { Fold, RuleResult } from '../journal/fold.ts';
import { forTerminal } from './escape.ts';
import { hanging, wrap } from './layout.ts';
import { mark, tint } from './marks.ts';
import type { ReportOptions } from './options.ts';

const GROUP_COLUMN = 15;

/** Every rule with the mark of its verdict, a group to a block, and below it the endpoints where these differ. */
export function everyRule(fold: Fold, options: ReportOptions): readonly string[] {
  const groups = Map.groupBy(fold.rules, (result) => result.rule.group);
  return RULE_GROUPS.flatMap((group) => groupLines(group, groups.get(group) ?? [], options));
}

function groupLines(group: RuleGroup, results: readonly RuleResult[], options: ReportOptions): readonly string[] {
  const { paint, unicode, width } = options;
  const names = results.map(({ rule }) => rule.id.slice(group.length + 1));
  const column = Math.max(...names.map((name) => name.length)) + 4;
  const perLine = Math.max(Math.floor((width - GROUP_COLUMN + 2) / column), 1);
  const rows = Math.ceil(results.length / perLine);
  const lines: string[] = [];
  for (let row = 0; row < rows; row += 1) {
    const cells = results.slice(row * perLine, (row + 1) * perLine).map((result, at) => {
      const name = names[row * perLine + at] ?? '';
      const colour = tint(result.verdict, paint);
      const shown = result.verdict === 'fail' ? paint.bold(name) : result.verdict === 'pass' ? name : colour(name);
      return `${colour(mark(result.verdict, unicode))} ${shown}${' '.repeat(column - 2 - name.length)}`;
    });
    const label = row === 0 ? paint.bold(group.padEnd(GROUP_COLUMN - 2)) : ' '.repeat(GROUP_COLUMN - 2);
    lines.push(`  ${label}${cells.join('').trimEnd()}`);
  }
  return [...lines, ...results.flatMap((result) => endpointLines(result, options))];
}

/** One pass must not hide that another endpoint was skipped or did something else. */
function endpointLines(result: RuleResult, { paint, unicode }: ReportOptions): readonly string[] {
  const kinds = new Set(result.endpoints.map(({ verdict }) => verdict));
  if (kinds.size < 2) return [];
  const cells = result.endpoints.map(({ endpoint, verdict }) => {
    const colour = tint(verdict, paint);
    return `${colour(mark(verdict, unicode))} ${endpoint}`;
  });
  const name = result.rule.id.slice(result.rule.group.length + 1);
  return [`${' '.repeat(GROUP_COLUMN + 2)}${paint.dim(`${name} by endpoint:`)}  ${cells.join('  ')}`];
}

/** Rules with one of these verdicts, equal reasons together, the most frequent reason first. */
export function reasons(fold: Fold, verdicts: readonly Verdict[], options: ReportOptions): readonly string[] {
  const { paint, unicode, width } = options;
  const found = fold.rules.filter(({ verdict }) => verdicts.includes(verdict));
  const byReason = [...Map.groupBy(found, (result) => `${result.verdict} ${reasonText(result)}`).values()];
  return byReason
    .toSorted((a, b) => b.length - a.length)
    .flatMap((results) => {
      const [first] = results;
      if (!first) return [];
      const colour = tint(first.verdict, paint);
      const [head = '', ...rest] = hanging(`  ${mark(first.verdict, unicode)} `, forTerminal(reasonText(first)), width);
      const ids = results.map(({ rule }) => rule.id).join(', ');
      return [
        head.replace(mark(first.verdict, unicode), (symbol) => colour(symbol)),
        ...rest,
        ...wrap(ids, width - 6).map((line) => `      ${paint.dim(line)}`),
      ];
    });
}

function reasonText({ reason, because, verdict }: RuleResult): string {
  const why = reason ?? (verdict === 'skip' ? 'no reason was given' : 'nothing says why');
  return because === null || why.includes(because) ? why : `${why} (because of ${because})`;
}

/** A rule to a line, with what was seen: for warnings and notes. */
export function observations(fold: Fold, verdict: Verdict, options: ReportOptions): readonly string[] {
  const { paint, unicode, width } = options;
  return fold.rules
    .filter((result) => result.verdict === verdict)
    .flatMap((result) => {
      const symbol = mark(verdict, unicode);
      const money = result.rule.money ? ' $' : '';
      const label = `  ${symbol} ${result.rule.id}${money}  `;
      const [head = '', ...rest] = hanging(label, forTerminal(reasonText(result)), width);
      const colour = tint(verdict, paint);
      const body = head.slice(label.length);
      return [
        `  ${colour(symbol)} ${paint.bold(result.rule.id)}${paint.yellow(money)}  ${body}`,
        ...rest.map(indented),
      ];
    });
}

function indented(line: string): string {
  return `      ${line.trimStart()}`;
}
