import path from 'node:path';
import { isSea } from 'node:sea';
import { Worker } from 'node:worker_threads';
import { readBytes } from './package-files.ts';
import { packageRoot } from './package-root.ts';

/** Starts a thread on a script of the build. The single executable has no file to start it from, and hands over its text. */
export function startThread(name: string): Worker {
  const file = path.join(packageRoot(), 'dist', `${name}.js`);
  return isSea() ? new Worker(new TextDecoder().decode(readBytes(file)), { eval: true }) : new Worker(file);
}
