import { describe, expect, it } from 'vitest';
import { membersOf } from '../../../src/report/html/reading.ts';

const read = (text: string) => membersOf(text).map((member) => [member.name, member.text]);

describe('the members of a JSON object', () => {
  it('are returned with their positions and their JSON text', () => {
    const text = ' { "balance" : "9.00",\n"n":1e2, "o": {"a":[1,"}"]}, "q\\"":"\\\\" }';
    expect(read(text)).toEqual([
      ['balance', '"9.00"'],
      ['n', '1e2'],
      ['o', '{"a":[1,"}"]}'],
      ['q"', '"\\\\"'],
    ]);
    for (const { from, to, text: own } of membersOf(text)) expect(text.slice(from, to)).toBe(own);
  });

  it('are returned twice if a name occurs twice', () => {
    expect(read('{"a":1,"a":2}')).toEqual([
      ['a', '1'],
      ['a', '2'],
    ]);
  });

  it.each(['', '[]', '"{}"', '{"a":1', 'null', '{"a":1}x'])('are an empty list for %j', (text) => {
    expect(membersOf(text)).toEqual([]);
  });
});
