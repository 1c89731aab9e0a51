import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import type { JsonObject } from '../../src/contract/json.ts';
import { type Loaded, loadScenario } from '../../src/scenario/load.ts';
import { planScenario } from '../../src/scenario/plan/planner.ts';
import { type ScenarioDraft, writeScenario } from '../../src/scenario/write.ts';
import * as fc from '../properties.ts';

const SCENARIOS = path.resolve(import.meta.dirname, '../../scenarios');
const FILES = readdirSync(SCENARIOS, { recursive: true, encoding: 'utf8' }).filter((name) => name.endsWith('.yaml'));

const load = (text: string): Loaded => loadScenario(text, 'x.yaml', { id: 'x', readFragment: () => undefined });

/** The plan of every case; ids are counted, and places don't matter. */
function plans(text: string): string {
  const { scenario, diagnostics } = load(text);
  expect(diagnostics).toEqual([]);
  let count = 0;
  const uuid = () => {
    count += 1;
    return `id-${count}`;
  };
  const all = (scenario?.boundScenarios ?? []).map(
    ({ caseId }) => scenario && planScenario(scenario, caseId, { uuid: () => uuid() }),
  );
  return JSON.stringify(all, (key, value) => (['place', 'start', 'end'].includes(key) ? undefined : value));
}

describe('writeScenario', () => {
  it.each(FILES)('writes %s so that reading it gives the same plans', (name) => {
    const text = readFileSync(path.join(SCENARIOS, name), 'utf8');
    const { croupier: _version, ...draft } = parse(text) as { croupier: number } & ScenarioDraft;
    const written = writeScenario(draft);
    expect(parse(written)).toEqual({ croupier: 1, ...draft });
    expect(plans(written)).toBe(plans(text));
  });

  it('writes a scenario as a person would', () => {
    const draft: ScenarioDraft = {
      title: 'A bet sent twice is taken once',
      rules: ['idempotency.bet'],
      needs: { balance: '${3 * stake}', other: { player: 'other' } },
      steps: [
        { bet: { amount: '${stake}' }, as: 'first', break: '5ms' },
        { together: [{ resend: 'first', expect: 'either' }, { balance: null }] },
        { bet: null, expect: { outcome: 'declined', status: [402, '4xx'] } },
        { wait: '300ms' },
        { balance: null, after: 'linger' },
      ],
      always: [{ balance: { session: 'other' } }],
    };
    expect(writeScenario(draft, { comments: ['Found by hand'], schema: '../schema/scenario.json' })).toBe(
      `# Found by hand
# yaml-language-server: $schema=../schema/scenario.json
croupier: 1
title: A bet sent twice is taken once
rules: [idempotency.bet]
needs: { balance: "\${3 * stake}", other: { player: other } }
steps:
  - bet: { amount: "\${stake}" }
    as: first
    break: 5ms
  - together:
      - resend: first
        expect: either
      - balance:
  - bet:
    expect: { outcome: declined, status: [402, 4xx] }
  - wait: 300ms
  - balance:
    after: linger
always:
  - balance: { session: other }
`,
    );
  });

  it('splits long maps and lists into lines', () => {
    const text = writeScenario({
      title: 'Long',
      tags: Array.from({ length: 20 }, (_, at) => `a-tag-of-some-length-${at}`),
      needs: Object.fromEntries(Array.from({ length: 6 }, (_, at) => [`player-${at}`, { player: 'other', game: 'x' }])),
      steps: [{ balance: null }],
    });
    expect(Math.max(...text.split('\n').map((line) => line.length))).toBeLessThan(111);
    expect((parse(text) as JsonObject).tags).toHaveLength(20);
  });

  it.each([
    'true',
    'NO',
    'null',
    '~',
    '',
    ' ',
    '1.00',
    '11',
    '0x10',
    '1e3',
    '2026-11-21',
    '12:30',
    '- x',
    '# x',
    'a: b',
    'a #b',
    '{ a }',
    '[a]',
    '*a',
    '&a',
    '!a',
    '%a',
    '@a',
    '`a`',
    "it's",
    'say "so"',
    'back\\slash',
    '\\u0041',
    'a\nb',
    'a\tb',
    '\u001B[31mred',
    '\u0085',
    '\u2028',
    '\u202Eevil',
    '\uFEFF',
    '\uD800',
    '😀',
    'a, b',
    '---',
    '...',
    '<<',
  ])('writes the text %j so that reading gives it unchanged', (value) => {
    const draft = { title: value, steps: [{ bet: { amount: value, [value]: [value] }, body: value }] };
    const text = writeScenario(draft);
    expect(parse(text)).toEqual({ croupier: 1, ...draft });
    expect(text).not.toMatch(/[\0-\x09\x0b-\x1f\x7f-\x9f\u2028\u202e\ufeff]/);
  });

  it('writes a comment with line breaks and invisible characters only as lines of a comment', () => {
    const text = writeScenario({ title: 'x', steps: [] }, { comments: ['one\r\ntitle: y\u2028steps: z\u0085'] });
    expect(text.split('\n').slice(0, 2)).toEqual(['# one\\u000d', '# title: y\\u2028steps: z\\u0085']);
    expect(parse(text)).toEqual({ croupier: 1, title: 'x', steps: [] });
  });

  it('writes any text so that reading it gives the same text', () => {
    const { value } = fc.letrec((tie) => ({
      value: fc.oneof(
        { depthSize: 'small', withCrossShrink: true },
        fc.string({ unit: 'binary' }),
        fc.string(),
        fc.integer(),
        fc.boolean(),
        fc.constant(null),
        fc.array(tie('value'), { maxLength: 3 }),
        fc.dictionary(fc.string({ minLength: 1 }), tie('value'), { maxKeys: 3, noNullPrototype: true }),
      ),
    }));
    const map = fc.dictionary(fc.string({ minLength: 1 }), value, { maxKeys: 4, noNullPrototype: true });
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), map, fc.array(map, { maxLength: 4 }), (title, needs, steps) => {
        const draft = { title, needs, steps } as unknown as ScenarioDraft;
        expect(parse(writeScenario(draft), { uniqueKeys: false, merge: false })).toEqual({ croupier: 1, ...draft });
      }),
      { numRuns: 300 },
    );
  });
});
