import path from 'node:path';
import { loadConfiguration } from '../../../app/config/configuration.ts';
import { EXIT, UsageError } from '../../../app/exit-status.ts';
import { mistakesIn } from '../../../app/scenario-mistakes.ts';
import type { Stdio } from '../../../app/stdio.ts';
import { builtInSource, loadSuite, userSource } from '../../../app/suite.ts';
import { renderDiagnostic } from '../../../scenario/yaml/diagnostic.ts';
import type { LintFlags } from './flags.ts';

/**
 * `croupier lint`: checks scenario files. Without arguments, checks the files that the configuration names and the
 * built-in ones.
 */
export async function lintCommand(files: readonly string[], flags: LintFlags, stdio: Stdio): Promise<number> {
  const suite = loadSuite(await sources(files, flags.config, stdio), stdio.cwd, countedUUIDs());
  const { scenarios, fileCount } = suite;
  if (fileCount === 0 && files.length > 0) {
    throw new UsageError(
      `${files.join(', ')}: no scenarios found. Names of scenario files end with .yaml or .yml. Nothing was checked.`,
    );
  }
  const diagnostics = mistakesIn(suite);
  const found = `${fileCount} file${fileCount === 1 ? '' : 's'}`;
  if (flags.json) {
    stdio.out.write(`${JSON.stringify({ files: fileCount, scenarios: scenarios.length, diagnostics }, null, 2)}\n`);
  } else if (diagnostics.length === 0) {
    stdio.out.write(`${found}, ${scenarios.length} scenario${scenarios.length === 1 ? '' : 's'}: no mistakes.\n`);
  } else {
    const bad = new Set(diagnostics.map(({ file }) => file)).size;
    const count = `${diagnostics.length} mistake${diagnostics.length === 1 ? '' : 's'}`;
    // A fragment is not counted as a file, but may contain a mistake. So the number of wrong files can be greater than the
    // number of counted files.
    const where = bad > fileCount ? `${bad} files` : `${bad} of ${found}`;
    stdio.out.write(`${diagnostics.map(renderDiagnostic).join('\n\n')}\n\n${count} in ${where}.\n`);
  }
  return diagnostics.length > 0 ? EXIT.USAGE : 0;
}

/**
 * Returns a function that creates ids with consecutive numbers. Random ids are not needed, because plans are only checked here.
 * So `node:crypto` is not loaded, which saves time.
 */
function countedUUIDs(): () => string {
  let count = 0;
  return () => {
    count += 1;
    return `00000000-0000-4000-8000-${String(count).padStart(12, '0')}`;
  };
}

async function sources(files: readonly string[], config: string | undefined, stdio: Stdio) {
  if (files.length > 0) return files.map((file) => userSource(file, stdio.cwd));
  const configuration = await loadConfiguration(config, stdio);
  const configured = (configuration.config.scenarios ?? []).map((given) =>
    userSource(path.resolve(configuration.dir, given), stdio.cwd),
  );
  return [builtInSource(), ...configured];
}
