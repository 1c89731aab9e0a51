import { defineConfig, type Plugin } from 'rolldown';

/**
 * What commander and yaml import as a whole and hardly use, as it takes a good part of a quick command's time: importing `node:process`
 * makes Node reckon all its fields at once, and the global is the same object; child processes bring the whole network with
 * them, and `node:util` all kinds of threads.
 */
const LEAN: Readonly<Record<string, string>> = {
  'node:process': 'export default globalThis.process;',
  process: 'module.exports = globalThis.process;',
  'node:util':
    "export const stripVTControlCharacters = (text) => process.getBuiltinModule('node:util').stripVTControlCharacters(text);",
  'node:child_process':
    "export default { spawn: (...args) => process.getBuiltinModule('node:child_process').spawn(...args) };",
};
const leanPackages: Plugin = {
  name: 'lean-packages',
  resolveId: (id, importer) =>
    id in LEAN && /\/node_modules\/(commander|yaml)\//.test(importer ?? '') ? `\0${id}` : null,
  load: (id) => LEAN[id.slice(1)] ?? null,
};

/** Everything is bundled into lazily loaded chunks, so that a command reads only the code that it runs. */
export default defineConfig({
  input: {
    main: 'src/cli/main.ts',
    'selftest-worker': 'src/cli/selftest-worker.ts',
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
    // Cryptography takes long to load. Left to itself, what signs would share a chunk with what every command needs.
    codeSplitting: { groups: [{ name: 'signing', test: /\/src\/(contract\/signature|wire\/signature-for)\.ts$/ }] },
  },
});
