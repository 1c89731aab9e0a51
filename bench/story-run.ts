import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import { CROUPIER } from './command.ts';
import type { ServedOperator } from './served-operator.ts';

/** Writes what a run of one story needs into a folder. @returns how Node starts that run */
export async function storyRun(
  story: string,
  { baseUrl, extCID, key, session }: ServedOperator,
  folder: string,
): Promise<readonly string[]> {
  const [file, keyFile] = ['story.yaml', 'key'].map((name) => path.join(folder, name)) as [string, string];
  await writeFile(file, story);
  await writeFile(keyFile, key);
  const { sessionID, player, currency } = session;
  const whom = ['--base-url', baseUrl, '--ext-cid', extCID, '--key-file', keyFile];
  return [CROUPIER, 'run', file, ...whom, '--session', `${sessionID},player=${player},currency=${currency}`];
}
