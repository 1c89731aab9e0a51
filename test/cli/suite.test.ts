import { execFileSync, spawnSync } from 'node:child_process';
import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';

const ROOT = path.resolve(import.meta.dirname, '../..');
const SCENARIO = 'scenarios/bet/debit.yaml';

describe('the built-in suite of an installed package', () => {
  let installed = '';
  beforeEach(() => {
    installed = mkdtempSync(path.join(tmpdir(), 'croupier-'));
    for (const name of ['bin', 'dist', 'package.json', 'scenarios'])
      cpSync(path.join(ROOT, name), path.join(installed, name), { recursive: true });
  });
  afterEach(() => rmSync(installed, { recursive: true, force: true }));

  function croupier(...args: string[]): string {
    return execFileSync(process.execPath, ['bin/croupier.js', ...args], { cwd: installed, encoding: 'utf8' });
  }

  function edit(file: string, from: string | RegExp, to: string): void {
    const whole = path.join(installed, file);
    const text = readFileSync(whole, 'utf8');
    expect(text).toMatch(from);
    writeFileSync(whole, text.replace(from, to));
  }

  it('is loaded from its compiled form', () => {
    const { title } = listed('bet/debit');
    // Only the compiled scenario changes, not the text of its file.
    edit('dist/scenarios.json', `"title":"${title}"`, '"title":"The compiled title"');
    expect(listed('bet/debit').title).toBe('The compiled title');
  });

  it('is loaded from the YAML of a file that was edited after the build', () => {
    edit(SCENARIO, /^title: .*$/m, 'title: The edited title');
    expect(listed('bet/debit').title).toBe('The edited title');
  });

  it('reports a mistake in a file that was edited after the build, with its place', () => {
    edit(SCENARIO, /^rules: .*$/m, 'rules: [bet.debti]');
    const { status, stdout } = spawnSync(process.execPath, ['bin/croupier.js', 'lint'], {
      cwd: installed,
      encoding: 'utf8',
    });
    expect(status).toBe(2);
    expect(stdout).toContain(`${SCENARIO}:4:9: there is no rule \`bet.debti\``);
    expect(stdout).toContain('4 | rules: [bet.debti]\n  |         ^^^^^^^^^\n');
  });

  it('is loaded from its YAML files when there is no compiled form', () => {
    const before = croupier('list', 'scenarios', '--json');
    rmSync(path.join(installed, 'dist/scenarios.json'));
    expect(croupier('list', 'scenarios', '--json')).toBe(before);
  });

  function listed(id: string): { readonly title: string } {
    const all = JSON.parse(croupier('list', 'scenarios', '--json')) as { id: string; title: string }[];
    const found = all.find((one) => one.id === id);
    if (!found) throw new Error(`there is no scenario ${id}`);
    return found;
  }
});
