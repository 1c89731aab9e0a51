import { describe, expect, it } from 'vitest';
import { type Line, linesOf } from '../../../src/traffic/read/file-bytes.ts';
import { inPieces } from './entries-in.ts';

async function lines(
  text: string,
  size: number,
  maxLength?: number,
): Promise<readonly Pick<Line, 'number' | 'text' | 'ended'>[]> {
  const found: Pick<Line, 'number' | 'text' | 'ended'>[] = [];
  for await (const some of linesOf(inPieces(text, size), maxLength))
    found.push(...some.map((line) => ({ number: line.number, text: line.text, ended: line.ended })));
  return found;
}

describe.each([1, 2, 7, 1000])('linesOf, in pieces of %i bytes', (size) => {
  it('gives whole lines in any script, and marks a last line without a line end', async () => {
    expect(await lines('\uFEFFé\n\n😀 x\ntorn', size)).toEqual([
      { number: 1, text: 'é', ended: true },
      { number: 2, text: '', ended: true },
      { number: 3, text: '😀 x', ended: true },
      { number: 4, text: 'torn', ended: false },
    ]);
  });

  it('skips a line that is too long, and counts it', async () => {
    const found = await lines(`ab\n${'x'.repeat(50)}\ncd\n${'y'.repeat(50)}`, size, 10);
    expect(found.map(({ text }) => text)).toEqual(['ab', null, 'cd', null]);
  });
});
