import type { Command } from 'commander';
import { addSettings } from './client-options.ts';
import { CroupierCommand } from './help-page.ts';
import type { Sink } from './stdio.ts';
import { SWITCHES } from './switches.ts';

/** A page of `croupier help` that no single command has. */
interface Topic {
  readonly means: string;
  readonly page: (program: Command, sink: Sink) => string;
}

/** What is read beside the variables that stand for flags. */
const FURTHER_VARIABLES: readonly (readonly [string, string])[] = [
  ['CROUPIER_KEY', 'the Integration API key itself'],
  ['CROUPIER_GITHUB', '0 is --no-github'],
  ['CROUPIER_DEBUG', '1: where in the code a bug of croupier is'],
  ['NO_COLOR', 'no colours; FORCE_COLOR and --color beat it'],
  ['FORCE_COLOR', 'colours also where there is no terminal; 0: none'],
  ['CI', 'nothing moves and nothing is asked, also on a terminal'],
  ['GITHUB_ACTIONS', 'true: run annotates, and writes a summary'],
];

/** By the word that stands behind `croupier help`. */
export const TOPICS: Readonly<Record<string, Topic>> = {
  settings: { means: 'the flags that most commands share', page: settingsPage },
  environment: { means: 'the variables that are read', page: environmentPage },
};

function settingsPage(program: Command): string {
  const page = new CroupierCommand('croupier').copyInheritedSettings(program);
  page
    .usage('COMMAND [settings]')
    .description(
      'A flag beats the environment (croupier help environment), which beats croupier.yaml, which beats what croupier takes by itself. A command takes those that its own page names.',
    )
    .helpOption(false);
  addSettings(page);
  for (const option of page.options) option.helpGroup('Flags:');
  return `${page.helpInformation()}
Examples:
  croupier init                       makes a croupier.yaml
  croupier doctor --client acme-eu    one client of those in croupier.yaml
  croupier run --print-config         what holds, and where it came from
  croupier call bet --session eu-usd-1,currency=USD,player=p1
`;
}

function environmentPage(program: Command, { columns }: Sink): string {
  const help = program.createHelp();
  help.prepareContext({ helpWidth: columns });
  const rows = [...variablesOfFlags(program), ...FURTHER_VARIABLES];
  const width = Math.max(...rows.map(([name]) => name.length));
  const listed = rows.map(([name, means]) => help.formatItem(name, width, means, help)).join('\n');
  return `Variables that are read. A flag beats them, and they beat croupier.yaml.

${listed}

Example:
  CROUPIER_LINGER=1s croupier run --print-config    what holds now, and why
`;
}

function variablesOfFlags(program: Command): ReadonlyMap<string, string> {
  const found = new Map<string, string>();
  for (const option of program.commands.flatMap(({ options }) => options)) {
    const variable = option.envVar ?? SWITCHES[option.attributeName()];
    if (variable === undefined || found.has(variable)) continue;
    found.set(variable, `${option.long}${option.isBoolean() ? ' (1)' : ''}: ${option.description}`);
  }
  return found;
}
