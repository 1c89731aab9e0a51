import { describe, expect, it } from 'vitest';
import { type Line, linesOf } from '../../../src/incident/read/lines.ts';
import { type FoundObject, objectsOf } from '../../../src/incident/read/objects.ts';

async function* inPieces(text: string, size: number): AsyncGenerator<Uint8Array> {
  const bytes = Buffer.from(text);
  for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size);
}

async function lines(text: string, size: number, longest?: number): Promise<readonly Line[]> {
  const found: Line[] = [];
  for await (const line of linesOf(inPieces(text, size), longest)) found.push(line);
  return found;
}

async function objects(
  text: string,
  within: string | null,
  size: number,
  biggest?: number,
): Promise<readonly FoundObject[]> {
  const found: FoundObject[] = [];
  for await (const object of objectsOf(inPieces(text, size), within, biggest)) found.push(object);
  return found;
}

describe.each([1, 2, 7, 1000])('read in pieces of %i bytes', (size) => {
  it('lines are whole, of any script, and the last may be torn', async () => {
    expect(await lines('\uFEFFé\n\n😀 x\ntorn', size)).toEqual([
      { number: 1, text: 'é', ended: true },
      { number: 2, text: '', ended: true },
      { number: 3, text: '😀 x', ended: true },
      { number: 4, text: 'torn', ended: false },
    ]);
  });

  it('a line that is too long is skipped and counted', async () => {
    const found = await lines(`ab\n${'x'.repeat(50)}\ncd\n${'y'.repeat(50)}`, size, 10);
    expect(found.map(({ text }) => text)).toEqual(['ab', null, 'cd', null]);
  });

  it('objects are those of the entries, whatever stands in strings', async () => {
    const text =
      '{"log":{"a":["{\\"","]"],"x":{"y":[{"no":1}]},\n"entries":[{"i":1,"s":"}\\\\\\"{"},\n{"i":{"j":[2]}}],"after":[{"no":2}]}}';
    const found = await objects(text, 'entries', size);
    expect(found.map(({ line, text: one }) => [line, JSON.parse(one ?? 'null')])).toEqual([
      [2, { i: 1, s: '}\\"{' }],
      [3, { i: { j: [2] } }],
    ]);
  });

  it('objects may follow one another, be too big, or be cut off', async () => {
    const big = JSON.stringify({ x: 'y'.repeat(100) });
    const found = await objects(`{"i":1}\n${big}\n{"i":2}\n{"i":`, null, size, 50);
    expect(found.map(({ line, why }) => [line, why])).toEqual([
      [1, 'whole'],
      [2, 'too big'],
      [3, 'whole'],
      [4, 'cut off'],
    ]);
  });

  it('a list may be the document', async () => {
    expect(await objects('[{"a":[{"b":1}]},\n{"c":2}]', 'entries', size)).toHaveLength(2);
  });
});
