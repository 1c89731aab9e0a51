import { RULE_GROUPS } from '../../src/contract/rule.ts';
import { type Schema, tableOf } from './schema-table.ts';

const INTRODUCTION = `# The language of scenarios

<!-- Written by \`npm run docs\` from schema/scenario.json. -->

This page lists every key of a scenario file. [Writing scenarios](scenarios.md) explains how to use the keys. Editors complete and explain them
([docs/shell.md](shell.md#editors)), and \`croupier lint\` prints every mistake with its line.

Any value can contain an expression, \`\${…}\`. An expression computes with \`+\`, \`-\` and \`*\`, and can use these names:

| name | value |
|---|---|
| a name of \`cases\`, or a parameter of a fragment | its value in this case, or in this use of the fragment |
| \`stake\` | the configured bet of the currency |
| \`unit\` | the smallest step of the currency, for example 0.01 |
| \`balance\`, \`balance.NAME\` | the last known balance of the first session, or of the session with the alias \`NAME\` |
| \`session\`, \`session.NAME\` | the id of the session |
| \`campaign\` | the configured free-rounds campaign |
| \`bet1.txID\` | the txID that croupier sent in the step \`bet1\` |
| \`bet1.roundID\`, \`bet1.amount\` | the round and the amount of the step \`bet1\` |
| \`bet1.reply.txID\` | the txID that the operator answered in the step \`bet1\` |
| \`self.txID\`, \`self.roundID\`, \`self.amount\` | the values of the step that contains the expression |
| \`begun.txID\`, \`begun.roundID\`, \`begun.amount\` | a bet of an earlier run whose round is not finished (\`needs: { run: earlier }\`) |
| \`drift.first\`, \`drift.second\` | the amounts of two wins. With binary floating point, the balance after these wins is wrong |

croupier computes money exactly. Write amounts in quotes, as in \`"11.00"\`.
`;

const FRAGMENT_EXAMPLE = `For example, this is the fragment \`rounds/lost-bet.yaml\`:

\`\`\`yaml
croupier: 1
fragment: A bet whose connection breaks, and its refund
parameters: { amount: "\${stake}", when: sent }
steps:
  - bet: { amount: "\${amount}" }
    as: lost
    break: "\${when}"
  - refund: { of: lost }
\`\`\`

A scenario in the folder above \`rounds/\` uses it:

\`\`\`yaml
croupier: 1
title: A high bet whose connection broke is refunded
rules: [refund.broken-connection]
needs: { balance: "\${2 * stake}" }
steps:
  - use: rounds/lost-bet.yaml
    with: { amount: "\${2 * stake}" }
  - balance:
\`\`\`
`;

function definition(schema: Schema, name: string): Schema {
  const found = schema.definitions?.[name];
  if (!found) throw new Error(`the schema of scenarios defines no ${name}`);
  return found;
}

/** Returns the reference of the scenario language, made from the schema that `croupier schema scenario` prints. */
export function languagePage(schema: Schema): string {
  const step = definition(schema, 'step');
  const verbs = (step.oneOf ?? []).flatMap(({ required }) => required ?? []);
  const others = Object.keys(step.properties ?? {}).filter((key) => !verbs.includes(key));
  return [
    INTRODUCTION,
    '## A scenario',
    '',
    `\`rules\` (required) lists the ids of the [rules](rules.md) that the scenario tests. The groups of rules are ${RULE_GROUPS.join(', ')}.`,
    '',
    tableOf(definition(schema, 'scenario'), ['rules']),
    '## A step: the action',
    '',
    'Each step has exactly one of these keys.',
    '',
    tableOf(step, others),
    '## A step: options and expectations',
    '',
    'A step with `sign`, `tamper`, `header-case`, `body`, `query` or `trickle` is not an ordinary call, so it must also have `expect`.',
    '',
    tableOf(step, verbs),
    '## A fragment',
    '',
    'A fragment is a file with steps that several scenarios can insert with `use`.',
    '',
    tableOf(definition(schema, 'fragment')),
    FRAGMENT_EXAMPLE,
  ].join('\n');
}
