import { existsSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { makeFolder } from '../engine/folder.ts';
import { configText } from './config-text.ts';
import { CONFIG_NAME, whyUnreadable } from './configuration.ts';
import { EXAMPLE_SCENARIO } from './example-scenario.ts';
import { readSession } from './session-flag.ts';
import type { Stdio } from './stdio.ts';
import { UsageError } from './usage-error.ts';

export interface InitFlags {
  readonly yes?: boolean;
  readonly baseUrl?: string;
  readonly extCid?: string;
  readonly session?: readonly string[];
  readonly keyEnv?: string;
  readonly force?: boolean;
}

/** What has to be known about the operator. */
export interface Answers {
  readonly baseUrl: string;
  readonly extCid: string;
  readonly sessions: readonly string[];
  readonly keyEnv: string;
}

const INTERRUPTED_STATUS = 130;
const EXAMPLE = path.join('scenarios', 'example.yaml');

/** `croupier init`: writes a commented configuration and a first scenario, from flags or from a few answers. */
export async function initCommand(flags: InitFlags, stdio: Stdio): Promise<number> {
  const files = [CONFIG_NAME, EXAMPLE];
  const there = files.filter((file) => existsSync(path.resolve(stdio.cwd, file)));
  if (there.length > 0 && !flags.force) {
    throw new UsageError(
      `${there.join(' and ')} ${there.length === 1 ? 'is' : 'are'} there already. --force overwrites.`,
    );
  }
  const answers = await answersFrom(flags, stdio);
  if (!answers) return INTERRUPTED_STATUS;
  const config = configText([
    {
      extCID: answers.extCid,
      integratorBaseUrl: answers.baseUrl,
      key: { env: answers.keyEnv },
      sessions: answers.sessions.map(readSession),
      scenarios: './scenarios',
    },
  ]);
  write(CONFIG_NAME, config, stdio);
  write(EXAMPLE, EXAMPLE_SCENARIO, stdio);
  stdio.out.write(
    [
      `Written: ${files.join(', ')}`,
      'Next:',
      ...beside([
        [`export ${answers.keyEnv}=…`, 'the Integration API key'],
        ['croupier doctor', 'can it be reached, and does the key work? It only reads'],
        ['croupier run balance', 'a first, small run: it reads, and plays one round'],
        ['croupier run', 'everything'],
      ]),
      '',
    ].join('\n'),
  );
  return 0;
}

/** Commands, and what each is for in a column of its own. */
function beside(rows: readonly (readonly [command: string, what: string])[]): readonly string[] {
  const width = Math.max(...rows.map(([command]) => command.length)) + 2;
  return rows.map(([command, what]) => `  ${command.padEnd(width)}${what}`);
}

async function answersFrom(flags: InitFlags, stdio: Stdio): Promise<Answers | undefined> {
  const { baseUrl, extCid, session: sessions } = flags;
  if (baseUrl !== undefined && extCid !== undefined && sessions) {
    const answers = { baseUrl, extCid, sessions, keyEnv: flags.keyEnv ?? keyEnvFor(extCid) };
    const problem = whyNoUrl(baseUrl) ?? whyNoVariable(answers.keyEnv);
    if (problem !== undefined) throw new UsageError(problem);
    for (const session of sessions) readSession(session);
    return answers;
  }
  if (flags.yes || !stdio.stdinIsTty || !stdio.out.tty) {
    const missing = [
      baseUrl === undefined && '--base-url',
      extCid === undefined && '--ext-cid',
      !sessions && '--session',
    ].filter((name) => name !== false);
    const why = flags.yes ? '--yes asks nothing' : 'this is no terminal, so nothing can be asked';
    throw new UsageError(`${why}: give ${missing.join(', ')} too.\ncroupier init --help has an example.`);
  }
  const { ask } = await import('./init-questions.ts');
  return ask(flags);
}

/** `acme-eu` has its key in ACME_EU_KEY. */
export function keyEnvFor(extCID: string): string {
  const name = extCID
    .toUpperCase()
    .replace(/[^A-Z0-9]+/g, '_')
    .replace(/^_+|_+$/g, '');
  return `${/^[A-Z]/.test(name) ? name : `CLIENT_${name}`}_KEY`;
}

/** What is wrong with a base URL; undefined: nothing. */
export function whyNoUrl(text: string): string | undefined {
  const protocol = URL.parse(text)?.protocol;
  if (protocol === 'http:' || protocol === 'https:') return undefined;
  return `${text || 'An empty text'} is no http or https URL, such as https://wallet.example/eu`;
}

/** What is wrong with the name of a variable; undefined: nothing. */
export function whyNoVariable(text: string): string | undefined {
  return /^[A-Za-z_][A-Za-z0-9_]*$/.test(text)
    ? undefined
    : `${text || 'An empty text'} is no name of an environment variable`;
}

function write(name: string, text: string, { cwd }: Stdio): void {
  const file = path.resolve(cwd, name);
  try {
    makeFolder(path.dirname(file));
    writeFileSync(file, text);
  } catch (error) {
    throw new UsageError(`${name} can't be written: ${whyUnreadable(error)}`, { cause: error });
  }
}
