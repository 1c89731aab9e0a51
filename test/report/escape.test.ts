import { XMLParser, XMLValidator } from 'fast-xml-parser';
import { describe, expect, it } from 'vitest';
import { forTerminal, forXmlAttribute, forXmlText } from '../../src/report/escape.ts';
import * as fc from '../properties.ts';

const anyText = fc.string({ unit: 'binary', maxLength: 60 });

describe('text for a terminal', () => {
  it.each([
    ['\u001B[2J', '\\x1b[2J'],
    ['a\nb\tc\r', 'a\\nb\\tc\\r'],
    ['\u009B31m', '\\x9b31m'],
    ['\u202Egpj.exe', '\\u{202e}gpj.exe'],
    ['zero\u200Bwidth', 'zero\\u{200b}width'],
    ['\uD800', '\\u{d800}'],
    ['\u{E0041}', '\\u{e0041}'],
    ['Grüße, 玩家 🎲', 'Grüße, 玩家 🎲'],
  ])('%j becomes %j', (text, shown) => {
    expect(forTerminal(text)).toBe(shown);
  });

  it('never contains a character that controls a terminal', () => {
    fc.assert(
      fc.property(anyText, (text) => {
        expect(forTerminal(text)).not.toMatch(/[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]/u);
      }),
    );
  });
});

describe('text for XML', () => {
  const parser = new XMLParser({
    ignoreAttributes: false,
    trimValues: false,
    parseTagValue: false,
    parseAttributeValue: false,
  });

  it('is well-formed for any text', () => {
    fc.assert(
      fc.property(anyText, (text) => {
        const xml = `<a b="${forXmlAttribute(text)}">${forXmlText(text)}</a>`;
        expect(XMLValidator.validate(xml)).toBe(true);
        expect(xml).not.toMatch(/[^\P{Cc}\t\n\r]|[\p{Cs}\uFFFE\uFFFF]/u);
      }),
    );
  });

  it('is read back unchanged if XML can contain it', () => {
    const printable = fc.string({ unit: 'grapheme-composite', minLength: 1, maxLength: 40 });
    fc.assert(
      fc.property(printable, (text) => {
        fc.pre(!/[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]/u.test(text));
        const read = parser.parse(`<a b="${forXmlAttribute(text)}">${forXmlText(text)}</a>`) as {
          a: Record<string, string>;
        };
        expect(read.a['@_b']).toBe(text);
        expect(read.a['#text']).toBe(text);
      }),
    );
  });
});

it('line and paragraph separators become visible in XML', () => {
  expect(forXmlText('a\u2028b\u2029c')).toBe('a\\u{2028}b\\u{2029}c');
});
