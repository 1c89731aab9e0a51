import { readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { RULES } from '../../../../src/contract/catalogue.ts';
import { CONTRACT_VERSION } from '../../../../src/contract/versions.ts';
import { openEditor } from '../../../editor.ts';

function editorFor(name: string) {
  return openEditor(readFileSync(path.resolve(import.meta.dirname, `../../../../schema/${name}.json`), 'utf8'));
}

const CLIENT = `clients:
  - extCID: acme-eu
    integratorBaseUrl: https://wallet.example/eu
    integrationApiKey: \${ACME_EU_KEY}
`;
const FAILURE = `- rule: bet.debit
  reason: the wallet rounds
  ticket: ACME-7
  expires: 2027-03-31
`;

describe('croupier.yaml in an editor', () => {
  const { offered, hover, marks } = editorFor('config');

  it.each([
    ['keys', '|', ['clients', 'stakes', 'scenarios', 'deadline', 'budget', 'tls', 'logs']],
    ['keys of a client', `${CLIENT}    |`, ['sessions', 'sessionsFrom', 'paths', 'headers', 'production']],
    ['keys of a session', `${CLIENT}    sessions:\n      - |`, ['sessionID', 'player', 'currency', 'gameID', 'state']],
    ['states', `${CLIENT}    sessions:\n      - sessionID: s\n        state: |`, ['active', 'expired']],
    ['calls', 'budget:\n  |', ['balance', 'bet', 'win', 'refund']],
    ['sides', 'logs:\n  side: |', ['service', 'operator']],
  ])('offers %s', async (_what, text, labels) => {
    expect(await offered(text)).toEqual(expect.arrayContaining(labels));
  });

  it.each([
    ['lin|ger: 2s', 'Time to wait for a late debit'],
    ['clients:\n  - ext|CID: acme', 'No other client of the service has the same id'],
    [CLIENT.replace('integrationApiKey', 'integration|ApiKey'), 'The key that signs'],
    [`${CLIENT}    sessions:\n      - pla|yer: p1`, 'share a wallet'],
  ])('explains a key: %s', async (text, about) => {
    expect(await hover(text)).toContain(about);
  });

  it.each([
    ['a misspelt key', `${CLIENT}stake: { USD: "1.00" }\n`, 4],
    ['a key of a client that there is not', `${CLIENT}    session: []\n`, 4],
    ['a duration without a unit', `${CLIENT}linger: 2\n`, 4],
    ['an amount without quotes', `${CLIENT}stakes: { USD: 1.00 }\n`, 4],
    ['a state that there is not', `${CLIENT}    sessions:\n      - { sessionID: s, state: old }\n`, 5],
    ['a client without a key', 'clients:\n  - extCID: a\n    integratorBaseUrl: https://a.example\n', 1],
  ])('marks %s', async (_what, text, line) => {
    expect((await marks(text)).map((mark) => mark.line)).toContain(line);
  });

  it('has no marks if it is right', async () => {
    const text = `${CLIENT}    contract: ${CONTRACT_VERSION}
    sessions:
      - { sessionID: eu-usd-1, player: p1, currency: USD }
stakes: { USD: "1.00" }
deadline: 4s
budget: { bet: 800ms }
`;
    expect(await marks(text)).toEqual([]);
  });
});

describe('a baseline in an editor', () => {
  const { offered, hover, marks } = editorFor('baseline');

  it('offers keys, rules and calls', async () => {
    expect(await offered('- |')).toEqual(
      expect.arrayContaining(['rule', 'reason', 'ticket', 'expires', 'endpoint', 'scenario', 'client']),
    );
    expect(await offered('- rule: |')).toEqual(expect.arrayContaining(RULES.map(({ id }) => id)));
    expect(await offered(`${FAILURE}  endpoint: |`)).toEqual(expect.arrayContaining(['bet', 'refund']));
  });

  it('explains a key', async () => {
    expect(await hover(FAILURE.replace('ticket', 'tic|ket'))).toContain('The ticket for the fix');
  });

  it.each([
    ['a rule that there is not', FAILURE.replace('bet.debit', 'bet.debt'), 0],
    ['a day that is none', FAILURE.replace('2027-03-31', 'soon'), 3],
    ['an unknown key', `${FAILURE}  until: later\n`, 4],
    ['a missing reason', FAILURE.replace(/ {2}reason.*\n/, ''), 0],
  ])('marks %s', async (_what, text, line) => {
    expect((await marks(text)).map((mark) => mark.line)).toContain(line);
  });

  it('has no marks if it is right', async () => {
    expect(await marks(FAILURE)).toEqual([]);
  });
});
