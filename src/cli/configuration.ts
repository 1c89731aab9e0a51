import { existsSync } from 'node:fs';
import path from 'node:path';
import { type Complaint, renderComplaint } from '../scenario/complaint.ts';
import type { ConfigFile } from './config-file.ts';
import type { Config } from './config-schema.ts';
import { readBytes } from './package-files.ts';
import type { Stdio } from './stdio.ts';
import { UsageError } from './usage-error.ts';

export const CONFIG_NAME = 'croupier.yaml';

/** The configuration that holds for a command, and the folder that its paths are relative to. */
export interface Configuration extends ConfigFile {
  /** As complaints show it. */
  readonly file: string;
  readonly dir: string;
  /** False: there is no such file, and nobody asked for one. */
  readonly found: boolean;
}

const EMPTY: Omit<Configuration, 'dir'> = {
  file: CONFIG_NAME,
  found: false,
  config: {},
  unset: [],
  warnings: [],
  secrets: [],
  origin: () => undefined,
  complain: () => {
    throw new Error('a configuration without a file has nothing to complain about');
  },
};

/**
 * Reads the file that is named, or croupier.yaml in the working directory; without either, a configuration that says nothing.
 *
 * @throws UsageError with every complaint about it
 */
export async function loadConfiguration(named: string | undefined, stdio: Stdio): Promise<Configuration> {
  const file = path.resolve(stdio.cwd, named ?? CONFIG_NAME);
  if (named === undefined && !existsSync(file)) return { ...EMPTY, dir: stdio.cwd };
  const shown = shownPath(file, stdio.cwd);
  // Only here, because its schema takes longer to load than most commands take in all.
  const { readConfig } = await import('./config-file.ts');
  const reading = readConfig(shown, readTextFile(file, 'the configuration'), stdio.env);
  if (reading.kind === 'broken') throw complaintsError(reading.complaints);
  return { ...reading.file, file: shown, found: true, dir: path.dirname(file) };
}

/**
 * The configuration that is an object of the caller's, checked as a file with this content.
 *
 * @throws UsageError with every complaint about it, at its place in the object as JSON
 */
export async function configurationOf(
  config: Config,
  { cwd, env }: Pick<Stdio, 'cwd' | 'env'>,
): Promise<Configuration> {
  const { readConfig } = await import('./config-file.ts');
  const file = 'config';
  const reading = readConfig(file, JSON.stringify(config, null, 2), env);
  if (reading.kind === 'broken') throw complaintsError(reading.complaints);
  return { ...reading.file, file, found: true, dir: cwd };
}

/** A path as people expect to read it: relative to where they are, unless it lies elsewhere. */
export function shownPath(file: string, cwd: string): string {
  const relative = path.relative(cwd, file);
  return relative.startsWith('..') || path.isAbsolute(relative) ? file : relative;
}

/** @throws UsageError when it can't be read as text */
export function readTextFile(file: string, what: string): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(readBytes(file));
  } catch (error) {
    throw new UsageError(`${what} can't be read: ${file}: ${whyUnreadable(error)}`, { cause: error });
  }
}

/** What the system said about a file, in plain words. */
export function whyUnreadable(error: unknown): string {
  const code = error instanceof Error && 'code' in error ? String(error.code) : '';
  switch (code) {
    case 'ENOENT':
      return 'there is no such file';
    case 'EACCES':
    case 'EPERM':
      return 'permission is denied';
    case 'EISDIR':
      return 'it is a folder';
    case 'ENOTDIR':
      return 'a part of the path is no folder';
    case 'ERR_ENCODING_INVALID_ENCODED_DATA':
      return 'it is not UTF-8 text';
    case 'ENOSPC':
      return 'the disk is full';
    default:
      return error instanceof Error ? error.message : String(error);
  }
}

/** All complaints as one error, counted at its end. */
export function complaintsError(complaints: readonly Complaint[]): UsageError {
  const files = new Set(complaints.map(({ file }) => file)).size;
  const count = `${complaints.length} complaint${complaints.length === 1 ? '' : 's'}`;
  const where = files === 1 ? 'one file' : `${files} files`;
  return new UsageError(`${complaints.map(renderComplaint).join('\n\n')}\n\n${count} in ${where}; nothing was sent.`);
}
