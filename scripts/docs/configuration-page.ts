import { type KeySection, type Schema, sectionsOf } from './schema-table.ts';

const INTRODUCTION = `# croupier.yaml

<!-- Written by \`npm run docs\` from schema/config.json. -->

This page lists every key of the configuration file \`croupier.yaml\`. \`croupier init\` writes this file for you, with comments:

\`\`\`sh
croupier init                  # asks a few questions, and writes croupier.yaml
croupier run --print-config    # prints the settings that a run would use
\`\`\`

This is the smallest file with which a run works:

\`\`\`yaml
# yaml-language-server: $schema=node_modules/croupier-conformance/schema/config.json
clients:
  - extCID: acme-eu
    integratorBaseUrl: https://wallet.staging.example/eu
    integrationApiKey: \${ACME_EU_KEY}
    sessions:
      - { sessionID: eu-usd-1 }
\`\`\`

With more sessions, croupier tests more rules:

\`\`\`yaml
    sessions:
      - { sessionID: eu-usd-1, player: p1, currency: USD, gameID: catch }
      - { sessionID: eu-jpy-1, player: p2, currency: JPY, gameID: swipe }
      - { sessionID: eu-old-1, player: p1, currency: USD, state: expired }
stakes: { USD: "1.00", JPY: "100" }
scenarios: [./our-scenarios]
\`\`\`

- **The file.** croupier reads \`croupier.yaml\` in the current folder, or the file that \`--config\` names.
- **Which setting counts.** A flag overrides an environment variable, and an environment variable overrides the file.
- **Variables.** croupier replaces \`\${NAME}\` in the file with the value of the environment variable \`NAME\`.
- **Secret keys.** A secret key can also be in a file of its own: \`integrationApiKey: { file: ./acme-eu.key }\`.
- **Paths.** A relative path begins in the folder of \`croupier.yaml\`.

On this page:

- The wallet: [clients](#clients), [sessions](#sessions), [connection](#connection), [amounts and currencies](#amounts-and-currencies)
- The run: [scenarios and decisions](#scenarios-and-decisions), [times and speed](#times-and-speed), [locks](#locks), [history](#history), [signals](#signals)
- Other commands: [the simulated Core API](#the-simulated-core-api), [logs](#logs)

In the tables, a dot separates a key from the key above it: \`tls.ca\` is the key \`ca\` in the map of \`tls\`. \`clients[]\` is an entry of the list \`clients\`.`;

const SECTIONS: readonly KeySection[] = [
  {
    text: `## Clients

A [client](glossary.md#client) is one connection between the operator and the service. It has its own ExtCID, base URL, key and sessions. A *reverse call* is a call from the service to
the operator, such as a bet.`,
    keys: ['clients'],
  },
  {
    text: `## Sessions

One session is enough for a first run. With sessions of other players, games and currencies, croupier tests more rules. You need no sessions if the operator launches games for the test
(\`--launches\`, [launches.md](launches.md)).`,
    keys: ['clients[].sessions', 'clients[].sessionsFrom'],
  },
  {
    text: `## The simulated Core API

Only \`croupier serve\` and runs with the flag \`--launches\` use these keys ([core-api.md](core-api.md)).`,
    keys: [
      'clients[].cID',
      'clients[].apiKey',
      'clients[].games',
      'clients[].currencies',
      'clients[].blocked',
      'clients[].blockedUsers',
    ],
  },
  {
    text: `## Connection

\`clients[].tls\` has the same keys as the top-level \`tls\`.`,
    keys: ['tls', 'proxy', 'clients[].tls', 'clients[].proxy', 'clients[].hostOverride'],
  },
  {
    text: `## Amounts and currencies

The [stake](glossary.md#stake) is the amount of a normal bet. [positions.md](positions.md#amounts-and-currencies) explains the number of decimals.`,
    keys: ['stakes', 'decimals', 'freeRounds', 'largeAmounts', 'credit'],
  },
  {
    text: `## Scenarios and decisions

[scenarios.md](scenarios.md) explains how to write a scenario, [exit-status.md](exit-status.md#rules-and-scenarios-that-you-name) explains \`require\`, and
[ci.md](ci.md#labels) explains labels. The [glossary](glossary.md#must) explains SHOULD.`,
    keys: ['scenarios', 'require', 'strict', 'labels'],
  },
  {
    text: `## Times and speed

The glossary explains [late debit](glossary.md#late-debit) and [linger](glossary.md#linger). [report.md](report.md#a-budget) explains budgets, and
[failures.md](failures.md#rate-limits) explains \`rate\`.`,
    keys: ['deadline', 'linger', 'budget', 'workers', 'rate', 'maxAtOnce'],
  },
  {
    text: `## Locks

[locks.md](locks.md) explains what you see if a player is locked.`,
    keys: ['lock'],
  },
  {
    text: `## History

[history.md](history.md) explains the history of runs.`,
    keys: ['history'],
  },
  {
    text: `## Signals

[signals.md](signals.md) explains how you find a call in your tracing system, and how croupier posts results.`,
    keys: ['trace', 'notify'],
  },
  {
    text: `## Logs

\`croupier incident\`, \`replay\` and \`capsule\` use these keys. [incident-logs.md](incident-logs.md#logs-with-other-names-of-fields) shows an example, and lists the names of the fields.`,
    keys: ['logs'],
  },
];

/** Returns the reference of the configuration, made from the schema that `croupier schema config` prints. */
export function configurationPage(schema: Schema): string {
  return `${INTRODUCTION}\n\n${sectionsOf(schema, SECTIONS, ['clients[].tls.'])}`;
}
