import { readdirSync, readFileSync } from 'node:fs';
import { join, relative, sep } from 'node:path';
import { describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import { GROUPS, RULES } from '../src/contract/catalogue.ts';
import { type Loaded, loadScenario } from '../src/scenario/load.ts';
import { renderDiagnostic } from '../src/scenario/yaml/diagnostic.ts';

const FOLDER = join(import.meta.dirname, '..', 'scenarios');

const FILES = readdirSync(FOLDER, { recursive: true, withFileTypes: true })
  .filter((entry) => entry.isFile())
  .map((entry) => relative(FOLDER, join(entry.parentPath, entry.name)).split(sep).join('/'))
  .filter((path) => path.endsWith('.yaml'))
  .sort();

interface ScenarioHead {
  readonly title: string;
  readonly rules: readonly string[];
}

const textOf = (path: string): string => readFileSync(join(FOLDER, path), 'utf8');
const load = (path: string): Loaded =>
  loadScenario(textOf(path), path, { id: path.replace(/\.yaml$/, ''), readFragment: () => undefined });
const headOf = (path: string): ScenarioHead => parse(textOf(path)) as ScenarioHead;

describe('the built-in suite', () => {
  test('has more than 100 scenarios, so that the tests below are not empty', () => {
    expect(FILES.length).toBeGreaterThan(100);
  });

  test('tests every rule', () => {
    const claimed = new Set(FILES.flatMap((path) => headOf(path).rules));
    const untested = RULES.filter((rule) => !claimed.has(rule.id)).map((rule) => rule.id);
    expect(untested).toEqual([]);
  });

  test('has a different title for each scenario', () => {
    const titles = FILES.map((path) => headOf(path).title);
    expect(titles.filter((title, index) => titles.indexOf(title) !== index)).toEqual([]);
  });

  describe.each(FILES)('%s', (path) => {
    test('is in the folder of a rule group, under a name in kebab-case', () => {
      const groups = GROUPS.map((group) => group.name);
      expect(path).toMatch(/^[a-z-]+\/[a-z]+(-[a-z]+)*\.yaml$/);
      expect(groups).toContain(path.split('/')[0]);
    });

    test('begins with its schema and its version', () => {
      const [schema, version, title] = textOf(path).split('\n');
      expect(schema).toBe('# yaml-language-server: $schema=../../schema/scenario.json');
      expect(version).toBe('croupier: 1');
      expect(title).toMatch(/^title: \S/);
    });

    test('has no mistakes, and has case ids that are safe in a shell', () => {
      const { scenario, diagnostics } = load(path);
      expect(diagnostics.map(renderDiagnostic)).toEqual([]);
      const ids = scenario?.boundScenarios.map(({ caseId }) => caseId) ?? [];
      expect(new Set(ids).size).toBe(ids.length);
      for (const id of ids) if (id !== undefined) expect(id).toMatch(/^[A-Za-z0-9._-]+$/);
    });

    test('names rules that exist, each once, and at least one of its own group', () => {
      const { rules } = headOf(path);
      const known = new Set<string>(RULES.map((rule) => rule.id));
      expect(rules.filter((id) => !known.has(id))).toEqual([]);
      expect(new Set(rules).size).toBe(rules.length);
      expect(rules.filter((id) => id.startsWith(`${path.split('/')[0]}.`))).not.toEqual([]);
    });
  });
});
