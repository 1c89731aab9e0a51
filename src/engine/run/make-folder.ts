import { existsSync, mkdirSync } from 'node:fs';
import path from 'node:path';

/**
 * Creates a folder and its missing parents. It goes step by step, because the recursive `mkdirSync` of Node never returns if the
 * system says "no such folder" although the parent exists (`/proc/x`).
 *
 * @throws the system's error
 */
export function makeFolder(folder: string, mode?: number): void {
  if (existsSync(folder)) return;
  const parent = path.dirname(folder);
  if (parent !== folder) makeFolder(parent, mode);
  try {
    mkdirSync(folder, { mode });
  } catch (error) {
    // Another run may have created it at the same moment.
    if (!existsSync(folder)) throw error;
  }
}
