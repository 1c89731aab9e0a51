import { existsSync } from 'node:fs';
import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { renderComplaint } from '../../src/scenario/complaint.ts';
import { loadScenario } from '../../src/scenario/load.ts';
import { fixtureNames, fixturePath, fixtureText, loadAs, loadFixture } from './fixtures.ts';

const good = fixtureNames('good');
const broken = fixtureNames('broken');

describe('broken scenarios', () => {
  it.each(broken)('%s: complained of to the letter', async (name) => {
    const { scenario, complaints } = loadFixture('broken', name);
    expect(scenario).toBeUndefined();
    expect(complaints.length).toBeGreaterThan(0);
    const rendered = complaints.map((complaint) => `${renderComplaint(complaint)}\n`).join('\n');
    await expect(rendered).toMatchFileSnapshot(fixturePath('broken', `${name}.txt`));
  });

  it('are many, and each has its complaints beside it', () => {
    expect(broken.length).toBeGreaterThanOrEqual(60);
    for (const name of broken) expect(existsSync(fixturePath('broken', `${name}.txt`)), name).toBe(true);
  });

  it('get their complaints in the order of the file', () => {
    const { complaints } = loadFixture('broken', 'several-mistakes');
    const places = complaints.map(({ line, column }) => line * 1000 + column);
    expect(places).toEqual(places.toSorted((a, b) => a - b));
    expect(complaints.length).toBeGreaterThan(10);
  });

  it('get exactly one complaint for an unquoted expression, with the mend', () => {
    const { complaints } = loadAs(
      'broken',
      'x',
      'title: x\nrules: [bet.debit]\nsteps:\n  - bet: { amount: ${stake} }\n',
    );
    expect(complaints).toHaveLength(1);
    expect(complaints[0]).toMatchObject({ line: 4, column: 20, endColumn: 28, mend: 'write "${stake}"' });
  });
});

describe('good scenarios', () => {
  it.each(good)('%s: nothing to complain about', (name) => {
    const { scenario, complaints } = loadFixture('good', name);
    expect(complaints.map(renderComplaint)).toEqual([]);
    expect(scenario?.id).toBe(name);
  });

  it('know the places of their claims, so that others can complain there', () => {
    const { scenario } = loadFixture('good', 'signed-wrongly');
    expect(scenario?.rules).toEqual([
      { id: 'signature.mismatch', place: { file: 'signed-wrongly.yaml', line: 2, column: 9 } },
      { id: 'signature.message', place: { file: 'signed-wrongly.yaml', line: 2, column: 29 } },
      { id: 'signature.no-effect', place: { file: 'signed-wrongly.yaml', line: 2, column: 48 } },
    ]);
  });

  it('may leave out rules when a step states an expectation of its own', () => {
    const { complaints } = loadAs('good', 'x', 'title: x\nsteps:\n  - bet:\n    expect: accepted\n');
    expect(complaints).toEqual([]);
  });
});

function judge(text: string): void {
  const { scenario, complaints } = loadScenario(text, 'x.yaml', { id: 'x', readFragment: () => text });
  expect(scenario === undefined).toBe(complaints.length > 0);
  for (const complaint of complaints) {
    expect(complaint.line).toBeGreaterThan(0);
    expect(complaint.column).toBeGreaterThan(0);
    expect(complaint.endColumn).toBeGreaterThan(complaint.column);
    expect(renderComplaint(complaint)).not.toMatch(/(?![\t\n])\p{Cc}/u);
  }
}

describe('fragments without end', () => {
  it('are complained of, not read forever', () => {
    const text = 'title: x\nfragment: x\nsteps:\n  - use: ./a/x.yaml\n  - use: ./b/x.yaml\n  - use: ./c/x.yaml\n';
    const { complaints } = loadScenario(text, 'x.yaml', { id: 'x', readFragment: () => text });
    expect(complaints.some(({ message }) => /more than \d+/.test(message))).toBe(true);
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

  it('gives a scenario or complaints, never an exception: mutations of known files', () => {
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
    fc.assert(fc.property(mutated, judge), { numRuns: 1500 });
  });

  it('gives a scenario or complaints, never an exception: lines shuffled between files', () => {
    const line = fc.constantFrom(...sources.flatMap((text) => text.split('\n')));
    fc.assert(
      fc.property(
        fc.array(line, { maxLength: 15 }).map((lines) => lines.join('\n')),
        judge,
      ),
      { numRuns: 500 },
    );
  });

  it('gives a scenario or complaints, never an exception: arbitrary text', () => {
    fc.assert(fc.property(fc.string({ unit: 'binary' }), judge), { numRuns: 500 });
  });
});
