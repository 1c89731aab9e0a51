import { type Check, check } from '../engine/doctor/check.ts';
import { examine } from '../engine/doctor/examine.ts';
import type { ClientUnderTest } from '../engine/run-options.ts';
import { createScrubber } from '../journal/scrubber.ts';
import { resolveClients } from './clients.ts';
import { type Configuration, complaintsError, loadConfiguration } from './configuration.ts';
import { doctorJson, doctorText, type Examined } from './doctor-text.ts';
import { gravestStatus } from './exit-status.ts';
import type { ClientFlags } from './run-flags.ts';
import { runSettings } from './run-settings.ts';
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
  const { clients, secrets, complaints } = await resolveClients(configuration, flags, stdio);
  if (complaints.length > 0) throw complaintsError(complaints);
  const examined: Examined[] = [];
  for (const client of clients) {
    const checks = await looked(client, () =>
      examine({ client, stakes, deadlineMs, ambientProxy: ambientProxy(client, stdio), time: Date.now }),
    );
    examined.push({ client, checks: [configurationCheck(configuration, client), ...checks] });
  }
  const status = gravestStatus(examined.map(({ checks }) => statusOf(checks)));
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

/** What the wire can't use (a certificate that is none, a header with a line break) is a mistake of the configuration. */
async function looked(client: ClientUnderTest, look: () => Promise<readonly Check[]>): Promise<readonly Check[]> {
  try {
    return await look();
  } catch (error) {
    if (error instanceof TypeError) throw new UsageError(`${client.extCID}: ${error.message}`, { cause: error });
    throw error;
  }
}

function statusOf(checks: readonly Check[]): number {
  if (checks.some(({ state }) => state === 'bad')) return 1;
  return checks.some(({ state }) => state === 'unreachable') ? 3 : 0;
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
