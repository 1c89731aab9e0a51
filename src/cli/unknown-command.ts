import type { CommandUnknownOpts } from '@commander-js/extra-typings';

const UNKNOWN = /^error: unknown command '[^\n]*'$/m;
/** A group with a default command takes an unknown command for an argument of its default command. */
const TOO_MANY = /^error: too many arguments for '[^\n]*$/m;

/**
 * Adds the commands that are possible to the message about an unknown command, such as `croupier serve nope`.
 *
 * @param text the message of commander
 * @param args the arguments of croupier
 */
export function withKnownCommands(text: string, program: CommandUnknownOpts, args: readonly string[]): string {
  const { names, group, unknown } = groupOf(program, args);
  const known = group
    .createHelp()
    .visibleCommands(group)
    .map((command) => command.name());
  if (unknown === undefined || unknown.startsWith('-') || names.length === 1 || known.length === 0) return text;
  const message = `error: ${names.join(' ')} has no command '${unknown}'. It has these commands: ${known.join(', ')}`;
  return text.replace(UNKNOWN, () => message).replace(TOO_MANY, () => message);
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
