// Writes the type declarations of the package. The compiler creates files for all modules, and only those that an entry
// imports are kept.
import { execFileSync } from 'node:child_process';
import { readdirSync, readFileSync, rmSync } from 'node:fs';
import path from 'node:path';

const ROOT = path.join(import.meta.dirname, '..');
const TYPES = path.join(ROOT, 'dist', 'types');
const ENTRIES = ['library/library.d.ts', 'sdk/sdk.d.ts'];

rmSync(TYPES, { recursive: true, force: true });
execFileSync(path.join(ROOT, 'node_modules', '.bin', 'tsc'), ['-p', 'tsconfig.types.json'], {
  cwd: ROOT,
  stdio: 'inherit',
});

const reached = new Set<string>();
function reach(file: string): void {
  if (reached.has(file)) return;
  reached.add(file);
  for (const [, target = ''] of readFileSync(file, 'utf8').matchAll(
    /(?:\bfrom |\bimport\(|\bimport )['"](\.[^'"]+)['"]/g,
  ))
    reach(path.resolve(path.dirname(file), target.replace(/\.ts$/, '.d.ts')));
}
for (const entry of ENTRIES) reach(path.join(TYPES, entry));

for (const entry of readdirSync(TYPES, { recursive: true, encoding: 'utf8' })) {
  const file = path.join(TYPES, entry);
  if (entry.endsWith('.ts') && !reached.has(file)) rmSync(file);
}
