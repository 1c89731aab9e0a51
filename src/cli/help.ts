import { type CommandUnknownOpts, Help, type HelpConfiguration, type Option } from '@commander-js/extra-typings';

/**
 * The name of the help group for flags that croupier.yaml can replace. The page of a command only names them, and
 * `croupier help settings` explains them.
 */
export const SETTINGS = 'Settings:';

/** Minimum width of the column for descriptions. If there is less room, a description goes below its flag. */
const MIN_WIDTH = 24;
/** Maximum width of a help page, because longer lines are hard to read. */
export const MAX_HELP_WIDTH = 100;

function withChoices(description: string, choices: readonly string[] | undefined): string {
  return choices ? `${description}: ${choices.join(', ')}` : description;
}

/**
 * Returns the settings that a help page names without an explanation. If there is only one setting, the page explains it,
 * because this needs no more room.
 */
function settingsOf({ options }: CommandUnknownOpts): readonly Option[] {
  const settings = options.filter(({ helpGroupHeading }) => helpGroupHeading === SETTINGS);
  return settings.length > 1 ? settings : [];
}

/** The layout of every help page, for `configureHelp`. A page fits on one screen, even in a narrow terminal. */
export const HELP: HelpConfiguration = {
  minWidthToWrap: MIN_WIDTH,

  /** Leaves out the settings. On the page of a command, also leaves out `--help`, because the reader has just used this flag. */
  visibleOptions(this: Help, command) {
    const settings = settingsOf(command);
    return Help.prototype.visibleOptions
      .call(this, command)
      .filter((option) => !settings.includes(option) && !(command.parent && option.long === '--help'));
  },

  /** Leaves out the arguments in the list of all commands, to keep the list short. */
  subcommandTerm(command) {
    if (!command.parent?.parent) return command.name();
    const usage = command.registeredArguments.map((argument) => {
      const name = `${argument.name()}${argument.variadic ? '...' : ''}`;
      return argument.required ? `<${name}>` : `[${name}]`;
    });
    return [command.name(), ...usage].join(' ');
  },

  argumentDescription: ({ description, argChoices }) => withChoices(description, argChoices),

  /** Leaves out the environment variables, which `croupier help environment` lists. */
  optionDescription({ description, argChoices, defaultValue }) {
    const text = withChoices(description, argChoices);
    return typeof defaultValue === 'string' ? `${text} (default: ${defaultValue})` : text;
  },

  formatItem(this: Help, term, termWidth, description, helper) {
    const width = this.helpWidth ?? MAX_HELP_WIDTH;
    if (width - termWidth - 4 >= MIN_WIDTH || description === '')
      return Help.prototype.formatItem.call(this, term, termWidth, description, helper);
    const below = helper.boxWrap(description, Math.max(MIN_WIDTH, width - 6)).replaceAll('\n', '\n      ');
    return `  ${term}\n      ${below}`;
  },

  formatHelp(this: Help, command, helper) {
    const page = Help.prototype.formatHelp.call(this, command, helper);
    const settings = settingsOf(command);
    if (settings.length === 0) return page;
    const names = settings.map(({ long }) => long).join(' ');
    const list = helper.boxWrap(names, (this.helpWidth ?? MAX_HELP_WIDTH) - 2).replaceAll('\n', '\n  ');
    return `${page}\nSettings (croupier help settings explains them):\n  ${list}\n`;
  },
};
