import { defineConfig } from 'rolldown';

/** Everything is bundled into lazily loaded chunks, so that a command reads only the code that it runs. */
export default defineConfig({
  input: { main: 'src/cli/main.ts' },
  platform: 'node',
  output: {
    dir: 'dist',
    format: 'esm',
    cleanDir: true,
    minify: 'dce-only',
    chunkFileNames: 'chunks/[name]-[hash].js',
  },
});
