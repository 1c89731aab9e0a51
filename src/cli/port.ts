import { UsageError } from './usage-error.ts';

const MOST_PORT = 65_535;

/** Reads a port; left out, or 0: the system chooses one. @throws UsageError for anything else, naming the flag */
export function readPort(text: string | undefined, flag = '--port'): number {
  if (text === undefined) return 0;
  const port = /^\d{1,5}$/.test(text) ? Number(text) : MOST_PORT + 1;
  if (port > MOST_PORT) throw new UsageError(`${flag} ${text}: a port is a number from 0 to ${MOST_PORT}.`);
  return port;
}
