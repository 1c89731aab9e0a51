import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';

const SRC = path.resolve(import.meta.dirname, '../src');

/**
 * The folders that a folder may import from, and from itself. The operator and the judge share only the contract: a mistake in
 * shared code would hide in both. Scenarios and findings point at places in files, so scenarios use the types of the journal.
 */
const MAY_IMPORT: Readonly<Record<string, readonly string[]>> = {
  contract: [],
  journal: ['contract'],
  reply: ['contract', 'journal'],
  ledger: ['contract', 'reply'],
  scenario: ['contract', 'journal'],
  judge: ['contract', 'journal', 'reply', 'ledger', 'scenario'],
  wire: ['contract', 'journal'],
  report: ['contract', 'journal'],
  engine: ['contract', 'journal', 'reply', 'ledger', 'scenario', 'judge', 'wire', 'folder'],
  load: ['contract', 'journal', 'reply', 'ledger', 'wire'],
  signing: ['contract'],
  traffic: ['contract', 'journal', 'reply', 'scenario', 'judge', 'wire', 'signing'],
  sdk: ['contract'],
  listen: [],
  pages: ['listen'],
  folder: [],
  sqlite: [],
  history: ['journal', 'report', 'folder', 'sqlite'],
  operator: ['contract', 'sdk', 'listen', 'folder', 'sqlite'],
  service: ['contract', 'journal', 'wire', 'listen', 'pages', 'folder', 'sqlite'],
  selftest: ['contract', 'journal', 'report', 'engine', 'load', 'operator'],
  app: [
    'contract',
    'journal',
    'scenario',
    'judge',
    'wire',
    'report',
    'engine',
    'load',
    'signing',
    'traffic',
    'sdk',
    'operator',
    'service',
    'history',
    'folder',
    'sqlite',
  ],
  fleet: ['contract', 'journal', 'scenario', 'report', 'listen', 'pages', 'app', 'history', 'folder'],
  cli: [
    'contract',
    'journal',
    'reply',
    'scenario',
    'judge',
    'wire',
    'report',
    'engine',
    'load',
    'signing',
    'traffic',
    'sdk',
    'listen',
    'pages',
    'operator',
    'service',
    'selftest',
    'app',
    'history',
    'fleet',
    'folder',
  ],
  library: ['journal', 'scenario', 'report', 'engine', 'app'],
};

/** Folders whose code knows no clock, file, socket or process: everything comes in as an argument. */
const PURE = ['contract', 'journal', 'scenario', 'reply', 'ledger', 'judge', 'report'];
const PURE_MODULES = new Set(['node:crypto', 'node:path', 'node:buffer', 'node:util', 'node:zlib']);
/** A package that only one folder may know, so that it can be exchanged in one place. */
const PACKAGES: Readonly<Record<string, string>> = {
  undici: 'wire',
  commander: 'cli',
  '@commander-js/extra-typings': 'cli',
  '@clack/prompts': 'cli',
  yaml: 'scenario',
  'json-canonicalize': 'contract',
  kysely: 'history',
  croner: 'fleet',
  chalk: 'report',
  'wrap-ansi': 'report',
  'string-width': 'report',
  ora: 'cli',
  chokidar: 'cli',
};

/** A folder with more files than these is hard to read. */
const MAX_FILES = 25;
const FORBIDDEN_NAMES =
  /^(index|utils?|helpers?|common|manager|misc|shared)\.ts$|(^|\/)(utils?|helpers?|common|manager|core)\//;

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

/** An import of one file of `src/` by another. */
type Edge = readonly [from: string, to: string];

const edges = imports.flatMap(({ file, target }): Edge[] => {
  const to = path.posix.join(path.posix.dirname(file), target);
  return target.startsWith('.') && !to.startsWith('..') ? [[file, to]] : [];
});

