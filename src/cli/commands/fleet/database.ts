import type { Stdio } from '../../../app/stdio.ts';

/**
 * Returns the streams and the environment with the database that the user chose, so that runs which the fleet starts use it too.
 * Hides its password in all output.
 */
export function withDatabase(stdio: Stdio, database: string | undefined): Stdio {
  if (database === undefined) return stdio;
  const password = URL.parse(database)?.password;
  if (password) stdio.hide([password, decodeURIComponent(password)]);
  return { ...stdio, env: { ...stdio.env, CROUPIER_DATABASE: database } };
}
