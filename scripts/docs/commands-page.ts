import { Command, type CommandUnknownOpts, type Option } from '@commander-js/extra-typings';
import { silentStdio } from '../../src/app/stdio.ts';
import { addCommands } from '../../src/cli/commands.ts';
import { node } from './schema-table.ts';

const INTRODUCTION = `# Every command and flag

<!-- Written by \`npm run docs\` from the commands themselves. -->

\`croupier COMMAND --help\` prints the same, with examples. The flags for the connection to an operator can be replaced by
[environment variables](environment.md) or by [croupier.yaml](configuration.md). \`(env: NAME)\` names the variable with the same effect.
A repeatable flag can be given several times. All commands have \`--color\` and \`--no-color\`.
`;

/** Creates the program with all its commands, to read their descriptions. No command is run. */
export function croupierCommands(): CommandUnknownOpts {
  const program = new Command('croupier');
  addCommands(program, silentStdio('.', {}), () => {});
  return program;
}

/** Returns the commands that a user can run. A command such as `report`, which only has subcommands, is left out. */
export function leaves(command: CommandUnknownOpts): readonly CommandUnknownOpts[] {
  const below = command.commands.filter((one) => one.name() !== 'help');
  return below.length === 0 ? [command] : below.flatMap(leaves);
}

/** Returns the full name of a command, such as `croupier report convert`. */
export function fullName(command: CommandUnknownOpts): string {
  return command.parent ? `${fullName(command.parent)} ${command.name()}` : command.name();
}

/** Returns the description of a flag or an argument, followed by its permitted values if only certain values are permitted. */
function withChoices(description: string, choices: readonly string[] | undefined): string {
  return choices ? `${description}: one of ${choices.map((one) => `\`${one}\``).join(', ')}` : description;
}

function optionRow({ flags, description, argChoices, defaultValue, envVar }: Option): string {
  const standard = typeof defaultValue === 'string' ? ` (default: ${defaultValue})` : '';
  const variable = envVar === undefined ? '' : ` (env: ${envVar})`;
  return `| \`${node(flags)}\` | ${node(withChoices(description, argChoices) + standard + variable)} |`;
}

function commandText(command: CommandUnknownOpts): string {
  const args = command.registeredArguments.map((arg) => {
    const dots = arg.variadic ? '…' : '';
    return arg.required ? ` <${arg.name()}${dots}>` : ` [${arg.name()}${dots}]`;
  });
  const described = command.registeredArguments.flatMap((arg) => {
    if (arg.description === '') return [];
    return `| \`${arg.name()}\` | ${node(withChoices(arg.description, arg.argChoices))} |`;
  });
  const rows = [...described, ...command.options.filter(({ hidden }) => !hidden).map(optionRow)];
  const table = rows.length === 0 ? [] : ['| argument or flag | meaning |', '|---|---|', ...rows, ''];
  return [
    `## ${fullName(command)}`,
    '',
    `\`\`\`text\n${fullName(command)}${args.join('')}${rows.length > 0 ? ' [options]' : ''}\n\`\`\``,
    '',
    `${command.description().replace(/^./u, (letter) => letter.toUpperCase())}.`,
    '',
    ...table,
  ].join('\n');
}

/** Returns the text of the page that describes all commands. */
export function commandsPage(): string {
  return [INTRODUCTION, ...leaves(croupierCommands()).map(commandText)].join('\n');
}
