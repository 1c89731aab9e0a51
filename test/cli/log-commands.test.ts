import { describe, expect, it } from 'vitest';
import { logCommandFilter } from '../../src/cli/log-commands.ts';
import { array, assert, constantFrom, nat, property } from '../properties.ts';
import { commandsIn } from './log-readers.ts';

const COMMANDS = [
  '::error::owned',
  '::set-output name=a::b',
  '##[error]owned',
  '##[set-env name=A;]b',
  '##vso[task.complete result=Succeeded;]done',
  "##teamcity[buildStatus status='SUCCESS']",
];
const BEFORE = [
  '',
  '   ',
  '\t',
  '\u00a0\u3000',
  '\r',
  'text\r',
  'text\r\n  ',
  '\u001b[31m',
  ' \u001b[0;1m \u001b[2m',
  '\u001b]0;title\u0007',
  '\u200b\ufeff',
  '\0',
  'line\u2028',
  '\n\n',
];
const ESCAPES = ['\u001b', '\u001b\\', '\u001b[', '\u001b]', '\u0007', '1m'];

describe('the output of croupier', () => {
  it.each(COMMANDS)('holds no command of a CI system after any text that may stand before it: %s', (command) => {
    for (const before of BEFORE) {
      const log = `${before}${command}\n`;
      expect(commandsIn(log), JSON.stringify(log)).not.toEqual([]);
      expect(commandsIn(logCommandFilter()(log)), JSON.stringify(log)).toEqual([]);
    }
  });

  it('holds no command with a bracket in the middle of a line, in other letters, or with invisible characters in it', () => {
    for (const log of ['a ##[error]x', '{"actual":"##vso[a.b]"}', '###[error]x', '#\u00ad#\u200bvso[a.b]'])
      expect(commandsIn(logCommandFilter()(log)), log).toEqual([]);
    expect(logCommandFilter()('##VSO[a.b]')).toBe('##VSO\\u005ba.b]');
  });

  it('holds no command, whatever the text is and however it is divided into pieces', () => {
    const piece = constantFrom(
      ...COMMANDS,
      ...BEFORE,
      '::',
      ':',
      '#',
      '##',
      '[',
      'vso[',
      'teamcity[',
      ']',
      ' ',
      'x',
      ...ESCAPES,
    );
    assert(
      property(array(piece, { maxLength: 12 }), array(nat(40), { maxLength: 6 }), (pieces, cuts) => {
        const text = pieces.join('');
        const filter = logCommandFilter();
        const points = [0, ...cuts.toSorted((a, b) => a - b), text.length];
        const written = points.slice(1).map((to, at) => filter(text.slice(points[at], Math.max(to, points[at] ?? 0))));
        expect(written.join('')).toBe(logCommandFilter()(text));
        expect(commandsIn(written.join(''))).toEqual([]);
      }),
      { numRuns: 2000 },
    );
  });

  it('keeps the values of a JSON text', () => {
    const value = { actual: COMMANDS.join('\n'), '##[error]': [...BEFORE, '::error::x'] };
    for (const text of [JSON.stringify(value), JSON.stringify(value, null, 2)]) {
      const written = logCommandFilter()(text);
      expect(commandsIn(written)).toEqual([]);
      expect(JSON.parse(written)).toEqual(value);
    }
  });

  it('is otherwise unchanged', () => {
    const text =
      'a::b\nstd::error::x\n# [x] ## Title\n  scenarios/a.yaml:4:7\n: one\n\u001b[31m✗ money\u001b[39m #[a]\n';
    expect(logCommandFilter()(text)).toBe(text);
  });
});
