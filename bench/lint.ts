import { cpSync, readdirSync } from 'node:fs';
import path from 'node:path';
import { CROUPIER, timeOf } from './command.ts';
import { withFolder } from './folder.ts';
import { inTurn, type Measurement, median } from './measurement.ts';

const ROUNDS = 21;
const BUILT_IN = path.join(import.meta.dirname, '..', 'scenarios');
const USER_FILES = 100;

/** Measures `croupier lint` of the compiled built-in suite, compared with a Node that does nothing. */
export function measureLint(): Promise<Measurement> {
  return againstNode('croupier lint, the whole suite', 5, []);
}

/** Measures `croupier lint` of a user's files, which are read as YAML, compared with a Node that does nothing. */
export function measureUserLint(): Promise<Measurement> {
  return withFolder((folder) => {
    const files = readdirSync(BUILT_IN, { recursive: true, encoding: 'utf8' }).filter((name) => name.endsWith('.yaml'));
    for (const name of files.sort().slice(0, USER_FILES)) cpSync(path.join(BUILT_IN, name), path.join(folder, name));
    return againstNode(`croupier lint, ${USER_FILES} files of a user`, 8, [folder]);
  });
}

async function againstNode(what: string, limit: number, args: readonly string[]): Promise<Measurement> {
  const [bare = [], lint = []] = await inTurn(ROUNDS, [
    () => timeOf(['-e', '0']),
    () => timeOf([CROUPIER, 'lint', ...args]),
  ]);
  return {
    what,
    detail: `${median(lint).toFixed(1)} ms, node -e 0 ${median(bare).toFixed(1)} ms`,
    value: median(lint) / median(bare),
    unit: 'times',
    limit,
  };
}
