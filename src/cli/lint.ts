import path from 'node:path';
import { byPlace, renderComplaint } from '../scenario/complaint.ts';
import { unprovenClaims } from './claims.ts';
import { loadConfiguration } from './configuration.ts';
import type { Stdio } from './stdio.ts';
import { builtInSource, loadSuite, userSource } from './suite.ts';
import { UsageError } from './usage-error.ts';

const COMPLAINTS_STATUS = 2;

/** `croupier lint`: checks scenario files; without any, those of the configuration and the built-in ones. */
export async function lintCommand(
  files: readonly string[],
  flags: { readonly config?: string; readonly json?: boolean },
  stdio: Stdio,
): Promise<number> {
  const suite = loadSuite(await sources(files, flags.config, stdio), stdio.cwd, countedUUIDs());
  const { scenarios, fileCount } = suite;
  if (fileCount === 0 && files.length > 0) {
    throw new UsageError(
      `${files.join(', ')}: no scenario is there (files are called ….yaml or ….yml). Nothing was checked.`,
    );
  }
  const complaints = [...suite.complaints, ...unprovenClaims(scenarios)].sort(byPlace);
  const found = `${fileCount} file${fileCount === 1 ? '' : 's'}`;
  if (flags.json) {
    stdio.out.write(`${JSON.stringify({ files: fileCount, scenarios: scenarios.length, complaints }, null, 2)}\n`);
  } else if (complaints.length === 0) {
    stdio.out.write(
      `${found}, ${scenarios.length} scenario${scenarios.length === 1 ? '' : 's'}: nothing to complain about.\n`,
    );
  } else {
    const bad = new Set(complaints.map(({ file }) => file)).size;
    const count = `${complaints.length} complaint${complaints.length === 1 ? '' : 's'}`;
    // Fragments are not counted among the files, and can be complained about all the same.
    const where = bad > fileCount ? `${bad} files` : `${bad} of ${found}`;
    stdio.out.write(`${complaints.map(renderComplaint).join('\n\n')}\n\n${count} in ${where}.\n`);
  }
  return complaints.length > 0 ? COMPLAINTS_STATUS : 0;
}

/** Plans that are only looked at need ids that differ, and no cryptography has to be loaded for them. */
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
