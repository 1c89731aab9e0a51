import { existsSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { loadScenario } from '../../src/scenario/load.ts';
import { renderDiagnostic } from '../../src/scenario/yaml/diagnostic.ts';
import * as fc from '../properties.ts';
import { fixtureNames, fixturePath, fixtureText, loadAs, loadFixture } from './fixtures.ts';

const good = fixtureNames('good');
const broken = fixtureNames('broken');

describe('broken scenarios', () => {
  it.each(broken)('%s gets exactly the diagnostics in its golden file', async (name) => {
    const { scenario, diagnostics } = loadFixture('broken', name);
    expect(scenario).toBeUndefined();
    expect(diagnostics.length).toBeGreaterThan(0);
    const rendered = diagnostics.map((diagnostic) => `${renderDiagnostic(diagnostic)}\n`).join('\n');
    await expect(rendered).toMatchFileSnapshot(fixturePath('broken', `${name}.txt`));
  });

  it('are at least 60 files, and each has a golden file with its diagnostics', () => {
    expect(broken.length).toBeGreaterThanOrEqual(60);
    for (const name of broken) expect(existsSync(fixturePath('broken', `${name}.txt`)), name).toBe(true);
  });

  it('get their diagnostics in the order of the file', () => {
    const { diagnostics } = loadFixture('broken', 'several-mistakes');
    const places = diagnostics.map(({ line, column }) => line * 1000 + column);
    expect(places).toEqual(places.toSorted((a, b) => a - b));
    expect(diagnostics.length).toBeGreaterThan(10);
  });

  it('get exactly one diagnostic for an unquoted expression, with the fix', () => {
    const { diagnostics } = loadAs(
      'broken',
      'x',
      'title: x\nrules: [bet.debit]\nsteps:\n  - bet: { amount: ${stake} }\n',
    );
    expect(diagnostics).toHaveLength(1);
    expect(diagnostics[0]).toMatchObject({ line: 4, column: 20, endColumn: 28, fix: 'write "${stake}"' });
  });
});

describe('good scenarios', () => {
  it.each(good)('%s has no mistakes', (name) => {
    const { scenario, diagnostics } = loadFixture('good', name);
    expect(diagnostics.map(renderDiagnostic)).toEqual([]);
    expect(scenario?.id).toBe(name);
  });

  it('contain the position of each rule id, so that later checks can report a mistake there', () => {
    const { scenario } = loadFixture('good', 'signed-wrongly');
    expect(scenario?.rules).toEqual([
      { id: 'signature.mismatch', place: { file: 'signed-wrongly.yaml', line: 2, column: 9 } },
      { id: 'signature.message', place: { file: 'signed-wrongly.yaml', line: 2, column: 29 } },
      { id: 'signature.no-effect', place: { file: 'signed-wrongly.yaml', line: 2, column: 48 } },
    ]);
  });

  it('may omit rules if a step states its own expectation', () => {
    const { diagnostics } = loadAs('good', 'x', 'title: x\nsteps:\n  - bet:\n    expect: accepted\n');
    expect(diagnostics).toEqual([]);
  });
});

function expectScenarioOrDiagnostics(text: string): void {
  const { scenario, diagnostics } = loadScenario(text, 'x.yaml', { id: 'x', readFragment: () => text });
  expect(scenario === undefined).toBe(diagnostics.length > 0);
  for (const diagnostic of diagnostics) {
    expect(diagnostic.line).toBeGreaterThan(0);
    expect(diagnostic.column).toBeGreaterThan(0);
    expect(diagnostic.endColumn).toBeGreaterThan(diagnostic.column);
    expect(renderDiagnostic(diagnostic)).not.toMatch(/(?![\t\n])\p{Cc}/u);
  }
}

describe('fragments that use each other without end', () => {
  it('are reported, and are not read without end', () => {
    const text = 'title: x\nfragment: x\nsteps:\n  - use: ./a/x.yaml\n  - use: ./b/x.yaml\n  - use: ./c/x.yaml\n';
    const { diagnostics } = loadScenario(text, 'x.yaml', { id: 'x', readFragment: () => text });
    expect(diagnostics.some(({ message }) => /more than \d+/.test(message))).toBe(true);
  });
});

describe('any text', () => {
  const sources = [
    ...good.map((name) => fixtureText('good', `${name}.yaml`)),
    ...broken.map((name) => fixtureText('broken', `${name}.yaml`)),
  ];
  const scraps = fc.constantFrom(
    '${',
    '}',
    '{',
    '[',
    ']',
    '"',
    "'",
    ':',
    ': ',
    '- ',
    '\n',
    '  ',
    '\t',
    '&a ',
    '*a',
    '|',
    '>',
    '#',
    '!',
    '%',
    '---',
    'bet',
    'stake',
    'null',
    '0',
    '\u0000',
    '🎲',
    '<<: ',
    '__proto__: ',
    'constructor: ',
  );

  it('loads as a scenario or gives diagnostics, without an exception, for mutations of known files', () => {
    const mutated = fc
      .tuple(
        fc.constantFrom(...sources),
        fc.array(fc.tuple(fc.nat(), fc.nat(6), scraps), { minLength: 1, maxLength: 4 }),
      )
      .map(([text, edits]) =>
        edits.reduce((now, [at, gone, scrap]) => {
          const start = at % (now.length + 1);
          return now.slice(0, start) + scrap + now.slice(start + gone);
        }, text),
      );
    fc.assert(fc.property(mutated, expectScenarioOrDiagnostics), { numRuns: 1500 });
  });

  it('loads as a scenario or gives diagnostics, without an exception, for lines shuffled between files', () => {
    const line = fc.constantFrom(...sources.flatMap((text) => text.split('\n')));
    fc.assert(
      fc.property(
        fc.array(line, { maxLength: 15 }).map((lines) => lines.join('\n')),
        expectScenarioOrDiagnostics,
      ),
      { numRuns: 500 },
    );
  });

  it('loads as a scenario or gives diagnostics, without an exception, for arbitrary text', () => {
    fc.assert(fc.property(fc.string({ unit: 'binary' }), expectScenarioOrDiagnostics), { numRuns: 500 });
  });
});
