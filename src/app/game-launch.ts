import type { ClientUnderTest, SessionUnderTest } from '../engine/run-options.ts';
import { createCoreApiClient, type NewGame } from '../sdk/core-api-client.ts';
import type { CreateNewGameReply } from '../sdk/core-replies.ts';
import type { SessionSource } from './config/clients.ts';
import { UsageError } from './exit-status.ts';

/** A launch that a user asks for. Fields that are left out have the values of the session. */
export interface WantedLaunch {
  readonly player?: string;
  readonly currency?: string;
  readonly gameID?: string;
  readonly locale: string;
  readonly demo: boolean;
  readonly returnUrl: string;
  readonly depositUrl?: string;
}

/** A client, and the source of its credentials for the Core API. */
export interface ConfiguredClient {
  readonly client: ClientUnderTest;
  readonly source: SessionSource | undefined;
}

/** The page to which players return if the user names no page. The host of this address does not exist. */
export const EXAMPLE_LOBBY = 'https://casino.example/lobby';

/** The currency of a demo game if neither the user nor a session names one. */
const DEMO_CURRENCY = 'USD';

/**
 * Launches a game of a client with `POST /create-new-game` (contract, Create New Game), as the backend of the operator does.
 *
 * @param baseUrl the base URL of the Core API
 * @throws UsageError if the configuration has no credentials, no session for a game with money, or no player or currency
 * @throws CoreApiError if the Core API refuses the launch, or does not answer
 */
export async function launchGame(
  baseUrl: string,
  { client, source }: ConfiguredClient,
  wanted: WantedLaunch,
): Promise<CreateNewGameReply> {
  const { extCID } = client;
  const { cID, apiKey } = source ?? {};
  if (cID === undefined || apiKey === undefined) {
    throw new UsageError(`To launch a game, ${extCID} needs a cID and an apiKey in croupier.yaml.`);
  }
  return createCoreApiClient({ baseUrl, cID, extCID, apiKey }).createNewGame(newGame(client, wanted));
}

function newGame(client: ClientUnderTest, wanted: WantedLaunch): NewGame {
  const { locale, demo, returnUrl, depositUrl } = wanted;
  const session = sessionFor(client, wanted);
  const gameID = wanted.gameID ?? session?.gameID;
  const common = {
    locale,
    returnUrl,
    ...(gameID !== undefined && { gameID }),
    ...(depositUrl !== undefined && { depositURL: depositUrl }),
  };
  const player = wanted.player ?? session?.player;
  const currency = wanted.currency ?? session?.currency;
  if (demo) {
    const user = player === undefined ? {} : { user: { id: player } };
    return { ...common, ...user, demo, currency: currency ?? DEMO_CURRENCY };
  }
  if (session === undefined)
    throw new UsageError(`${client.extCID} has no session${describe(wanted)}. ${NAME_SESSION}`);
  if (player === undefined || currency === undefined) {
    throw new UsageError(
      `The session ${session.sessionID} of ${client.extCID} has no ${player === undefined ? 'player' : 'currency'}. ${NAME_SESSION}`,
    );
  }
  return { ...common, sessionID: session.sessionID, user: { id: player }, currency };
}

const NAME_SESSION = 'Name one with --session ID,player=…,currency=…, or play a demo game with --demo.';

/** Returns the first active session with the wanted player and currency. */
function sessionFor({ sessions }: ClientUnderTest, { player, currency }: WantedLaunch): SessionUnderTest | undefined {
  return sessions.find(
    (session) =>
      session.state !== 'expired' &&
      (player === undefined || (session.player ?? player) === player) &&
      (currency === undefined || (session.currency ?? currency) === currency),
  );
}

function describe({ player, currency }: WantedLaunch): string {
  const parts = [player !== undefined && `the player ${player}`, currency !== undefined && `the currency ${currency}`];
  const given = parts.filter((part) => part !== false);
  return given.length === 0 ? '' : ` with ${given.join(' and ')}`;
}
