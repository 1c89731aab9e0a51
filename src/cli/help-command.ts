import type { Command } from 'commander';
import { nearest } from '../scenario/near.ts';
import { TOPICS } from './help-topics.ts';
import type { Stdio } from './stdio.ts';
import { UsageError } from './usage-error.ts';

/** `croupier help`. */
export function addHelp(program: Command, { out }: Stdio): void {
  program
    .command('help')
    .description('show what a command takes, or one of the pages that all commands share')
    .summary('show what a command takes')
    .argument('[words...]', 'a command, or settings, or environment')
    .addHelpText(
      'after',
      `
Examples:
  croupier help run
  croupier help serve operator
${topicLines('  croupier help ')}

Exit status: 0, 2 there is no such page`,
    )
    .action((words: readonly string[]) => {
      const [word, ...further] = words;
      const topic = word === undefined ? undefined : TOPICS[word];
      if (topic && further.length === 0) out.write(topic.page(program, out));
      else commandAt(program, words).outputHelp();
    });
}

/** The pages that no command has, each with what it tells. */
export function topicLines(before: string): string {
  const width = Math.max(...Object.keys(TOPICS).map((name) => name.length));
  return Object.entries(TOPICS)
    .map(([name, { means }]) => `${before}${name.padEnd(width)}    ${means}`)
    .join('\n');
}

/** @throws UsageError where there is no such command */
function commandAt(program: Command, words: readonly string[]): Command {
  let command = program;
  for (const word of words) {
    const found = command.commands.find((one) => one.name() === word);
    if (!found) {
      const names = command.commands.map((one) => one.name());
      const near = nearest(word, command === program ? [...names, ...Object.keys(TOPICS)] : names);
      throw new UsageError(
        `There is no page ${word}. ${near === undefined ? 'croupier --help shows the commands.' : `Did you mean ${near}?`}`,
      );
    }
    command = found;
  }
  return command;
}
