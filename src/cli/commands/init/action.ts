import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { CONFIG_NAME } from '../../../app/config/configuration.ts';
import { readSession } from '../../../app/config/flag-values.ts';
import { configText } from '../../../app/config/text.ts';
import { EXIT, UsageError } from '../../../app/exit-status.ts';
import { whyUnreadable } from '../../../app/files.ts';
import type { Stdio } from '../../../app/stdio.ts';
import { makeFolder } from '../../../folder/make-folder.ts';
import { schemaText } from '../schema/action.ts';
import { answersFrom, pathEndOf } from './answers.ts';
import type { InitFlags } from './flags.ts';

const EXAMPLE = path.join('scenarios', 'example.yaml');

/**
 * `croupier init`: writes a configuration with comments and an example scenario. Asks the user for values that no flag gives.
 */
export async function initCommand(flags: InitFlags, stdio: Stdio): Promise<number> {
  const files = [CONFIG_NAME, EXAMPLE];
  const existing = files.filter((file) => existsSync(path.resolve(stdio.cwd, file)));
  if (existing.length > 0 && !flags.force) {
    throw new UsageError(
      `${existing.join(' and ')} ${existing.length === 1 ? 'exists' : 'exist'} already. Overwrite with --force.`,
    );
  }
  const answers = await answersFrom(flags, stdio);
  if (!answers) return EXIT.SIGINT;
  const config = configText(
    [
      {
        extCID: answers.extCid,
        integratorBaseUrl: answers.baseUrl,
        key: { env: answers.keyEnv },
        sessions: answers.sessions.map((text) => readSession(text)),
        scenarios: './scenarios',
      },
    ],
    await schemaPath('config', '', stdio),
  );
  write(CONFIG_NAME, config, stdio);
  const schema = await schemaPath('scenario', '../', stdio);
  write(EXAMPLE, `# yaml-language-server: $schema=${schema}\n${EXAMPLE_SCENARIO}`, stdio);
  const ignored = keepOutOfGit(stdio);
  const pathEnd = pathEndOf(answers.baseUrl);
  if (pathEnd !== undefined) {
    stdio.err.write(
      `Warning: the base URL ends with ${pathEnd}. croupier appends the path of each call to the base URL, as in ${answers.baseUrl.replace(/\/$/, '')}/balance. If this is wrong, remove ${pathEnd} from integratorBaseUrl in ${CONFIG_NAME}.\n`,
    );
  }
  stdio.out.write(
    [
      `Written: ${[...files, ...(ignored ? [GIT_IGNORE] : [])].join(', ')}`,
      'Next:',
      ...inColumns([
        [`export ${answers.keyEnv}=…`, 'the Integration API key'],
        ['croupier doctor', 'check the address and the key; no money is moved'],
        ['croupier run balance', 'a first, small run: it reads the balance, and plays one round'],
        ['croupier run', 'everything'],
      ]),
      '',
    ].join('\n'),
  );
  return 0;
}

const INSTALLED = 'node_modules/croupier-conformance/schema';

/**
 * Returns the path of a JSON Schema for editors. If the package is not installed in this folder, writes the schema into the
 * folder `.croupier`.
 *
 * @param up the path from the file that names the schema to the working directory
 */
async function schemaPath(of: 'config' | 'scenario', up: string, stdio: Stdio): Promise<string> {
  if (existsSync(path.resolve(stdio.cwd, INSTALLED, `${of}.json`))) return `${up}${INSTALLED}/${of}.json`;
  const file = `.croupier/schema/${of}.json`;
  write(file, await schemaText(of), stdio);
  return `${up}${file}`;
}

const GIT_IGNORE = '.gitignore';

/** Adds the folder of the journals to the .gitignore of this folder. Returns false if the file has the line already. */
function keepOutOfGit(stdio: Stdio): boolean {
  const file = path.resolve(stdio.cwd, GIT_IGNORE);
  const before = existsSync(file) ? readFileSync(file, 'utf8') : '';
  if (/^\/?\.croupier\/?\s*$/m.test(before)) return false;
  write(GIT_IGNORE, `${before}${before === '' || before.endsWith('\n') ? '' : '\n'}.croupier/\n`, stdio);
  return true;
}

/** Returns one line for each command, with its purpose in a second column. */
function inColumns(rows: readonly (readonly [command: string, what: string])[]): readonly string[] {
  const width = Math.max(...rows.map(([command]) => command.length)) + 2;
  return rows.map(([command, what]) => `  ${command.padEnd(width)}${what}`);
}

function write(name: string, text: string, { cwd }: Stdio): void {
  const file = path.resolve(cwd, name);
  try {
    makeFolder(path.dirname(file));
    writeFileSync(file, text);
  } catch (error) {
    throw new UsageError(`${name} can't be written: ${whyUnreadable(error)}.`, { cause: error });
  }
}

/** The scenario that `init` writes as an example. Comments explain each step. */
const EXAMPLE_SCENARIO = `# A scenario is a list of steps. Every reply is judged by the contract, so that a scenario need not
# repeat the contract. \`croupier lint\` checks this file, \`croupier run scenarios/example.yaml\` runs it.
croupier: 1
title: A round is played, won, and its repeated win pays once
rules: [win.credit, idempotency.win]

# The balance that the session needs; with less, the scenario is skipped, with the reason.
needs: { balance: "\${stake}" }

steps:
  - bet: # the configured stake, in a new round, with a new id
  - win: { amount: "\${2 * stake}" } # in the round of that bet
    as: payout
  - resend: payout # the same bytes, the same id
    expect: { reply: same }
  - balance: # read, and compared with the expected balance
`;
