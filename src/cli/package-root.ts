import { existsSync } from 'node:fs';
import path from 'node:path';
import { isSea } from 'node:sea';

/**
 * The folder that croupier is installed in: the nearest one upwards that holds the built-in suite beside the manifest. The
 * single executable stands for a folder itself; what is in it is read by `readBytes` and `filesBelow`.
 */
export function packageRoot(): string {
  if (isSea()) return process.execPath;
  let dir = import.meta.dirname;
  while (!existsSync(path.join(dir, 'package.json')) || !existsSync(path.join(dir, 'scenarios'))) {
    const parent = path.dirname(dir);
    if (parent === dir)
      throw new Error(`the built-in scenarios are not where they should be, above ${import.meta.dirname}`);
    dir = parent;
  }
  return dir;
}
