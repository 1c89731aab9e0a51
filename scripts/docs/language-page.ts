import { RULE_GROUPS } from '../../src/contract/rule.ts';
import { type Schema, tableOf } from './schema-table.ts';

const INTRODUCTION = `# The language of scenarios

<!-- Written by \`npm run docs\` from schema/scenario.json. -->

Every key of a scenario file. [Writing scenarios](scenarios.md) tells how they are used; editors complete and explain
them ([docs/shell.md](shell.md#editors)), and \`croupier lint\` names every mistake with its line.

Any value can hold \`\${…}\`: the names of \`cases\` and parameters, \`stake\`, \`unit\` (the smallest step of the currency), \`balance\`,
\`bet1.txID\` (ours) and \`bet1.reply.txID\` (the operator's) of a step called \`bet1\`, and \`+\`, \`-\`, \`*\`. Money is reckoned exactly and stands
in quotes.
`;

function definition(schema: Schema, name: string): Schema {
  const found = schema.definitions?.[name];
  if (!found) throw new Error(`the schema of scenarios defines no ${name}`);
  return found;
}

/** The reference of the language, from the schema that editors and `croupier schema scenario` have. */
export function languagePage(schema: Schema): string {
  const step = definition(schema, 'step');
  const verbs = (step.oneOf ?? []).flatMap(({ required }) => required ?? []);
  const others = Object.keys(step.properties ?? {}).filter((key) => !verbs.includes(key));
  return [
    INTRODUCTION,
    '## A scenario',
    '',
    `\`rules\` (needed) lists what it tests, by the ids of the [rules](rules.md) in the groups ${RULE_GROUPS.join(', ')}.`,
    '',
    tableOf(definition(schema, 'scenario'), ['rules']),
    '## A step: what is done',
    '',
    'Exactly one of these in each step.',
    '',
    tableOf(step, others),
    '## A step: how it is done, and what is expected',
    '',
    'A step that departs from what the service sends says what it expects, unless it only breaks the connection.',
    '',
    tableOf(step, verbs),
    '## A fragment',
    '',
    'Steps in a file of their own, for `use`.',
    '',
    tableOf(definition(schema, 'fragment')),
  ].join('\n');
}

const CONFIGURATION = `# croupier.yaml

<!-- Written by \`npm run docs\` from schema/config.json. -->

Every key of the configuration. It lies in the working directory, or where \`--config\` says. A flag beats the environment, which beats the
file; \`croupier run --print-config\` shows what holds. \`croupier init\` writes one with comments, and \`\${NAME}\` stands for a variable of the environment.

\`\`\`yaml
# yaml-language-server: $schema=node_modules/croupier-conformance/schema/config.json
clients:
  - extCID: acme-eu
    integratorBaseUrl: https://wallet.staging.example/eu
    integrationApiKey: \${ACME_EU_KEY}
    sessions:
      - { sessionID: eu-usd-1, player: p1, currency: USD, gameID: catch }
      - { sessionID: eu-jpy-1, player: p2, currency: JPY, gameID: swipe }
      - { sessionID: eu-old-1, player: p1, currency: USD, state: expired }
stakes: { USD: "1.00", JPY: "100" }
scenarios: [./our-scenarios]
\`\`\`
`;

/** The reference of the configuration. */
export function configurationPage(schema: Schema): string {
  return [CONFIGURATION, tableOf(schema)].join('\n');
}
