import type { SessionUnderTest } from '../engine/run-options.ts';

export interface ConfigDraft {
  readonly extCID: string;
  readonly integratorBaseUrl: string;
  /** Where the key is found: never in the configuration itself. */
  readonly key: { readonly env: string } | { readonly file: string };
  readonly sessions: readonly SessionUnderTest[];
  readonly campaign?: string;
  /** Folder of own scenarios. */
  readonly scenarios?: string;
}

/** A croupier.yaml with its comments, for a person to go on with. Ends with a line break. */
export function configText(drafts: readonly ConfigDraft[]): string {
  const [first] = drafts;
  const lines = ['# Whom croupier judges, and how. `croupier schema config` says what else there is.', 'clients:'];
  for (const draft of drafts) {
    lines.push(
      `  - extCID: ${scalar(draft.extCID)}`,
      `    integratorBaseUrl: ${scalar(draft.integratorBaseUrl)} # a call's path is appended: …/bet`,
      'env' in draft.key
        ? `    integrationApiKey: \${${draft.key.env}} # from the environment, so that no key stands in a file`
        : `    integrationApiKey: { file: ${scalar(draft.key.file, true)} }`,
      '    # player and gameID may be left out. With two players, and two games of one player, more is tested.',
      '    sessions:',
      ...draft.sessions.map((session) => `      - { ${sessionFields(session).join(', ')} }`),
    );
  }
  lines.push(
    '',
    '# A free-rounds campaign that the operator knows. Without one a frID is made up, which may be refused.',
    first?.campaign === undefined
      ? '# freeRounds: { frID: spring-campaign }'
      : `freeRounds: { frID: ${scalar(first.campaign)} }`,
    '',
    '# What one bet stakes, by currency. Others get a sensible amount.',
    '# stakes: { USD: "1.00", JPY: "100" }',
    '',
    '# Folders of your own scenarios, beside the built-in ones.',
    first?.scenarios === undefined ? '# scenarios: [./scenarios]' : `scenarios: [${scalar(first.scenarios)}]`,
    '',
    '# When a late debit would have shown. Longer where the wallet works through a queue.',
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

/** Text as YAML: plain where nothing in it could be taken for something else, else in quotes, as JSON writes it. */
function scalar(text: string, inFlow = false): string {
  const plain = inFlow ? /^[A-Za-z_][\w.-]*$/ : /^[A-Za-z_.][\w./:-]*[\w/]$/;
  return plain.test(text) && !/^(true|false|null|yes|no|on|off|~)$/i.test(text) ? text : JSON.stringify(text);
}
