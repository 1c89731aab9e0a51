import { DAY_MS } from '../contract/limits.ts';
import { type CoreApiOptions, createCoreApiClient } from '../sdk/core-api-client.ts';
import type { CreateFreeRoundsReply, CreateNewGameReply, GameInfo } from '../sdk/core-replies.ts';
import { type Behaviour, CORRECT } from './behaviour.ts';
import type { SessionOptions } from './options.ts';

/** The part of an operator that calls the service: it launches games, lists them and creates free rounds. */
export interface Backend {
  /** Launches a game at the service, in a session that the operator has opened. */
  readonly launch: (
    session: Pick<SessionOptions, 'sessionID' | 'player' | 'currency' | 'gameID'>,
  ) => Promise<CreateNewGameReply>;
  readonly games: () => Promise<readonly GameInfo[]>;
  /**
   * Creates free rounds at the service.
   *
   * @param extID the id of the campaign. The bets of the campaign contain it as `frID`
   */
  readonly promiseFreeRounds: (extID: string, currency: string) => Promise<CreateFreeRoundsReply>;
}

const FREE_ROUNDS = 10;
const CAMPAIGN_DAYS = 14;

/**
 * Creates the part of an operator that calls the service.
 *
 * @param now returns the current time in milliseconds since 1970. Campaigns begin at this time.
 */
export function createBackend(
  coreApi: CoreApiOptions,
  behaviour: Behaviour = CORRECT,
  now: () => number = Date.now,
): Backend {
  const client = createCoreApiClient({
    ...coreApi,
    apiKey: behaviour.coreApiKey(coreApi.apiKey),
    headers: { 'Accept-Encoding': behaviour.encodings },
  });
  return {
    launch: ({ sessionID, player, currency, gameID }) =>
      client.createNewGame(
        behaviour.launch({ sessionID, user: { id: player }, currency, gameID, locale: 'en_us', returnUrl: RETURN_URL }),
      ),
    games: () => client.games({ excludeBetLines: true }),
    promiseFreeRounds: (extID, currency) =>
      client.createFreeRounds(
        behaviour.campaign({
          extID,
          currency,
          quantity: FREE_ROUNDS,
          betLine: 1,
          validFrom: new Date(now()).toISOString(),
          validUntil: new Date(now() + CAMPAIGN_DAYS * DAY_MS).toISOString(),
        }),
      ),
  };
}

/** The address to which players return after a game in a demonstration. The host does not exist. */
const RETURN_URL = 'https://casino.example/lobby';
