// Builds the bundle. It calls the API of rolldown, because the command of rolldown prints a line for every chunk.
import { type BuildOptions, build } from 'rolldown';
import config from '../rolldown.config.ts';
import { buildPages } from './pages.ts';
import { buildSuite, COMPILED_SUITE } from './suite.ts';

await build(config as BuildOptions);
await buildPages('dist/pages');
buildSuite('scenarios', COMPILED_SUITE);
