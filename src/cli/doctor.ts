import { type Check, check } from '../engine/doctor/check.ts';
import { examine } from '../engine/doctor/examine.ts';
import type { ClientUnderTest } from '../engine/run-options.ts';
import { createScrubber } from '../journal/scrubber.ts';
import { resolveClients, type SessionSource } from './clients.ts';
import { type Configuration, complaintsError, loadConfiguration } from './configuration.ts';
import { doctorJson } from './doctor-json.ts';
import { doctorText, type Examined } from './doctor-text.ts';
import type { ClientFlags } from './run-flags.ts';
import { runSettings } from './run-settings.ts';
import { withOwnSessions } from './sessions-from.ts';
import { type Stdio, showsUnicode } from './stdio.ts';
import { UsageError } from './usage-error.ts';

export interface DoctorFlags extends ClientFlags {
  readonly deadline?: number;
  readonly stake?: readonly string[];
  readonly json?: boolean;
}

/**
 * `croupier doctor`: whether a run could be made, and what has to be mended first.
 *
 * @returns 0 when nothing must be mended, 1 when something must, 3 when a client can't be reached
 */
export async function doctorCommand(flags: DoctorFlags, stdio: Stdio): Promise<number> {
  const configuration = await loadConfiguration(flags.config, stdio);
  const { stakes, deadlineMs } = runSettings(configuration.config, flags, stdio.env);
  // One whose sessions will be launched can be looked at without any.
  const resolved = await resolveClients(configuration, { ...flags, launches: 1 }, stdio);
  const { clients, secrets, sources, complaints } = resolved;
  if (complaints.length > 0) throw complaintsError(complaints);
  const examined: Examined[] = [];
  for (const configured of clients) {
    const { client, noSession } = await withSessions(configured, sources.get(configured.extCID), configuration, stdio);
    const checks = await looked(client, () =>
      examine({ client, stakes, deadlineMs, noSession, ambientProxy: ambientProxy(client, stdio), time: Date.now }),
    );
    examined.push({ client, checks: [configurationCheck(configuration, client), ...checks] });
  }
  const status = statusOf(examined);
  const scrub = createScrubber(secrets);
  stdio.out.write(
    scrub(
      flags.json
        ? doctorJson(examined, status)
        : doctorText(examined, { sink: stdio.out, unicode: showsUnicode(stdio.env) }),
    ),
  );
  return status;
}

interface Opened {
  readonly client: ClientUnderTest;
  /** What is said where there is no session. */
  readonly noSession: Check;
}

/** The client with the sessions that a run would open, or why there are none. */
async function withSessions(
  client: ClientUnderTest,
  source: SessionSource | undefined,
  { dir }: Configuration,
  { env }: Stdio,
): Promise<Opened> {
  const from = source?.from;
  const unnamed = check(
    'session',
    'not-tried',
    'none is named, so that none can be asked about',
    'Name one in the configuration or with --session; or have the operator launch games: croupier run --launches 2',
  );
  if (client.sessions.length > 0 || from === undefined) return { client, noSession: unnamed };
  const { extCID } = client;
  try {
    const asking = { extCID, dir, env, signal: new AbortController().signal };
    return { client: await withOwnSessions(client, from, asking), noSession: unnamed };
  } catch (error) {
    if (!(error instanceof UsageError)) throw error;
    // Who calls the Core API may have launches in mind, which need one that listens.
    const launches = source?.cID !== undefined;
    const mend = 'Mend it: a run begins with it.';
    const noSession = check(
      'session',
      launches ? 'warn' : 'bad',
      error.message.split('\n', 1).join(''),
      launches ? `${mend} If it is for run --launches, it has to wait for that Core API.` : mend,
    );
    return { client, noSession };
  }
}

/** What the wire can't use (a certificate that is none, a header with a line break) is a mistake of the configuration. */
async function looked(client: ClientUnderTest, look: () => Promise<readonly Check[]>): Promise<readonly Check[]> {
  try {
    return await look();
  } catch (error) {
    if (error instanceof TypeError) throw new UsageError(`${client.extCID}: ${error.message}`, { cause: error });
    throw error;
  }
}

function statusOf(examined: readonly Examined[]): 0 | 1 | 3 {
  const states = new Set(examined.flatMap(({ checks }) => checks.map(({ state }) => state)));
  if (states.has('bad')) return 1;
  return states.has('unreachable') ? 3 : 0;
}

function configurationCheck({ file, found, warnings }: Configuration, client: ClientUnderTest): Check {
  const sessions = `${client.sessions.length} session${client.sessions.length === 1 ? '' : 's'}`;
  const where = found ? file : `flags and environment (there is no ${file})`;
  if (warnings.length === 0) return check('configuration', 'good', `${where}; ${sessions}`);
  const said = warnings.map(({ message }) => message).join('; ');
  return check('configuration', 'warn', `${where}; ${sessions}; ${said}`, 'croupier run prints the places.');
}

/** Other tools heed these variables; that croupier does not can be why it reaches nothing, or something else. */
function ambientProxy({ integratorBaseUrl }: ClientUnderTest, { env }: Stdio): string | null {
  const scheme = integratorBaseUrl.startsWith('https:') ? 'https_proxy' : 'http_proxy';
  return [scheme, scheme.toUpperCase(), 'all_proxy', 'ALL_PROXY'].find((name) => env[name]) ?? null;
}
