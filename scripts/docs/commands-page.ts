import { Command, type CommandUnknownOpts, type Option } from '@commander-js/extra-typings';
import { silentStdio } from '../../src/app/stdio.ts';
import { addCommands } from '../../src/cli/commands.ts';
import { node } from './schema-table.ts';

const INTRODUCTION = `# Every command and flag

<!-- Written by \`npm run docs\` from the commands themselves. -->

\`croupier COMMAND --help\` prints the same, with examples. [The environment](environment.md) or [croupier.yaml](configuration.md) can
replace the flags for the connection to an operator. All commands have \`--color\` and \`--no-color\`.
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

function optionRow(option: Option): string {
  const choices = option.argChoices ? ` One of ${option.argChoices.map((one) => `\`${one}\``).join(', ')}.` : '';
  const variable = option.envVar === undefined ? '' : ` (env: ${option.envVar})`;
  return `| \`${node(option.flags)}\` | ${node(option.description + choices + variable)} |`;
}

function commandText(command: CommandUnknownOpts): string {
  const args = command.registeredArguments.map((arg) => {
    const dots = arg.variadic ? '…' : '';
    return arg.required ? ` <${arg.name()}${dots}>` : ` [${arg.name()}${dots}]`;
  });
  const described = command.registeredArguments.flatMap((arg) => {
    if (arg.description === '') return [];
    const choices = arg.argChoices ? ` One of ${arg.argChoices.map((one) => `\`${one}\``).join(', ')}.` : '';
    return `| \`${arg.name()}\` | ${node(arg.description + choices)} |`;
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
