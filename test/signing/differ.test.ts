import { describe, expect, it } from 'vitest';
import { firstDifference } from '../../src/signing/differ.ts';

const differ = (first: string, second: string) => firstDifference(Buffer.from(first), Buffer.from(second));

describe('firstDifference', () => {
  it('is null for the same bytes', () => {
    expect(differ('é', 'é')).toBeNull();
  });

  it('names the first different byte, with the text around it', () => {
    expect(differ('{"a":1}', '{"b":1}')).toEqual({
      at: 2,
      first: '{"a":1}',
      second: '{"b":1}',
      firstByte: '0x61',
      secondByte: '0x62',
    });
  });

  it('has null for the byte after the end of the shorter payload', () => {
    expect(differ('ab', 'ab\n')).toMatchObject({ at: 2, firstByte: null, secondByte: '0x0a' });
  });

  it('shows only a part of long payloads, and never half a character', () => {
    const difference = differ(`${'é'.repeat(50)}x${'é'.repeat(50)}`, `${'é'.repeat(50)}y${'é'.repeat(50)}`);
    expect(difference?.at).toBe(100);
    expect(difference?.first).toMatch(/^…é+xé+…$/);
    // A difference inside a character shows the whole character.
    expect(differ('é', 'è')).toMatchObject({ at: 1, first: 'é', second: 'è' });
  });
});
