import { readSession } from '../../../app/config/flag-values.ts';
import { UsageError } from '../../../app/exit-status.ts';
import type { Stdio } from '../../../app/stdio.ts';
import type { InitFlags } from './flags.ts';

/** The facts about the operator that a configuration needs. */
export interface Answers {
  readonly baseUrl: string;
  readonly extCid: string;
  readonly sessions: readonly string[];
  readonly keyEnv: string;
}

/**
 * Returns the values for the configuration. A person at the terminal is asked for values that the flags leave out.
 *
 * @returns undefined if the person cancelled
 * @throws UsageError for a wrong value, and for a missing value if nobody can be asked
 */
export async function answersFrom(flags: InitFlags, stdio: Stdio): Promise<Answers | undefined> {
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
    const why = flags.yes
      ? 'With --yes, croupier init asks no questions'
      : 'croupier init can ask questions only on a terminal';
    throw new UsageError(`${why}. Give ${missing.join(', ')} too.\ncroupier init --help has an example.`);
  }
  return ask(flags);
}

async function ask(flags: InitFlags): Promise<Answers | undefined> {
  const { cancel, intro, isCancel, text } = await import('@clack/prompts');
  const answered = async (given: string | undefined, question: Parameters<typeof text>[0]) => {
    if (given !== undefined) return given;
    const answer = await text(question);
    return isCancel(answer) ? undefined : answer;
  };
  intro('croupier: which operator shall be tested?');
  const baseUrl = await answered(flags.baseUrl, {
    message: "The operator's base URL for reverse calls (a call's path is appended)",
    placeholder: 'https://wallet.staging.example/eu',
    validate: (answer) => whyNoUrl(answer ?? ''),
  });
  const extCid =
    baseUrl === undefined
      ? undefined
      : await answered(flags.extCid, {
          message: "The client's ExtCID",
          placeholder: 'acme-eu',
          validate: (answer) => (answer ? undefined : 'The ExtCID is required, because reports name it.'),
        });
  const session =
    extCid === undefined
      ? undefined
      : await answered(flags.session?.[0], {
          message: 'A session that is open for the test: ID, or ID,player=p1,currency=USD,game=catch',
          placeholder: 'eu-usd-1,player=p1,currency=USD',
          validate: (answer) => whyNoSession(answer ?? ''),
        });
  const keyEnv =
    session === undefined
      ? undefined
      : await answered(flags.keyEnv, {
          message: 'Which environment variable will hold the Integration API key?',
          initialValue: keyEnvFor(extCid ?? ''),
          validate: (answer) => whyNoVariable(answer ?? ''),
        });
  if (baseUrl === undefined || extCid === undefined || session === undefined || keyEnv === undefined) {
    cancel('Nothing was written.');
    return undefined;
  }
  return { baseUrl, extCid, sessions: flags.session ?? [session], keyEnv };
}

/** Returns the variable name for a client's key, such as `ACME_EU_KEY` for the client `acme-eu`. */
function keyEnvFor(extCID: string): string {
  const name = extCID
    .toUpperCase()
    .replace(/[^A-Z0-9]+/g, '_')
    .replace(/^_|_$/g, '');
  return `${/^[A-Z]/.test(name) ? name : `CLIENT_${name}`}_KEY`;
}

function whyNoUrl(text: string): string | undefined {
  const protocol = URL.parse(text)?.protocol;
  if (protocol === 'http:' || protocol === 'https:') return undefined;
  return `${text || 'An empty text'} is not an http or https URL, such as https://wallet.example/eu`;
}

function whyNoVariable(text: string): string | undefined {
  return /^[A-Za-z_][A-Za-z0-9_]*$/.test(text)
    ? undefined
    : `${text || 'An empty text'} is not a name of an environment variable`;
}

function whyNoSession(answer: string): string | undefined {
  try {
    readSession(answer);
    return undefined;
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}
