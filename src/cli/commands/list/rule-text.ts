import path from 'node:path';
import { packageRoot, readBytes } from '../../../app/files.ts';
import type { Stdio } from '../../../app/stdio.ts';
import type { SuiteScenario } from '../../../app/suite.ts';
import type { Rule } from '../../../contract/catalogue.ts';
import { DEFECTS } from '../../../operator/defects.ts';
import { clauseText } from '../../../report/clause.ts';
import { capital, hanging, wrap } from '../../../report/terminal/layout.ts';
import { exampleConclusion, exampleLines, type RuleExample } from './rule-example.ts';
import { ruleRows } from './rule-rows.ts';

/** Maximum width of the text, because longer lines are hard to read. */
const MAX_WIDTH = 100;

/** `croupier list rule`: prints everything about some rules: requirement, harm, fix, scenarios, defects, and an example. */
export function showRules(
  rules: readonly Rule[],
  scenarios: readonly SuiteScenario[],
  json: boolean,
  { out }: Stdio,
): void {
  const examples = JSON.parse(
    new TextDecoder().decode(readBytes(path.join(packageRoot(), 'dist', 'rule-examples.json'))),
  ) as Readonly<Record<string, RuleExample>>;
  if (json) {
    const rows = ruleRows(rules, scenarios).map((row) => ({
      ...row,
      defects: defectsOf(row.id),
      example: examples[row.id] ?? null,
    }));
    out.write(`${JSON.stringify(rows, null, 2)}\n`);
    return;
  }
  const width = Math.min(out.columns, MAX_WIDTH);
  out.write(rules.map((rule) => ruleText(rule, scenarios, examples[rule.id], width)).join('\n'));
}

function ruleText(
  rule: Rule,
  scenarios: readonly SuiteScenario[],
  example: RuleExample | undefined,
  width: number,
): string {
  const { id, level, money, sentence, means, hint, endpoints } = rule;
  const testing = scenarios.filter(({ rules }) => rules.includes(id));
  // If several cases of a scenario test the rule, the text names the first case.
  const tests = [...new Map(testing.toReversed().map((one) => [one.scenarioId, one])).values()].toReversed();
  const defects = defectsOf(id);
  const seeIt = [id, ...(example?.defect ? [`--defect ${example.defect}`] : [])].join(' ');
  const part = (title: string, lines: readonly string[]): readonly string[] =>
    lines.length === 0 ? [] : ['', title, ...lines];
  const indented = (text: string): readonly string[] => wrap(text, width - 2).map((line) => `  ${line}`);
  const lines = [
    `${id}  ${level}${money ? '  $ a breach loses or invents money' : ''}`,
    ...indented(`${level === 'NOTE' ? 'The report notes' : 'An operator conforms when'} ${sentence}.`),
    `  ${clauseText(rule)}`,
    ...(endpoints ? indented(`Judged for each of ${endpoints.join(', ')}.`) : []),
    ...part('If it is broken', means === null ? [] : indented(means)),
    ...part(level === 'NOTE' ? 'Meaning' : 'To fix', indented(capital(hint))),
    ...part(
      'Example',
      example
        ? [
            ...exampleLines(example).flatMap((line) => exampleLine(line, width)),
            ...indented(exampleConclusion(example)),
          ]
        : [],
    ),
    ...part(
      'Scenarios that test it',
      tests.flatMap(({ scenarioId, title }) => [`  ${scenarioId}`, ...hanging('    ', title, width)]),
    ),
    ...part('Defects that break it', defects.length === 0 ? [] : indented(defects.join(', '))),
    ...part('See it', [`  croupier run --reference ${seeIt}`]),
  ];
  return `${lines.join('\n')}\n`;
}

/** Wraps a line of an example, and keeps its own indent. */
function exampleLine(line: string, width: number): readonly string[] {
  const text = line.trimStart();
  return hanging(' '.repeat(2 + line.length - text.length), text, width);
}

function defectsOf(rule: string): readonly string[] {
  return DEFECTS.filter(({ breaks }) => breaks.some((one) => one === rule)).map(({ name }) => name);
}
