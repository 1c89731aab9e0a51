import { type Argument, type CommandUnknownOpts, Help, type Option } from '@commander-js/extra-typings';

/** The position of the cursor: it is at an argument of a command, or at the value of an option. */
export interface Spot {
  /** The name of the command with its parents, such as `serve operator`. */
  readonly command: string;
  /** The option whose value is at the cursor, such as `--defect`; null if the cursor is at an argument. */
  readonly option: string | null;
  /** The part of the word before the cursor. */
  readonly word: string;
  /** The value of `--config` on the command line; undefined if the flag is missing. */
  readonly config: string | undefined;
}

/** One value that can stand at the cursor. */
export interface Candidate {
  readonly value: string;
  /** The meaning of the value in one line; empty if the value explains itself. */
  readonly means: string;
}

/**
 * The possible values, and an instruction for the shell. `files`: the shell completes file names. `nospace`: the shell adds no
 * space after the value.
 */
export interface Answer {
  readonly candidates: readonly Candidate[];
  readonly also: 'files' | 'nospace' | 'nothing';
}

/** The values that an argument or an option can have. `files` stands for file names, which the shell completes. */
export type Wanted = readonly Candidate[] | 'files';

const NOTHING: Answer = { candidates: [], also: 'nothing' };

/**
 * Finds the values that can stand at the cursor.
 *
 * @param words the words after the program's name; the last one is the word at the cursor, which may be empty
 * @param candidates returns the values that commander does not know
 */
export async function completionAnswer(
  program: CommandUnknownOpts,
  words: readonly string[],
  candidates: (spot: Spot) => Promise<Wanted>,
): Promise<Answer> {
  const word = words.at(-1) ?? '';
  const walked = walk(program, words.slice(0, -1));
  const { command, positionals, awaiting, ended, config } = walked;
  const known = { command: nameOf(command), config };
  const valuesOf = async (option: Option, text: string): Promise<Wanted> =>
    plain(option.argChoices) ?? (await candidates({ ...known, option: option.long ?? '', word: text }));
  if (awaiting) return answer(await valuesOf(awaiting, word), word);
  if (!ended && word.startsWith('-')) {
    const at = word.indexOf('=') + 1;
    if (at === 0) return { candidates: flags(command, word), also: 'nothing' };
    const option = optionsOf(command).find((one) => isCalled(one, word.slice(0, at - 1)));
    if (!option?.required && !option?.optional) return NOTHING;
    const rest = word.slice(at);
    return answer(await valuesOf(option, rest), rest, word.slice(0, at));
  }
  if (command.commands.length > 0) return { candidates: matching(subcommands(command), word), also: 'nothing' };
  const argument = argumentAt(command.registeredArguments, positionals);
  if (!argument) return NOTHING;
  return answer(plain(argument.argChoices) ?? (await candidates({ ...known, option: null, word })), word);
}

function answer(wanted: Wanted, word: string, prefix = ''): Answer {
  if (wanted === 'files') return { candidates: [], also: 'files' };
  const found = matching(wanted, word).map(({ value, means }) => ({ value: prefix + value, means }));
  // No name matches. The word may be a file name, because a selection can also contain files.
  if (found.length === 0) return { candidates: [], also: prefix === '' ? 'files' : 'nothing' };
  // A value such as `junit=` needs its second part directly after it. So the shell must not add a space.
  return { candidates: found, also: found.every(({ value }) => value.endsWith('=')) ? 'nospace' : 'nothing' };
}

interface Walk {
  readonly command: CommandUnknownOpts;
  /** The number of arguments that the command has so far. */
  readonly positionals: number;
  /** The option whose value is the next word; undefined if the next word is an argument or an option. */
  readonly awaiting: Option | undefined;
  /** True after a bare `--`, which makes every further word an argument. */
  readonly ended: boolean;
  /** The value of `--config`; undefined if the flag is missing. */
  readonly config: string | undefined;
}

function walk(program: CommandUnknownOpts, words: readonly string[]): Walk {
  let command = program;
  let positionals = 0;
  let awaiting: Option | undefined;
  let ended = false;
  let config: string | undefined;
  for (const word of words) {
    if (awaiting) {
      if (awaiting.long === '--config') config = word;
      awaiting = undefined;
    } else if (ended || !word.startsWith('-') || word === '-') {
      const next = positionals === 0 ? command.commands.find((one) => one.name() === word) : undefined;
      if (next) command = next;
      else positionals += 1;
    } else if (word === '--') ended = true;
    else if (word.startsWith('--config=')) config = word.slice('--config='.length);
    else {
      const option = optionsOf(command).find((one) => isCalled(one, word));
      // Only an option with a required value certainly uses the next word. The value of `--bail [n]` is optional, so the next
      // word may be an argument.
      if (option?.required) awaiting = option;
    }
  }
  return { command, positionals, awaiting, ended, config };
}

function optionsOf(command: CommandUnknownOpts): readonly Option[] {
  // The help pages of croupier hide the settings. Commander's own Help lists the settings, so the user can complete them too.
  return new Help().visibleOptions(command);
}

function flags(command: CommandUnknownOpts, word: string): readonly Candidate[] {
  const known = optionsOf(command).map(({ long, short, description }) => ({
    value: long ?? short ?? '',
    means: description,
  }));
  return matching(known, word);
}

function subcommands(command: CommandUnknownOpts): readonly Candidate[] {
  const visible = command.createHelp().visibleCommands(command);
  return visible.map((one) => ({ value: one.name(), means: one.description() }));
}

function argumentAt(known: readonly Argument[], given: number): Argument | undefined {
  const last = known.at(-1);
  return known[given] ?? (last?.variadic ? last : undefined);
}

function plain(values: readonly string[] | undefined): readonly Candidate[] | undefined {
  return values?.map((value) => ({ value, means: '' }));
}

function matching(candidates: readonly Candidate[], word: string): readonly Candidate[] {
  return candidates.filter(({ value }) => value.startsWith(word));
}

/** Returns the name of a command with its parents, such as `serve operator`. */
function nameOf(command: CommandUnknownOpts): string {
  const parent = command.parent;
  return parent?.parent ? `${nameOf(parent)} ${command.name()}` : command.name();
}

function isCalled(option: Option, word: string): boolean {
  return option.long === word || option.short === word;
}
