import { cpSync, mkdirSync } from 'node:fs';
import path from 'node:path';
import { build } from 'rolldown';

const SERVICE = path.resolve(import.meta.dirname, '../src/service');
const SCRIPTS = { game: 'game-page/client/main.ts', console: 'console/client/main.ts' };
const STILL = [
  'game-page/client/game.html',
  'game-page/client/game.css',
  'game-page/client/icon.svg',
  'console/client/console.html',
  'console/client/console.css',
];

/** Builds what browsers load of the service's pages: one script each, and what stands beside it. */
export async function buildPages(folder: string): Promise<void> {
  mkdirSync(folder, { recursive: true });
  for (const [name, entry] of Object.entries(SCRIPTS)) {
    await build({
      input: { [name]: path.join(SERVICE, entry) },
      platform: 'browser',
      output: { dir: folder, format: 'esm', minify: true },
    });
  }
  for (const file of STILL) cpSync(path.join(SERVICE, file), path.join(folder, path.basename(file)));
}
