import { type Argument, Command, Help, type Option } from 'commander';

/** The group of the flags that say what croupier.yaml can say too: named on every page, explained once. */
export const SETTINGS = 'Settings:';

const NARROWEST = 24;
const WIDEST = 100;

function withChoices(description: string, choices: readonly string[] | undefined): string {
  return choices ? `${description}: ${choices.join(', ')}` : description;
}

/** The settings that are named only: one alone takes no more room when it is explained. */
function settingsNamed({ options }: Command): readonly Option[] {
  const settings = options.filter(({ helpGroupHeading }) => helpGroupHeading === SETTINGS);
  return settings.length > 1 ? settings : [];
}

/** What `--help` shows: one screen, also where the terminal is narrow. */
class HelpPage extends Help {
  override minWidthToWrap = NARROWEST;

  override prepareContext(context: Parameters<Help['prepareContext']>[0]): void {
    super.prepareContext(context);
    this.helpWidth = Math.min(this.helpWidth ?? 80, WIDEST);
  }

  /** Who reads the page of a command has found --help already. */
  override visibleOptions(command: Command): Option[] {
    const options = super.visibleOptions(command);
    const named = settingsNamed(command);
    return options.filter((one) => !named.includes(one) && !(command.parent && one.long === '--help'));
  }

  override subcommandTerm(command: Command): string {
    // The first page is long enough.
    if (!command.parent?.parent) return command.name();
    return [command.name(), ...command.registeredArguments.map((one) => this.argumentUsage(one))].join(' ');
  }

  override argumentDescription({ description, argChoices }: Argument): string {
    return withChoices(description, argChoices);
  }

  /** Variables are told by the topic `environment`. */
  override optionDescription({ description, argChoices, defaultValue }: Option): string {
    const told = withChoices(description, argChoices);
    return typeof defaultValue === 'string' ? `${told} (default: ${defaultValue})` : told;
  }

  override formatItem(term: string, termWidth: number, description: string, helper: Help): string {
    const width = this.helpWidth ?? WIDEST;
    if (width - termWidth - 4 >= NARROWEST || description === '')
      return super.formatItem(term, termWidth, description, helper);
    // Beside the flags there is no room: below them there is.
    const below = helper.boxWrap(description, Math.max(NARROWEST, width - 6)).replaceAll('\n', '\n      ');
    return `  ${term}\n      ${below}`;
  }

  override formatHelp(command: Command, helper: Help): string {
    const page = super.formatHelp(command, helper);
    const named = settingsNamed(command);
    if (named.length === 0) return page;
    const names = named.map(({ long }) => long).join(' ');
    const width = (this.helpWidth ?? WIDEST) - 2;
    const listed = helper.boxWrap(names, width).replaceAll('\n', '\n  ');
    return `${page}\nSettings (croupier help settings explains them):\n  ${listed}\n`;
  }

  private argumentUsage(argument: Argument): string {
    const name = `${argument.name()}${argument.variadic ? '...' : ''}`;
    return argument.required ? `<${name}>` : `[${name}]`;
  }
}

/** A command whose page is short. */
export class CroupierCommand extends Command {
  override createCommand(name?: string): CroupierCommand {
    return new CroupierCommand(name);
  }

  override createHelp(): Help {
    return Object.assign(new HelpPage(), this.configureHelp());
  }
}
