import { existsSync } from 'node:fs';
import path from 'node:path';

/** The folder that croupier is installed in: the nearest one upwards that holds the built-in suite beside the manifest. */
export function packageRoot(): string {
  let dir = import.meta.dirname;
  while (!existsSync(path.join(dir, 'package.json')) || !existsSync(path.join(dir, 'scenarios'))) {
    const parent = path.dirname(dir);
    if (parent === dir)
      throw new Error(`the built-in scenarios are not where they should be, above ${import.meta.dirname}`);
    dir = parent;
  }
  return dir;
}
