import { createRequire } from 'node:module';
import { getAsset, getAssetKeys, getRawAsset } from 'node:sea';
import { Script } from 'node:vm';
import { type Program, start } from './start.ts';

/** The V8 code cache of the program. If the executable was built on another system, it contains no code cache. */
const CACHE = 'program.cache';

/**
 * Starts the single executable. The program and its V8 code cache are files inside the executable. Both are loaded only if a
 * command needs them, because `--version` works without the program.
 */
start(async () => {
  const script = new Script(`(function (exports, require) {${getAsset('program.cjs', 'utf8')}\n})`, {
    filename: 'program.cjs',
    ...(getAssetKeys().includes(CACHE) && { cachedData: Buffer.from(getRawAsset(CACHE)) }),
  });
  const program: Partial<Program> = {};
  const run = script.runInThisContext() as (exports: object, require: NodeJS.Require) => void;
  run(program, createRequire(process.execPath));
  if (!program.main) throw new Error('the executable is damaged: it contains no program');
  return { main: program.main };
});
