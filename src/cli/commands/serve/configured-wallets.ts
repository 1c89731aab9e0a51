import { askForProduction } from '../../../app/config/production.ts';
import { UsageError } from '../../../app/exit-status.ts';
import { type ConfiguredClient, EXAMPLE_LOBBY, launchGame } from '../../../app/game-launch.ts';
import type { Stdio } from '../../../app/stdio.ts';
import { DEFAULT_LOCALE } from '../../../contract/locales.ts';
import { forTerminal } from '../../../report/escape.ts';
import { listenForInterrupt, untilAborted } from '../../interrupt.ts';
import { configuredService } from './core-api.ts';
import type { ServeAllFlags } from './flags.ts';

const GRACE_MS = 5000;
const WANTED = { locale: DEFAULT_LOCALE, demo: false, returnUrl: EXAMPLE_LOBBY };

/**
 * `croupier serve all --config FILE`: runs the service for the wallets of a configuration, and launches a game in each of their
 * sessions, until a signal ends it.
 *
 * @returns 0
 */
export async function serveWithConfiguredWallets(flags: ServeAllFlags, stdio: Stdio): Promise<number> {
  refuseVariations(flags);
  const { clients, known, sources, start } = await configuredService(flags, 'serve all', stdio);
  await askForProduction(clients, flags, stdio);
  const stop = listenForInterrupt(stdio, 'Stopping.\n');
  const running = await start();
  try {
    const lines = known.map(({ extCID, integratorBaseUrl }) => `operator ${integratorBaseUrl} (${extCID})`);
    stdio.out.write(`${[...lines, `core-api ${running.baseUrl}`, `console ${running.consoleUrl}`].join('\n')}\n`);
    for (const client of clients) {
      await launchGames(running.baseUrl, { client, source: sources.get(client.extCID) }, stdio);
    }
    stdio.err.write(
      'Open a game and the console in a browser. Rounds move the money of these players. Stop with Ctrl-C, or SIGTERM.\n',
    );
    await untilAborted(stop.signal);
  } finally {
    stop.dispose();
    await running.close(GRACE_MS);
  }
  return 0;
}

/** Launches a game in each active session of a client. If the service refuses a launch, the other games still start. */
async function launchGames(baseUrl: string, { client, source }: ConfiguredClient, stdio: Stdio): Promise<void> {
  const sessions = client.sessions.filter(({ state }) => state !== 'expired');
  for (const session of sessions) {
    try {
      const { gameURL } = await launchGame(baseUrl, { client: { ...client, sessions: [session] }, source }, WANTED);
      stdio.out.write(`game ${gameURL} (${forTerminal(session.sessionID)})\n`);
    } catch (error) {
      stdio.err.write(`${forTerminal(error instanceof Error ? error.message : String(error))}\n`);
    }
  }
  if (sessions.length === 0) {
    stdio.err.write(
      `${forTerminal(client.extCID)} has no sessions in the configuration, so croupier launched no game. Launch one in the console, with croupier launch, or with your backend.\n`,
    );
  }
}

function refuseVariations({ defect, variant, habit }: ServeAllFlags): void {
  if ([defect, variant, habit].every((given) => given === undefined)) return;
  throw new UsageError(
    '--defect and --variant change the reference operator, but --config names your own wallet. Leave out one of them.',
  );
}
