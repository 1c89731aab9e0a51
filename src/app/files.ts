import { existsSync, readdirSync, readFileSync, realpathSync, statSync } from 'node:fs';
import path from 'node:path';
// As a whole, because the oldest supported Node has no getAssetKeys.
import sea from 'node:sea';
import type { ReadFileBeside } from '../traffic/read/commands/command.ts';
import { UsageError } from './exit-status.ts';

/**
 * The folder of the installed package: the nearest folder upwards that holds the manifest and the built-in suite. In the
 * single executable it is the path of the executable, whose files `readBytes` and `filesBelow` read.
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
 * Reads a file of the disk. In the single executable, a path below `packageRoot()` names a file inside the executable.
 *
 * @throws the system's error when the file can't be read
 */
export function readBytes(file: string): Uint8Array {
  const asset = assetOf(file);
  return asset === undefined ? readFileSync(file) : new Uint8Array(sea.getRawAsset(asset));
}

/** The sorted paths of all files in a folder and below, also for a folder inside the single executable. */
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

/** The name of a file inside the single executable; undefined: the file is on the disk. */
function assetOf(file: string): string | undefined {
  if (!sea.isSea()) return undefined;
  const relative = path.relative(packageRoot(), file);
  return relative.startsWith('..') || path.isAbsolute(relative) ? undefined : relative.replaceAll(path.sep, '/');
}

/** A path for a message: relative to the working directory if the file is in it or below, else absolute. */
export function shownPath(file: string, cwd: string): string {
  const relative = path.relative(cwd, file);
  return relative.startsWith('..') || path.isAbsolute(relative) ? file : relative;
}

/**
 * @param what names the file at the beginning of the message
 * @throws UsageError when it can't be read as UTF-8 text
 */
export function readTextFile(file: string, what: string): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(readBytes(file));
  } catch (error) {
    throw new UsageError(`${what} can't be read: ${file}: ${whyUnreadable(error)}.`, { cause: error });
  }
}

/** The reason of a file system error, in plain words. */
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
 * Reads the body files that curl lines name, by their base name and from one folder only: a path in a log must not open
 * any other file of this machine.
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
