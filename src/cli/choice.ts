import path from 'node:path';
import type { Configuration } from './configuration.ts';
import { packageRoot } from './package-root.ts';
import { asFile, select, type Wish } from './selection.ts';
import { builtInSource, type Suite, type SuiteScenario, type SuiteSource, userSource } from './suite.ts';
import { UsageError } from './usage-error.ts';

/** The built-in suite, the configured folders, and files that only the selection names. */
export function sourcesFor(
  words: readonly string[],
  { config, dir }: Pick<Configuration, 'config' | 'dir'>,
  cwd: string,
): readonly SuiteSource[] {
  const configured = (config.scenarios ?? []).map((given) => userSource(path.resolve(dir, given), cwd));
  const named = words.flatMap((word) => {
    const file = asFile(word)?.file;
    if (file === undefined) return [];
    try {
      return [userSource(file, cwd)];
    } catch (error) {
      // It may be a path within the suite, or an id: the selection says so, or names near misses.
      if (error instanceof UsageError) return [];
      throw error;
    }
  });
  // What lies in the suite or in a configured folder has its id from there, also when a word names it.
  return [builtInSource(), ...configured, ...named];
}

/** @throws UsageError when the wish names nothing */
export function choose({ scenarios }: Suite, wish: Wish, cwd: string): readonly SuiteScenario[] {
  const root = packageRoot();
  return select(scenarios, wish, [cwd, path.join(root, 'scenarios'), root]);
}

/** Whether everything of the built-in suite is played that isn't for special requests only. */
export function isWhole({ scenarios }: Suite, chosen: readonly SuiteScenario[]): boolean {
  const builtIn = scenarios.filter((scenario) => scenario.builtIn && !scenario.tags.includes('opt-in'));
  return builtIn.every((scenario) => chosen.includes(scenario));
}

/** A wish as reports repeat it. */
export function wishText({ words, tags, grep }: Wish): readonly string[] {
  return [...words, ...tags.map((tag) => `--tag ${tag}`), ...(grep === undefined ? [] : [`--grep ${grep}`])];
}
