import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';

const SRC = path.resolve(import.meta.dirname, '../src');

/**
 * Which folders a folder may import from, beside itself. The operator and the judge share no more than the contract: a
 * mistake that both made would hide. Scenarios point at places in files as findings do, so they know the journal's words.
 */
const MAY_IMPORT: Readonly<Record<string, readonly string[]>> = {
  contract: [],
  journal: ['contract'],
  scenario: ['contract', 'journal'],
  judge: ['contract', 'journal', 'scenario'],
  wire: ['contract', 'journal'],
  report: ['contract', 'journal'],
  engine: ['contract', 'journal', 'scenario', 'judge', 'wire'],
  // It writes curl lines and escapes what others wrote, as reports do.
  incident: ['contract', 'journal', 'scenario', 'judge', 'report'],
  // What the incident desk makes of calls that were written down, the proxy makes of them as they pass.
  proxy: ['contract', 'journal', 'scenario', 'judge', 'incident', 'wire'],
  sdk: ['contract'],
  listen: ['contract'],
  operator: ['contract', 'sdk', 'listen'],
  service: ['contract', 'journal', 'wire', 'listen'],
  selftest: ['contract', 'journal', 'report', 'engine', 'operator'],
  cli: [
    'contract',
    'journal',
    'scenario',
    'judge',
    'wire',
    'report',
    'engine',
    'incident',
    'sdk',
    'listen',
    'operator',
    'service',
    'proxy',
    'selftest',
  ],
  // The command `run` for code: it composes what the command line composes, and prints as little as the others.
  library: ['contract', 'journal', 'report', 'engine', 'cli'],
};

/** Folders whose code knows no clock, file, socket or process: everything comes in as an argument. */
const PURE = ['contract', 'journal', 'scenario', 'judge', 'report'];
const PURE_MODULES = new Set(['node:crypto', 'node:path', 'node:buffer', 'node:util']);
/** A package that only one folder may know, so that it can be exchanged in one place. */
const PACKAGES: Readonly<Record<string, string>> = {
  undici: 'wire',
  commander: 'cli',
  '@clack/prompts': 'cli',
  yaml: 'scenario',
};

const FORBIDDEN_NAMES =
  /^(index|utils?|helpers?|common|manager|misc|shared)\.ts$|(^|\/)(utils?|helpers?|common|manager|core)\//;
const LONGEST_FILE = 300;
/** Files that are long for a reason that splitting would not mend. Each with the reason. */
const LONG_FILES: Readonly<Record<string, string>> = {
  'judge/effects.ts': 'what each call does to each world, as one table',
};

const files = readdirSync(SRC, { recursive: true, encoding: 'utf8' })
  .filter((name) => name.endsWith('.ts'))
  .map((name) => name.replaceAll(path.sep, '/'))
  .sort();

/** Static, dynamic and type-only imports, and re-exports. */
function importsOf(text: string): readonly string[] {
  const plain = /^\s*(?:import|export)\b[^'"();]*?\bfrom\s*['"]([^'"]+)['"]/gm;
  const bare = /^\s*import\s*['"]([^'"]+)['"]/gm;
  const dynamic = /\bimport\(\s*['"]([^'"]+)['"]\s*\)/g;
  return [plain, bare, dynamic].flatMap((pattern) => [...text.matchAll(pattern)].map((match) => match[1] ?? ''));
}

const imports = files.flatMap((file) =>
  importsOf(readFileSync(path.join(SRC, file), 'utf8')).map((target) => ({ file, target })),
);

function folderOf(file: string): string {
  return file.slice(0, file.indexOf('/'));
}

