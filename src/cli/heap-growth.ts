import { setFlagsFromString } from 'node:v8';

/**
 * Makes V8 collect garbage early, in the whole process. By default, the heap grows during a run to several times the memory that is
 * in use. In a run of a whole night, this would look like a memory leak.
 */
export function limitHeapGrowth(): void {
  setFlagsFromString('--semi-space-growth-factor=1');
  setFlagsFromString('--heap-growing-percent=35');
}

/** Size of the space for new objects, in megabytes. */
const YOUNG_MB = 16;

/**
 * Makes the space for new objects larger. A load test creates some hundred objects for each call, and needs them only until the
 * reply comes. In a small space, V8 would move many of these objects to the old space before the reply comes. With a large space,
 * the old space grows slowly, as in a run.
 */
export function useLargeYoungHeap(): void {
  setFlagsFromString('--heap-growing-percent=35');
  setFlagsFromString(`--max-semi-space-size=${YOUNG_MB}`);
  setFlagsFromString(`--min-semi-space-size=${YOUNG_MB}`);
  // By default, several threads collect the new objects, and the load waits until the operating system has run all of them. On a
  // busy machine, this takes longer than the work of one thread.
  setFlagsFromString('--no-parallel-scavenge');
}
