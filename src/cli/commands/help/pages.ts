import { Command, type CommandUnknownOpts } from '@commander-js/extra-typings';
import { UsageError } from '../../../app/exit-status.ts';
import type { Sink } from '../../../app/stdio.ts';
import { nearest } from '../../../scenario/near.ts';
import { environmentVariables } from '../../environment.ts';
import { addSettings } from '../../options/client.ts';

/** A page of `croupier help` that belongs to no single command. */
interface Topic {
  readonly summary: string;
  readonly page: (program: CommandUnknownOpts, sink: Sink) => string;
}

/** The pages of `croupier help` that belong to no command, by the word that the user types. */
export const TOPICS: Readonly<Record<string, Topic>> = {
  settings: { summary: 'the flags that most commands share', page: settingsPage },
  environment: { summary: 'the environment variables', page: environmentPage },
};

/** Returns one line for each topic of `croupier help`. @param before the text at the start of each line */
export function topicLines(before: string): string {
  const width = Math.max(...Object.keys(TOPICS).map((name) => name.length));
  return Object.entries(TOPICS)
    .map(([name, { summary }]) => `${before}${name.padEnd(width)}    ${summary}`)
    .join('\n');
}

function settingsPage(program: CommandUnknownOpts): string {
  const page = new Command('croupier')
    .copyInheritedSettings(program)
    .usage('COMMAND [settings]')
    .description(
      'A flag overrides an environment variable (croupier help environment). A variable overrides croupier.yaml, and croupier.yaml overrides the default. Each command uses only the settings that its own page names.',
    )
    .helpOption(false);
  addSettings(page);
  for (const option of page.options) option.helpGroup('Flags:');
  return `${page.helpInformation()}
Examples:
  croupier init                       write a croupier.yaml
  croupier doctor --client acme-eu    one client of those in croupier.yaml
  croupier run --print-config         every setting, with its source
  croupier call bet --session eu-usd-1,currency=USD,player=p1
`;
}

function environmentPage(program: CommandUnknownOpts, { columns }: Sink): string {
  const help = program.createHelp();
  help.prepareContext({ helpWidth: columns });
  const rows = environmentVariables(program);
  const width = Math.max(...rows.map(({ name }) => name.length));
  // A variable with a flag gets only one line, because the page of the command explains the flag.
  const list = rows
    .map(({ name, flag, meaning: whole }) => ({ name, meaning: flag ?? whole }))
    .map(({ name, meaning }) => help.formatItem(name, width, meaning, help))
    .join('\n');
  return `Environment variables. A flag overrides them, and they override croupier.yaml.

${list}

Example:
  CROUPIER_LINGER=1s croupier run --print-config    every setting and its source
`;
}

/** `croupier help`: prints the page of a topic or of a command. @throws UsageError when there is no such page */
export function helpCommand(program: CommandUnknownOpts, words: readonly string[], out: Sink): void {
  const [word, ...further] = words;
  const topic = word === undefined ? undefined : TOPICS[word];
  if (topic && further.length === 0) out.write(topic.page(program, out));
  else commandAt(program, words).outputHelp();
}

function commandAt(program: CommandUnknownOpts, words: readonly string[]): CommandUnknownOpts {
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
