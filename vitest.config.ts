import { defineConfig } from 'vitest/config';

/** Files of tests that take longest, so that `npm test` stays short: `npm run test:slow` runs these and no others. */
const SLOW = '**/*.slow.test.ts';
const isSlow = process.env.CROUPIER_SLOW !== undefined;

/**
 * Most tests wait for sockets and processes, so more of them than there are cores can run in parallel. No test is tried twice: a flaky
 * test fails the run. The few tests that provoke real races say so themselves, with the reason.
 *
 * Several files share one worker (`isolate`), because a new worker for each file takes a sixth of the processor time of all tests. So a
 * test puts back whatever it changes in its process.
 */
export default defineConfig({
  test: {
    include: [isSlow ? SLOW : 'test/**/*.test.ts'],
    exclude: ['node_modules', 'examples', ...(isSlow ? [] : [SLOW])],
    maxWorkers: 3,
    isolate: false,
    // A test of the built program takes some seconds, and several times as long beside other work.
    testTimeout: 60_000,
  },
});
