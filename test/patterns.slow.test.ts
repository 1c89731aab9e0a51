import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { parseSync, Visitor } from 'oxc-parser';
import { expect, it } from 'vitest';

const SRC = path.resolve(import.meta.dirname, '../src');

/** Time in milliseconds after which recheck gives up on a pattern. It needs a few milliseconds for most patterns. */
const GIVE_UP_MS = 500;

/**
 * Files whose patterns recheck can't decide in this time, because they have long lists of words and large numbers of repetitions.
 * test/growth.test.ts measures them.
 */
const MEASURED: readonly string[] = ['reply/technical-text.ts'];

interface Pattern {
  readonly place: string;
  readonly source: string;
  readonly flags: string;
}

/** Returns the regular expressions that a file contains as literals. */
function patternsOf(file: string): readonly Pattern[] {
  const text = readFileSync(path.join(SRC, file), 'utf8');
  const patterns: Pattern[] = [];
  new Visitor({
    Literal(node) {
      if (!('regex' in node)) return;
      const line = text.slice(0, node.start).split('\n').length;
      patterns.push({ place: `src/${file}:${line}`, source: node.regex.pattern, flags: node.regex.flags });
    },
  }).visit(parseSync(file, text).program);
  return patterns;
}

it('every pattern takes a time that grows only linearly with the text', { timeout: 180_000 }, async () => {
  // recheck reads this variable when it is imported. Its other programs need Java, or exist only for some platforms.
  process.env.RECHECK_BACKEND = 'pure';
  const { checkSync } = await import('recheck');
  const files = readdirSync(SRC, { recursive: true, encoding: 'utf8' }).filter((file) => file.endsWith('.ts'));
  const patterns = files.filter((file) => !MEASURED.includes(file)).flatMap(patternsOf);
  const different = new Map(patterns.map((pattern) => [`/${pattern.source}/${pattern.flags}`, pattern]));
  expect(different.size).toBeGreaterThan(300);
  const slow = [...different.values()].flatMap(({ place, source, flags }) => {
    const found = checkSync(source, flags, { timeout: GIVE_UP_MS });
    return found.status === 'vulnerable' ? [`${place}: /${source}/${flags} is slow for ${found.attack.pattern}`] : [];
  });
  expect(slow).toEqual([]);
});
