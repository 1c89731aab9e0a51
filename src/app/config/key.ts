import { existsSync } from 'node:fs';
import path from 'node:path';
import { MIN_RUN } from '../../journal/secrets/secret-forms.ts';
import { UsageError } from '../exit-status.ts';
import { readTextFile } from '../files.ts';
import { withoutCredentials } from './hidden-text.ts';

/**
 * Minimum number of characters of a key. croupier hides the key in every output. With a shorter key, such as `1234` or `balance`,
 * croupier would also hide parts of unrelated texts.
 */
export const MIN_KEY_LENGTH = MIN_RUN;
/**
 * Minimum number of different characters of a key. A key such as `00000000` can also occur in a large amount, which would then
 * be hidden.
 */
const MIN_DIFFERENT = 4;

/**
 * Reads a file that contains only a key.
 *
 * @param what the name of the file at the beginning of an error message
 * @throws UsageError when the file can't be read, or its text cannot be a key
 */
export function readSecret(file: string, what: string): string {
  const name = path.basename(file);
  if (!existsSync(file) && withoutCredentials(name) !== name)
    throw new UsageError(
      `${what} can't be read: there is no such file. Give the path of a file that contains the key, not the key.`,
    );
  return checkKey(readTextFile(file, what), `${what} (${file})`);
}

/**
 * Checks a key, and removes the line break that editors and `echo` leave at its end.
 *
 * @param what the name of the key's source at the beginning of an error message
 * @throws UsageError when the text cannot be a key; its message never shows the text
 */
export function checkKey(text: string, what: string): string {
  const key = text.replace(/(?<![\r\n])[\r\n]+$/, '');
  if (key === '') throw new UsageError(`${what} is empty: it must contain the Integration API key.`);
  if (/[\r\n]/.test(key)) throw new UsageError(`${what} has several lines: it must contain only the key.`);
  if (key.trim() !== key)
    throw new UsageError(`${what} begins or ends with white space, which is not part of a key. Remove it.`);
  if (key.length < MIN_KEY_LENGTH)
    throw new UsageError(`${what} is too short to be a key: it has fewer than ${MIN_KEY_LENGTH} characters.`);
  if (new Set(key).size < MIN_DIFFERENT)
    throw new UsageError(`${what} is too simple to be a key: it has fewer than ${MIN_DIFFERENT} different characters.`);
  return key;
}
