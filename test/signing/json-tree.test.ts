import { describe, expect, it } from 'vitest';
import { mapTree, readTree, writeTree } from '../../src/signing/json-tree.ts';
import * as fc from '../properties.ts';

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

  it('keep the order of members, duplicate names and the digits of numbers', () => {
    expect(rewritten('{ "2":1.0, "1":1e2, "2":null }')).toBe('{"2":1.0,"1":1e2,"2":null}');
    expect(rewritten('{"b":[{"d":1,"c":-0}],"a":{}}', { order: 'sorted' })).toBe('{"a":{},"b":[{"c":-0,"d":1}]}');
    expect(rewritten('{"a":1,"b":2}', { order: 'reversed', comma: ', ' })).toBe('{"b":2, "a":1}');
  });

  it('return undefined for text that is not JSON or is nested too deeply', () => {
    for (const text of ['', '{', '{a:1}', "{'a':1}", 'NaN', '[1,]', '\uFEFF{}', '['.repeat(9999) + ']'.repeat(9999)]) {
      expect(readTree(text)).toBeUndefined();
    }
  });

  it('read a text of 800,000 characters', () => {
    const text = JSON.stringify({ a: 'x\\"'.repeat(200_000) });
    expect(rewritten(text)).toBe(text);
  });
});

describe('mapTree', () => {
  it('passes each value with the name of the nearest member around it', () => {
    const tree = readTree('{"a":"1","b":["2",{"c":"3"}]}');
    const named =
      tree &&
      mapTree(tree, (value, name) => (value.kind === 'text' ? { kind: 'word', word: `${name}${value.text}` } : value));
    expect(named && writeTree(named)).toBe('{"a":a1,"b":[b2,{"c":c3}]}');
  });
});
