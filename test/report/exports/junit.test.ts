import { readFileSync } from 'node:fs';
import { XMLParser, XMLValidator } from 'fast-xml-parser';
import { describe, expect, it } from 'vitest';
import { validateXML } from 'xmllint-wasm';
import { RULES } from '../../../src/contract/catalogue.ts';
import { attributed, ended, found, planned, runOf } from '../../journal/events.ts';
import { foldOf, JOURNALS, reportOfEvents, reportText } from '../journals.ts';

interface Case {
  readonly '@_name': string;
  readonly '@_classname': string;
  readonly '@_file'?: string;
  readonly '@_line'?: string;
  readonly failure?: { readonly '@_message': string; readonly '#text': string };
  readonly error?: { readonly '@_message': string };
  readonly skipped?: { readonly '@_message': string };
  readonly 'system-out'?: string;
}
interface Suite {
  readonly '@_name': string;
  readonly '@_tests': string;
  readonly '@_failures': string;
  readonly '@_errors': string;
  readonly '@_skipped': string;
  readonly testcase: readonly Case[];
}

function read(xml: string): {
  readonly totals: Suite;
  readonly suites: readonly Suite[];
  readonly cases: readonly Case[];
} {
  expect(XMLValidator.validate(xml)).toBe(true);
  const parser = new XMLParser({
    ignoreAttributes: false,
    parseAttributeValue: false,
    parseTagValue: false,
    isArray: (name) => name === 'testsuite' || name === 'testcase',
  });
  const { testsuites } = parser.parse(xml) as { testsuites: Suite & { testsuite: readonly Suite[] } };
  return {
    totals: testsuites,
    suites: testsuites.testsuite,
    cases: testsuites.testsuite.flatMap(({ testcase }) => testcase),
  };
}

