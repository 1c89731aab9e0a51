import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';

/** Name of the folder in which croupier keeps journals, keys and salts. */
const OWN_FOLDER = '.croupier';

/**
 * Creates a folder and its missing parents. Creates them one by one: if the system reports "no such folder" although the parent
 * exists (for example `/proc/x`), the recursive `mkdirSync` of Node never returns.
 *
 * Writes a `.gitignore` into the folder `.croupier`, because this folder contains keys, sessions and signed calls. Writes it also if
 * somebody else created the folder. Never overwrites an existing file.
 *
 * @throws Error of the operating system
 */
export function makeFolder(folder: string, mode?: number): void {
  if (existsSync(folder)) {
    ignoreOwnFolder(folder);
    return;
  }
  const parent = path.dirname(folder);
  if (parent !== folder) makeFolder(parent, mode);
  try {
    mkdirSync(folder, { mode });
  } catch (error) {
    // Another run may have created the folder at the same moment.
    if (!existsSync(folder)) throw error;
  }
  ignoreOwnFolder(folder);
}

function ignoreOwnFolder(folder: string): void {
  if (path.basename(folder) !== OWN_FOLDER) return;
  try {
    writeFileSync(path.join(folder, '.gitignore'), '*\n', { flag: 'wx' });
  } catch {
    // The file exists, or nobody may write into this folder. In the second case, the caller reports the error of its own file.
  }
}
