import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { readWholeYaml } from '../../src/scenario/document.ts';
import { readPlainYaml } from '../../src/scenario/plain-yaml.ts';
import { toSource } from '../../src/scenario/source.ts';

const ROOT = path.join(import.meta.dirname, '..', '..');

function textsOf(folder: string): readonly string[] {
  return readdirSync(path.join(ROOT, folder), { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.yaml'))
    .map((name) => readFileSync(path.join(ROOT, folder, name), 'utf8'));
}

const SUITE = textsOf('scenarios');
const FIXTURES = textsOf('fixtures/scenarios');

/** Either it leaves the text to the whole parser, or it gives what that one gives. */
function expectTheSame(text: string): boolean {
  const source = toSource('a.yaml', text);
  const root = readPlainYaml(source);
  if (root !== undefined) expect({ source, root, complaints: [] }).toEqual(readWholeYaml(source));
  return root !== undefined;
}

describe('the plain reader agrees with the whole parser', () => {
  test('about every scenario, and reads nearly all of the suite itself', () => {
    const read = SUITE.filter(expectTheSame);
    for (const text of FIXTURES) expectTheSame(text);
    expect(read.length / SUITE.length).toBeGreaterThan(0.9);
  });

  test.each([
    'a: 1',
    'a:\n',
    'a:\nb:\n',
    'a: \n',
    'a: # why\nb: c\n',
    'a: b # why\n# end\n',
    'a:\n- b\n',
    'a:\n  - b\n  - c: d\n    e: f\n',
    'a:\n  b: c\n d: e\n',
    'a: b\n  c\n',
    'a: b\n\n  c\n',
    'a: { b: c, d: [e, "f"] } # g\n',
    'a: {b: c}\n',
    'a: { b:c }\n',
    'a: { b: c, }\n',
    'a: { b: c d, e: f }\n',
    'a: "b" c\n',
    'a: "b"c\n',
    "a: 'it''s'\n",
    'a: "\\n"\n',
    'a: b: c\n',
    'a: b#c\n',
    'a: b:c\n',
    'a: 007\nb: 1e3\nc: 0x1f\nd: 1_000\ne: 15s\nf: 1.50\n',
    'a: True\nb: null\nc: ~\nd: false\n',
    'a: *b\n',
    'a: &b c\n',
    'a: !!str 1\n',
    'a: |\n  b\n',
    '- a\n- b\n',
    '-   a: b\n    c: d\n',
    '- - a\n',
    'a: b\na: c\n',
    'a: ${stake}\n',
    'a: { b: ${stake} }\n',
    'a: "${stake}" \n',
    'a: b\r\nc: d\r\n',
    'a:\tb\n',
    '---\na: b\n',
    'a: b\n...\n',
    '  a: b\n',
    'a: b\n#c',
    '"a": b\n',
    'a : b\n',
    'a',
    '',
  ])('about %j', (text) => {
    expectTheSame(text);
  });

  test('about scenarios with damage', () => {
    const damage = fc.record({
      text: fc.constantFrom(...SUITE, ...FIXTURES),
      at: fc.nat(),
      gone: fc.integer({ min: 0, max: 3 }),
      put: fc.stringMatching(/^[ \n\-:#,{}[\]"'a1&*!|>%@`~.?$\\]{0,3}$/),
    });
    fc.assert(
      fc.property(damage, ({ text, at, gone, put }) => {
        const place = at % (text.length + 1);
        expectTheSame(text.slice(0, place) + put + text.slice(place + gone));
      }),
      { numRuns: 1000 },
    );
  });
});
