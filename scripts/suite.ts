import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { type CompiledScenario, compileScenario } from '../src/scenario/compiled.ts';
import { loadScenario } from '../src/scenario/load.ts';

/** The file in which commands find the compiled built-in suite. */
export const COMPILED_SUITE = 'dist/scenarios.json';

/**
 * Compiles every scenario of a folder into one JSON file. Leaves out a scenario that has a mistake or uses a fragment,
 * so that commands read its YAML and can show the mistake.
 */
export function buildSuite(folder: string, output: string): void {
  const compiled: Record<string, CompiledScenario> = {};
  for (const name of readdirSync(folder, { recursive: true, encoding: 'utf8' }).sort()) {
    const [, id] = /^(.*)\.ya?ml$/.exec(name.replaceAll(path.sep, '/')) ?? [];
    if (id === undefined) continue;
    const text = readFileSync(path.join(folder, name), 'utf8');
    const { scenario } = loadScenario(text, name, { id, readFragment: () => undefined });
    if (scenario) compiled[id] = compileScenario(scenario, text);
  }
  writeFileSync(output, JSON.stringify(compiled));
}
