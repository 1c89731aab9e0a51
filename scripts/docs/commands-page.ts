import { Command, type Option } from 'commander';
import { addCommands } from '../../src/cli/commands.ts';
import { processStdio } from '../../src/cli/stdio.ts';
import { cell } from './schema-table.ts';

const INTRODUCTION = `# Every command and flag

<!-- Written by \`npm run docs\` from the commands themselves. -->

\`croupier COMMAND --help\` says the same with examples. A flag that calls an operator can stand in the environment or in
[croupier.yaml](configuration.md) instead. \`--color\` and \`--no-color\` belong to all.
`;

/** The commands as the program has them; none of them is run. */
export function croupierCommands(): Command {
  const program = new Command('croupier');
  addCommands(program, processStdio(undefined), () => {});
  return program;
}

/** Those that do something: `report` itself only has commands below it. */
export function leaves(command: Command): readonly Command[] {
  const below = command.commands.filter((one) => one.name() !== 'help');
  return below.length === 0 ? [command] : below.flatMap(leaves);
}

/** `croupier report convert`. */
export function fullName(command: Command): string {
  return command.parent ? `${fullName(command.parent)} ${command.name()}` : command.name();
}

function optionRow(option: Option): string {
  const choices = option.argChoices ? ` One of ${option.argChoices.map((one) => `\`${one}\``).join(', ')}.` : '';
  const variable = option.envVar === undefined ? '' : ` (env: ${option.envVar})`;
  return `| \`${cell(option.flags)}\` | ${cell(option.description + choices + variable)} |`;
}

function commandText(command: Command): string {
  const args = command.registeredArguments.map((arg) => {
    const dots = arg.variadic ? '…' : '';
    return arg.required ? ` <${arg.name()}${dots}>` : ` [${arg.name()}${dots}]`;
  });
  const described = command.registeredArguments.flatMap((arg) => {
    if (arg.description === '') return [];
    const choices = arg.argChoices ? ` One of ${arg.argChoices.map((one) => `\`${one}\``).join(', ')}.` : '';
    return `| \`${arg.name()}\` | ${cell(arg.description + choices)} |`;
  });
  const rows = [...described, ...command.options.filter(({ hidden }) => !hidden).map(optionRow)];
  const table = rows.length === 0 ? [] : ['| takes | what |', '|---|---|', ...rows, ''];
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

/** The page of all commands. */
export function commandsPage(): string {
  return [INTRODUCTION, ...leaves(croupierCommands()).map(commandText)].join('\n');
}
