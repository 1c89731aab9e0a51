import type { SessionUnderTest } from '../../engine/run-options.ts';
import { CLIENT_KEYS, type ClientConfig, CONFIG_KEYS, type Config } from './schema.ts';

/** The values that `configText` writes for one client. */
export interface ConfigDraft {
  readonly extCID: string;
  readonly integratorBaseUrl: string;
  /** The variable or the file that holds the key. The configuration itself never contains a key. */
  readonly key: { readonly env: string } | { readonly file: string };
  readonly sessions: readonly SessionUnderTest[];
  readonly campaign?: string;
  /** The folder of the user's own scenarios; undefined if there is no such folder. */
  readonly scenarios?: string;
}

/**
 * Writes the text of a croupier.yaml which a person can complete: every key that has no value is a comment. The text ends with a
 * line break.
 *
 * @param schema the path of the JSON Schema, with which editors check the file; undefined to name none
 */
export function configText(drafts: readonly ConfigDraft[], schema?: string): string {
  const [first] = drafts;
  const lines = [
    ...(schema === undefined ? [] : [`# yaml-language-server: $schema=${schema}`]),
    '# To use a key that is a comment, remove the # at the beginning of its line.',
    '# docs/configuration.md explains every key, and `croupier help settings` the flags for them.',
    'clients:',
  ];
  for (const draft of drafts) {
    lines.push(
      `  - extCID: ${scalar(draft.extCID)}`,
      `    integratorBaseUrl: ${scalar(draft.integratorBaseUrl)} # croupier appends the path of each call: …/bet`,
      'env' in draft.key
        ? `    integrationApiKey: \${${draft.key.env}} # from the environment, so that no file holds a key`
        : `    integrationApiKey: { file: ${scalar(draft.key.file, true)} }`,
      '    # You may leave out player and gameID. With two players, and two games of one player, croupier tests more rules.',
      '    sessions:',
      ...draft.sessions.map((session) => `      - { ${sessionFields(session).join(', ')} }`),
      '      # - { sessionID: eu-old-1, player: p1, currency: USD, gameID: catch, state: expired }',
      ...(draft === first ? settings(CLIENT_KEYS, CLIENT_EXAMPLES, '    ') : []),
    );
  }
  const written = {
    freeRounds: first?.campaign === undefined ? undefined : `{ frID: ${scalar(first.campaign, true)} }`,
    scenarios: first?.scenarios === undefined ? undefined : `[${scalar(first.scenarios, true)}]`,
  };
  lines.push('', ...settings(CONFIG_KEYS, CONFIG_EXAMPLES, '', written));
  return `${lines.join('\n')}\n`;
}

/** The column at which the meaning of a key begins, if the example is short enough. */
const MEANING_COLUMN = 48;

/**
 * Returns one line for each key of the configuration, with the first sentence of its description. A key without a value is a
 * comment with an example.
 */
function settings(
  keys: typeof CONFIG_KEYS,
  examples: Readonly<Record<string, string>>,
  indent: string,
  written: Readonly<Record<string, string | undefined>> = {},
): readonly string[] {
  return Object.entries(examples).map(([key, example]) => {
    const value = written[key];
    const line = value === undefined ? `${indent}# ${key}: ${example}` : `${indent}${key}: ${value}`;
    const [meaning = ''] = (keys[key]?.description ?? '').split(/(?<=\.) |, (?:as in|for example) /);
    return `${line.padEnd(MEANING_COLUMN)} # ${meaning.replace(/\.$/, '')}`;
  });
}

/** An example for each key of a client that the configuration of a new user does not need. */
const CLIENT_EXAMPLES: Readonly<
  Record<Exclude<keyof ClientConfig, 'extCID' | 'integratorBaseUrl' | 'integrationApiKey' | 'sessions'>, string>
> = {
  sessionsFrom: '{ command: [./open-sessions.sh] }',
  contract: '1.10.2',
  production: 'false',
  paths: '{ balance: /balance, bet: /bet, win: /win, refund: /refund }',
  headers: '{ X-Gateway: staging }',
  tls: '{ ca: ca.pem, cert: client.pem, key: client-key.pem }',
  proxy: 'http://127.0.0.1:3128',
  hostOverride: '127.0.0.1:8080',
  cID: 'acme',
  apiKey: '{ file: core-api-key.txt }',
  games: '[catch, swipe]',
  currencies: '[USD, EUR]',
  blocked: 'false',
  blockedUsers: '[p9]',
};

/** An example for each key of the configuration except `clients`. */
const CONFIG_EXAMPLES: Readonly<Record<Exclude<keyof Config, 'clients'>, string>> = {
  scenarios: '[./scenarios]',
  freeRounds: '{ frID: spring-campaign }',
  stakes: '{ USD: "1.00", JPY: "100" }',
  decimals: '{ USDT: 6, mBCH: 5 }',
  largeAmounts: 'false',
  credit: 'false',
  strict: 'false',
  trace: 'false',
  notify: '[{ kind: slack, url: "${SLACK_URL}" }]',
  require: '[idempotency, bet.debit]',
  deadline: '5s',
  linger: '2s',
  labels: '{ build: { header: X-Build } }',
  budget: '{ balance: 300ms, bet: 800ms }',
  workers: '10',
  rate: '50',
  lock: '{ wait: 10m }',
  history: '{ runs: 1000, days: 400, journals: 100 }',
  maxAtOnce: '64',
  tls: '{ ca: ca.pem }',
  proxy: 'http://127.0.0.1:3128',
  logs: '{ zone: Europe/Berlin }',
};

function sessionFields({ sessionID, player, currency, gameID, state }: SessionUnderTest): readonly string[] {
  const fields = { sessionID, player, currency, gameID, state: state === 'active' ? undefined : state };
  return Object.entries(fields).flatMap(([name, value]) =>
    value === undefined ? [] : [`${name}: ${scalar(value, true)}`],
  );
}

/**
 * Writes a text as a YAML value. Uses no quotes if YAML reads the text without quotes as the same text. Otherwise uses JSON quotes.
 */
function scalar(text: string, inFlow = false): string {
  const plain = inFlow ? /^[A-Za-z_][\w.-]*$/ : /^[A-Za-z_.][\w./:-]*[\w/]$/;
  return plain.test(text) && !/^(true|false|null|yes|no|on|off|~)$/i.test(text) ? text : JSON.stringify(text);
}