/** The groups of names that import each other in a circle, each sorted (strongly connected components, Tarjan 1972). */
function cyclesOf(all: readonly Edge[]): readonly string[][] {
  const targets = Map.groupBy(all, ([from]) => from);
  const order = new Map<string, number>();
  const stack: string[] = [];
  const found: string[][] = [];
  const visit = (name: string): number => {
    const index = order.size;
    order.set(name, index);
    stack.push(name);
    let low = index;
    for (const [, to] of targets.get(name) ?? []) {
      if (!order.has(to)) low = Math.min(low, visit(to));
      else if (stack.includes(to)) low = Math.min(low, order.get(to) ?? low);
    }
    if (low === index) {
      const group = stack.splice(stack.indexOf(name));
      if (group.length > 1) found.push(group.sort());
    }
    return low;
  };
  for (const [from] of all) if (!order.has(from)) visit(from);
  return found.sort((one, other) => (one.join() < other.join() ? -1 : 1));
}

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

  it('finds a circle of imports', () => {
    expect(
      cyclesOf([
        ['a', 'b'],
        ['b', 'c'],
        ['c', 'b'],
        ['c', 'd'],
      ]),
    ).toEqual([['b', 'c']]);
  });

  it('are all known', () => {
    expect([...new Set(files.map(folderOf))].filter((folder) => !(folder in MAY_IMPORT))).toEqual([]);
  });

  it('import in one direction only, types too', () => {
    const wrong = edges.filter(
      ([file, target]) =>
        folderOf(file) !== folderOf(target) && MAY_IMPORT[folderOf(file)]?.includes(folderOf(target)) !== true,
    );
    expect(wrong.map(([file, target]) => `${file} must not import ${target}`)).toEqual([]);
  });

  it('hold no allowance that nobody uses', () => {
    const used = new Set(edges.map(([from, to]) => `${folderOf(from)} → ${folderOf(to)}`));
    const allowed = Object.entries(MAY_IMPORT).flatMap(([from, list]) => list.map((to) => `${from} → ${to}`));
    expect(allowed.filter((one) => !used.has(one))).toEqual([]);
  });

  it('contain no cycle of files, types included', () => {
    expect(cyclesOf(edges)).toEqual([]);
  });

  it('contain no cycle of subfolders', () => {
    const between = edges
      .map(([from, to]): Edge => [path.posix.dirname(from), path.posix.dirname(to)])
      // The files directly in a top folder are its shared base and its entry: they may import its subfolders and be imported by them.
      .filter(([from, to]) => from !== to && from.includes('/') && to.includes('/'));
    expect(cyclesOf(between)).toEqual([]);
  });

  it('hold no folder with too many files to find one', () => {
    const inFolder = Map.groupBy(files, (file) => path.posix.dirname(file));
    expect([...inFolder].filter(([, all]) => all.length > MAX_FILES).map(([folder]) => folder)).toEqual([]);
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

  it('use no package without a reason in CONTRIBUTING.md', () => {
    const listed = readFileSync(path.resolve(SRC, '../CONTRIBUTING.md'), 'utf8');
    const packages = imports.map(({ target }) => target).filter((target) => !/^(\.|node:)/.test(target));
    expect([...new Set(packages)].filter((name) => !listed.includes(`| ${name} |`))).toEqual([]);
  });

  it('let nothing but the command line read arguments, print or exit', () => {
    const anywhere = /\bprocess\.(argv|exit|stdout|stderr|env)\b|\bconsole\.\w+\(/;
    // Callers of the library may leave out the environment.
    const inLibrary = /\bprocess\.(argv|exit|stdout|stderr)\b|\bconsole\.\w+\(/;
    const wrong = files.filter(
      (file) =>
        folderOf(file) !== 'cli' &&
        (folderOf(file) === 'library' ? inLibrary : anywhere).test(
          readFileSync(path.join(SRC, file), 'utf8').replace(/\/\*[\s\S]*?\*\/|\/\/.*/g, ''),
        ),
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

  it('import with the extension, as the runtime does', () => {
    expect(imports.filter(({ target }) => target.startsWith('.') && !/\.(ts|json)$/.test(target))).toEqual([]);
  });
});

it('docs/architecture.md lists the layers as they are', () => {
  const page = readFileSync(path.resolve(SRC, '../docs/architecture.md'), 'utf8');
  const listed = [...page.matchAll(/^\| `([\w-]+)\/` \|[^|]*\| (.*) \|$/gmu)].map(([, folder = '', list = '']) => [
    folder,
    [...list.matchAll(/`([\w-]+)`/gu)].map(([, name]) => name),
  ]);
  expect(Object.fromEntries(listed)).toEqual(MAY_IMPORT);
});
