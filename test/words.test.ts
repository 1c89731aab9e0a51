import { globSync, readFileSync, statSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { hardWords } from './plain-words.ts';

const ROOT = path.resolve(import.meta.dirname, '..');

/** The files and folders whose English is checked. */
const CHECKED = [
  'README.md',
  'CONTRIBUTING.md',
  'CHANGELOG.md',
  'SECURITY.md',
  'action.yml',
  'bench',
  'ci',
  'docs',
  'examples',
  'scenarios',
  'scripts',
  'src',
  'test',
];

/** The check itself names the words. */
const LEFT_OUT = new Set(['test/plain-words.ts', 'test/words.test.ts']);

function filesIn(place: string): readonly string[] {
  if (!statSync(path.join(ROOT, place)).isDirectory()) return [place];
  return globSync('**/*.{md,ts,yaml,yml}', { cwd: path.join(ROOT, place) }).map((file) => `${place}/${file}`);
}

it.each(CHECKED)(
  '%s is written in plain English',
  (place) => {
    const files = filesIn(place).filter((file) => !LEFT_OUT.has(file));
    expect(files.flatMap((file) => hardWords(file, readFileSync(path.join(ROOT, file), 'utf8')))).toEqual([]);
  },
  90_000,
);

describe('the check of words', () => {
  it('finds a hard word in a paragraph, a table and a command comment of a page, and names the line', () => {
    const page = [
      '# A page',
      '',
      'A rule',
      'was mended.',
      '',
      '| a | for want of money |',
      '',
      '```sh',
      'ls # told',
      '```',
    ];
    expect(hardWords('docs/page.md', page.join('\n'))).toEqual([
      'docs/page.md:4: "mended": write "fix"',
      'docs/page.md:6: "for want of": write "because … is missing"',
      'docs/page.md:9: "told": write "logged", "reported", "says"',
    ]);
  });

  it('finds a sentence that begins with What or How and is no question, also in a list', () => {
    const page = ['It runs. What it finds', 'is printed.', '', '- How it runs is shown.', '- What now? Nothing.'];
    expect(hardWords('docs/page.md', page.join('\n'))).toEqual([
      'docs/page.md:1: "What it finds is printed.": begin with the subject',
      'docs/page.md:4: "How it runs is shown.": begin with the subject',
    ]);
  });

  it('accepts headings, cells, inline code and what a program printed', () => {
    const page = [
      '## What is read',
      '',
      '| What | How |',
      '',
      'Read `mendFirst`.',
      '',
      '```',
      '$ croupier',
      'mended',
      '```',
    ];
    expect(hardWords('docs/page.md', page.join('\n'))).toEqual([]);
  });

  it('finds a hard word in the title and in a comment of a scenario', () => {
    expect(hardWords('scenarios/a.yaml', 'title: What a bet does\nsteps: # so many\n')).toEqual([
      'scenarios/a.yaml:1: "What a bet does": begin with the subject',
      'scenarios/a.yaml:2: "so many": write "this number of", "every Nth", "how often"',
    ]);
  });

  it('finds a hard word in comments and texts of code, and not in its names', () => {
    const code = [
      '/**',
      ' * Who is told of it.',
      ' */',
      "const told = 'whom to judge';",
      'const b = `reckoned ${told}`;',
    ];
    expect(hardWords('src/a.ts', code.join('\n'))).toEqual([
      'src/a.ts:2: "told": write "logged", "reported", "says"',
      'src/a.ts:4: "whom": write a shorter sentence with "who" or a name',
      'src/a.ts:5: "reckoned": write "compute", "expect", "count"',
    ]);
  });

  it('accepts the old name of a flag, and finds it in prose', () => {
    expect(hardWords('src/a.ts', "flag('--habit <name>', 'add a habit to it'); choices(['habits']);")).toEqual([
      'src/a.ts:1: "habit": write "variant"',
    ]);
  });

  it('finds a hard word in the title of a test, and not in the values that it uses', () => {
    const code = "it('is told', () => expect(text).toBe('told'));\nit.each(ALL)('How it is read', () => {});";
    expect(hardWords('test/a.test.ts', code)).toEqual([
      'test/a.test.ts:1: "told": write "logged", "reported", "says"',
      'test/a.test.ts:2: "How it is read": begin with the subject',
    ]);
  });
});
