import path from 'node:path';
import { defineConfig, type Plugin } from 'rolldown';

/**
 * The ES modules of the package yaml, which are smaller and faster. Node would import its CommonJS build, from which
 * unused code cannot be removed.
 */
const YAML = path.join(import.meta.dirname, 'node_modules/yaml/browser/dist/index.js');

/** The one class of undici that is used. The whole package would add half a megabyte of caches, mocks and `fetch`. */
const UNDICI = "export { default as Client } from 'undici/lib/dispatcher/client.js';";

/**
 * Small replacements for modules that packages import whole but hardly use. Loading the whole modules takes a large
 * part of a short command's time. chalk's detection of colours is replaced too, because `wantsColour` decides about
 * colours.
 */
const LEAN: Readonly<Record<string, string>> = {
  'node:process': 'export default globalThis.process;',
  'node:util':
    "export const stripVTControlCharacters = (text) => process.getBuiltinModule('node:util').stripVTControlCharacters(text);",
  'node:child_process':
    "export default { spawn: (...args) => process.getBuiltinModule('node:child_process').spawn(...args) };",
  '#supports-color': 'export default { stdout: false, stderr: false };',
};
/**
 * Creating a segmenter takes longer than the rest of `--help`, and ASCII text needs none. So it is created when it is
 * first used.
 */
const SEGMENTER = 'new Intl.Segmenter()';
const LATE_SEGMENTER = `({ segment(text) { this.made ??= ${SEGMENTER}; return this.made.segment(text); } })`;
const leanPackages: Plugin = {
  name: 'lean-packages',
  resolveId: (id, importer) => {
    if (id === 'yaml') return YAML;
    if (id === 'undici') return '\0undici';
    return id in LEAN &&
      /\/node_modules\/(chalk|commander|ora|string-width|strip-ansi|wrap-ansi)\//.test(importer ?? '')
      ? `\0${id}`
      : null;
  },
  load: (id) => (id === '\0undici' ? UNDICI : (LEAN[id.slice(1)] ?? null)),
  transform: (code, id) =>
    /\/node_modules\/(string-width|wrap-ansi)\//.test(id) ? code.replace(SEGMENTER, LATE_SEGMENTER) : null,
};

/** The program is divided into chunks, so that a command loads only the code that it runs. */
export default defineConfig({
  input: {
    main: 'src/cli/main.ts',
    'selftest-worker': 'src/cli/commands/selftest/worker.ts',
    'load-worker': 'src/cli/commands/load/worker.ts',
    sdk: 'src/sdk/sdk.ts',
    library: 'src/library/library.ts',
  },
  platform: 'node',
  plugins: [leanPackages],
  output: {
    dir: 'dist',
    format: 'esm',
    cleanDir: true,
    // Names are not shortened, because bug reports show them.
    minify: { compress: true, mangle: false, codegen: true },
    chunkFileNames: 'chunks/[name]-[hash].js',
    // Cryptography takes long to load, so signing has a chunk that only commands which sign load. The names of the
    // deviations and the canonical JSON are needed without signing too, so each has a separate chunk.
    codeSplitting: {
      groups: [
        { name: 'deviation', test: /\/src\/contract\/deviation\.ts$/, priority: 2 },
        { name: 'canonical', test: /\/src\/contract\/(?:canonical|json|query)\.ts$/, priority: 1 },
        { name: 'signing', test: /\/src\/(?:contract\/signature|wire\/deviations)\.ts$/ },
      ],
    },
  },
});
