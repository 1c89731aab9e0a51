import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { clip, duration, flow, hanging, wrap } from '../../src/report/layout.ts';

describe('wrapping', () => {
  it('breaks at blanks, and long words behind a separator', () => {
    expect(wrap('the balance is 78.00', 12)).toEqual(['the balance', 'is 78.00']);
    expect(wrap('{"amount":"11.00","type":"regular"}', 20)).toEqual(['{"amount":"11.00",', '"type":"regular"}']);
    expect(wrap('', 10)).toEqual(['']);
  });

  it('loses nothing and stands out nowhere', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme', maxLength: 200 }), fc.integer({ min: 5, max: 40 }), (text, width) => {
        const lines = wrap(text, width);
        expect(lines.join('').replaceAll(' ', '')).toBe(text.replaceAll(' ', ''));
        for (const line of lines) expect(Array.from(line).length).toBeLessThanOrEqual(width);
      }),
    );
  });

  it('aligns further lines with the text beside the label', () => {
    expect(hanging('- ', 'one two three four five six', 25)).toEqual(['- one two three four five', '  six']);
  });
});

const piece = (plain: string) => ({ plain, shown: `<b>${plain}</b>` });

describe('flowing', () => {
  it('measures what is seen, and prints what is given', () => {
    expect(flow([piece('one'), piece('two'), piece('three')], ' ', 8)).toEqual([
      '<b>one</b> <b>two</b>',
      '<b>three</b>',
    ]);
    expect(flow([], ' ', 8)).toEqual([]);
  });
});

describe('amounts for people', () => {
  it.each([
    [0.04, '0 ms'],
    [0.36, '0.4 ms'],
    [12.4, '12 ms'],
    [999.4, '999 ms'],
    [6412, '6.4 s'],
    [59_990, '1 min 0 s'],
    [123_400, '2 min 3 s'],
  ])('%d ms is %s', (ms, text) => {
    expect(duration(ms)).toBe(text);
  });

  it('says how long a text was that is cut', () => {
    expect(clip('abcdef', 3)).toBe('abc… (6 characters)');
    expect(clip('abc', 3)).toBe('abc');
  });
});
