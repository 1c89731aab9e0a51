import { GROUPS, type Rule } from '../../src/contract/catalogue.ts';
import { DEFECTS } from '../../src/operator/defects.ts';
import type { ExampleCall, RuleExample } from './rule-example.ts';

const INTRODUCTION = `# Every rule, with a right and a wrong reply

<!-- Written by \`npm run docs\`. -->

Each rule is one requirement of the contract. \`croupier list rules\` prints them too; \`croupier run RULE\` judges one alone.

- **MUST**: a breach fails a run. **SHOULD**: a breach warns, and fails with \`--strict\`. **NOTE**: the contract leaves this open, and
  the report notes what the operator does.
- **$**: a breach loses or invents money.
- The clause names the section of the contract. \`position\` means that the contract says nothing, and [croupier's position](positions.md)
  decides.
- The examples are calls to the [reference operator](operator.md). If a call shows \`right\` and \`wrong\`, the correct operator gave the
  first reply, and one with the named defect the second; otherwise both gave the same reply. Ids are shortened, and headers left out.
  Brackets say how a call differs from a plain one. The command runs the scenario again.
`;

function sentence(text: string): string {
  return /[.!?]["”]?$/u.test(text) ? text : `${text}.`;
}

function callLines({ call, right, wrong }: ExampleCall): readonly string[] {
  if (right === wrong || wrong === null) return right === null ? [call] : [call, `    ${right}`];
  return [call, ...(right === null ? [] : [`    right  ${right}`]), `    wrong  ${wrong}`];
}

/** Combines repeated calls with the same reply into one line that shows their number. */
function joinRepeats(calls: readonly ExampleCall[]): readonly ExampleCall[] {
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
  const conclusion = defect === null ? `Noted: ${actual}` : `Expected: ${expected}. Seen: ${actual}`;
  return ['```text', ...joinRepeats(calls).flatMap(callLines), '```', '', sentence(conclusion), ''].join('\n');
}

function ruleText(rule: Rule, scenarios: readonly string[], example: RuleExample): string {
  const since = rule.since === '1.0.0' ? '' : ` · since ${rule.since}`;
  const endpoints = rule.endpoints
    ? ` · judged for each of ${rule.endpoints.map((one) => `\`${one}\``).join(', ')}`
    : '';
  const conforms = /^(when|where)\b/u.test(rule.sentence)
    ? 'An operator conforms when this holds:'
    : 'An operator conforms when';
  const lead = rule.level === 'NOTE' ? 'The report notes' : conforms;
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
