import { randomUUID } from 'node:crypto';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { makeFolder } from '../../folder/make-folder.ts';
import { holderText, thisHolder } from './holder.ts';
import { LockFile } from './lock-file.ts';

/** Time between two attempts to lock a file that is in use, and the maximum time to wait for this file, in ms. */
const RETRY_MS = 20;
const WAIT_MS = 30_000;

/**
 * Runs an action that reads a file and writes it again, for example a baseline. For the same file, only one such action runs at
 * a time, also if several processes call this function.
 *
 * @param file the absolute path of the file, which need not exist
 * @throws Error if another process does not finish in time; the message names this process
 */
export async function whileLocked<Result>(file: string, action: () => Promise<Result>): Promise<Result> {
  makeFolder(path.dirname(file));
  const lock = new LockFile(`${file}.lock`, 0o600);
  const holder = {
    token: randomUUID(),
    ...thisHolder(),
    since: new Date().toISOString(),
    command: 'report',
    extCID: '',
    operator: '',
    player: file,
    journal: null,
  };
  const until = performance.now() + WAIT_MS;
  for (;;) {
    const other = lock.take(holder, () => {});
    if (!other) break;
    if (performance.now() > until) throw new Error(`${holderText(other)} is writing the file`);
    await sleep(RETRY_MS);
  }
  try {
    return await action();
  } finally {
    lock.remove();
  }
}
