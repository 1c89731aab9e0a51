import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { croupier } from '../cli/croupier.ts';

let cwd = '';
beforeEach(() => {
  cwd = mkdtempSync(path.join(tmpdir(), 'croupier-'));
});
afterEach(() => rmSync(cwd, { recursive: true, force: true }));

const HEAD = 'croupier: 1\ntitle: A bet\nrules: [bet.debit]\n';
const STEPS = 'steps:\n  - bet:\n  - balance:\n';
const NUMBERS = Array.from({ length: 1000 }, (_, at) => at).join();

/** Aliases that stand for 10^8 values. */
const BOMB = ['a: &a [x,x,x,x,x,x,x,x,x,x]']
  .concat(
    Array.from('bcdefgh', (name, at) => {
      const before = `*${'abcdefg'.charAt(at)}`;
      return `${name}: &${name} [${Array.from({ length: 10 }, () => before).join()}]`;
    }),
  )
  .join('\n');

const FILES: readonly (readonly [what: string, text: string, message: string])[] = [
  ['aliases of aliases', `${BOMB}\n${HEAD}${STEPS}`, 'more than 100 aliases'],
  [
    'a billion cases',
    `${HEAD}cases: { a: [${NUMBERS}], b: [${NUMBERS}], c: [${NUMBERS}] }\n${STEPS}`,
    'more than 500 cases',
  ],
  ['a fragment that uses itself', `${HEAD}steps:\n  - use: ./own.yaml\n`, 'own.yaml'],
  [
    'an expression with 20,000 levels',
    `${HEAD}steps:\n  - bet: { amount: "\${${'('.repeat(20_000)}stake${')'.repeat(20_000)}}" }\n`,
    'this expression is nested too deeply',
  ],
  ['100,000 levels of lists', '['.repeat(100_000), 'it is nested too deeply'],
  ['one text of 10 MB', 'a'.repeat(10_000_000), 'expected a scenario'],
  ['200,000 keys in one line', `${HEAD}steps: [{ bet: { ${'q: 1, '.repeat(200_000)} } }]\n`, 'is written twice'],
  [
    '100,000 unknown rules in one line',
    `croupier: 1\ntitle: A bet\nrules: [${'bet.nope, '.repeat(100_000)}]\n${STEPS}`,
    'there is no rule',
  ],
  ['bytes 0', `${HEAD}\u0000${STEPS}`, 'own.yaml'],
];

describe('a scenario file with', () => {
  it.each(FILES)('%s is a mistake with status 2', async (_, text, message) => {
    writeFileSync(path.join(cwd, 'own.yaml'), text);
    for (const args of [
      ['lint', 'own.yaml'],
      ['run', '--reference', 'own.yaml'],
    ]) {
      const { status, out, err } = await croupier(args, { cwd });
      expect(out + err).toContain(message);
      expect(out + err).not.toMatch(/\bat .*\.js:\d+/);
      expect(out.length + err.length).toBeLessThan(200_000);
      expect(status).toBe(2);
    }
  });

  it('escape sequences in its name is named without them', async () => {
    const name = 'evil\u001b[31m\u001b]0;title\u0007.yaml';
    writeFileSync(path.join(cwd, name), `${HEAD}steps: 7\n`);
    const { status, out, err } = await croupier(['lint', name], { cwd });
    expect(status).toBe(2);
    expect(out + err).toContain('.yaml:4:');
    expect(out + err).not.toMatch(/[\u0000-\u0009\u000b-\u001f]/);
  });
});
