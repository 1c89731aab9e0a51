import { inspect } from 'node:util';
import { describe, expect, it } from 'vitest';
import { inspectedObject } from '../../../../src/traffic/read/multiline/inspected.ts';

describe('an object that Node.js has printed', () => {
  it.each([
    { a: '5.00', b: 5, c: -1.5e-7, d: true, e: null, f: [1, 'two', []], g: {} },
    { 'x-request-sign': "it's", quoted: 'both \' and "', all: '\' " `', line: 'a\nb\\c\u0007\u00E9', __: '' },
    { long: 'word '.repeat(60), body: '{"amount":"5.00"}', list: Array.from({ length: 30 }, (_, index) => index) },
  ])('is read as it was', (value) => {
    expect(inspectedObject(inspect(value))).toEqual(value);
    expect(inspectedObject(inspect(value, { compact: false }))).toEqual(value);
  });

  it('is read without the values that Node.js leaves out, and with the mark of a cut text', () => {
    const cyclic: Record<string, unknown> = {
      a: { b: { c: { d: 1 } } },
      gone: undefined,
      run: () => 1,
      map: new Map(),
    };
    cyclic.self = cyclic;
    const text = inspect(
      { ...cyclic, bytes: Buffer.from('x'), text: 'y'.repeat(30), more: [1, 2, 3] },
      { maxStringLength: 10, maxArrayLength: 2 },
    );
    expect(inspectedObject(text)).toMatchObject({ a: { b: {} }, text: `${'y'.repeat(10)}…`, more: [1, 2] });
    expect(inspectedObject(text)?.gone).toBeUndefined();
  });

  it.each(['{', '{ a: }', '{ a: 1', '{ a: 1 } b', "{ a: 'b }", 'a', '{"a":1'])('is not any other text: %s', (text) => {
    expect(inspectedObject(text)).toBeUndefined();
  });
});
