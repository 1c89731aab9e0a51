import { describe, expect, it } from 'vitest';
import { checkKey } from '../../src/cli/key.ts';

describe('checkKey', () => {
  it.each(['secret-key', 'secret-key\n', 'secret-key\r\n'])('takes the line break off %j', (text) => {
    expect(checkKey(text, 'the key')).toBe('secret-key');
  });

  it.each([
    ['', 'is empty'],
    ['\n', 'is empty'],
    ['one-key\ntwo-key', 'has several lines'],
    [' secret-key', 'blank'],
    ['abc', 'too short'],
  ])('refuses %j: it %s', (text, reason) => {
    expect(() => checkKey(text, 'the key')).toThrow(reason);
  });

  it('never shows what it refuses', () => {
    expect(() => checkKey('one-key\ntwo-key', 'the key')).not.toThrow(/one-key/);
  });
});
