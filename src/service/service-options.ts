import { codeProblem } from '../contract/currencies.ts';
import type { ContractVersion } from '../contract/versions.ts';
import type { ReadPage } from '../pages/page-http.ts';
import type { WireOptions } from '../wire/wire.ts';
import type { Backoff } from './adapter/backoff.ts';
import type { Paytable } from './adapter/paytable.ts';
import type { CallJudge, JudgementSink } from './call-judge.ts';
import type { ServiceClient } from './client.ts';
import type { OperatorControls } from './console/operator-controls.ts';
import type { SessionChoice } from './console/view.ts';
import { listed } from './core-api/availability.ts';
import type { LoggedExchange } from './exchange-log.ts';
import type { GameSession } from './game-sessions.ts';
import type { Game } from './games.ts';
import type { Sleep } from './sleep.ts';

export interface ServiceOptions {
  readonly clients: readonly ServiceClient[];
  /** The catalogue of games. If left out, the games of `GAMES`. */
  readonly games?: readonly Game[];
  /** The game page and the console. If this is left out, there are no pages, and their addresses are answered 404. */
  readonly pages?: PagesOptions;
  /** The version of the contract that the service follows. If left out, the newest version. */
  readonly contract?: ContractVersion;
  /**
   * The folder of the database, which keeps sessions, campaigns, demo balances and rounds. It is created if missing. If
   * left out, everything is kept in memory only.
   */
  readonly dataDir?: string;
  /** The path at the end of the Core API's base URL, with a leading slash. The default is `/api/v1`. */
  readonly basePath?: string;
  /**
   * The address at which players and operators reach the service, without a trailing slash. If this is left out, the `Host`
   * header of each request is used.
   */
  readonly publicUrl?: string;
  /** The lifetime of a game session, in milliseconds. The default is `SESSION_LIFE_MS`. */
  readonly sessionLifeMs?: number;
  /**
   * The minimum and maximum delay of the reply to `GET /games`, in milliseconds. Each reply gets a random delay. If this is
   * left out, there is no delay.
   */
  readonly catalogueDelayMs?: readonly [min: number, max: number];
  /** The milliseconds between two checks for campaigns that have ended. The default is 30 000. */
  readonly campaignCheckMs?: number;
  readonly backoff?: Backoff;
  /** Settings for sending reverse calls. If they contain no deadline, the deadline of the contract applies. */
  readonly wire?: WireOptions;
  /** Returns the paytable of a game. If left out, all games have the default paytable. */
  readonly paytableOf?: (gameID: string) => Paytable;
  /** Returns the milliseconds since 1970. */
  readonly clock?: () => number;
  readonly sleep?: Sleep;
  /** Returns a random number from 0 (included) to 1 (excluded). */
  readonly random?: () => number;
  /** Returns a new version 4 UUID. */
  readonly uuid?: () => string;
  /** Secrets that are masked in the log of exchanges. The keys of the clients are always masked. */
  readonly secrets?: readonly string[];
  /** Creates the judge of the reverse calls. If this is left out, the calls are not judged. */
  readonly judgeCalls?: (sink: JudgementSink) => CallJudge;
  /** Is called with errors inside the service. By default, each error becomes a warning of the process. */
  readonly onFault?: (error: unknown) => void;
}

/** The pages that the service shows in browsers. */
export interface PagesOptions {
  /** Reads a built file from `dist/pages` of the package. */
  readonly readPage: ReadPage;
  /** The settings of the console. If left out, there is no console. */
  readonly console?: ConsoleOptions;
}

export interface ConsoleOptions extends Partial<ExchangeTexts> {
  /** The secret that gives access to the console: at least 128 random bits, in characters that are valid in an address. */
  readonly token: string;
  /** The controls of croupier's own operator. Left out if the operator is the user's. */
  readonly operator?: OperatorControls;
  /** The sessions that croupier knows to exist at the operator. The form that launches a game offers these sessions. */
  readonly knownSessions?: readonly SessionChoice[];
}

/** Functions that write texts about an exchange for the console. Each returns null if it has no text for the exchange. */
export interface ExchangeTexts {
  /** Returns a shell command (curl) that sends the request of the exchange again. */
  readonly curlOf: (exchange: LoggedExchange) => string | null;
  /**
   * Returns a scenario in YAML that makes the same call. Before this call, the scenario makes the calls on which it depends.
   *
   * @param session the player and the currency of the game session; null if not known
   * @param all all exchanges that are kept, oldest first
   */
  readonly scenarioOf: (
    exchange: LoggedExchange,
    session: Pick<GameSession, 'player' | 'currency'> | null,
    all: readonly LoggedExchange[],
  ) => string | null;
}

/**
 * Checks the clients when the service starts. Otherwise most mistakes would be noticed only when an operator calls the service.
 *
 * @throws RangeError that names the client and the mistake
 */
export function checkClients(clients: readonly ServiceClient[], games: readonly Game[]): void {
  if (clients.length === 0) throw new RangeError('the service needs at least one client');
  const extCIDs = clients.map(({ extCID }) => extCID);
  const twice = extCIDs.find((extCID, index) => extCIDs.indexOf(extCID) !== index);
  if (twice !== undefined)
    throw new RangeError(`two clients have the ExtCID ${twice}; give each client its own ExtCID`);
  for (const { extCID, ...client } of clients) {
    if (client.apiKey === '' || client.integrationApiKey === '')
      throw new RangeError(`a key of the client ${extCID} is empty; set apiKey and integrationApiKey`);
    if (!/^https?:\/\//.test(client.integratorBaseUrl) || !URL.canParse(client.integratorBaseUrl)) {
      throw new RangeError(
        `the base URL of the client ${extCID} must be an http or https address, not ${client.integratorBaseUrl}`,
      );
    }
    const [wrongCode] = (client.currencies ?? []).flatMap((code) => codeProblem(code) ?? []);
    if (wrongCode !== undefined) throw new RangeError(`the currencies of the client ${extCID} are wrong: ${wrongCode}`);
    const game = client.games?.find((id) => !games.some((one) => one.id === id));
    if (game !== undefined)
      throw new RangeError(
        `the games of the client ${extCID} contain ${game}, but the catalogue has no such game; it has ${listed(games.map(({ id }) => id))}`,
      );
  }
}
