import type { EventEmitter } from 'node:events';
import { existsSync } from 'node:fs';
import { Command, type CommandUnknownOpts, type Option } from '@commander-js/extra-typings';
import { silentStdio } from '../../src/app/stdio.ts';
import { addCommands } from '../../src/cli/commands.ts';
import { SETTINGS } from '../../src/cli/help.ts';
import { node } from './schema-table.ts';

const INTRODUCTION = `# Every command and flag

<!-- Written by \`npm run docs\` from the commands themselves. -->

This page lists every command with its arguments and flags. \`croupier COMMAND --help\` prints the same in the terminal. To find the command for a task, use
[tasks.md](tasks.md).

- Many commands share some flags, the [settings](#settings). Each command names its settings, and the last table explains them.
- \`(env: NAME)\` names the [environment variable](environment.md) with the same effect. [croupier.yaml](configuration.md) can also replace most settings.
- If a flag is *repeatable*, you can give it several times. All commands have \`--color\` and \`--no-color\`.
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

const HEADER = ['| argument or flag | meaning |', '|---|---|'];

/** Returns the settings of all commands, each with its row. If commands describe a setting differently, the first one counts. */
function settingsRows(commands: readonly CommandUnknownOpts[]): ReadonlyMap<string, string> {
  const rows = new Map<string, string>();
  for (const option of commands.flatMap(({ options }) => options).filter(isSetting)) {
    if (!rows.has(option.flags)) rows.set(option.flags, optionRow(option));
  }
  return rows;
}

function isSetting({ helpGroupHeading, hidden }: Option): boolean {
  return helpGroupHeading === SETTINGS && !hidden;
}

/** Returns a sentence with a link to the page about a command, or an empty text if it has no page of its own. */
function linkToPage(command: CommandUnknownOpts): string {
  const page = `${command.name()}.md`;
  const isTopLevel = command.parent?.parent === null;
  return isTopLevel && existsSync(new URL(`../../docs/${page}`, import.meta.url))
    ? ` [${page}](${page}) explains this command.`
    : '';
}

/** Returns the examples of a command, as its help page prints them. Undefined if it has none. */
function examplesOf(command: CommandUnknownOpts): string | undefined {
  let printed = '';
  // commander prints the texts of `addHelpText` when it emits this event. Its types leave out that a command emits events.
  (command as unknown as EventEmitter).emit('afterHelp', {
    error: false,
    command,
    write: (text: string) => (printed += text),
  });
  return /Examples?:\n((?: {2}.*\n?)+)/u.exec(printed)?.[1]?.replaceAll(/^ {2}/gmu, '').trimEnd();
}

function commandText(command: CommandUnknownOpts, settings: ReadonlyMap<string, string>): string {
  const args = command.registeredArguments.map((arg) => {
    const dots = arg.variadic ? '…' : '';
    return arg.required ? ` <${arg.name()}${dots}>` : ` [${arg.name()}${dots}]`;
  });
  const described = command.registeredArguments.flatMap((arg) => {
    if (arg.description === '') return [];
    return `| \`${arg.name()}\` | ${node(withChoices(arg.description, arg.argChoices))} |`;
  });
  const visible = command.options.filter(({ hidden }) => !hidden);
  const shared = visible.filter((option) => isSetting(option) && settings.get(option.flags) === optionRow(option));
  const own = visible.filter((option) => !shared.includes(option));
  // A flag without a group has the same table as the arguments.
  const groups = Map.groupBy(own, ({ helpGroupHeading }) => helpGroupHeading ?? '');
  const tables = [...new Set(['', ...groups.keys()])].flatMap((heading) => {
    const rows = [...(heading === '' ? described : []), ...(groups.get(heading) ?? []).map(optionRow)];
    if (rows.length === 0) return [];
    return [...(heading === '' ? [] : [`**${heading.replace(/:$/u, '')}**`, '']), ...HEADER, ...rows, ''];
  });
  const examples = examplesOf(command);
  return [
    `## ${fullName(command)}`,
    '',
    `${command.description().replace(/^./u, (letter) => letter.toUpperCase())}.${linkToPage(command)}`,
    '',
    `\`\`\`text\n${fullName(command)}${args.join('')}${visible.length > 0 ? ' [options]' : ''}\n\`\`\``,
    '',
    ...(examples === undefined ? [] : ['Examples:', '', `\`\`\`text\n${examples}\n\`\`\``, '']),
    ...tables,
    ...(shared.length === 0
      ? []
      : [`[Settings](#settings): ${shared.map(({ long, flags }) => `\`${long ?? flags}\``).join(', ')}`, '']),
  ].join('\n');
}

/** Returns the text of the page that describes all commands. */
export function commandsPage(): string {
  const commands = leaves(croupierCommands());
  const settings = settingsRows(commands);
  const anchors = commands.map(
    (one) => `[${fullName(one).slice('croupier '.length)}](#${fullName(one).replaceAll(' ', '-')})`,
  );
  return [
    INTRODUCTION,
    `Commands: ${anchors.join(', ')}.`,
    '',
    ...commands.map((command) => commandText(command, settings)),
    '## Settings',
    '',
    'A flag overrides an environment variable, and a variable overrides `croupier.yaml`. `croupier run --print-config` prints each setting and its source.',
    '',
    ...HEADER,
    ...settings.values(),
    '',
  ].join('\n');
}
