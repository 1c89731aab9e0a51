import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
// As a whole, because the oldest Node that is served has no getAssetKeys.
import sea from 'node:sea';
import { packageRoot } from './package-root.ts';

/**
 * Reads a file of the disk, or, in the single executable, one that it holds within itself below `packageRoot()`.
 *
 * @throws what the system says when it can't be read
 */
export function readBytes(file: string): Uint8Array {
  const asset = assetOf(file);
  return asset === undefined ? readFileSync(file) : new Uint8Array(sea.getRawAsset(asset));
}

/** The paths of all files of a folder, also of one that the single executable holds, sorted. */
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

/** How the single executable calls a file of its own; undefined: it lies on the disk. */
function assetOf(file: string): string | undefined {
  if (!sea.isSea()) return undefined;
  const relative = path.relative(packageRoot(), file);
  return relative.startsWith('..') || path.isAbsolute(relative) ? undefined : relative.replaceAll(path.sep, '/');
}
