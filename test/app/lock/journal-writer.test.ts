import { mkdtempSync, readdirSync, readFileSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { HeldLocks } from '../../../src/app/lock/held-locks.ts';
import type { Holder } from '../../../src/app/lock/holder.ts';
import { lockedBy, lockJournal, lockPathOf } from '../../../src/app/lock/journal-writer.ts';

let folder = '';
let file = '';
beforeEach(() => {
  folder = mkdtempSync(path.join(tmpdir(), 'croupier-'));
  file = path.join(folder, 'run.ndjson');
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

function taken(): HeldLocks {
  const lock = lockJournal(file, 'run');
  if (!('release' in lock)) throw new Error('the journal is in use');
  return lock;
}

/** Changes the lock as if another process had written it. */
function rewrite(changes: Partial<Holder>): void {
  const lock = lockPathOf(file);
  writeFileSync(lock, JSON.stringify({ ...JSON.parse(readFileSync(lock, 'utf8')), token: 'another', ...changes }));
}

describe('the lock of a journal', () => {
  it('is a file beside the journal until it is released', () => {
    const held = taken();
    expect(readdirSync(folder)).toEqual(['run.ndjson.lock']);
    expect(lockJournal(file, 'settle')).toMatchObject({ command: 'run', pid: process.pid });
    held.release();
    expect(readdirSync(folder)).toEqual([]);
    expect(lockedBy(file)).toBeUndefined();
  });

  it('names a process in another container as long as this process renews the lock', () => {
    taken();
    rewrite({ machine: 'container 2', host: 'build-7', pid: 7 });
    expect(lockedBy(file)).toMatchObject({ command: 'run', pid: 7, host: 'build-7' });
    const before = new Date(Date.now() - 31_000);
    utimesSync(lockPathOf(file), before, before);
    expect(lockedBy(file)).toBe('ended');
    taken().release();
    expect(readdirSync(folder)).toEqual([]);
  });

  it('does not protect the journal of a process of this machine that was killed', () => {
    taken();
    rewrite({ pid: 2 ** 30 });
    expect(lockedBy(file)).toBe('ended');
    taken().release();
  });

  it('is left out if croupier cannot write to the folder of the journal', () => {
    file = path.join(folder, 'missing', 'run.ndjson');
    expect(() => taken().release()).not.toThrow();
    expect(lockedBy(file)).toBeUndefined();
  });
});
