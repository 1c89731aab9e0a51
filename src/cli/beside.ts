import { readFileSync, realpathSync, statSync } from 'node:fs';
import path from 'node:path';
import type { ReadBeside } from '../incident/read/command.ts';

const MOST_BYTES = 1024 * 1024;

/**
 * Reads the files in which curl lines say that their bodies lie, by their name alone, in one folder: what somebody wrote into
 * a log must not lead to any other file of this machine.
 */
export function besideIn(folder: string): ReadBeside {
  return (name) => {
    const file = path.join(folder, path.basename(name.replaceAll('\\', '/')));
    try {
      if (path.dirname(realpathSync(file)) !== realpathSync(folder)) return undefined;
      const { size } = statSync(file);
      return size <= MOST_BYTES ? readFileSync(file) : undefined;
    } catch {
      return undefined;
    }
  };
}
