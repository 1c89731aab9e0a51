import { RULE_GROUPS } from '../../src/contract/rule.ts';
import { type KeySection, type Schema, sectionsOf, sharedTable, tableOf } from './schema-table.ts';

const INTRODUCTION = `# The language of scenarios

<!-- Written by \`npm run docs\` from schema/scenario.json. -->

This page lists every key of a scenario file. [Writing scenarios](scenarios.md) explains how to use the keys. Editors complete and explain them
([shell.md](shell.md#editors)), and \`croupier lint\` prints every mistake with its line. This is a complete scenario:

\`\`\`yaml
croupier: 1
title: A bet that is sent again takes money only once
rules: [idempotency.bet]
needs: { balance: "\${2 * stake}" }
steps:
  - bet: { amount: "\${stake}" }
    as: bet1                  # a name for this step, so that other steps can refer to it
  - resend: bet1              # sends the same bytes again
    expect: { reply: same }   # the reply must be the same as before
  - balance:                  # croupier compares the balance with the expected one
\`\`\`

On this page:

- [Expressions](#expressions)
- A file: [a scenario](#a-scenario), [needs](#needs), [cases](#cases), [a fragment](#a-fragment)
- A step: [calls](#a-step-calls), [other actions](#a-step-other-actions), [time, number and names](#a-step-time-number-and-names), [expectations](#a-step-expectations),
  [wrong and unusual calls](#a-step-wrong-and-unusual-calls)

In the tables, the column *value* says what you can write after the key:

| value | means |
|---|---|
| \`steps\` | a list of steps |
| \`nothing\` | you can write the key alone, such as \`- bet:\` |
| a map | keys with their values, such as \`{ round: new }\`. The next rows of the table explain these keys: \`bet.round\` is the key \`round\` in the map of \`bet\` |

## Expressions

Any value can contain an expression, \`\${…}\`. An expression computes with \`+\`, \`-\` and \`*\`, and can use the names in this table. Here, \`bet1\` is the name of a step
(\`as: bet1\`):

| name | value |
|---|---|
| a name of \`cases\`, or a parameter of a fragment | its value in this case, or in this use of the fragment |
| \`stake\` | the amount of a normal bet in this currency |
| \`unit\` | the smallest amount of the currency, for example 0.01 |
| \`balance\`, \`balance.NAME\` | the last known balance of the first session, or of the session with the alias \`NAME\` |
| \`session\`, \`session.NAME\` | the id of the first session, or of the session with the alias \`NAME\` |
| \`campaign\` | the configured free-rounds campaign |
| \`bet1.txID\` | the txID that croupier sent in the step \`bet1\` |
| \`bet1.roundID\`, \`bet1.amount\` | the round and the amount of the step \`bet1\` |
| \`bet1.reply.txID\` | the txID that the operator answered in the step \`bet1\` |
| \`self.txID\`, \`self.roundID\`, \`self.amount\` | the values of the step that contains the expression |
| \`begun.txID\`, \`begun.roundID\`, \`begun.amount\` | the values of a bet of an earlier run (\`needs: { run: earlier }\`). The round of this bet is not finished |
| \`drift.first\`, \`drift.second\` | two amounts, for two wins. A wallet that adds them as binary floating-point numbers (double) gets a wrong sum |

croupier computes money exactly. Write amounts in quotes, such as \`"11.00"\`.
`;

const NEEDS = '### Needs';

const CASES = `### Cases

A map of lists makes a case of each combination. This makes four cases:

\`\`\`yaml
cases: { call: [bet, win], sign: [missing, empty] }
steps:
  - call: "\${call}"
    with: { amount: "\${stake}" }
    sign: "\${sign}"
    expect: refused
\`\`\`

A list of maps makes a case of each map. This makes two cases:

\`\`\`yaml
cases:
  - { amount: "0.10", name: ten cents }
  - { amount: "1.00", name: one euro }
\`\`\`
`;

