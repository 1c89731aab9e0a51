import type { CommandUnknownOpts } from '@commander-js/extra-typings';
import { plural } from '../contract/plural.ts';

const UNKNOWN = /^error: unknown command '[^\n]*'$/m;
/** A group with a default command takes an unknown command for an argument of its default command. */
const TOO_MANY = /^error: too many arguments for '[^\n]*$/m;

/** Commander's messages about wrong arguments, each with croupier's own words for it. `names` is the command with its groups. */
const MESSAGES: readonly (readonly [pattern: RegExp, words: (names: string, ...parts: readonly string[]) => string])[] =
  [
    [/^error: unknown option '([^\n]*)'$/m, (names, flag) => `${names} has no flag ${flag}.`],
    [/^error: required option '([^\n']*)' not specified$/m, (names, flag) => `${names}: ${flag} is missing.`],
    [/^error: missing required argument '([^\n]*)'$/m, (names, argument) => `${names}: <${argument}> is missing.`],
    [
      /^error: too many arguments for '[^\n']*'\. Expected (\d+) arguments? but got (\d+)(?::([^\n]*?))?\.?$/m,
      (names, most, given, list = '') =>
        `${names} takes ${most === '0' ? 'no argument' : plural(Number(most), 'argument')}, but got ${given}${list === '' ? '' : `:${list}`}.`,
    ],
    [/^error: option '([^\n']*)' argument missing$/m, (_names, flag) => `${flag}: the value is missing.`],
    [
      /^error: option '([^\n']*)' argument '([^\n]*?)' is invalid\. /m,
      (_names, flag, value) => `${flag}: the value '${value}' is not possible. `,
    ],
    [
      /^error: command-argument value '([^\n]*?)' is invalid for argument '([^\n']*)'\. /m,
      (names, value, argument) => `${names}: '${value}' is not possible for <${argument}>. `,
    ],
    [/^error: unknown command '([^\n]*)'$/m, (names, command) => `${names} has no command '${command}'.`],
  ];

/**
 * Writes a message of commander about wrong arguments in croupier's own words, with the command that shows the right ones.
 *
 * @param text the message of commander, or the hint that commander prints after it
 * @param args the arguments of croupier
 */
export function usageMessage(text: string, program: CommandUnknownOpts, args: readonly string[]): string {
  const { names } = groupOf(program, args);
  const command = names.join(' ');
  if (text.trim() === USAGE_HINT) {
    const how = names.length === 1 ? 'shows the commands' : 'shows its arguments and flags';
    return `${command} --help ${how}.\n`;
  }
  const known = withFlagOfReports(withKnownCommands(text, program, args), program, args);
  return MESSAGES.reduce((message, [pattern, words]) => {
    const match = pattern.exec(message);
    if (!match) return message;
    const [found, ...parts] = match.map((part: string | undefined) => part ?? '');
    return message.replace(found ?? '', () => words(command, ...parts));
  }, known);
}

/** The hint that commander prints after each message about wrong arguments. `usageMessage` replaces it. */
export const USAGE_HINT = '(croupier --help)';

/** Adds the commands that are possible to the message about an unknown command, such as `croupier serve nope`. */
function withKnownCommands(text: string, program: CommandUnknownOpts, args: readonly string[]): string {
  const { names, group, unknown } = groupOf(program, args);
  const known = group
    .createHelp()
    .visibleCommands(group)
    .map((command) => command.name());
  if (unknown === undefined || unknown.startsWith('-') || names.length === 1 || known.length === 0) return text;
  const message = `${names.join(' ')} has no command '${unknown}'. It has these commands: ${known.join(', ')}`;
  return text.replace(UNKNOWN, () => message).replace(TOO_MANY, () => message);
}

/**
 * The flag that names the files of reports: `--report` for a command that sends calls, and `--to` for a command that reads a
 * journal.
 */
const FLAGS_OF_REPORTS = ['--report', '--to'];

/** Suggests the flag of the command for the files of reports, if the user gave the flag of another command. */
function withFlagOfReports(text: string, program: CommandUnknownOpts, args: readonly string[]): string {
  const [, flag = ''] = /^error: unknown option '([^\n'=]*)/m.exec(text) ?? [];
  if (!FLAGS_OF_REPORTS.includes(flag)) return text;
  const { options } = groupOf(program, args).group;
  const own = FLAGS_OF_REPORTS.find((name) => options.some(({ long }) => long === name));
  if (own === undefined) return text;
  const [first = ''] = text.split('\n', 1);
  return `${first}\n(Did you mean ${own}?)\n`;
}

/** Follows the arguments to the innermost command with subcommands. `unknown` is the argument that names no subcommand. */
function groupOf(
  program: CommandUnknownOpts,
  args: readonly string[],
): { readonly names: readonly string[]; readonly group: CommandUnknownOpts; readonly unknown: string | undefined } {
  let group = program;
  const names = [program.name()];
  for (const arg of args) {
    const next = group.commands.find((command) => command.name() === arg);
    if (!next) return { names, group, unknown: arg };
    names.push(arg);
    group = next;
  }
  return { names, group, unknown: undefined };
}
