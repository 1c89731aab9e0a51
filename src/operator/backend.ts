import type { CreateFreeRoundsReply, CreateNewGameReply, GameInfo } from '../contract/core-api.ts';
import { type CoreApiOptions, createCoreApiClient } from '../sdk/core-api-client.ts';
import { type Behaviour, CORRECT } from './behaviour.ts';
import type { SessionOptions } from './options.ts';

/** The part of an operator that calls the service: it launches games, lists them and promises free rounds. */
export interface Backend {
  /** Launches the game of a session that the operator has opened. */
  readonly launch: (
    session: Pick<SessionOptions, 'sessionID' | 'player' | 'currency' | 'gameID'>,
  ) => Promise<CreateNewGameReply>;
  readonly games: () => Promise<readonly GameInfo[]>;
  /** @param extID what the bets of the campaign will carry as their frID */
  readonly promiseFreeRounds: (extID: string, currency: string) => Promise<CreateFreeRoundsReply>;
}

const FREE_ROUNDS = 10;
const CAMPAIGN_DAYS = 14;
const DAY_MS = 86_400_000;

/** @param now when a campaign begins that is promised at once, in milliseconds since 1970 */
export function createBackend(
  coreApi: CoreApiOptions,
  behaviour: Behaviour = CORRECT,
  now: () => number = Date.now,
): Backend {
  const client = createCoreApiClient({ ...coreApi, headers: { 'Accept-Encoding': behaviour.encodings } });
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

/** Where players of a demonstration go back to; there is nothing there. */
const RETURN_URL = 'https://casino.example/lobby';