/** Fields that mean the same in several calls, each with these calls. */
const SHARED_FIELDS = {
  session: ['bet', 'win', 'refund', 'balance'],
  txID: ['bet', 'win', 'refund'],
  amount: ['bet', 'win'],
  type: ['bet', 'win'],
  frID: ['bet', 'win'],
};

/** The parts of the page about a step. Each step has one action, and any of the other keys that its action allows. */
const stepSections = (step: Schema): readonly KeySection[] => [
  {
    text: `## A step: calls

Each step has exactly one action: a call, or one of the [other actions](#a-step-other-actions). Several calls have these fields:

${sharedTable(step, SHARED_FIELDS)}
These are the calls, with their other fields:`,
    keys: ['bet', 'win', 'refund', 'balance', 'call'],
  },
  {
    text: `## A step: other actions

\`together\` sends the calls of its steps at the same moment, or at the time that \`at\` sets:

\`\`\`yaml
steps:
  - together:
      - bet:
      - bet: { amount: "\${2 * stake}" }
        at: 100ms             # 100 ms after the first bet
  - wait: 500ms
  - balance:
\`\`\`

In the tables, \`linger\` is the time in which croupier waits for a [late debit](glossary.md#late-debit).`,
    keys: ['resend', 'together', 'wait', 'launches', 'use'],
  },
  {
    text: '## A step: time, number and names',
    keys: ['as', 'with', 'times', 'copies', 'after', 'eventually', 'at'],
  },
  {
    text: `## A step: expectations

An operator may decline a call for reasons of its own, for example because of a bet limit. The step decides what follows:

| the step has | if the operator declines the call |
|---|---|
| no \`expect\` | croupier skips the rest of the scenario, and its rules stay untested |
| \`expect: accepted\` | the run fails |

\`expect\` is an outcome, such as \`accepted\`, or a map:

\`\`\`yaml
steps:
  - bet: { amount: "\${balance + unit}" }
    expect: { status: 4xx, code: insufficient_funds }
  - bet:
    expect: { moves: "\${-stake}", within: 2s }
\`\`\``,
    keys: ['expect'],
  },
  {
    text: `## A step: wrong and unusual calls

With these keys, a step sends something wrong or unusual on purpose. Such a step must also have \`expect\`, except a step with \`break\` or with \`sign: valid\`. Examples:

\`\`\`yaml
steps:
  - bet:
    tamper: { body: { amount: "\${3 * stake}" } }       # changes the amount after signing
    expect: refused
  - bet:
    body: { set: { theme: dark }, format: pretty }      # one more field, and indented JSON
    expect: accepted
  - balance:
    query: { add: { theme: dark }, order: reversed }
    expect: accepted
  - win:
    trickle: { pieces: 5, gap: 20ms }
    expect: accepted
\`\`\``,
    keys: ['sign', 'tamper', 'header-case', 'body', 'query', 'break', 'trickle'],
  },
];

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
  const scenario = definition(schema, 'scenario');
  const step = definition(schema, 'step');
  const keys = Object.keys(scenario.properties ?? {}).filter((key) => key !== 'needs');
  const aboutScenario = `## A scenario

[rules.md](rules.md) lists the rules. Their groups are ${RULE_GROUPS.join(', ')}.`;
  const shared = Object.entries(SHARED_FIELDS).flatMap(([field, calls]) => calls.map((call) => `${call}.${field}`));
  return [
    INTRODUCTION,
    sectionsOf(scenario, [
      { text: aboutScenario, keys },
      { text: NEEDS, keys: ['needs'] },
    ]),
    CASES,
    sectionsOf(step, stepSections(step), shared),
    '## A fragment',
    '',
    'A fragment is a file with steps that several scenarios can insert with `use`.',
    '',
    tableOf(definition(schema, 'fragment')),
    FRAGMENT_EXAMPLE,
  ].join('\n');
}
