import type { CommandUnknownOpts } from '@commander-js/extra-typings';
import { SWITCHES } from '../app/config/run-flags.ts';
import { forTerminal } from '../report/escape.ts';
import { nearest } from '../scenario/near.ts';

/** An environment variable that croupier reads. */
export interface Variable {
  readonly name: string;
  /** The flag with the same meaning. Left out if no flag has this meaning. */
  readonly flag?: string;
  readonly meaning: string;
}

/** The environment variables without a flag that commander reads from them. */
export const OTHER_VARIABLES: readonly Variable[] = [
  { name: 'CROUPIER_KEY', meaning: 'the Integration API key itself' },
  { name: 'CROUPIER_REQUIRE', meaning: 'more of --require, in addition to croupier.yaml' },
  { name: 'CROUPIER_HISTORY', meaning: '0 means --no-history' },
  { name: 'CROUPIER_LEASE', meaning: 'do not set it: fleet work sets it for its runs' },
  { name: 'CROUPIER_NOTIFY', meaning: 'the key notify of croupier.yaml, as JSON' },
  { name: 'CROUPIER_GITHUB', meaning: '0 means --no-github' },
  { name: 'CROUPIER_DEBUG', meaning: '1: print the stack trace if croupier itself fails' },
  { name: 'NO_COLOR', meaning: 'no colours; FORCE_COLOR and --color override it' },
  { name: 'FORCE_COLOR', meaning: 'colours also without a terminal; 0: no colours' },
  { name: 'OTEL_EXPORTER_OTLP_HEADERS', meaning: 'headers for --otlp, such as a=b,c=d' },
  { name: 'PGPASSWORD', meaning: 'the password for --database' },
  { name: 'OTEL_SERVICE_NAME', meaning: 'the name of croupier in spans' },
  { name: 'CI', meaning: 'if set: no animation, questions or signed calls' },
  { name: 'GITHUB_ACTIONS', meaning: 'true: write annotations and a summary' },
  { name: 'GITHUB_STEP_SUMMARY', meaning: 'the file for the summary of GitHub Actions' },
  { name: 'TERM', meaning: 'dumb: no colours; linux: only ASCII characters' },
  { name: 'XDG_STATE_HOME, HOME', meaning: 'Linux, macOS: folder of locks (--lock-folder)' },
  { name: 'LOCALAPPDATA', meaning: 'Windows: folder of locks (--lock-folder)' },
  { name: 'LC_ALL, LC_CTYPE, LANG', meaning: 'C or POSIX: only ASCII characters' },
];

/** Lists every environment variable that croupier reads, those of flags first. Help, documentation and tests use this list. */
export function environmentVariables(program: CommandUnknownOpts): readonly Variable[] {
  const found = new Map<string, Variable>();
  for (const option of allCommands(program).flatMap(({ options }) => options)) {
    const name = option.envVar ?? SWITCHES[option.attributeName()];
    if (name === undefined || found.has(name)) continue;
    const flag = `${option.long}${option.isBoolean() ? ' (1)' : ''}`;
    // Leaves out two hints of the flag that are wrong for its variable: `; repeatable` (a variable contains only one value), and
    // `, or set CROUPIER_KEY` (the variable of the key itself, not of the file with the key).
    const effect = option.description.replace(/; repeatable$|, or set CROUPIER_KEY$/, '');
    found.set(name, { name, flag, meaning: `${flag}: ${effect}` });
  }
  return [...found.values(), ...OTHER_VARIABLES];
}

/** The beginning of the names of croupier's own variables. */
const PREFIX = 'CROUPIER_';

/**
 * Removes croupier's own variables without a value. Pipelines pass on a variable that nobody has set as an empty text. `CROUPIER_KEY`
 * stays: a message says that it is empty.
 *
 * @param env the variables of the process. This function changes them, because commander reads them from there
 */
export function removeEmptyVariables(env: Record<string, string | undefined>): void {
  for (const [name, value] of Object.entries(env))
    if (value === '' && name.startsWith(PREFIX) && name !== 'CROUPIER_KEY') delete env[name];
}

/**
 * Returns a warning for each variable that is probably a misspelt variable of croupier. Without the warning, croupier would ignore
 * it, for example a requirement that a pipeline sets. No name counts as a misspelt `CROUPIER_KEY`: the key of a client may have a
 * name like `CROUPIER_KEY_EU`, and croupier stops if the key itself is missing.
 */
export function misspeltVariables(
  program: CommandUnknownOpts,
  env: Readonly<Record<string, string | undefined>>,
): readonly string[] {
  const own = Object.keys(env).filter((name) => name.startsWith(PREFIX));
  if (own.length === 0) return [];
  const known = environmentVariables(program).map(({ name }) => name);
  const unknown = own.filter((name) => !known.includes(name));
  // The comparison leaves out the prefix of the names. With the prefix, two different names would count as similar.
  const endings = known
    .filter((name) => name.startsWith(PREFIX) && name !== 'CROUPIER_KEY')
    .map((name) => name.slice(PREFIX.length));
  return unknown.flatMap((name) => {
    const near = nearest(name.slice(PREFIX.length), endings);
    return near === undefined
      ? []
      : [forTerminal(`warning: croupier reads no variable ${name}. Did you mean ${PREFIX}${near}?`)];
  });
}

function allCommands(command: CommandUnknownOpts): readonly CommandUnknownOpts[] {
  return [command, ...command.commands.flatMap(allCommands)];
}
