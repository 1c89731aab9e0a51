import path from 'node:path';
import { isSea } from 'node:sea';
import { Worker, type WorkerOptions } from 'node:worker_threads';
import { packageRoot, readBytes } from '../app/files.ts';

/**
 * Starts a thread with a script of the build. The single executable has no such file on the disk, so the script is passed to
 * the thread as text.
 *
 * @param workerData the plain values that the script finds as `workerData`
 */
export function startThread(name: 'selftest-worker' | 'load-worker', workerData?: unknown): Worker {
  const file = path.join(packageRoot(), 'dist', `${name}.js`);
  const options: WorkerOptions = { workerData };
  return isSea()
    ? new Worker(new TextDecoder().decode(readBytes(file)), { ...options, eval: true })
    : new Worker(file, options);
}
