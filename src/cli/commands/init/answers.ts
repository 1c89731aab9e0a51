import { readSession, whyNoSession } from '../../../app/config/flag-values.ts';
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
 * Returns the values for the configuration. Asks the person at the terminal for values that no flag gives.
 *
 * @returns undefined if the person cancelled
 * @throws UsageError for a wrong value, and for a missing value if nobody can be asked
 */
export async function answersFrom(flags: InitFlags, stdio: Stdio): Promise<Answers | undefined> {
  const { baseUrl, extCid, session: sessions } = flags;
  if (baseUrl !== undefined && extCid !== undefined && sessions) {
    const answers = { baseUrl: withScheme(baseUrl), extCid, sessions, keyEnv: flags.keyEnv ?? keyEnvFor(extCid) };
    const problem = whyNoUrl(answers.baseUrl) ?? whyNoVariable(answers.keyEnv);
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
    throw new UsageError(`${why}. Also give ${missing.join(', ')}.\ncroupier init --help has an example.`);
  }
  return ask(flags);
}

/** If a base URL ends with the path of a call, such as `/bet`, returns this path. Returns undefined for any other URL. */
export function pathEndOf(baseUrl: string): string | undefined {
  return /\/(?:balance|bet|win|refund)(?=\/?$)/i.exec(baseUrl)?.[0];
}

/** Thrown if the person cancels a question. */
class Cancelled extends Error {}

async function ask(flags: InitFlags): Promise<Answers | undefined> {
  const prompts = await import('@clack/prompts');
  prompts.intro('croupier: which operator do you want to test?');
  try {
    return await answersOf(flags, prompts);
  } catch (error) {
    if (!(error instanceof Cancelled)) throw error;
    prompts.cancel('Nothing was written.');
    return undefined;
  }
}

type Prompts = typeof import('@clack/prompts');

async function answersOf(flags: InitFlags, { confirm, isCancel, text }: Prompts): Promise<Answers> {
  const answered = async (given: string | undefined, question: Parameters<Prompts['text']>[0]): Promise<string> => {
    if (given !== undefined) return given;
    const answer = await text(question);
    if (isCancel(answer)) throw new Cancelled();
    // The answer is undefined if the person only presses Enter.
    return (answer as string | undefined)?.trim() ?? '';
  };
  let baseUrl = await answered(flags.baseUrl, {
    message: "The operator's base URL for reverse calls (croupier appends the path of each call)",
    placeholder: 'https://wallet.staging.example/eu',
    validate: (answer) => whyNoUrl(withScheme(answer ?? '')),
  });
  baseUrl = withScheme(baseUrl);
  const pathEnd = pathEndOf(baseUrl);
  if (pathEnd !== undefined && flags.baseUrl === undefined) {
    const without = baseUrl.replace(/\/$/, '').slice(0, -pathEnd.length);
    const isWithout = await confirm({
      message: `croupier appends the path of each call to the base URL, as in ${baseUrl.replace(/\/$/, '')}/balance. Use ${without} instead?`,
    });
    if (isCancel(isWithout)) throw new Cancelled();
    if (isWithout) baseUrl = without;
  }
  const extCid = await answered(flags.extCid, {
    message: "The client's ExtCID",
    placeholder: 'acme-eu',
    validate: (answer) => (answer ? undefined : 'The ExtCID is required, because reports name it.'),
  });
  const sessions = flags.session ?? (await askSessions(answered));
  const keyEnv = await answered(flags.keyEnv, {
    message: 'Which environment variable will hold the Integration API key?',
    initialValue: keyEnvFor(extCid),
    validate: (answer) => whyNoVariable(answer ?? ''),
  });
  return { baseUrl, extCid, sessions, keyEnv };
}

/** Asks for sessions until the person gives none. */
async function askSessions(
  answered: (given: undefined, question: Parameters<Prompts['text']>[0]) => Promise<string>,
): Promise<readonly string[]> {
  const sessions: string[] = [];
  for (;;) {
    const isFirst = sessions.length === 0;
    const id = await answered(undefined, {
      message: isFirst
        ? 'The id of a session that is open for the test'
        : 'The id of another session: of this player, to test repeated calls in two sessions, or of another player, to test that players are kept apart (empty: no more sessions)',
      placeholder: isFirst ? 'eu-usd-1' : '',
      validate: (answer) => {
        if (answer) return whyNoSession(answer);
        return isFirst ? 'croupier needs the id of one open session, such as eu-usd-1.' : undefined;
      },
    });
    if (id === '') return sessions;
    // The person may also write all fields at once, as with --session.
    if (id.includes(',')) {
      sessions.push(id);
      continue;
    }
    const field = async (name: string, message: string, without: string): Promise<string> => {
      const value = await answered(undefined, {
        message: `${message} (empty: unknown, ${without})`,
        validate: (answer) => (answer ? whyNoSession(`${id},${name}=${answer.trim()}`) : undefined),
      });
      return value === '' ? '' : `,${name}=${value}`;
    };
    const player = await field(
      'player',
      'The player of this session, as a name of your choice',
      'and no test uses two sessions',
    );
    const currency = await field(
      'currency',
      'Its currency, such as USD',
      'and some amounts with decimals are not tested',
    );
    const game = await field('game', 'Its game, such as catch', 'and no test uses two games');
    sessions.push(`${id}${player}${currency}${game}`);
  }
}

/** Returns the variable name for a client's key, such as `ACME_EU_KEY` for the client `acme-eu`. */
function keyEnvFor(extCID: string): string {
  const name = extCID
    .toUpperCase()
    .replace(/[^A-Z0-9]+/g, '_')
    .replace(/^_|_$/g, '');
  return `${/^[A-Z]/.test(name) ? name : `CLIENT_${name}`}_KEY`;
}

/**
 * Adds `http://` to a host on this machine that the person wrote without a scheme, such as `localhost:7001`. For any other host, the
 * person must choose the scheme, because http would send the calls unencrypted.
 */
function withScheme(text: string): string {
  return /^(?:localhost|127\.\d+\.\d+\.\d+|\[::1\])(?=[:/]|$)/i.test(text) ? `http://${text}` : text;
}

function whyNoUrl(text: string): string | undefined {
  const protocol = URL.parse(text)?.protocol;
  if (protocol === 'http:' || protocol === 'https:') return undefined;
  const scheme = /^([a-z][a-z0-9+.-]*):\/{1,3}(?!\/)/i.exec(text);
  if (scheme) {
    const rest = text.slice(scheme[0].length);
    return `${scheme[1]} is not http or https. Write https://${rest}, or http://${rest} if the wallet does not use TLS`;
  }
  const withHttps = text === '' ? null : URL.parse(`https://${text}`);
  if (withHttps !== null && !text.includes('://'))
    return `${text} has no scheme. Write https://${text}, or http://${text} if the wallet does not use TLS`;
  return `${text || 'An empty text'} is not an http or https URL, such as https://wallet.example/eu`;
}

function whyNoVariable(text: string): string | undefined {
  return /^[A-Za-z_][A-Za-z0-9_]*$/.test(text)
    ? undefined
    : `${text || 'An empty text'} is not a name of an environment variable`;
}