describe('the JUnit report', () => {
  it('skips the test about debts if the run owes something, and fails it only if the run fails anyway', async () => {
    const scenario = planned('bet/debit', ['bet.debit']);
    const fields = { txID: 'w-1', amount: '7.00' };
    const owed = {
      event: 'owed',
      call: 'win',
      sessionID: 's-1',
      txID: 'w-1',
      open: true,
      fields,
      status: 503,
    } as const;
    const of = async (...events: Parameters<typeof runOf>[1]) => {
      const { cases } = read(await reportOfEvents(runOf(scenario, events), 'junit'));
      return cases.find((test) => test['@_name'] === 'nothing is owed after the run');
    };
    const debt = { ...owed, scenario: scenario.id };
    const passes = { 'bet.debit': { bet: 1 } } as const;
    expect((await of(debt, ended(scenario.id, { passes })))?.skipped?.['@_message']).toMatch(
      /^owed: the win w-1 of 7\.00.*; to settle: croupier settle /,
    );
    const broken = found(scenario.id, 'bet.debit', 'fail');
    expect((await of(debt, broken, ended(scenario.id, { verdict: 'fail' })))?.failure?.['@_message']).toMatch(
      /^owed: the win w-1/,
    );
    expect(await of(ended(scenario.id, { passes }))).toBeUndefined();
  });

  it('names no test like a test of another client or of another part of the run', async () => {
    const scenario = planned('bet/debit', ['bet.debit']);
    const of = async (extCID: string, index?: number) => {
      const [first, ...rest] = runOf(scenario, [ended(scenario.id)]);
      if (first?.event !== 'run-started') throw new Error('the run has no beginning');
      const shard = { index: index ?? 0, count: 2, planHash: '', divisionHash: '', scenarios: 2, players: 2 };
      const begun = {
        ...first,
        client: { ...first.client, extCID },
        ...(index !== undefined && { shard: { ...shard, whole: true, seed: null } }),
      };
      const { cases } = read(await reportOfEvents([begun, ...rest], 'junit'));
      return cases.map((test) => `${test['@_classname']} ${test['@_name']}`);
    };
    const names = [
      ...(await of('acme.eu')),
      ...(await of('acme-asia')),
      ...(await of('acme.eu', 1)),
      ...(await of('acme.eu', 2)),
    ];
    expect(new Set(names).size).toBe(names.length);
    expect(names).toContain('croupier.acme_eu.part-2-of-2.bet bet.debit');
  });

  it.each(JOURNALS)('of the journal %s names every rule once, and its totals are right', async (name) => {
    const { totals, suites, cases } = read(await reportText(name, 'junit'));
    const names = cases.map((test) => `${test['@_classname']} ${test['@_name']}`);
    expect(new Set(names).size).toBe(names.length);
    expect(names.filter((each) => !/^croupier\.[^.]+\.(expectation|run) /.test(each))).toHaveLength(RULES.length);
    const sum = (key: '@_tests' | '@_failures' | '@_errors' | '@_skipped') =>
      suites.reduce((total, suite) => total + Number(suite[key]), 0);
    expect(Number(totals['@_tests'])).toBe(cases.length);
    expect(sum('@_failures')).toBe(cases.filter(({ failure }) => failure !== undefined).length);
    expect(sum('@_errors')).toBe(cases.filter(({ error }) => error !== undefined).length);
    expect(sum('@_skipped')).toBe(cases.filter(({ skipped }) => skipped !== undefined).length);
    expect(Number(totals['@_failures'])).toBe(sum('@_failures'));
  });

  it.each(JOURNALS)('of the journal %s agrees with the verdicts of the run', async (name) => {
    const { cases } = read(await reportText(name, 'junit'));
    const byName = new Map(cases.map((test) => [test['@_name'], test]));
    for (const { rule, verdict } of (await foldOf(name)).rules) {
      const test = byName.get(rule.id);
      expect([rule.id, test?.failure !== undefined]).toEqual([rule.id, verdict === 'fail']);
      expect([rule.id, test?.error !== undefined]).toEqual([rule.id, verdict === 'inconclusive']);
      expect([rule.id, test?.skipped !== undefined]).toEqual([rule.id, verdict === 'skip' || verdict === 'untested']);
    }
  });

  it('names the line of the scenario and the expected result', async () => {
    const { cases } = read(await reportText('failing', 'junit'));
    const test = cases.find((each) => each['@_name'] === 'idempotency.bet');
    expect(test).toMatchObject({ '@_file': 'scenarios/idempotency/bet.yaml', '@_line': '9' });
    expect(test?.failure?.['@_message']).toMatch(
      /^A player can be charged twice .* Seen: the balance is 78\.00: the bet was taken twice$/,
    );
    expect(test?.failure?.['#text']).toContain('expected: the same bet sent again takes nothing more');
  });

  it('begins a message with the likely cause, also for rules that are undecided because of it', async () => {
    const story = planned('bet/debit', ['bet.debit']);
    const xml = await reportOfEvents(
      runOf(story, [
        found(story.id, 'idempotency.bet', 'fail'),
        found(story.id, 'bet.debit', 'fail', { causes: ['idempotency.bet'] }),
        found(story.id, 'win.credit', 'fail'),
        ended(story.id, { verdict: 'fail' }),
        attributed('win.credit', 'idempotency.bet'),
      ]),
      'junit',
    );
    const { cases } = read(xml);
    const named = (rule: string) => cases.find((each) => each['@_name'] === rule);
    expect(named('bet.debit')?.failure?.['@_message']).toMatch(
      /^Because of idempotency\.bet: A player can be charged twice .* Seen: what was seen \(fail\)$/,
    );
    expect(named('bet.debit')?.failure?.['#text']).toMatch(/^likely cause: idempotency\.bet\. A player can/);
    expect(named('win.credit')?.error?.['@_message']).toMatch(/^Because of idempotency\.bet: /);
  });

  it('has a test for each scenario with a missed expectation', async () => {
    const { cases } = read(await reportText('failing', 'junit'));
    const test = cases.find((each) => each['@_classname'].endsWith('.expectation'));
    expect(test?.['@_name']).toBe('ours/first-deposit');
    expect(test?.failure).toBeDefined();
  });

  it.each(['killed', 'interrupted', 'unreachable'] as const)(
    'of the %s run does not look like a success',
    async (name) => {
      const { cases } = read(await reportText(name, 'junit'));
      expect(cases.find((each) => each['@_classname'].endsWith('.run'))?.error).toBeDefined();
    },
  );

  it('of a run without a breach has no failure and no error', async () => {
    const { totals } = read(await reportText('green', 'junit'));
    expect(totals).toMatchObject({ '@_failures': '0', '@_errors': '0' });
  });

  it('holds hostile text as text', async () => {
    const xml = await reportText('hostile', 'junit');
    expect(xml).not.toMatch(/[^\P{Cc}\t\n\r]|[\p{Cf}\p{Cs}]/u);
    const test = read(xml).cases.find((each) => each['@_name'] === 'reply.error-message');
    expect(test?.failure?.['#text']).toContain('<script>alert("x")</script> ]]>');
  });

  it('has paths in the repository, and no path for a scenario outside', async () => {
    const inRepository = (file: string) => (file.startsWith('our') ? null : `node_modules/croupier/${file}`);
    const { cases } = read(await reportText('failing', 'junit', { repositoryFile: inRepository }));
    const bet = cases.find((each) => each['@_name'] === 'idempotency.bet');
    expect(bet?.['@_file']).toBe('node_modules/croupier/scenarios/idempotency/bet.yaml');
    expect(bet?.failure?.['#text']).toContain('(node_modules/croupier/scenarios/idempotency/bet.yaml:9:5)');
    const ours = cases.find((each) => each['@_name'] === 'ours/first-deposit');
    expect(ours).not.toHaveProperty('@_file');
  });
});

it('the strict JUnit report is valid by the schema of the xunit plugin of Jenkins, the usual report is not', async () => {
  const schema = readFileSync(new URL('../../../fixtures/xunit-plugin/junit-10.xsd', import.meta.url), 'utf8');
  const texts = await Promise.all(
    JOURNALS.map(async (name) => ({ fileName: name, contents: await reportText(name, 'junit', { form: 'strict' }) })),
  );
  const { valid, errors } = await validateXML({ xml: texts, schema });
  expect(errors).toEqual([]);
  expect(valid).toBe(true);
  const usual = await validateXML({ xml: await reportText('failing', 'junit'), schema });
  expect(usual.errors.map(({ message }) => message).join()).toContain("The attribute 'file' is not allowed");
});

it('the strict JUnit report has the tests and the numbers of the usual one', async () => {
  const [usual, strict] = [
    read(await reportText('failing', 'junit')),
    read(await reportText('failing', 'junit', { form: 'strict' })),
  ];
  const outcome = ({ '@_file': _file, '@_line': _line, ...rest }: Case): object => rest;
  expect(strict.cases.map(outcome)).toEqual(usual.cases.map(outcome));
  expect(strict.totals['@_failures']).toBe(usual.totals['@_failures']);
});