describe('the layers', () => {
  it('finds imports of every form', () => {
    const text = [
      "import a from './a.ts';",
      "import type {\n  B,\n} from './b.ts';",
      "import './c.ts';",
      "export { d } from './d.ts';",
      "const e = await import('./e.ts');",
    ].join('\n');
    expect([...importsOf(text)].sort()).toEqual(['./a.ts', './b.ts', './c.ts', './d.ts', './e.ts']);
  });

  it('are all known', () => {
    expect([...new Set(files.map(folderOf))].filter((folder) => !(folder in MAY_IMPORT))).toEqual([]);
  });

  it('import in one direction only, types too', () => {
    const wrong = imports.flatMap(({ file, target }) => {
      if (!target.startsWith('.')) return [];
      const resolved = path.posix.join(path.posix.dirname(file), target);
      // The manifest, for the version.
      if (resolved === '../package.json') return [];
      const [from, to] = [folderOf(file), folderOf(resolved)];
      return from === to || MAY_IMPORT[from]?.includes(to) ? [] : [`${file} must not import ${target}`];
    });
    expect(wrong).toEqual([]);
  });

  it('keep the pure ones pure', () => {
    const wrong = imports.filter(
      ({ file, target }) => PURE.includes(folderOf(file)) && target.startsWith('node:') && !PURE_MODULES.has(target),
    );
    expect(wrong).toEqual([]);
  });

  it('keep packages where they belong', () => {
    const wrong = imports
      .filter(({ file, target }) => PACKAGES[target] !== undefined && PACKAGES[target] !== folderOf(file))
      .map(({ file, target }) => `${file}: ${target}`);
    expect(wrong).toEqual([]);
  });

  it('use no package without a reason that contributors are told', () => {
    const told = readFileSync(path.resolve(SRC, '../CONTRIBUTING.md'), 'utf8');
    const packages = imports.map(({ target }) => target).filter((target) => !/^(\.|node:)/.test(target));
    expect([...new Set(packages)].filter((name) => !told.includes(`| ${name} |`))).toEqual([]);
  });

  it('let nothing but the command line read arguments, print or exit', () => {
    const telling = /\bprocess\.(argv|exit|stdout|stderr|env)\b|\bconsole\.\w+\(/;
    const wrong = files.filter(
      (file) =>
        folderOf(file) !== 'cli' &&
        telling.test(readFileSync(path.join(SRC, file), 'utf8').replace(/\/\*[\s\S]*?\*\/|\/\/.*/g, '')),
    );
    expect(wrong).toEqual([]);
  });
});

describe('the files', () => {
  it('have names that say what is in them: no barrels, no utils', () => {
    expect(
      files.filter((file) => FORBIDDEN_NAMES.test(path.posix.basename(file)) || FORBIDDEN_NAMES.test(file)),
    ).toEqual([]);
  });

  it('are short enough to hold one noun', () => {
    const lengths = files.map(
      (file) => [file, readFileSync(path.join(SRC, file), 'utf8').split('\n').length - 1] as const,
    );
    const long = lengths.filter(([, lines]) => lines > LONGEST_FILE).map(([file, lines]) => `${file}: ${lines} lines`);
    expect(long.filter((line) => !(line.slice(0, line.indexOf(':')) in LONG_FILES))).toEqual([]);
  });

  it('have no exception that they no longer need', () => {
    const needless = Object.keys(LONG_FILES).filter((file) => {
      return !files.includes(file) || readFileSync(path.join(SRC, file), 'utf8').split('\n').length - 1 <= LONGEST_FILE;
    });
    expect(needless).toEqual([]);
  });

  it('import with the extension, as the runtime does', () => {
    expect(imports.filter(({ target }) => target.startsWith('.') && !/\.(ts|json)$/.test(target))).toEqual([]);
  });
});

it('docs/architecture.md tells the layers as they are', () => {
  const page = readFileSync(path.resolve(SRC, '../docs/architecture.md'), 'utf8');
  const told = [...page.matchAll(/^\| `([\w-]+)\/` \|[^|]*\| (.*) \|$/gmu)].map(([, folder = '', list = '']) => [
    folder,
    [...list.matchAll(/`([\w-]+)`/gu)].map(([, name]) => name),
  ]);
  expect(Object.fromEntries(told)).toEqual(MAY_IMPORT);
});
