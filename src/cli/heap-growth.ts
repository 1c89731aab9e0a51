import { setFlagsFromString } from 'node:v8';

/**
 * Makes V8 collect garbage early, in the whole process. By default, its heap grows during a run to several times the
 * memory in use. A run of a whole night would then look like a memory leak.
 */
export function limitHeapGrowth(): void {
  setFlagsFromString('--semi-space-growth-factor=1');
  setFlagsFromString('--heap-growing-percent=35');
}

/** Size of the space for new objects, in megabytes. */
const YOUNG_MB = 16;

/**
 * Makes the space for new objects larger. A load test creates some hundred objects for each call, which live only until its reply
 * comes. In a small space, many of them are moved to the old space before. The old space grows slowly, as in a run.
 */
export function useLargeYoungHeap(): void {
  setFlagsFromString('--heap-growing-percent=35');
  setFlagsFromString(`--max-semi-space-size=${YOUNG_MB}`);
  setFlagsFromString(`--min-semi-space-size=${YOUNG_MB}`);
}
