import { randomUUID } from 'node:crypto';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { asFile, select, withFolders } from '../../src/app/selection.ts';
import { builtInSource, loadSuite, type SuiteScenario } from '../../src/app/suite.ts';

const ROOT = path.resolve(import.meta.dirname, '../..');
const ROOTS = [ROOT, path.join(ROOT, 'scenarios')];
const { scenarios: SUITE } = loadSuite([builtInSource()], ROOT, randomUUID);
const sample = SUITE.find(({ scenarioId }) => scenarioId === 'signature/tampered-body') ?? SUITE[0];

function ids(
  words: readonly string[],
  more: { tags?: readonly string[]; grep?: string; quick?: boolean } = {},
  suite: readonly SuiteScenario[] = SUITE,
) {
  return select(suite, { words, tags: more.tags ?? [], grep: more.grep, quick: more.quick === true }, ROOTS).map(
    ({ id }) => id,
  );
}

describe('the selection of scenarios', () => {
  it('contains every scenario if nothing is named', () => {
    expect(ids([])).toEqual(SUITE.map(({ id }) => id));
  });

  it('finds a group by its folder and by its rules', () => {
    const chosen = ids(['refund']);
    const expected = SUITE.filter(
      ({ id, rules }) => id.startsWith('refund/') || rules.some((rule) => rule.startsWith('refund.')),
    );
    expect(chosen).toEqual(expected.map(({ id }) => id));
    expect(chosen).toContain('refund/restore');
  });

  it('says which named files and scenarios a quick run leaves out', () => {
    const left = SUITE.filter(({ quick, builtIn }) => !quick && builtIn).find(
      ({ id, scenarioId }) => id === scenarioId,
    );
    const own = { ...sample, id: 's/x', scenarioId: 's/x', quick: false } as SuiteScenario;
    const run = () => ids(['bet', 's/x', left?.id ?? ''], { quick: true }, [...SUITE, own]);
    expect(run).toThrow(`A quick run leaves out s/x, ${left?.id}. Nothing was sent.`);
    expect(ids(['bet', 's/x'], { quick: true }, [...SUITE, { ...own, quick: true }])).toContain('s/x');
  });

  it('finds the scenarios that test a rule', () => {
    const chosen = ids(['refund.unknown']);
    expect(chosen.length).toBeGreaterThan(0);
    expect(chosen).toEqual(SUITE.filter(({ rules }) => rules.includes('refund.unknown')).map(({ id }) => id));
  });

  it('finds a scenario with all its cases, or one case', () => {
    expect(ids(['idempotency/concurrent'])).toEqual([
      'idempotency/concurrent#bet',
      'idempotency/concurrent#win',
      'idempotency/concurrent#refund',
    ]);
    expect(ids(['idempotency/concurrent#win'])).toEqual(['idempotency/concurrent#win']);
  });

  it('finds files of the working directory or of the suite, by a line or a folder too', () => {
    expect(ids(['scenarios/refund/unknown.yaml'])).toEqual(['refund/unknown']);
    expect(ids(['refund/unknown.yaml:3'])).toEqual(['refund/unknown']);
    expect(ids(['refund/unknown:3'])).toEqual(['refund/unknown']);
    expect(ids(['./scenarios/balance/'])).toEqual(
      SUITE.filter(({ id }) => id.startsWith('balance/')).map(({ id }) => id),
    );
  });

  it('takes a folder without a slash for a folder, unless a group or a rule has this name', () => {
    const words = ['signing', 'wire/', 'signature', 'bet.debit', 'wire.test.ts', 'no-such-folder', ''];
    expect(withFolders(words, path.join(ROOT, 'test'))).toEqual(words.with(0, 'signing/'));
    expect(withFolders(['bet'], path.join(ROOT, 'scenarios'))).toEqual(['bet']);
  });

  it('refuses a line that the file does not have', () => {
    expect(() => ids(['refund/unknown.yaml:9999'])).toThrow(/has \d+ lines/);
    expect(() => ids(['refund/unknown:9999'])).toThrow(/has \d+ lines/);
  });

  it('contains all the named scenarios, filtered by tag and text', () => {
    expect(ids(['refund/unknown', 'balance/read'])).toEqual(['balance/read', 'refund/unknown']);
    expect(ids(['idempotency'], { grep: 'AT THE SAME INSTANT' })).toContain('idempotency/concurrent#bet');
    expect(ids([], { tags: ['race'] })).toEqual(SUITE.filter(({ tags }) => tags.includes('race')).map(({ id }) => id));
  });

  it('leaves out opt-in scenarios unless their id, file or tag is named', () => {
    if (!sample) throw new Error('the suite is empty');
    const optIn: SuiteScenario = {
      ...sample,
      id: 'own/big',
      scenarioId: 'own/big',
      tags: ['opt-in'],
      rules: ['bet.debit'],
      absoluteFile: '/own/big.yaml',
    };
    const suite = [...SUITE, optIn];
    expect(ids([], {}, suite)).not.toContain('own/big');
    expect(ids(['bet.debit'], {}, suite)).not.toContain('own/big');
    expect(ids(['own/big'], {}, suite)).toEqual(['own/big']);
    expect(ids(['/own/big.yaml'], {}, suite)).toEqual(['own/big']);
    expect(ids([], { tags: ['opt-in'] }, suite)).toEqual(['own/big']);
  });

  it.each([
    [['idempotnecy'], 'Did you mean idempotency'],
    [['refund.unknwon'], 'refund.unknown'],
    [['refund/unknwon.yaml'], 'refund/unknown'],
    [['xyzzy'], 'croupier list scenarios'],
  ])('suggests names that are similar to %j: %s', (words, help) => {
    expect(() => ids(words)).toThrow(help);
  });

  it('names the tag or text that no scenario matches', () => {
    expect(() => ids([], { tags: ['rase'] })).toThrow('Did you mean --tag race?');
    expect(() => ids(['balance'], { grep: 'nowhere' })).toThrow('--grep nowhere');
  });
});

describe('asFile', () => {
  it.each([
    ['a/b.yaml:12', { file: 'a/b.yaml', line: 12 }],
    ['a/b.yaml:12:3', { file: 'a/b.yaml', line: 12 }],
    ['b.yml', { file: 'b.yml', line: undefined }],
    ['bet.debit', undefined],
    ['signature/refused#bet-garbage', undefined],
  ])('reads the word %s as a file, or as no file', (word, expected) => {
    expect(asFile(word)).toEqual(expected);
  });
});
