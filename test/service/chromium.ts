import { existsSync, mkdirSync, mkdtempSync, renameSync, rmSync } from 'node:fs';
import path from 'node:path';
import chromium from '@sparticuz/chromium';

const UNPACKED = path.resolve(import.meta.dirname, '../../node_modules/.cache/croupier-chromium');

/**
 * Unpacks Chromium unless an earlier run has done so, and returns its path. Several test files may start at the same time.
 * So that none of them uses a half-written file, each unpacks into its own folder. The first complete folder is then renamed.
 */
export async function chromiumPath(): Promise<string> {
  const binary = path.join(UNPACKED, 'chromium');
  if (existsSync(binary)) return binary;
  mkdirSync(path.dirname(UNPACKED), { recursive: true });
  const own = mkdtempSync(`${UNPACKED}-`);
  const { TMPDIR } = process.env;
  process.env.TMPDIR = own;
  await chromium.executablePath();
  if (TMPDIR === undefined) delete process.env.TMPDIR;
  else process.env.TMPDIR = TMPDIR;
  try {
    renameSync(own, UNPACKED);
  } catch (error) {
    rmSync(own, { recursive: true });
    if (!existsSync(binary)) throw error;
  }
  return binary;
}
