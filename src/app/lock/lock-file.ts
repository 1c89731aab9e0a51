import { randomUUID } from 'node:crypto';
import {
  closeSync,
  linkSync,
  mkdirSync,
  openSync,
  readFileSync,
  readSync,
  rmdirSync,
  rmSync,
  statSync,
  writeFileSync,
  writeSync,
} from 'node:fs';
import { type Holder, isRunning, readHolder } from './holder.ts';

/**
 * If a holder on another machine or in another container has not renewed its lock file for this time, in ms, it counts as
 * ended.
 */
export const SILENT_MS = 30_000;
/**
 * If a takeover is not finished after this time, in ms, its process counts as ended. A takeover takes less than one
 * millisecond.
 */
const TAKEOVER_MS = 10_000;

/** The beginning of a lock file, which contains its token. A load test renews a thousand locks, so all use the same memory. */
const BEGINNING = Buffer.alloc(128);

/** One lock. The file exists while a process holds the lock, and describes this process. */
export class LockFile {
  readonly #path: string;
  readonly #mode: number;
  #holder: Holder | undefined;

  /** @param mode the permissions of the file */
  constructor(file: string, mode: number) {
    this.#path = file;
    this.#mode = mode;
  }

  /** Takes the lock for a holder. If another holder has the lock, returns this other holder. */
  take(holder: Holder, onDead: (dead: Holder) => void): Holder | undefined {
    // The file gets its name only when its content is complete, so that no other process reads only a part of it.
    const draft = `${this.#path}.${holder.token}`;
    writeFileSync(draft, `${JSON.stringify(holder)}\n`, { mode: this.#mode });
    try {
      for (;;) {
        if (isDone(() => publish(draft, this.#path), 'EEXIST')) {
          this.#holder = holder;
          return undefined;
        }
        const other = this.#read();
        if (other === 'gone') continue;
        if (!this.#isOver(other, () => statSync(draft).mtimeMs)) return other;
        if (!this.#removeOf(other)) return other;
        onDead(other);
      }
    } finally {
      rmSync(draft, { force: true });
    }
  }

  /** Returns the process that holds the lock; `ended` if this process has ended, and undefined if nobody holds the lock. */
  holder(): Holder | 'ended' | undefined {
    const other = this.#read();
    if (other === 'gone') return undefined;
    return this.#isOver(other, () => this.#now()) ? 'ended' : other;
  }

  /** Returns the current time by the clock of the file system, or by the clock of this machine if it can't write there. */
  #now(): number {
    const probe = `${this.#path}.${randomUUID()}`;
    try {
      writeFileSync(probe, '');
      return statSync(probe).mtimeMs;
    } catch {
      return Date.now();
    } finally {
      rmSync(probe, { force: true });
    }
  }

  /** Releases the lock. Does nothing if another process has taken over the lock. */
  remove(): void {
    const other = this.#holder && this.#read();
    if (other !== undefined && other !== 'gone' && other.token === this.#holder?.token)
      rmSync(this.#path, { force: true });
    this.#holder = undefined;
  }

  /** Updates the time of the file. This shows other processes that the holder still runs. */
  beat(): void {
    const token = this.#holder?.token;
    if (token === undefined) return;
    try {
      const descriptor = openSync(this.#path, 'r+');
      try {
        const length = readSync(descriptor, BEGINNING, 0, BEGINNING.length, 0);
        if (!BEGINNING.toString('utf8', 0, length).includes(token)) return;
        // Writes a byte, so that the file server sets the time of the file. So one clock sets the times for all machines. `utimes`
        // would use the clock of this machine. The file already begins with `{`, so its content stays the same.
        writeSync(descriptor, '{', 0);
      } finally {
        closeSync(descriptor);
      }
    } catch {
      // An error is ignored, because the next beat tries again.
    }
  }

  #read(): Holder | 'gone' {
    let text: string;
    try {
      text = readFileSync(this.#path, 'utf8');
    } catch (error) {
      if (isCode(error, 'ENOENT')) return 'gone';
      text = '';
    }
    return readHolder(text) ?? UNREADABLE;
  }

  /**
   * True if the holder has ended.
   *
   * @param now returns the current time by the clock of the file system, in ms
   */
  #isOver(holder: Holder, now: () => number): boolean {
    const running = isRunning(holder);
    if (running !== undefined) return !running;
    const file = statSync(this.#path, { throwIfNoEntry: false });
    return file !== undefined && now() - file.mtimeMs > SILENT_MS;
  }

  /**
   * Removes the lock of a holder that has ended. Only one process at a time removes a lock. Otherwise a slow process could
   * remove the new lock of a fast process.
   *
   * @returns false if another process is removing the lock
   */
  #removeOf(holder: Holder): boolean {
    const guard = `${this.#path}.takeover`;
    if (!isDone(() => mkdirSync(guard), 'EEXIST')) {
      const since = statSync(guard, { throwIfNoEntry: false })?.mtimeMs ?? Date.now();
      if (Date.now() - since > TAKEOVER_MS) isDone(() => rmdirSync(guard), 'ENOENT');
      return false;
    }
    try {
      const now = this.#read();
      if (now !== 'gone' && now.token === holder.token) rmSync(this.#path, { force: true });
      return true;
    } finally {
      rmdirSync(guard);
    }
  }
}

/** Stands for the holder of a lock file that cannot be read. */
const UNREADABLE: Holder = {
  token: '',
  host: 'an unknown host',
  machine: '',
  pid: 0,
  started: null,
  since: 'an unknown time',
  command: 'of another user',
  extCID: '',
  operator: 'the operator',
  player: 'a player',
  journal: null,
};

/** The error codes of file systems that do not support hard links. */
const NO_LINKS: readonly string[] = ['EPERM', 'ENOTSUP', 'EOPNOTSUPP', 'ENOSYS', 'EACCES', 'UNKNOWN'];

/** Gives a finished file its name. @throws an error with the code EEXIST if the name is taken */
function publish(draft: string, file: string): void {
  try {
    linkSync(draft, file);
  } catch (error) {
    if (!NO_LINKS.some((code) => isCode(error, code))) throw error;
    // Another process may read this file before it is complete. It treats an incomplete file as the lock of an unknown holder.
    writeFileSync(file, readFileSync(draft), { flag: 'wx' });
  }
}

/** Does something that may fail with one expected error code. Returns false if it failed with this code. */
function isDone(action: () => void, code: string): boolean {
  try {
    action();
    return true;
  } catch (error) {
    if (isCode(error, code)) return false;
    throw error;
  }
}

function isCode(error: unknown, code: string): boolean {
  return error instanceof Error && 'code' in error && error.code === code;
}
