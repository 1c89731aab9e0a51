import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';

const ROOT = path.resolve(import.meta.dirname, '..');
const TYPES = path.join(ROOT, 'dist', 'types');
const ENTRIES = ['library/library', 'sdk/sdk'];
// It is inside the repository, so that the sources find their packages.
mkdirSync(path.join(ROOT, 'build'), { recursive: true });
const folder = mkdtempSync(path.join(ROOT, 'build', 'types-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

describe('the published types', { timeout: 60_000 }, () => {
  it('need no package', () => {
    const files = readdirSync(TYPES, { recursive: true, encoding: 'utf8' }).filter((name) => name.endsWith('.ts'));
    expect(files).toEqual(expect.arrayContaining(ENTRIES.map((entry) => `${entry}.d.ts`)));
    const imported = files.flatMap((name) => [
      ...readFileSync(path.join(TYPES, name), 'utf8').matchAll(/\b(?:from |import\(|import )['"]([^.'"][^'"]*)['"]/g),
    ]);
    expect(imported.map(([, name]) => name).filter((name) => !name?.startsWith('node:'))).toEqual([]);
  });

  it('are the types of the sources', () => {
    const lines = ENTRIES.flatMap((entry, index) => [
      `import type * as source${index} from '../../src/${entry}.ts';`,
      `import type * as published${index} from '../../dist/types/${entry}.d.ts';`,
      `export const values${index}: Same<typeof source${index}, typeof published${index}> = true;`,
      ...exportedTypes(entry).map(
        (name) => `export const ${name}${index}: Same<source${index}.${name}, published${index}.${name}> = true;`,
      ),
    ]);
    writeFileSync(path.join(folder, 'all.ts'), `${SAME}${lines.join('\n')}\n`);
    const config = { extends: '../../tsconfig.json', files: ['all.ts'], include: [] };
    writeFileSync(path.join(folder, 'tsconfig.json'), JSON.stringify(config));
    const tsc = path.join(ROOT, 'node_modules', '.bin', 'tsc');
    expect(lines.length).toBeGreaterThan(20);
    expect(execFileSync(tsc, ['-p', folder], { encoding: 'utf8' })).toBe('');
  });
});

// `any` fits every type, so it is the same as nothing.
const SAME = `type Same<A, B> = 0 extends 1 & B ? false : [A] extends [B] ? ([B] extends [A] ? true : false) : false;\n`;

/** The names of the types that an entry exports and that have no parameters. */
function exportedTypes(entry: string): readonly string[] {
  const code = readFileSync(path.join(ROOT, 'src', `${entry}.ts`), 'utf8');
  return [...code.matchAll(/export (type )?\{([^}]+)\}/g)]
    .flatMap(([, types, names = '']) =>
      names.split(',').map((name) => (types ? `type ${name.trim()}` : name.trim()).replace(/^type type /, 'type ')),
    )
    .filter((name) => /^type \w/.test(name) && name !== 'type Verified')
    .map((name) => name.slice('type '.length));
}
