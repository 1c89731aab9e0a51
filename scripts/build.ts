// Through rolldown's API rather than its command, which lists every chunk where a person wants to see a report.
import { type BuildOptions, build } from 'rolldown';
import config from '../rolldown.config.ts';
import { buildPages } from './pages.ts';
import { buildSuite, COMPILED_SUITE } from './suite.ts';

await build(config as BuildOptions);
await buildPages('dist/pages');
buildSuite('scenarios', COMPILED_SUITE);
