import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import { CROUPIER } from './command.ts';
import type { ServedOperator } from './served-operator.ts';

/** Writes the files for a run of one scenario into a folder. @returns the arguments with which Node starts the run */
export async function scenarioRun(
  scenario: string,
  { baseUrl, extCID, key, session }: ServedOperator,
  folder: string,
): Promise<readonly string[]> {
  const [file, keyFile] = ['scenario.yaml', 'key'].map((name) => path.join(folder, name)) as [string, string];
  await writeFile(file, scenario);
  await writeFile(keyFile, key);
  const { sessionID, player, currency } = session;
  const operatorFlags = ['--base-url', baseUrl, '--ext-cid', extCID, '--key-file', keyFile];
  return [CROUPIER, 'run', file, ...operatorFlags, '--session', `${sessionID},player=${player},currency=${currency}`];
}
