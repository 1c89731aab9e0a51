import { type CommandUnknownOpts, Help, type HelpConfiguration, type Option } from '@commander-js/extra-typings';

/** The group of the flags that croupier.yaml can replace. The page of a command only names them; `croupier help settings` explains them. */
export const SETTINGS = 'Settings:';

/** The minimum width of a description's column. A narrower one goes below the term. */
const MIN_WIDTH = 24;
/** Longer lines are hard to read. */
export const MAX_HELP_WIDTH = 100;

function withChoices(description: string, choices: readonly string[] | undefined): string {
  return choices ? `${description}: ${choices.join(', ')}` : description;
}

/** The settings that a page only names. A single setting is explained, because that needs no more room. */
function settingsOf({ options }: CommandUnknownOpts): readonly Option[] {
  const settings = options.filter(({ helpGroupHeading }) => helpGroupHeading === SETTINGS);
  return settings.length > 1 ? settings : [];
}

/** The form of every page of `--help`, for `configureHelp`: at most one screen, also in a narrow terminal. */
export const HELP: HelpConfiguration = {
  minWidthToWrap: MIN_WIDTH,

  /** Leaves out the settings, and `--help` on the page of a command, whose reader knows it. */
  visibleOptions(this: Help, command) {
    const settings = settingsOf(command);
    return Help.prototype.visibleOptions
      .call(this, command)
      .filter((option) => !settings.includes(option) && !(command.parent && option.long === '--help'));
  },

  /** The list of all commands leaves out the arguments, to stay short. */
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
