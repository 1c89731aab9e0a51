import { setFlagsFromString } from 'node:v8';

/**
 * Makes V8 collect garbage early, in the whole process. By default, the heap grows during a run to several times the memory that is
 * in use. In a run of a whole night, this would look like a memory leak.
 */
export function limitHeapGrowth(): void {
  setFlagsFromString('--semi-space-growth-factor=1');
  setFlagsFromString('--heap-growing-percent=35');
  collectInOneThread();
}

/**
 * By default, several threads collect the new objects, and the calls wait until the operating system has run all of them. For a heap
 * as small as that of croupier, this takes longer than the work of one thread, above all on a busy machine.
 */
function collectInOneThread(): void {
  setFlagsFromString('--no-parallel-scavenge');
}

/** Factor by which the space for new objects grows. It is so large that the space has its maximum size after it grew once. */
const YOUNG_GROWTH = 64;

/**
 * Lets the space for new objects grow to its maximum size at once. A load test creates some hundred objects for each call, and needs
 * them only until the reply comes. In a small space, V8 would move many of these objects to the old space before the reply comes.
 * With a large space, the old space grows slowly, as in a run.
 *
 * V8 reads the flags for the size of this space only when it starts, so only the growth can be changed here.
 */
export function useLargeYoungHeap(): void {
  setFlagsFromString('--heap-growing-percent=35');
  setFlagsFromString(`--semi-space-growth-factor=${YOUNG_GROWTH}`);
  collectInOneThread();
  // Many transactions outlive one collection of the new space, so V8 would begin to create all of them in the old space. Soon after,
  // they are garbage there. V8 would have to collect the old space several times as often.
  setFlagsFromString('--no-allocation-site-pretenuring');
}
