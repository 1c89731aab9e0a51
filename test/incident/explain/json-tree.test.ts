import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { mapTree, readTree, writeTree } from '../../../src/incident/explain/json-tree.ts';

function rewritten(text: string, style: Parameters<typeof writeTree>[1] = {}): string | undefined {
  const tree = readTree(text);
  return tree && writeTree(tree, style);
}

describe('readTree and writeTree', () => {
  it('write every value as JSON.stringify does', () => {
    fc.assert(
      fc.property(fc.json(), fc.constantFrom(undefined, 2, '\t'), (text, space) => {
        const value: unknown = JSON.parse(text);
        const indent = typeof space === 'number' ? '  ' : space;
        const style = indent === undefined ? {} : { indent, colon: ': ' };
        // Numbers keep the form in which they were written, so that both sides start from JavaScript's.
        expect(rewritten(JSON.stringify(value), style)).toBe(JSON.stringify(value, null, space));
      }),
    );
  });

  it('keep what parsers lose', () => {
    expect(rewritten('{ "2":1.0, "1":1e2, "2":null }')).toBe('{"2":1.0,"1":1e2,"2":null}');
    expect(rewritten('{"b":[{"d":1,"c":-0}],"a":{}}', { order: 'sorted' })).toBe('{"a":{},"b":[{"c":-0,"d":1}]}');
    expect(rewritten('{"a":1,"b":2}', { order: 'reversed', comma: ', ' })).toBe('{"b":2, "a":1}');
  });

  it('refuse what is no JSON, or is nested without end', () => {
    for (const text of ['', '{', '{a:1}', "{'a':1}", 'NaN', '[1,]', '\uFEFF{}', '['.repeat(9999) + ']'.repeat(9999)]) {
      expect(readTree(text)).toBeUndefined();
    }
  });

  it('read long texts', () => {
    const text = JSON.stringify({ a: 'x\\"'.repeat(200_000) });
    expect(rewritten(text)).toBe(text);
  });
});

describe('mapTree', () => {
  it('tells in which member a value stands', () => {
    const tree = readTree('{"a":"1","b":["2",{"c":"3"}]}');
    const named =
      tree &&
      mapTree(tree, (value, name) => (value.kind === 'text' ? { kind: 'word', word: `${name}${value.text}` } : value));
    expect(named && writeTree(named)).toBe('{"a":a1,"b":[b2,{"c":c3}]}');
  });
});
