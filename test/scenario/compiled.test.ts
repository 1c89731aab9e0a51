import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import {
  type CompiledScenario,
  type CompiledSuite,
  compileScenario,
  restoreScenario,
} from '../../src/scenario/compiled.ts';
import { loadScenario } from '../../src/scenario/load.ts';
import { fixtureNames, fixtureText, loadFixture } from './fixtures.ts';

const ROOT = path.resolve(import.meta.dirname, '../..');
const FOLDER = path.join(ROOT, 'scenarios');
const FILES = readdirSync(FOLDER, { recursive: true, encoding: 'utf8' })
  .filter((name) => /\.ya?ml$/.test(name))
  .map((name) => name.replaceAll(path.sep, '/'));

/** The file that `npm run build` wrote. */
function builtSuite(): CompiledSuite {
  return JSON.parse(readFileSync(path.join(ROOT, 'dist', 'scenarios.json'), 'utf8')) as CompiledSuite;
}

function throughJson(compiled: CompiledScenario): CompiledScenario {
  return JSON.parse(JSON.stringify(compiled)) as CompiledScenario;
}

describe('the compiled built-in suite', () => {
  const suite = builtSuite();

  it('holds every built-in scenario and nothing else', () => {
    expect(Object.keys(suite).sort()).toEqual(FILES.map((name) => name.replace(/\.ya?ml$/, '')).sort());
  });

  it.each(FILES)('equals what the YAML parser reads from the file %s', (name) => {
    const id = name.replace(/\.ya?ml$/, '');
    const text = readFileSync(path.join(FOLDER, name), 'utf8');
    const file = `some/where/${name}`;
    const compiled = suite[id];
    expect(compiled?.text).toBe(text);
    const { scenario } = loadScenario(text, file, { id, readFragment: () => undefined });
    expect(compiled && restoreScenario(compiled, file)).toEqual(scenario);
  });
});

describe('a compiled scenario', () => {
  const loaded = fixtureNames('good').map((name) => ({ name, scenario: loadFixture('good', name).scenario }));
  const usesFragment = (name: string) => /^\s*- use:/m.test(fixtureText('good', name));

  it.each(loaded.filter(({ name }) => !usesFragment(`${name}.yaml`)))(
    'equals its source: $name',
    ({ name, scenario }) => {
      if (!scenario) throw new Error(`${name} has a mistake`);
      const restored = restoreScenario(
        throughJson(compileScenario(scenario, fixtureText('good', `${name}.yaml`))),
        scenario.file,
      );
      expect(restored).toEqual(scenario);
    },
  );

  it('cannot be made from a scenario that uses a fragment, because the positions of its parts are in two files', () => {
    const { scenario } = loadFixture('good', 'fragments');
    expect(scenario && (() => compileScenario(scenario, fixtureText('good', 'fragments.yaml')))).toThrow(RangeError);
  });
});
