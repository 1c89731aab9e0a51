import { GROUPS } from '../../src/contract/catalogue.ts';
import type { Rule } from '../../src/contract/rule.ts';
import { DEFECTS } from '../../src/operator/defects.ts';
import type { ExampleCall, RuleExample } from './rule-example.ts';

const INTRODUCTION = `# Every rule, with a right and a wrong reply

<!-- Written by \`npm run docs\`. -->

Each rule is one thing that an operator can get right or wrong. \`croupier list rules\` prints them too; \`croupier run RULE\` judges
one alone.

- **MUST**: a breach fails a run. **SHOULD**: it warns, and fails under \`--strict\`. **NOTE**: the contract leaves it open, and what
  was seen is written down.
- **$**: a breach loses or invents money.
- The clause names the section of the contract. \`position\`: it is silent there, and [croupier's position](positions.md) counts.
- The examples were played by the [reference operator](operator.md): where a call shows \`right\` and \`wrong\`, the correct operator
  answered the first, and one with the defect that is named the second; else both answered the same. Ids are shortened, and signed headers left
  out; in brackets stands what a call does that a plain one does not. The command plays the story again.
`;

function sentence(text: string): string {
  return /[.!?]["”]?$/u.test(text) ? text : `${text}.`;
}

function callLines({ call, right, wrong }: ExampleCall): readonly string[] {
  if (right === wrong || wrong === null) return right === null ? [call] : [call, `    ${right}`];
  return [call, ...(right === null ? [] : [`    right  ${right}`]), `    wrong  ${wrong}`];
}

/** A call that is sent again and again, and always answered the same, is told once. */
function told(calls: readonly ExampleCall[]): readonly ExampleCall[] {
  const groups: ExampleCall[][] = [];
  for (const one of calls) {
    const before = groups.at(-1)?.[0];
    const isSame = before?.call === one.call && before.right === one.right && before.wrong === one.wrong;
    if (isSame) groups.at(-1)?.push(one);
    else groups.push([one]);
  }
  return groups.flatMap(([first, ...more]) =>
    first
      ? [{ ...first, call: more.length === 0 ? first.call : `${first.call}, ${String(more.length + 1)} times` }]
      : [],
  );
}

function exampleText({ calls, expected, actual, defect }: RuleExample): string {
  const conclusion = defect === null ? `Written down: ${actual}` : `Expected: ${expected}. Seen: ${actual}`;
  return ['```text', ...told(calls).flatMap(callLines), '```', '', sentence(conclusion), ''].join('\n');
}

function ruleText(rule: Rule, scenarios: readonly string[], example: RuleExample): string {
  const since = rule.since === '1.0.0' ? '' : ` · since ${rule.since}`;
  const endpoints = rule.endpoints
    ? ` · judged for each of ${rule.endpoints.map((one) => `\`${one}\``).join(', ')}`
    : '';
  const conforms = /^(when|where)\b/u.test(rule.sentence)
    ? 'An operator conforms when this holds:'
    : 'An operator conforms when';
  const lead = rule.level === 'NOTE' ? 'Written down is' : conforms;
  const defects = DEFECTS.filter(({ breaks }) => breaks.includes(rule.id)).map(({ name }) => `\`${name}\``);
  const played = [rule.id, ...(example.defect === null ? [] : [`--defect ${example.defect}`])].join(' ');
  return [
    `### ${rule.id}`,
    '',
    `**${rule.level}**${rule.money ? ' **$**' : ''} · ${rule.clause}${since}${endpoints}`,
    '',
    sentence(`${lead} ${rule.sentence}`),
    '',
    exampleText(example),
    ...(rule.means === null ? [] : [`- If broken: ${rule.means}`]),
    `- ${rule.level === 'NOTE' ? 'Worth knowing' : 'Where to look'}: ${rule.hint}`,
    `- Scenarios: ${scenarios.map((id) => `[${id}](../scenarios/${id}.yaml)`).join(', ')}`,
    ...(defects.length === 0 ? [] : [`- Defects that break it: ${defects.join(', ')}`]),
    `- See it: \`croupier run --reference ${played}\``,
    '',
  ].join('\n');
}

/**
 * The page of all rules.
 *
 * @param scenariosOf the scenarios that claim to test a rule
 * @throws Error where a rule has no example
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
