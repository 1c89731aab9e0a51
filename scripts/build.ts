// Builds the bundle. It calls the API of rolldown, because the command of rolldown prints a line for every chunk.
import { writeFileSync } from 'node:fs';
import { type BuildOptions, build } from 'rolldown';
import config from '../rolldown.config.ts';
import { assertListed, collectPackages, finishBill } from './bill-of-materials.ts';
import { BUILT_EXAMPLES, ruleExamples } from './docs/rule-examples.ts';
import { buildPages } from './pages.ts';
import { buildSuite, COMPILED_SUITE } from './suite.ts';

const { plugins, ...options } = config as BuildOptions;
const program = await build({
  ...options,
  plugins: [plugins, collectPackages()],
  // The plugin that collects the packages logs each of its steps.
  onLog: (level, log, next) => {
    if (log.plugin !== 'rollup-plugin-sbom') next(level, log);
  },
});
finishBill();
for (const bundle of [program, ...(await buildPages('dist/pages'))]) assertListed(bundle);
buildSuite('scenarios', COMPILED_SUITE);
writeFileSync(BUILT_EXAMPLES, JSON.stringify(ruleExamples()));
