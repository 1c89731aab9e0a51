import path from 'node:path';
import { UsageError } from '../../../app/exit-status.ts';
import { whyUnreadable } from '../../../app/files.ts';
import type { Stdio } from '../../../app/stdio.ts';
import { chosenVariations, describeVariations } from '../../../app/variations.ts';
import { createBackend } from '../../../operator/backend.ts';
import { DEMO_CAMPAIGN, demoOperator } from '../../../operator/demo.ts';
import { NextReplies } from '../../../operator/next-replies.ts';
import { createOperator } from '../../../operator/operator.ts';
import { behaviourWith } from '../../../operator/variation.ts';
import { listenForInterrupt, untilAborted } from '../../interrupt.ts';
import { serveWithConfiguredWallets } from './configured-wallets.ts';
import { type RunningService, startService } from './core-api.ts';
import type { ServeAllFlags } from './flags.ts';
import { referenceControls } from './reference-controls.ts';

/** The credentials of the play-money operator. They are the same at each start, and protect no real money. */
const PLAY = {
  cID: 'demo',
  keys: { first: 'play-money-key-of-demo-eu', second: 'play-money-key-of-demo-asia' },
  apiKey: 'play-money-api-key-of-demo-eu',
};
const GRACE_MS = 2000;
const FOR_MONEY = 'eu-ben-eur';
/** The session for the game with free rounds. Its currency is the currency of the campaign. */
const WITH_FREE_ROUNDS = 'eu-anna-usd-catch';

/**
 * `croupier serve all`: runs operator and service together, with games to play, until a signal ends them. With `--config`, the
 * operators are the wallets of the configuration.
 *
 * @returns 0
 */
export async function serveAllCommand(flags: ServeAllFlags, stdio: Stdio): Promise<number> {
  if (flags.config !== undefined) return serveWithConfiguredWallets(flags, stdio);
  const chosen = chosenVariations(flags);
  const variations = chosen.map(({ variation }) => variation);
  const behaviour = behaviourWith(variations);
  const { clients } = demoOperator(PLAY.keys);
  const [client] = clients;
  const stop = listenForInterrupt(stdio, 'Stopping.\n');
  const listeners = new Set<() => void>();
  const replies = new NextReplies(() => {
    for (const listener of listeners) listener();
  });
  const { operator, ...served } = await startOperator(clients, replies.appliedTo(behaviour), flags, stdio);
  const controls = referenceControls({ operator, client, replies, variations, listeners });
  let running: RunningService | undefined;
  try {
    const integratorBaseUrl = `${served.url}${client.basePath}`;
    const { extCID, integrationApiKey } = client;
    const { cID, apiKey } = PLAY;
    const data = flags.data === undefined ? {} : { data: path.join(flags.data, 'service') };
    const known = { cID, extCID, apiKey, integrationApiKey, integratorBaseUrl };
    const knownSessions = client.sessions.map((session) => ({ extCID, ...session }));
    running = await startService([known], [], { ...flags, ...data }, stdio, { operator: controls, knownSessions });
    for (const line of describeVariations(chosen)) stdio.err.write(`The operator has the ${line}\n`);
    const games = await launchGames(running, client, behaviour, stdio);
    stdio.out.write(
      [
        `operator ${integratorBaseUrl}`,
        `core-api ${running.baseUrl}`,
        `console ${running.consoleUrl}`,
        ...games.map((url) => `game ${url}`),
        '',
      ].join('\n'),
    );
    stdio.err.write(
      'Open a game in a browser (the second has free rounds), and the console. Stop with Ctrl-C, or SIGTERM.\n',
    );
    await untilAborted(stop.signal);
  } finally {
    stop.dispose();
    await running?.close(GRACE_MS);
    await served.close(GRACE_MS);
  }
  return 0;
}

async function startOperator(
  clients: ReturnType<typeof demoOperator>['clients'],
  behaviour: ReturnType<typeof behaviourWith>,
  flags: ServeAllFlags,
  stdio: Stdio,
) {
  try {
    const operator = createOperator(
      {
        clients,
        ...(flags.data !== undefined && { dataDir: path.resolve(stdio.cwd, flags.data, 'operator') }),
        onFault: (error) => stdio.err.write(`The operator failed: ${String(error)}\n`),
      },
      behaviour,
    );
    return { operator, ...(await operator.start()) };
  } catch (error) {
    throw new UsageError(`The operator can't be started: ${whyUnreadable(error)}.`, { cause: error });
  }
}

/**
 * Launches one game for money, and one game with free rounds. If the service refuses one launch, the other game still starts.
 *
 * @returns the URLs of the games
 */
async function launchGames(
  { baseUrl }: RunningService,
  { extCID, sessions }: ReturnType<typeof demoOperator>['clients'][number],
  behaviour: ReturnType<typeof behaviourWith>,
  stdio: Stdio,
): Promise<readonly string[]> {
  const backend = createBackend({ baseUrl, cID: PLAY.cID, extCID, apiKey: PLAY.apiKey }, behaviour);
  const games = sessions.filter(({ sessionID }) => sessionID === FOR_MONEY || sessionID === WITH_FREE_ROUNDS);
  const tried = await Promise.allSettled([
    backend.promiseFreeRounds(DEMO_CAMPAIGN, 'USD').then(() => []),
    ...games.toReversed().map((session) => backend.launch(session).then(({ gameURL }) => [gameURL])),
  ]);
  for (const one of tried) if (one.status === 'rejected') stdio.err.write(`${String(one.reason)}\n`);
  return tried.flatMap((one) => (one.status === 'fulfilled' ? one.value : []));
}
