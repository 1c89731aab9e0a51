import {
  asSentence,
  exampleConclusion,
  exampleLines,
  type RuleExample,
} from '../../src/cli/commands/list/rule-example.ts';
import { GROUPS, type Rule } from '../../src/contract/catalogue.ts';
import { DEFECTS } from '../../src/operator/defects.ts';

const INTRODUCTION = `# Every rule, with a right and a wrong reply

<!-- Written by \`npm run docs\`. -->

This page shows every rule of croupier: the requirement, a right and a wrong reply, the harm of a breach, and where to look in your code. Find a rule in the table
of groups below, or print one rule in the terminal:

\`\`\`sh
croupier list rules               # all rules
croupier list rule bet.debit      # one rule, as on this page
croupier run --reference bet.debit   # runs only the scenarios that judge one rule
\`\`\`

How to read an entry:

- **MUST**: a breach fails the run. **SHOULD**: a breach is a warning, and fails the run with \`--strict\`. **NOTE**: the contract leaves
  the point open, and the report only notes what the operator does.
- **$**: after a breach, money is missing or appears from nothing.
- The name after the level is the section of the contract that states the rule. If it is \`position\`, the contract says nothing, and
  [croupier's position](positions.md) decides.
- The examples are calls to the [reference operator](operator.md). The line \`right\` has the reply of the correct operator. The line
  \`wrong\` has the reply of the reference operator with a defect. A reply without either word is the same for both. Ids are shortened, and headers are left out.
- Text in brackets after a call says how the call differs from an ordinary call.
- The command after *See it* repeats the example.
`;

function exampleText(example: RuleExample): string {
  return ['```text', ...exampleLines(example), '```', '', exampleConclusion(example), ''].join('\n');
}

function ruleText(rule: Rule, scenarios: readonly string[], example: RuleExample): string {
  const since = rule.since === '1.0.0' ? '' : ` · since ${rule.since}`;
  const endpoints = rule.endpoints
    ? ` · judged for each of ${rule.endpoints.map((one) => `\`${one}\``).join(', ')}`
    : '';
  const lead = rule.level === 'NOTE' ? 'The report notes' : 'An operator conforms when';
  const defects = DEFECTS.filter(({ breaks }) => breaks.includes(rule.id)).map(({ name }) => `\`${name}\``);
  const played = [rule.id, ...(example.defect === null ? [] : [`--defect ${example.defect}`])].join(' ');
  return [
    `### ${rule.id}`,
    '',
    `**${rule.level}**${rule.money ? ' **$**' : ''} · ${rule.clause}${since}${endpoints}`,
    '',
    asSentence(`${lead} ${rule.sentence}`),
    '',
    exampleText(example),
    ...(rule.means === null ? [] : [`- If broken: ${rule.means}`]),
    `- ${rule.level === 'NOTE' ? 'Note' : 'Where to look'}: ${rule.hint}`,
    `- Scenarios: ${scenarios.map((id) => `[${id}](../scenarios/${id}.yaml)`).join(', ')}`,
    ...(defects.length === 0 ? [] : [`- Defects that break it: ${defects.join(', ')}`]),
    `- See it: \`croupier run --reference ${played}\``,
    '',
  ].join('\n');
}

/**
 * Returns the text of the page that describes all rules.
 *
 * @param scenariosOf returns the scenarios that name a rule in their `rules` list
 * @throws Error if a rule has no example
 */
export function rulesPage(
  scenariosOf: (rule: string) => readonly string[],
  examples: Readonly<Record<string, RuleExample>>,
): string {
  const groups = GROUPS.map(({ name, rules }) => {
    const texts = rules.map((rule) => {
      const example = examples[rule.id];
      if (!example) throw new Error(`${rule.id} has no example: node scripts/rule-examples.ts ${rule.id}`);
      return ruleText(rule, scenariosOf(rule.id), example);
    });
    return [`## ${name}`, '', ...texts].join('\n');
  });
  const contents = GROUPS.map(
    ({ name, rules }) =>
      `| [${name}](#${name}) | ${rules.map(({ id, money }) => `[${id.slice(name.length + 1)}](#${id.replaceAll('.', '')})${money ? ' $' : ''}`).join(', ')} |`,
  );
  return [INTRODUCTION, '| group | rules |', '|---|---|', ...contents, '', ...groups].join('\n');
}
