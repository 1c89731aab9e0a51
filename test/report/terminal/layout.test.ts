import { Chalk } from 'chalk';
import { describe, expect, it } from 'vitest';
import {
  clip,
  columnsOf,
  cutTo,
  duration,
  flow,
  hanging,
  padEnd,
  padStart,
  wrap,
} from '../../../src/report/terminal/layout.ts';
import * as fc from '../../properties.ts';

describe('wrap', () => {
  it('breaks lines at spaces, and long words after a separator', () => {
    expect(wrap('the balance is 78.00', 12)).toEqual(['the balance', 'is 78.00']);
    expect(wrap('{"amount":"11.00","type":"regular"}', 20)).toEqual(['{"amount":"11.00",', '"type":"regular"}']);
    expect(wrap('', 10)).toEqual(['']);
  });

  it('counts two columns for each letter of a wide script, and for an emoji', () => {
    expect(wrap('残高が足りません', 8)).toEqual(['残高が足', 'りません']);
    expect(wrap('余额 不足 😀😀😀', 8)).toEqual(['余额', '不足', '😀😀😀']);
    expect(hanging('残高 ', '一 二 三 四 五 六 七 八', 25)).toEqual(['残高 一 二 三 四 五 六 七', '     八']);
  });

  it('never breaks an identifier, an address or a signature', () => {
    const id = 'df0c2a4e-5d1b-4c77-9a30-000000000077';
    const url = 'https://wallet.example/balance?sessionID=eu-usd-1&a=b;c';
    expect(wrap(`the bet ${id} was taken`, 20)).toEqual(['the bet', id, 'was taken']);
    expect(wrap(`{"amount":"11.00","txID":"${id}"}`, 20)).toEqual(['{"amount":"11.00",', `"txID":"${id}"}`]);
    expect(wrap(`GET ${url}`, 20)).toEqual(['GET', url]);
  });

  it('loses no character, and exceeds the width only by one word', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme', maxLength: 200 }), fc.integer({ min: 5, max: 40 }), (text, width) => {
        const lines = wrap(text, width);
        // wrap-ansi returns letters in composed form, which looks the same, so both texts are normalised.
        expect(lines.join('').replace(/\s/gu, '')).toBe(text.normalize().replace(/\s/gu, ''));
        // Only a word, such as an identifier, may be too wide.
        for (const line of lines) if (columnsOf(line) > width) expect(line).not.toMatch(/\S \S/u);
      }),
    );
  });

  it('aligns further lines of a labelled text with its first line', () => {
    expect(hanging('- ', 'one two three four five six', 25)).toEqual(['- one two three four five', '  six']);
  });
});

const { red } = new Chalk({ level: 1 });

describe('flow', () => {
  it('measures the visible width and keeps colour codes', () => {
    expect(
      flow(
        ['one', 'two', 'three'].map((text) => red(text)),
        ' ',
        8,
      ),
    ).toEqual([`${red('one')} ${red('two')}`, red('three')]);
    expect(flow([], ' ', 8)).toEqual([]);
  });

  it('breaks no piece, and puts a piece that is too wide on its own line', () => {
    expect(flow(['a b', 'c d', '残高 不足 残高'], '   ', 9)).toEqual(['a b   c d', '残高 不足 残高']);
  });
});

describe('columns of a terminal', () => {
  it('are padded to the visible width', () => {
    expect(padEnd('残高', 6)).toBe('残高  ');
    expect(padStart('残高', 6)).toBe('  残高');
    expect(padEnd('too long', 3)).toBe('too long');
  });

  it('are cut at their width, and never within an emoji', () => {
    expect(cutTo('残高が足りません', 8)).toBe('残高が…');
    expect(cutTo('ab👨‍👩‍👧cd', 5)).toBe('ab👨‍👩‍👧…');
    expect(cutTo('abcd', 4)).toBe('abcd');
  });
});

describe('durations and lengths for people', () => {
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

  it('names the whole length of a text that is cut', () => {
    expect(clip('abcdef', 3)).toBe('abc… (6 characters)');
    expect(clip('abc', 3)).toBe('abc');
  });
});
