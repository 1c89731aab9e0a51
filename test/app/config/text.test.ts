import { describe, expect, it } from 'vitest';
import { readConfig } from '../../../src/app/config/file.ts';
import { CLIENT_KEYS, CONFIG_KEYS } from '../../../src/app/config/schema.ts';
import { configText } from '../../../src/app/config/text.ts';

const AWKWARD = [
  'plain',
  'with space',
  '12345',
  'true',
  'a: b',
  '#x',
  'a, b}',
  '"quoted"',
  "it's",
  'ü\u2028',
  '- x',
  '*a',
  '011.00',
  'null',
  '${x',
];

describe('configText', () => {
  it.each(AWKWARD)('writes the value %j so that YAML reads the same text', (text) => {
    const reading = readConfig(
      'croupier.yaml',
      configText([
        {
          extCID: text,
          integratorBaseUrl: 'http://127.0.0.1:1/eu',
          key: { file: text },
          sessions: [{ sessionID: text, player: text, currency: 'USD', state: 'expired' }],
          campaign: text,
          scenarios: text,
        },
      ]),
      {},
    );
    expect(reading).toMatchObject({
      kind: 'read',
      file: {
        config: {
          clients: [
            {
              extCID: text,
              integrationApiKey: { file: text },
              sessions: [{ sessionID: text, player: text, currency: 'USD', state: 'expired' }],
            },
          ],
          freeRounds: { frID: text },
          scenarios: [text],
        },
        warnings: [],
      },
    });
  });

  it('writes every key that has no value as a comment, which is valid without its #', () => {
    const draft = {
      extCID: 'eu',
      integratorBaseUrl: 'http://x/eu',
      key: { env: 'EU_KEY' },
      sessions: [{ sessionID: 's' }],
    };
    const keys = [...Object.keys(CONFIG_KEYS), ...Object.keys(CLIENT_KEYS)];
    const isKey = new RegExp(`^( *)# (?=(?:${keys.join('|')}|- \\{ sessionID): )`, 'gm');
    const text = configText([draft]).replaceAll(isKey, '$1');
    const reading = readConfig('croupier.yaml', text, { EU_KEY: 'any key' });
    expect(reading).toMatchObject({ kind: 'read', file: { warnings: [] } });
    const { config } = (reading as Extract<typeof reading, { kind: 'read' }>).file;
    expect(Object.keys(config).sort()).toEqual(Object.keys(CONFIG_KEYS).sort());
    expect(Object.keys(config.clients?.[0] ?? {}).sort()).toEqual(Object.keys(CLIENT_KEYS).sort());
  });

  it('writes the name of the environment variable, and never the key', () => {
    const text = configText([
      { extCID: 'eu', integratorBaseUrl: 'http://x/eu', key: { env: 'EU_KEY' }, sessions: [{ sessionID: 's' }] },
    ]);
    expect(text).toContain('integrationApiKey: ${EU_KEY}');
    expect(readConfig('croupier.yaml', text, { EU_KEY: 'a-key' })).toMatchObject({ kind: 'read', file: { unset: [] } });
  });
});
