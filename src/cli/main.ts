import { start } from './start.ts';

start(() => {
  // An import of `node:module` would take time for `--version` too, which needs no cache.
  process.getBuiltinModule('node:module').enableCompileCache();
  return import('./program.ts');
});
