import { resolveClients, withConfiguredFields } from '../../../app/config/clients.ts';
import { diagnosticsError, loadConfiguration } from '../../../app/config/configuration.ts';
import { UsageError } from '../../../app/exit-status.ts';
import { EXAMPLE_LOBBY, launchGame } from '../../../app/game-launch.ts';
import type { Stdio } from '../../../app/stdio.ts';
import { forTerminal } from '../../../report/escape.ts';
import { CoreApiError } from '../../../sdk/core-api-client.ts';
import type { LaunchFlags } from './flags.ts';

/**
 * `croupier launch`: launches a game at a Core API, and prints its address.
 *
 * @returns 0 if the game was launched, 1 if the Core API refused the launch or did not answer
 */
export async function launchCommand(flags: LaunchFlags, stdio: Stdio): Promise<number> {
  const configuration = await loadConfiguration(flags.config, stdio);
  const { clients, sources, diagnostics } = await resolveClients(configuration, { ...flags, launches: 1 }, stdio);
  if (diagnostics.length > 0) throw diagnosticsError(diagnostics);
  const [client, ...others] = clients;
  if (!client || others.length > 0) {
    const known = clients.map(({ extCID }) => extCID).join(', ');
    throw new UsageError(
      `A launch needs one client, but the configuration has several. Choose one with --client: ${known}.`,
    );
  }
  const sessions = client.sessions.map((session) => withConfiguredFields(session, client.extCID, configuration.config));
  try {
    const launched = await launchGame(
      coreApiUrl(flags.coreApi),
      { client: { ...client, sessions }, source: sources.get(client.extCID) },
      {
        ...(flags.player !== undefined && { player: flags.player }),
        ...(flags.currency !== undefined && { currency: flags.currency }),
        ...(flags.game !== undefined && { gameID: flags.game }),
        ...(flags.depositUrl !== undefined && { depositUrl: flags.depositUrl }),
        locale: flags.locale,
        returnUrl: flags.returnUrl ?? EXAMPLE_LOBBY,
        demo: flags.demo === true,
      },
    );
    stdio.out.write(flags.json ? `${JSON.stringify(launched)}\n` : `${forTerminal(launched.gameURL)}\n`);
    return 0;
  } catch (error) {
    if (!(error instanceof CoreApiError)) throw error;
    stdio.err.write(
      `${forTerminal(`${error.message}${typeof error.details === 'string' ? ` (${error.details})` : ''}`)}\n`,
    );
    return 1;
  }
}

function coreApiUrl(text: string): string {
  const url = URL.parse(text);
  if (url?.protocol === 'http:' || url?.protocol === 'https:') return text;
  throw new UsageError(`--core-api ${text} is not an http or https address, such as http://127.0.0.1:5000/api/v1.`);
}
