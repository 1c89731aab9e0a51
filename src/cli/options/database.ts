import path from 'node:path';
import { Option } from '@commander-js/extra-typings';
import type { Stdio } from '../../app/stdio.ts';

/** Returns the flag that chooses the database of a fleet. */
export function databaseOption() {
  return new Option(
    '--database <address>',
    'the database of the fleet: postgres://user@host/name, or a file (default: .croupier/history.sqlite)',
  ).env('CROUPIER_DATABASE');
}

/**
 * Puts the database that the user chose into the environment, so that the runs that this command starts use it too. Hides the
 * password of the database in all output.
 */
export function withDatabase(stdio: Stdio, database: string | undefined): Stdio {
  if (database === undefined) return stdio;
  const password = URL.parse(database)?.password;
  if (password) stdio.hide([password, decodeURIComponent(password)]);
  const isFile = !/^[a-z][a-z0-9+.-]+:/i.test(database);
  const named = isFile ? path.resolve(stdio.cwd, database) : database;
  return { ...stdio, env: { ...stdio.env, CROUPIER_DATABASE: named } };
}
