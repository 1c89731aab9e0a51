import { readdirSync, readFileSync } from 'node:fs';
import { join, relative, sep } from 'node:path';
import { describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import { GROUPS, RULES } from '../src/contract/catalogue.ts';
import { renderComplaint } from '../src/scenario/complaint.ts';
import { type Loaded, loadScenario } from '../src/scenario/load.ts';

const FOLDER = join(import.meta.dirname, '..', 'scenarios');

const FILES = readdirSync(FOLDER, { recursive: true, withFileTypes: true })
  .filter((entry) => entry.isFile())
  .map((entry) => relative(FOLDER, join(entry.parentPath, entry.name)).split(sep).join('/'))
  .filter((path) => path.endsWith('.yaml'))
  .sort();

interface Story {
  readonly title: string;
  readonly rules: readonly string[];
}

const textOf = (path: string): string => readFileSync(join(FOLDER, path), 'utf8');
const load = (path: string): Loaded =>
  loadScenario(textOf(path), path, { id: path.replace(/\.yaml$/, ''), readFragment: () => undefined });
const storyOf = (path: string): Story => parse(textOf(path)) as Story;

describe('the built-in suite', () => {
  test('is not empty, so that the tests below prove something', () => {
    expect(FILES.length).toBeGreaterThan(100);
  });

  test('tests every rule', () => {
    const claimed = new Set(FILES.flatMap((path) => storyOf(path).rules));
    const untested = RULES.filter((rule) => !claimed.has(rule.id)).map((rule) => rule.id);
    expect(untested).toEqual([]);
  });

  test('has a title for each story, and no title twice', () => {
    const titles = FILES.map((path) => storyOf(path).title);
    expect(titles.filter((title, index) => titles.indexOf(title) !== index)).toEqual([]);
  });

  describe.each(FILES)('%s', (path) => {
    test('lies in the folder of a rule group, under a name in kebab-case', () => {
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

    test('can be read without a complaint, under ids that a shell takes as they are', () => {
      const { scenario, complaints } = load(path);
      expect(complaints.map(renderComplaint)).toEqual([]);
      const ids = scenario?.stories.map((story) => story.caseId) ?? [];
      expect(new Set(ids).size).toBe(ids.length);
      for (const id of ids) if (id !== undefined) expect(id).toMatch(/^[A-Za-z0-9._-]+$/);
    });

    test('claims rules that exist, each once, and one of its own group at least', () => {
      const { rules } = storyOf(path);
      const known = new Set<string>(RULES.map((rule) => rule.id));
      expect(rules.filter((id) => !known.has(id))).toEqual([]);
      expect(new Set(rules).size).toBe(rules.length);
      expect(rules.filter((id) => id.startsWith(`${path.split('/')[0]}.`))).not.toEqual([]);
    });
  });
});
