import { existsSync, mkdirSync } from 'node:fs';
import path from 'node:path';

/**
 * Makes a folder and those above it that are missing. Step by step, because Node's own recursive way never returns where the
 * system says "no such folder" about one whose parent is there (`/proc/x`).
 *
 * @throws what the system says
 */
export function makeFolder(folder: string, mode?: number): void {
  if (existsSync(folder)) return;
  const parent = path.dirname(folder);
  if (parent !== folder) makeFolder(parent, mode);
  try {
    mkdirSync(folder, { mode });
  } catch (error) {
    // Another run of the same moment may have been quicker.
    if (!existsSync(folder)) throw error;
  }
}
