import type { CommandUnknownOpts } from '@commander-js/extra-typings';
import type { Stdio } from '../../../app/stdio.ts';
import { shellWords } from '../../../traffic/read/commands/shell.ts';
import { completionAnswer } from './answer.ts';
import { candidatesFor } from './candidates.ts';
import { type CompletionShell, completionScript } from './scripts.ts';

/** Maximum length of one line in the completion menu of a shell. */
const MAX_MEANING_LENGTH = 100;

/** `croupier completion SHELL`: prints the script that the shell must load. */
export function completionCommand(shell: CompletionShell, stdio: Stdio): number {
  stdio.out.write(completionScript(shell));
  return 0;
}

/**
 * `croupier completion answer`: prints the values that can follow at the cursor. Each line has a value, a tab and its
 * meaning. The last line is an instruction for the shell, such as `:files`.
 *
 * @param words the words after the program's name, from zsh and fish
 * @param line the line before the cursor, from bash, because bash splits words at = and :
 */
export async function completionAnswerCommand(
  program: CommandUnknownOpts,
  words: readonly string[],
  line: string | undefined,
  stdio: Stdio,
): Promise<number> {
  const typed = line === undefined ? words : wordsOf(line);
  // If the line ends inside quotes, croupier offers no values. The shell completes file names instead.
  if (!typed) {
    stdio.out.write(':files\n');
    return 0;
  }
  const { candidates, also } = await completionAnswer(program, typed, (spot) => candidatesFor(spot, stdio));
  const cut = line === undefined ? 0 : keptLength(typed.at(-1) ?? '');
  for (const { value, means } of candidates) stdio.out.write(`${value.slice(cut)}\t${oneLine(means)}\n`);
  stdio.out.write(`:${also}\n`);
  return 0;
}

function wordsOf(line: string): readonly string[] | undefined {
  const reading = shellWords(line, 'posix');
  if (reading.kind === 'open') return undefined;
  const words = reading.words.slice(1);
  return /\s$/.test(line) || words.length === 0 ? [...words, ''] : words;
}

/**
 * Returns the number of characters that the answer for bash must leave out. Bash treats the text after the last = or : as a
 * separate word, and replaces only this text.
 */
function keptLength(word: string): number {
  return Math.max(word.lastIndexOf('='), word.lastIndexOf(':')) + 1;
}

function oneLine(text: string): string {
  const line = text.replace(/\s+/g, ' ').trim();
  return line.length > MAX_MEANING_LENGTH ? `${line.slice(0, MAX_MEANING_LENGTH - 1)}…` : line;
}
