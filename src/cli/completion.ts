import type { Command } from 'commander';
import { shellWords } from '../incident/read/shell.ts';
import { completionAnswer } from './completion-answer.ts';
import { candidatesFor } from './completion-candidates.ts';
import { type CompletionShell, completionScript } from './completion-scripts.ts';
import type { Stdio } from './stdio.ts';

/** What a shell reads on one line of its menu. */
const LONGEST_MEANING = 100;

/** `croupier completion SHELL`: what the shell has to read once. */
export function completionCommand(shell: CompletionShell, stdio: Stdio): number {
  stdio.out.write(completionScript(shell));
  return 0;
}

/**
 * `croupier completion answer`: what can stand at the cursor. A value to a line, a tab, what it means; then what the shell
 * is to do beside, as `:files`.
 *
 * @param words behind the program's name, as zsh and fish hand them over
 * @param line instead of them, what stands before the cursor, as bash hands it over: its own words end at = and :
 */
export async function completionAnswerCommand(
  program: Command,
  words: readonly string[],
  line: string | undefined,
  stdio: Stdio,
): Promise<number> {
  const typed = line === undefined ? words : wordsOf(line);
  // Within a quotation the shell knows better.
  if (!typed) {
    stdio.out.write(':files\n');
    return 0;
  }
  const { candidates, beside } = await completionAnswer(program, typed, (spot) => candidatesFor(spot, stdio));
  const cut = line === undefined ? 0 : brokenOff(typed.at(-1) ?? '');
  for (const { value, means } of candidates) stdio.out.write(`${value.slice(cut)}\t${oneLine(means)}\n`);
  stdio.out.write(`:${beside}\n`);
  return 0;
}

function wordsOf(line: string): readonly string[] | undefined {
  const reading = shellWords(line, 'posix');
  if (reading.kind === 'open') return undefined;
  const words = reading.words.slice(1);
  return /\s$/.test(line) || words.length === 0 ? [...words, ''] : words;
}

/** Bash takes what follows the last = or : for a word of its own, and puts the answer there. */
function brokenOff(word: string): number {
  return Math.max(word.lastIndexOf('='), word.lastIndexOf(':')) + 1;
}

function oneLine(text: string): string {
  const line = text.replace(/\s+/g, ' ').trim();
  return line.length > LONGEST_MEANING ? `${line.slice(0, LONGEST_MEANING - 1)}…` : line;
}
