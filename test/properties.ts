import { configureGlobal } from 'fast-check';

/**
 * fast-check for the tests, with a fixed seed: the same commit passes or fails in the same way each time. To look for new cases,
 * set `CROUPIER_TEST_SEED` to another whole number.
 */
configureGlobal({ seed: Number(process.env.CROUPIER_TEST_SEED ?? 1) });

export * from 'fast-check';
