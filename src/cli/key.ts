import { readTextFile } from './configuration.ts';
import { UsageError } from './usage-error.ts';

/** Shorter than this, a key would be found by accident in texts that have nothing to do with it. */
const SHORTEST_KEY = 4;

/** Reads a file that holds nothing but a key. @throws UsageError when it does not */
export function readSecret(file: string, what: string): string {
  return checkKey(readTextFile(file, what), `${what} (${file})`);
}

/**
 * The key without the line break that editors and `echo` leave at its end.
 *
 * @throws UsageError, which never shows the key, when it is empty or has several lines
 */
export function checkKey(text: string, what: string): string {
  const key = text.replace(/(\r?\n)+$/, '');
  if (key === '') throw new UsageError(`${what} is empty; it must hold the Integration API key.`);
  if (/[\r\n]/.test(key)) throw new UsageError(`${what} has several lines; it must hold nothing but the key.`);
  if (key.trim() !== key) throw new UsageError(`${what} begins or ends with a blank, which no key does.`);
  if (key.length < SHORTEST_KEY) throw new UsageError(`${what} is too short to be a key.`);
  return key;
}
