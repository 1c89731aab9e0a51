// node --random-seed=1 scripts/code-cache.ts PROGRAM CACHE: writes the code cache of the program, so that no start
// compiles it again. V8 uses random numbers; with a seed the same program gives the same bytes.
import { readFileSync, writeFileSync } from 'node:fs';
import { Script } from 'node:vm';

const [program = '', cache = ''] = process.argv.slice(2);
// Wrapped as src/cli/binary.ts wraps it.
const script = new Script(`(function (exports, require) {${readFileSync(program, 'utf8')}\n})`);
writeFileSync(cache, script.createCachedData());
