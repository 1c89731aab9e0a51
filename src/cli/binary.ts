import { createRequire } from 'node:module';
import { getAsset, getRawAsset } from 'node:sea';
import { Script } from 'node:vm';
import { type Program, start } from './start.ts';

/**
 * How the single executable starts. The program is a file within it, with what V8 made of it when it was built; both are
 * touched only when they are needed, as an installed package does it by importing.
 */
start(async () => {
  const script = new Script(`(function (exports, require) {${getAsset('program.cjs', 'utf8')}\n})`, {
    filename: 'program.cjs',
    cachedData: Buffer.from(getRawAsset('program.cache')),
  });
  const program: Partial<Program> = {};
  const run = script.runInThisContext() as (exports: object, require: NodeJS.Require) => void;
  run(program, createRequire(process.execPath));
  if (!program.main) throw new Error('the executable is not whole: it holds no program');
  return { main: program.main };
});
