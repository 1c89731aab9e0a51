import { describe, expect, it } from 'vitest';
import { type Line, linesOf } from '../../../src/traffic/read/file-bytes.ts';
import { LineSearch, SessionSearch } from '../../../src/traffic/read/line-search.ts';

/** Splits a text into parts of a few bytes, so that some lines are in several parts. */
async function* parts(text: string, length: number): AsyncGenerator<Uint8Array> {
  const bytes = Buffer.from(text);
  for (let at = 0; at < bytes.length; at += length) yield bytes.subarray(at, at + length);
}

async function eachLine<T>(text: string, length: number, read: (line: Line) => T): Promise<readonly T[]> {
  const found: T[] = [];
  for await (const lines of linesOf(parts(text, length))) for (const line of lines) found.push(read(line));
  return found;
}

describe('LineSearch', () => {
  it.each([4, 7, 16, 1000])('finds the lines that contain one of the texts, in parts of %d bytes', async (length) => {
    const lines = ['s-1 then', 's-2', '', 'ü s-1', 'no', 's-', '1', 'xs-3s-1', 's-3'];
    const search = new LineSearch(['s-1', 's-3']);
    expect(await eachLine(lines.join('\n'), length, (line) => search.isIn(line))).toEqual(
      lines.map((line) => line.includes('s-1') || line.includes('s-3')),
    );
  });
});

describe('SessionSearch', () => {
  it.each([
    ['{"sessionID":"1-a"}', 'plain'],
    ['{"body":"{\\"sessionID\\":\\"1-a\\"}"}', 'plain'],
    ["{'sessionID': '1-a'}", 'plain'],
    ['GET /balance?sessionID=1-a HTTP/1.1', 'plain'],
    ['GET /balance?sessionID=1-a', 'plain'],
    ['{"balance":"1.00"}', 'none'],
    // These ids are masked or cut, or may be so.
    ['{"sessionID":"1-a', 'unsure'],
    ['{"sessionID":"1-a…"}', 'unsure'],
    ['GET /balance?sessionID=1-a…', 'unsure'],
    ['GET /balance?sessionID=1-a...', 'unsure'],
    ['{"sessionID":"***"}', 'unsure'],
    ['{"sessionID":"xxxx"}', 'unsure'],
    ['{"sessionID":""}', 'unsure'],
    ['{"sessionID":null}', 'unsure'],
    ['the sessionID is unknown, sessionID=1-a', 'unsure'],
  ])('reads %s as %s', async (line, expected) => {
    const search = new SessionSearch();
    expect(await eachLine(`first\n${line}\nlast`, 1000, (each) => search.in(each))).toEqual(['none', expected, 'none']);
  });
});
