import { describe, expect, it } from 'vitest';
import { checkKey } from '../../../src/app/config/key.ts';

describe('checkKey', () => {
  it.each(['secret-key', 'secret-key\n', 'secret-key\r\n'])('removes the line break of %j', (text) => {
    expect(checkKey(text, 'the key')).toBe('secret-key');
  });

  it.each([
    ['', 'is empty'],
    ['\n', 'is empty'],
    ['one-key\ntwo-key', 'has several lines'],
    [' secret-key', 'white space'],
    ['abc', 'too short'],
  ])('refuses %j, which %s', (text, reason) => {
    expect(() => checkKey(text, 'the key')).toThrow(reason);
  });

  it('never shows the refused text', () => {
    expect(() => checkKey('one-key\ntwo-key', 'the key')).not.toThrow(/one-key/);
  });
});
