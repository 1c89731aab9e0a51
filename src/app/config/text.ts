import type { SessionUnderTest } from '../../engine/run-options.ts';

/** The values that `configText` writes for one client. */
export interface ConfigDraft {
  readonly extCID: string;
  readonly integratorBaseUrl: string;
  /** The variable or the file that holds the key. The configuration itself never contains a key. */
  readonly key: { readonly env: string } | { readonly file: string };
  readonly sessions: readonly SessionUnderTest[];
  readonly campaign?: string;
  /** The folder of the user's own scenarios; undefined if there is none. */
  readonly scenarios?: string;
}

/** Writes the text of a croupier.yaml with comments, which a person can complete. The text ends with a line break. */
export function configText(drafts: readonly ConfigDraft[]): string {
  const [first] = drafts;
  const lines = ['# The operators that croupier tests. `croupier schema config` describes every key.', 'clients:'];
  for (const draft of drafts) {
    lines.push(
      `  - extCID: ${scalar(draft.extCID)}`,
      `    integratorBaseUrl: ${scalar(draft.integratorBaseUrl)} # a call's path is appended: …/bet`,
      'env' in draft.key
        ? `    integrationApiKey: \${${draft.key.env}} # from the environment, so that no file holds a key`
        : `    integrationApiKey: { file: ${scalar(draft.key.file, true)} }`,
      '    # player and gameID may be left out. With two players, and two games of one player, more rules are tested.',
      '    sessions:',
      ...draft.sessions.map((session) => `      - { ${sessionFields(session).join(', ')} }`),
    );
  }
  lines.push(
    '',
    '# A free-rounds campaign that the operator knows. Without one, croupier invents a frID, which may be refused.',
    first?.campaign === undefined
      ? '# freeRounds: { frID: spring-campaign }'
      : `freeRounds: { frID: ${scalar(first.campaign)} }`,
    '',
    '# The stake of a bet, by currency. Other currencies get a sensible amount.',
    '# stakes: { USD: "1.00", JPY: "100" }',
    '# The decimals of wallets that are not fiat, if their balances do not show them.',
    '# decimals: { USDT: 6, mBCH: 5 }',
    '',
    '# Folders of your own scenarios, in addition to the built-in ones.',
    first?.scenarios === undefined ? '# scenarios: [./scenarios]' : `scenarios: [${scalar(first.scenarios)}]`,
    '',
    '# Time to wait for a late debit. A wallet that works through a queue needs more.',
    '# linger: 2s',
  );
  return `${lines.join('\n')}\n`;
}

function sessionFields({ sessionID, player, currency, gameID, state }: SessionUnderTest): readonly string[] {
  const fields = { sessionID, player, currency, gameID, state: state === 'active' ? undefined : state };
  return Object.entries(fields).flatMap(([name, value]) =>
    value === undefined ? [] : [`${name}: ${scalar(value, true)}`],
  );
}

/** Writes a text as a YAML value: without quotes if YAML reads the same text back, otherwise in JSON quotes. */
function scalar(text: string, inFlow = false): string {
  const plain = inFlow ? /^[A-Za-z_][\w.-]*$/ : /^[A-Za-z_.][\w./:-]*[\w/]$/;
  return plain.test(text) && !/^(true|false|null|yes|no|on|off|~)$/i.test(text) ? text : JSON.stringify(text);
}
