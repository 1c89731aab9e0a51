import { describe, expect, it } from 'vitest';
import { wantsColour } from '../../src/cli/process-stdio.ts';

describe('wantsColour', () => {
  it.each([
    ['a terminal', { flag: undefined, env: {}, tty: true }, true],
    ['no terminal', { flag: undefined, env: {}, tty: false }, false],
    ['a dumb terminal', { flag: undefined, env: { TERM: 'dumb' }, tty: true }, false],
    ['NO_COLOR', { flag: undefined, env: { NO_COLOR: '1' }, tty: true }, false],
    ['an empty NO_COLOR', { flag: undefined, env: { NO_COLOR: '' }, tty: true }, true],
    ['FORCE_COLOR', { flag: undefined, env: { FORCE_COLOR: '1' }, tty: false }, true],
    ['an empty FORCE_COLOR', { flag: undefined, env: { FORCE_COLOR: '' }, tty: true }, false],
    ['FORCE_COLOR=0', { flag: undefined, env: { FORCE_COLOR: '0' }, tty: true }, false],
    ['FORCE_COLOR before NO_COLOR', { flag: undefined, env: { FORCE_COLOR: '1', NO_COLOR: '1' }, tty: false }, true],
    ['--color before all', { flag: true, env: { NO_COLOR: '1', FORCE_COLOR: '0' }, tty: false }, true],
    ['--no-color before all', { flag: false, env: { FORCE_COLOR: '1' }, tty: true }, false],
  ])('decides rightly about colours with: %s', (_, question, expected) => {
    expect(wantsColour(question)).toBe(expected);
  });
});
