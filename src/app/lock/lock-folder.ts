import { accessSync, constants } from 'node:fs';
import { homedir, tmpdir, userInfo } from 'node:os';
import path from 'node:path';
import { makeFolder } from '../../folder/make-folder.ts';
import { readDuration } from '../../scenario/duration.ts';
import type { Configuration } from '../config/configuration.ts';
import type { LockFlags } from '../config/run-flags.ts';
import { UsageError } from '../exit-status.ts';
import { whyUnreadable } from '../files.ts';
import type { Stdio } from '../stdio.ts';

/** The settings with which a command locks its players. */
export interface LockSettings {
  /** The folder of the lock files; null if nothing is locked. */
  readonly folder: string | null;
  /** True if the folder was named by the user, so that other users and machines may use it. */
  readonly isShared: boolean;
  /**
   * A second folder, below the working folder. Commands in two containers find each other there if they have the same working
   * folder, but different home folders. Undefined if the user named a folder.
   */
  readonly projectFolder?: string | undefined;
  readonly waitMs: number;
}

/** Locks nothing, for the embedded operator: no other process can reach it. */
export const NO_LOCK: LockSettings = { folder: null, isShared: false, waitMs: 0 };

/** The default time to wait for players that are in use. */
export const LOCK_WAIT = '10m';

/**
 * Returns how the players are locked. A flag overrides the environment, which overrides the file, which overrides the default.
 *
 * @throws UsageError if the folder that the user named cannot be used
 */
export function lockSettings(
  { config: { lock }, dir }: Pick<Configuration, 'config' | 'dir'>,
  flags: LockFlags,
  { env, cwd }: Pick<Stdio, 'env' | 'cwd'>,
): LockSettings {
  const waitMs = flags.lockWait ?? readDuration(lock?.wait ?? LOCK_WAIT) ?? 0;
  if (flags.lock === false) return NO_LOCK;
  const named =
    flags.lockFolder === undefined
      ? lock?.folder && path.resolve(dir, lock.folder)
      : path.resolve(cwd, flags.lockFolder);
  if (named === undefined)
    return {
      folder: usableFolder(env),
      isShared: false,
      projectFolder: path.join(cwd, '.croupier', 'locks'),
      waitMs,
    };
  try {
    makeFolder(named);
    accessSync(named, constants.R_OK | constants.W_OK | constants.X_OK);
  } catch (error) {
    throw new UsageError(
      `The folder for locks can't be used: ${named}: ${whyUnreadable(error)}. Nothing was sent.\nName another one with --lock-folder, or run without locks (--no-lock).`,
      { cause: error },
    );
  }
  return { folder: named, isShared: true, waitMs };
}

/**
 * Returns a folder that all processes of this user on this machine find, wherever they run. So it is neither a folder of a
 * project nor a folder of only one login session. If there is no writable home folder, returns a folder for temporary files.
 */
function usableFolder(env: Stdio['env']): string {
  const ofUser = userFolder(env);
  const folders = [...(ofUser === undefined ? [] : [ofUser]), path.join(tmpdir(), `croupier-locks-${userName()}`)];
  return folders.find(isUsable) ?? path.join(tmpdir(), 'croupier-locks');
}

/** Returns the folder of the locks of this user; undefined if the user has no home folder. */
function userFolder(env: Stdio['env']): string | undefined {
  const state = env.XDG_STATE_HOME;
  // The XDG Base Directory Specification says that a relative path must be ignored.
  if (process.platform !== 'win32' && state !== undefined && path.isAbsolute(state))
    return path.join(state, 'croupier', 'locks');
  const home = process.platform === 'win32' ? (env.LOCALAPPDATA ?? homeFolder()) : env.HOME || homeFolder();
  if (home === undefined) return undefined;
  return path.join(home, ...(process.platform === 'win32' ? [] : ['.local', 'state']), 'croupier', 'locks');
}

function homeFolder(): string | undefined {
  try {
    return homedir();
  } catch {
    // Without the variable HOME, the system looks for the user in its list of users. In a container, the user may be missing in
    // this list.
    return undefined;
  }
}

function userName(): string {
  try {
    const { uid, username } = userInfo();
    return uid >= 0 ? String(uid) : username.replace(/\W/g, '_');
  } catch {
    // A container may run as a user that has no name.
    return String(process.getuid?.() ?? 'user');
  }
}

/** True if croupier can write into the folder. Creates the folder if it is missing. */
export function isUsable(folder: string): boolean {
  try {
    makeFolder(folder, 0o700);
    accessSync(folder, constants.R_OK | constants.W_OK | constants.X_OK);
    return true;
  } catch {
    return false;
  }
}
