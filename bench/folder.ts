import { existsSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';

/** A folder whose files are in memory, so that other work on the disk of this machine delays no write. */
export const MEMORY_FOLDER: string = existsSync('/dev/shm') ? '/dev/shm' : tmpdir();

/** Calls `use` with a new temporary folder, and removes the folder afterwards. */
export async function withFolder<T>(use: (folder: string) => Promise<T>, parent = tmpdir()): Promise<T> {
  const folder = await mkdtemp(path.join(parent, 'croupier-bench-'));
  try {
    return await use(folder);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}
