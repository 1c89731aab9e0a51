import { enableCompileCache } from 'node:module';
import { start } from './start.ts';

start(() => {
  enableCompileCache();
  return import('./program.ts');
});
