import { resolveClients, type SessionSource } from '../../../app/config/clients.ts';
import { type Configuration, diagnosticsError, loadConfiguration } from '../../../app/config/configuration.ts';
import { withOwnSessions } from '../../../app/config/sessions-from.ts';
import { UsageError } from '../../../app/exit-status.ts';
import { runSettings } from '../../../app/run/settings.ts';
import { type Stdio, showsUnicode } from '../../../app/stdio.ts';
import { type Check, check } from '../../../engine/doctor/check.ts';
import { examine } from '../../../engine/doctor/examine.ts';
import type { ClientUnderTest } from '../../../engine/run-options.ts';
import { createScrubber } from '../../../journal/secrets/scrubber.ts';
import type { DoctorFlags } from './flags.ts';
import { doctorJson } from './json.ts';
import { doctorText, type Examined } from './text.ts';

/**
 * `croupier doctor`: checks whether a run is possible, and names the problem to fix first.
 *
 * @returns 0 if nothing must be fixed, 1 if something must be fixed, 3 if a client is unreachable
 */
export async function doctorCommand(flags: DoctorFlags, stdio: Stdio): Promise<number> {
  const configuration = await loadConfiguration(flags.config, stdio);
  const { stakes, decimals, deadlineMs, ratePerSecond } = runSettings(configuration.config, flags, stdio.env);
  // With `launches`, a client may have no sessions. So doctor can check the address and the key before the operator has
  // launched a game.
  const resolved = await resolveClients(configuration, { ...flags, launches: 1 }, stdio);
  const { clients, secrets, sources, diagnostics } = resolved;
  if (diagnostics.length > 0) throw diagnosticsError(diagnostics);
  const examined: Examined[] = [];
  for (const configured of clients) {
    const { client, noSession } = await withSessions(configured, sources.get(configured.extCID), configuration, stdio);
    const checks = await checksOf(client, () =>
      examine({
        client,
        stakes,
        decimals,
        deadlineMs,
        ratePerSecond,
        noSession,
        ambientProxy: ambientProxy(client, stdio),
        time: Date.now,
      }),
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

interface ClientWithSessions {
  readonly client: ClientUnderTest;
  /** The result of the session check for a client without a session. */
  readonly noSession: Check;
}

/**
 * Returns the client with the sessions that a run would open. If croupier can't open sessions, the result says why the client
 * has no sessions.
 */
async function withSessions(
  client: ClientUnderTest,
  source: SessionSource | undefined,
  { dir }: Configuration,
  { env }: Stdio,
): Promise<ClientWithSessions> {
  const from = source?.from;
  const noneConfigured = check(
    'session',
    'not-tried',
    'no session is configured, so no session can be checked',
    'Name a session in the configuration or with --session, or let the operator launch games: croupier run --launches 2',
  );
  if (client.sessions.length > 0 || from === undefined) return { client, noSession: noneConfigured };
  const { extCID } = client;
  try {
    const request = { extCID, dir, env, signal: new AbortController().signal };
    return { client: await withOwnSessions(client, from, request), noSession: noneConfigured };
  } catch (error) {
    if (!(error instanceof UsageError)) throw error;
    // If a client has a cID, its `sessionsFrom` may launch games on the Core API that `run --launches` starts. This Core API
    // does not run now, so the failure is only a warning.
    const launches = source?.cID !== undefined;
    const advice = 'Fix this first, because every run begins by opening sessions.';
    const noSession = check(
      'session',
      launches ? 'warn' : 'bad',
      error.message.split('\n', 1).join(''),
      launches
        ? `${advice} This failure is expected if sessionsFrom launches games for croupier run --launches: croupier opens its Core API only for that run.`
        : advice,
    );
    return { client, noSession };
  }
}

/**
 * Runs the checks of a client. A value that cannot be sent, such as a header with a line break, becomes a UsageError,
 * because the configuration is wrong.
 */
async function checksOf(
  client: ClientUnderTest,
  examineClient: () => Promise<readonly Check[]>,
): Promise<readonly Check[]> {
  try {
    return await examineClient();
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
  return check(
    'configuration',
    'warn',
    `${where}; ${sessions}; ${said}`,
    'Run croupier run to see each of these warnings with its line in the file.',
  );
}

/**
 * Returns the name of a proxy variable that is set; null if no such variable is set. Other tools use the proxy, and croupier
 * does not. So croupier may reach another host than these tools.
 */
function ambientProxy({ integratorBaseUrl }: ClientUnderTest, { env }: Stdio): string | null {
  const scheme = integratorBaseUrl.startsWith('https:') ? 'https_proxy' : 'http_proxy';
  return [scheme, scheme.toUpperCase(), 'all_proxy', 'ALL_PROXY'].find((name) => env[name]) ?? null;
}
