import { cpSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { build, type RolldownOutput } from 'rolldown';

const SRC = path.resolve(import.meta.dirname, '../src');
const SCRIPTS = {
  game: 'service/game-page/client/main.ts',
  console: 'service/console/client/main.ts',
  board: 'fleet/board/client/main.ts',
  report: 'report/html/client/main.ts',
};
const STATIC_FILES = [
  'service/game-page/client/game.html',
  'service/game-page/client/game.css',
  'service/game-page/client/icon.svg',
  'service/console/client/console.html',
  'fleet/board/client/board.html',
  'report/html/client/report.css',
];
const BASE_STYLE = 'pages/client/base.css';
/** The styles that begin with the base style. */
const STYLES = ['service/console/client/console.css', 'fleet/board/client/board.css'];

/**
 * Builds the scripts of the pages and of the HTML report, and copies their static files.
 *
 * @returns the bundles of the scripts
 */
export async function buildPages(folder: string): Promise<readonly RolldownOutput[]> {
  mkdirSync(folder, { recursive: true });
  const bundles: RolldownOutput[] = [];
  for (const [name, entry] of Object.entries(SCRIPTS)) {
    const bundle = await build({
      input: { [name]: path.join(SRC, entry) },
      platform: 'browser',
      output: { dir: folder, format: 'esm', minify: true },
    });
    bundles.push(bundle);
  }
  for (const file of STATIC_FILES) cpSync(path.join(SRC, file), path.join(folder, path.basename(file)));
  for (const file of STYLES) {
    const style = [BASE_STYLE, file].map((name) => readFileSync(path.join(SRC, name), 'utf8')).join('\n');
    writeFileSync(path.join(folder, path.basename(file)), style);
  }
  return bundles;
}
