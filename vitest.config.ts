import { defineConfig } from 'vitest/config';

/**
 * Most tests wait for sockets and processes, so that more of them than there are cores can run side by side. Races and
 * browsers are at the mercy of a busy machine: what failed once is tried once more.
 */
export default defineConfig({
  test: { exclude: ['node_modules', 'examples'], maxWorkers: 3, testTimeout: 20_000, retry: 1 },
});
