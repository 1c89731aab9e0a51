import { existsSync, globSync, readFileSync } from 'node:fs';
import { basename } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type Loaded, loadScenario } from '../../src/scenario/load.ts';

const root = fileURLToPath(new URL('../../fixtures/scenarios/', import.meta.url));

/** The names of the scenarios of a folder of fixtures, without extension. */
export function fixtureNames(folder: 'good' | 'broken'): string[] {
  return globSync('*.yaml', { cwd: `${root}${folder}` })
    .map((file) => basename(file, '.yaml'))
    .sort();
}

export function fixturePath(folder: 'good' | 'broken', file: string): string {
  return `${root}${folder}/${file}`;
}

export function fixtureText(folder: 'good' | 'broken', file: string): string {
  return readFileSync(fixturePath(folder, file), 'utf8');
}

/** Loads a text as if its file were in a folder of fixtures, whose fragments it can use. */
export function loadAs(folder: 'good' | 'broken', name: string, text: string): Loaded {
  return loadScenario(text, `${name}.yaml`, {
    id: name,
    readFragment: (path) => {
      const full = fixturePath(folder, path);
      return existsSync(full) ? readFileSync(full, 'utf8') : undefined;
    },
  });
}

export function loadFixture(folder: 'good' | 'broken', name: string): Loaded {
  return loadAs(folder, name, fixtureText(folder, `${name}.yaml`));
}

/** Creates ids that are the same in each run. */
export function countingIds(): () => string {
  let count = 0;
  return () => {
    count += 1;
    return `00000000-0000-4000-8000-${String(count).padStart(12, '0')}`;
  };
}
