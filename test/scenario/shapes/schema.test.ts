import { Ajv } from 'ajv';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { RULES } from '../../../src/contract/catalogue.ts';
import { scenarioSchema } from '../../../src/scenario/shapes/schema.ts';
import { openEditor } from '../../editor.ts';
import { fixtureNames, fixtureText } from '../fixtures.ts';

const written = JSON.stringify(scenarioSchema());
const schema = JSON.parse(written);

describe('the JSON schema of scenarios', () => {
  const validate = new Ajv({ allowUnionTypes: true, strict: true, strictRequired: false }).compile(schema);

  it.each(fixtureNames('good'))('accepts the scenario %s', (name) => {
    validate(parse(fixtureText('good', `${name}.yaml`)));
    expect(validate.errors ?? []).toEqual([]);
  });

  it('accepts a fragment', () => {
    expect(validate(parse(fixtureText('good', 'fragments/round.yaml')))).toBe(true);
  });

  it.each([
    'unknown-key',
    'unknown-rule',
    'misspelt-verb',
    'two-verbs',
    'unknown-field',
    'unquoted-money',
    'misspelt-vocabulary',
    'modifier-of-another-verb',
    'bad-needs',
    'bad-durations',
  ])('rejects the scenario %s', (name) => {
    expect(validate(parse(fixtureText('broken', `${name}.yaml`)))).toBe(false);
  });
});

describe('an editor with the YAML language server', () => {
  const { offered, hover, marks } = openEditor(written);

  it.each([
    ['keys of a scenario', 'title: x\nru|', ['rules', 'needs', 'cases', 'steps', 'always']],
    ['rule ids', 'title: x\nrules:\n  - |\n', RULES.map((rule) => rule.id)],
    [
      'verbs',
      'title: x\nsteps:\n  - |\n',
      ['bet', 'win', 'refund', 'balance', 'call', 'resend', 'together', 'wait', 'use'],
    ],
    ['modifiers', 'title: x\nsteps:\n  - bet: {}\n    |\n', ['as', 'expect', 'sign', 'tamper', 'header-case', 'break']],
    ['fields', 'title: x\nsteps:\n  - bet:\n      |\n', ['amount', 'type', 'frID', 'round', 'session', 'txID']],
    ['ways to sign', 'title: x\nsteps:\n  - bet:\n    sign: |\n', ['missing', 'garbage', 'wrong-key']],
    ['outcomes', 'title: x\nsteps:\n  - bet:\n    expect: |\n', ['accepted', 'declined', 'refused', 'either']],
    ['needs', 'title: x\nneeds:\n  |\n', ['balance', 'currency', 'state', 'client']],
  ])('offers %s for completion', async (_what, text, labels) => {
    expect(await offered(text)).toEqual(expect.arrayContaining(labels));
  });

  it.each([
    ['title: x\nru|les: [bet.debit]\nsteps:\n  - bet:\n', 'The ids of the rules that the scenario tests'],
    ['title: x\nsteps:\n  - bet:\n    br|eak: sent\n', 'The moment when croupier breaks the connection'],
    ['title: x\nsteps:\n  - bet: { amo|unt: "1" }\n', 'The amount in the main unit'],
    ['title: x\nsteps:\n  - re|fund:\n', 'POST /refund'],
  ])('explains a key on hover: %s', async (text, about) => {
    expect(await hover(text)).toContain(about);
  });

  it.each([
    ['title: x\nsteps:\n  - bett:\n', 2],
    ['title: x\nrules: [bet.debt]\nsteps:\n  - bet:\n', 1],
    ['title: x\nsteps:\n  - bet: { amuont: "1" }\n', 2],
    ['title: x\nsteps:\n  - bet:\n    sign: garbge\n', 3],
    ['title: x\nsteps:\n  - bet: { amount: 11.00 }\n', 2],
    ['title: x\nsteps:\n  - bet:\n    after: 2s\n', 3],
  ])('reports a mistake in its line: %s', async (text, line) => {
    expect((await marks(text)).map((mark) => mark.line)).toContain(line);
  });

  it.each(fixtureNames('good'))('reports no mistake in the scenario %s', async (name) => {
    expect(await marks(fixtureText('good', `${name}.yaml`))).toEqual([]);
  });
});
