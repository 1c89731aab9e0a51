import { describe, expect, it } from 'vitest';
import { webAddress } from '../../../src/service/game-page/players.ts';

describe('webAddress', () => {
  it.each(['https://casino.example/lobby?a=1', 'http://127.0.0.1:8080/'])('accepts %s', (address) => {
    expect(webAddress(address)).toBe(address);
  });

  it.each([
    'javascript:alert(1)',
    'JaVaScRiPt:alert(1)',
    '\tjavascript:alert(1)',
    'data:text/html,x',
    '//casino.example',
    '/lobby',
    'lobby',
    '',
    undefined,
  ])('rejects %s', (address) => {
    expect(webAddress(address)).toBeNull();
  });
});
