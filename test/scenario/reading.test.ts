import { describe, expect, it } from 'vitest';
import { type Binding, NO_BINDINGS, Reading, rangeWithin, uses } from '../../src/scenario/reading.ts';
import type { Diagnostic } from '../../src/scenario/yaml/diagnostic.ts';
import { toSource } from '../../src/scenario/yaml/source.ts';
import type { ScalarNode } from '../../src/scenario/yaml/yaml-node.ts';

/** A scalar that is the whole text of its file. */
function scalar(value: ScalarNode['value'], file = 'x.yaml'): ScalarNode {
  const written = String(value);
  const range = { source: toSource(file, written), start: 0, end: written.length };
  return { kind: 'scalar', value, written, range, ...(typeof value === 'string' && { textStart: 0 }) };
}

function binding(value: ScalarNode['value'], scope = NO_BINDINGS): Binding {
  return { node: scalar(value, 'cases.yaml'), scope, used: false };
}

describe('Reading.template', () => {
  const bindings = new Map([
    ['n', binding(5)],
    ['amount', binding('2.00')],
    ['sum', binding('${2 * stake}')],
    ['greeting', binding('hello ${first.txID}')],
  ]);
  const stake = { kind: 'name', path: ['stake'] };
  it.each<[ScalarNode['value'], unknown]>([
    [7, { kind: 'literal', value: 7 }],
    [null, { kind: 'literal', value: null }],
    ['plain', { kind: 'literal', value: 'plain' }],
    ['${stake}', { kind: 'expression', expression: stake }],
    ['a ${stake} b', { kind: 'text', parts: ['a ', stake, ' b'] }],
    ["${'quoted'}", { kind: 'literal', value: 'quoted' }],
    ["${'}'}", { kind: 'literal', value: '}' }],
    ['${n}', { kind: 'literal', value: 5 }],
    ['a ${n} b', { kind: 'literal', value: 'a 5 b' }],
    ['${n} and ${amount}', { kind: 'literal', value: '5 and 2.00' }],
    ['${sum}', { kind: 'expression', expression: { kind: 'arithmetic', operator: '*' } }],
    ['${greeting}', { kind: 'text', parts: ['hello ', { kind: 'name', path: ['first', 'txID'] }] }],
    ['${greeting}!', { kind: 'text', parts: ['hello ', { kind: 'name', path: ['first', 'txID'] }, '!'] }],
    ['${stake + amount}', { kind: 'expression', expression: { right: { kind: 'value', value: '2.00' } } }],
    ['${-n}', { kind: 'expression', expression: { kind: 'negate', of: { kind: 'value', value: 5 } } }],
  ])('reads %j', (value, template) => {
    expect(new Reading(bindings).template(scalar(value))).toMatchObject(template as object);
  });

  it.each([
    ['${stake', '1:1 this `${` is not closed'],
    ['a ${1 +} b', '1:8 the expression in `${…}` is not complete'],
    ['${stake / 2}', '1:9 `${…}` has no division, because the result could be inexact'],
  ])('reports the mistake in %j at its column', (value, message) => {
    const diagnostics = new Map<string, Diagnostic>();
    expect(new Reading(NO_BINDINGS, undefined, diagnostics).template(scalar(value))).toBeUndefined();
    expect([...diagnostics.values()].map((one) => `${one.line}:${one.column} ${one.message}`)).toEqual([message]);
  });

  it('records every name without a binding, with its step, and marks the bindings that are used', () => {
    const used = new Map([
      ['a', binding('${b.txID}')],
      ['unused', binding(1)],
    ]);
    const reading = new Reading(used);
    reading.template(scalar('${before}'));
    reading.nextStep();
    reading.template(scalar('${a} ${c.reply.x}'));
    expect(reading.references.map(({ path, step }) => [path.join('.'), step])).toEqual([
      ['before', undefined],
      ['b.txID', 0],
      ['c.reply.x', 0],
    ]);
    expect([used.get('a')?.used, used.get('unused')?.used]).toEqual([true, false]);
  });
});

describe('Reading.resolve', () => {
  it('replaces a whole text by its binding, and keeps the position of the value and the position of its use', () => {
    const resolved = new Reading(new Map([['n', binding(5)]])).resolve(scalar('${ n }'));
    expect(resolved).toMatchObject({
      kind: 'scalar',
      value: 5,
      range: { source: { file: 'cases.yaml' }, usedFrom: { file: 'x.yaml', line: 1, column: 1 } },
    });
  });

  it('resolves the value of a binding in the scope in which it was written', () => {
    const outer = new Map([['n', binding(5)]]);
    const inner = new Map([
      ['n', binding(6)],
      ['m', binding('${n}', outer)],
    ]);
    expect(new Reading(inner).resolve(scalar('${m}'))).toMatchObject({ value: 5 });
  });

  it.each([['${stake}'], ["${'${'}stake}"], ['${']])('keeps %j, which is not plain text', (value) => {
    const node = scalar(value);
    expect(new Reading(NO_BINDINGS).resolve(node)).toBe(node);
  });

  it('joins bindings inside a text', () => {
    expect(new Reading(new Map([['n', binding(5)]])).resolve(scalar('${n}xx'))).toMatchObject({ value: '5xx' });
  });
});

it('a reading reports the same mistake at the same place once, and at most 200 mistakes', () => {
  const diagnostics = new Map<string, Diagnostic>();
  const reading = new Reading(NO_BINDINGS, undefined, diagnostics);
  const { range } = scalar('x'.repeat(500));
  reading.report(range, 'wrong');
  reading.report(range, 'wrong');
  expect(diagnostics.size).toBe(1);
  for (let at = 0; at < 300; at += 1) reading.report({ ...range, start: at }, 'wrong');
  expect(diagnostics.size).toBe(200);
});

it('a range inside a scalar is the whole scalar if escapes hide the exact place', () => {
  const node = scalar('abcdef');
  expect(rangeWithin(node, 2, 4)).toMatchObject({ start: 2, end: 4 });
  const { textStart: _, ...escaped } = node;
  expect(rangeWithin(escaped, 2, 4)).toBe(node.range);
});

it('the function `uses` finds a name at any depth of a template', () => {
  const template = new Reading(NO_BINDINGS).template(scalar('a ${-(2 * balance.guest)}'));
  expect(template && uses(template, new Set(['balance']))).toBe(true);
  expect(template && uses(template, new Set(['guest']))).toBe(false);
});
