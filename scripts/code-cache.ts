// Writes the V8 code cache of a program, so that a start need not compile it. Usage: node --random-seed=1
// scripts/code-cache.ts PROGRAM CACHE. The fixed seed makes V8 write the same bytes for the same program.
import { readFileSync, writeFileSync } from 'node:fs';
import { Script } from 'node:vm';

const [program = '', cache = ''] = process.argv.slice(2);
// The cache is valid only for the same text, so the program is wrapped exactly as in src/cli/binary.ts.
const script = new Script(`(function (exports, require) {${readFileSync(program, 'utf8')}\n})`);
writeFileSync(cache, script.createCachedData());
