import { existsSync, readdirSync, readFileSync, realpathSync, statSync } from 'node:fs';
import path from 'node:path';
// Imports the whole module, because a named import of getAssetKeys fails in the oldest supported Node.
import sea from 'node:sea';
import type { ReadFileBeside } from '../traffic/read/commands/command.ts';
import { UsageError } from './exit-status.ts';

/**
 * Returns the folder of the installed package, which contains package.json and the built-in scenarios. In the single
 * executable, returns the path of the executable. `readBytes` and `filesBelow` read the files inside the executable.
 */
export function packageRoot(): string {
  if (sea.isSea()) return process.execPath;
  let dir = import.meta.dirname;
  while (!existsSync(path.join(dir, 'package.json')) || !existsSync(path.join(dir, 'scenarios'))) {
    const parent = path.dirname(dir);
    if (parent === dir) throw new Error(`the built-in scenarios are in no folder above ${import.meta.dirname}`);
    dir = parent;
  }
  return dir;
}

/**
 * Reads a file from the disk. In the single executable, a path below `packageRoot()` names a file inside the
 * executable.
 *
 * @throws the system's error when the file can't be read
 */
export function readBytes(file: string): Uint8Array {
  const asset = assetOf(file);
  return asset === undefined ? readFileSync(file) : new Uint8Array(sea.getRawAsset(asset));
}

/**
 * Returns the sorted paths of all files in a folder and its subfolders. The folder may be inside the single executable.
 */
export function filesBelow(folder: string): readonly string[] {
  const asset = assetOf(folder);
  if (asset !== undefined) {
    const inside = sea.getAssetKeys().filter((key) => key.startsWith(`${asset}/`));
    return inside.map((key) => path.join(packageRoot(), key)).sort();
  }
  return readdirSync(folder, { recursive: true, encoding: 'utf8', withFileTypes: true })
    .filter((entry) => !entry.isDirectory())
    .map((entry) => path.join(entry.parentPath, entry.name))
    .sort();
}

/** Returns the name of a file inside the single executable; undefined if the file is on the disk. */
function assetOf(file: string): string | undefined {
  if (!sea.isSea()) return undefined;
  const relative = path.relative(packageRoot(), file);
  return relative.startsWith('..') || path.isAbsolute(relative) ? undefined : relative.replaceAll(path.sep, '/');
}

/** Returns a path for a message: relative if the file is below the working directory, otherwise absolute. */
export function shownPath(file: string, cwd: string): string {
  const relative = path.relative(cwd, file);
  return relative.startsWith('..') || path.isAbsolute(relative) ? file : relative;
}

/**
 * Reads a whole text file.
 *
 * @param what the name of the file at the beginning of an error message
 * @throws UsageError when the file can't be read as UTF-8 text
 */
export function readTextFile(file: string, what: string): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(readBytes(file));
  } catch (error) {
    throw new UsageError(`${what} can't be read: ${file}: ${whyUnreadable(error)}.`, { cause: error });
  }
}

/** Returns the reason for a file system error, in plain words. */
export function whyUnreadable(error: unknown): string {
  const code = error instanceof Error && 'code' in error ? String(error.code) : '';
  switch (code) {
    case 'ENOENT':
      return 'there is no such file';
    case 'EACCES':
    case 'EPERM':
      return 'permission is denied';
    case 'EISDIR':
      return 'it is a folder';
    case 'ENOTDIR':
      return 'a part of the path is not a folder';
    case 'ERR_ENCODING_INVALID_ENCODED_DATA':
      return 'it is not UTF-8 text';
    case 'ENOSPC':
      return 'the disk is full';
    default:
      return error instanceof Error ? error.message : String(error);
  }
}

const MAX_BODY_BYTES = 1024 * 1024;

/**
 * Returns a function that reads the body files which curl lines name. The function reads only files of this folder, and ignores the
 * folders in a path. So a path in a log cannot open any other file of this machine.
 */
export function bodyFilesIn(folder: string): ReadFileBeside {
  return (name) => {
    const file = path.join(folder, path.basename(name.replaceAll('\\', '/')));
    try {
      if (path.dirname(realpathSync(file)) !== realpathSync(folder)) return undefined;
      const { size } = statSync(file);
      return size <= MAX_BODY_BYTES ? readFileSync(file) : undefined;
    } catch {
      return undefined;
    }
  };
}
