import path from 'node:path';
import { defineConfig, type Plugin } from 'rolldown';

/**
 * The package yaml offers Node its CommonJS build only, which cannot be tree-shaken. Its ES modules are the same code, smaller and faster.
 */
const YAML = path.join(import.meta.dirname, 'node_modules/yaml/browser/dist/index.js');

/**
 * Modules that the packages import as a whole and hardly use. Loading them takes a good part of a quick command's time: importing
 * `node:process` makes Node compute all its fields at once, and the global is the same object; child processes load the whole network
 * code, and `node:util` the threads. chalk's detection of colours loads `node:os` and is not used: `wantsColour` decides.
 */
const LEAN: Readonly<Record<string, string>> = {
  'node:process': 'export default globalThis.process;',
  'node:util':
    "export const stripVTControlCharacters = (text) => process.getBuiltinModule('node:util').stripVTControlCharacters(text);",
  'node:child_process':
    "export default { spawn: (...args) => process.getBuiltinModule('node:child_process').spawn(...args) };",
  '#supports-color': 'export default { stdout: false, stderr: false };',
};
/** Making a segmenter takes longer than all else that `--help` does, and text in ASCII needs none: it is made when it is first used. */
const SEGMENTER = 'new Intl.Segmenter()';
const LATE_SEGMENTER = `({ segment(text) { this.made ??= ${SEGMENTER}; return this.made.segment(text); } })`;
const leanPackages: Plugin = {
  name: 'lean-packages',
  resolveId: (id, importer) => {
    if (id === 'yaml') return YAML;
    return id in LEAN &&
      /\/node_modules\/(chalk|commander|ora|string-width|strip-ansi|wrap-ansi)\//.test(importer ?? '')
      ? `\0${id}`
      : null;
  },
  load: (id) => LEAN[id.slice(1)] ?? null,
  transform: (code, id) =>
    /\/node_modules\/(string-width|wrap-ansi)\//.test(id) ? code.replace(SEGMENTER, LATE_SEGMENTER) : null,
};

/** Everything is bundled into lazily loaded chunks, so that a command reads only the code that it runs. */
export default defineConfig({
  input: {
    main: 'src/cli/main.ts',
    'selftest-worker': 'src/cli/commands/selftest/worker.ts',
    sdk: 'src/sdk/sdk.ts',
    library: 'src/library/library.ts',
  },
  platform: 'node',
  plugins: [leanPackages],
  output: {
    dir: 'dist',
    format: 'esm',
    cleanDir: true,
    // Names are kept: a bug report shows them.
    minify: { compress: true, mangle: false, codegen: true },
    chunkFileNames: 'chunks/[name]-[hash].js',
    // Cryptography takes long to load. Left to itself, what signs would share a chunk with what every command needs. A group takes
    // along what it imports, so the ways to sign, which scenarios and help name too, have a chunk of their own.
    codeSplitting: {
      groups: [
        { name: 'deviation', test: /\/src\/contract\/deviation\.ts$/, priority: 2 },
        { name: 'canonical', test: /\/src\/contract\/(?:canonical|json|query)\.ts$/, priority: 1 },
        { name: 'signing', test: /\/src\/(?:contract\/signature|wire\/deviations)\.ts$/ },
      ],
    },
  },
});
