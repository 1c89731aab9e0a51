import { currencyByCode } from '../contract/currencies.ts';
import type { ContractVersion } from '../contract/versions.ts';
import type { WireOptions } from '../wire/wire.ts';
import type { Backoff } from './adapter/backoff.ts';
import type { Paytable } from './adapter/paytable.ts';
import type { ServiceClient } from './client.ts';
import type { LoggedExchange } from './exchange-log.ts';
import type { Game } from './games.ts';
import type { ReadPage } from './page-http.ts';
import type { Sleep } from './sleep.ts';

export interface ServiceOptions {
  readonly clients: readonly ServiceClient[];
  /** The catalogue. Left out: the games of `GAMES`. */
  readonly games?: readonly Game[];
  /** The game page and the console. Left out: the addresses of games are answered 404. */
  readonly pages?: PagesOptions;
  /** The version of the contract that the service follows. Left out: the newest. */
  readonly contract?: ContractVersion;
  /** The folder of the database with sessions, campaigns, demo balances and rounds; made when missing. Left out: in memory. */
  readonly dataDir?: string;
  /** The path at the end of `{base_url}`, with a slash in front. `/api/v1`. */
  readonly basePath?: string;
  /** The address at which players and operators reach the service, without a slash at the end. Left out: the host that a request names. */
  readonly publicUrl?: string;
  /** The lifetime of a game session, in milliseconds. Left out: as contract/limits.ts says. */
  readonly sessionLifeMs?: number;
  /** The list of games is answered after a random number of milliseconds between these. Left out: at once. */
  readonly catalogueDelayMs?: readonly [min: number, max: number];
  /** The time between two checks for ended campaigns, in milliseconds. Half a minute. */
  readonly campaignCheckMs?: number;
  readonly backoff?: Backoff;
  /** Settings for sending reverse calls. The deadline is the one of the contract by default. */
  readonly wire?: WireOptions;
  /** The paytable of each game. Left out: the same for all. */
  readonly paytableOf?: (gameID: string) => Paytable;
  /** Milliseconds since 1970. */
  readonly clock?: () => number;
  readonly sleep?: Sleep;
  /** From 0 up to 1. */
  readonly random?: () => number;
  /** Makes version 4 UUIDs. */
  readonly uuid?: () => string;
  /** Masked in the log of exchanges, in addition to the keys of the clients. */
  readonly secrets?: readonly string[];
  /** Called with faults of the service itself. By default they become warnings of the process. */
  readonly onFault?: (error: unknown) => void;
}

/** The pages that the service shows in browsers. */
export interface PagesOptions {
  /** Reads from `dist/pages` of the package. */
  readonly readPage: ReadPage;
  /** Left out: there is no console. */
  readonly console?: ConsoleOptions;
}

export interface ConsoleOptions extends Partial<ExchangeTexts> {
  /** Gives access to the console: 128 random bits or more, in characters that are valid in an address. */
  readonly token: string;
}

/** Texts about an exchange that the service can't make itself; null when there is none for it. */
export interface ExchangeTexts {
  /** A shell command that sends the same bytes again. */
  readonly curlOf: (exchange: LoggedExchange) => string | null;
  /** A scenario in YAML. */
  readonly scenarioOf: (exchange: LoggedExchange) => string | null;
}

/**
 * Checks the clients at the start, as most mistakes would otherwise only show when an operator calls.
 *
 * @throws RangeError that names the client and the mistake
 */
export function checkClients(clients: readonly ServiceClient[], games: readonly Game[]): void {
  if (clients.length === 0) throw new RangeError('the service needs at least one client');
  const extCIDs = clients.map(({ extCID }) => extCID);
  const twice = extCIDs.find((extCID, index) => extCIDs.indexOf(extCID) !== index);
  if (twice !== undefined) throw new RangeError(`two clients have the ExtCID ${twice}; it must be unique`);
  for (const { extCID, ...client } of clients) {
    if (client.apiKey === '' || client.integrationApiKey === '')
      throw new RangeError(`a key of client ${extCID} is empty`);
    if (!/^https?:\/\//.test(client.integratorBaseUrl) || !URL.canParse(client.integratorBaseUrl)) {
      throw new RangeError(`the base URL of client ${extCID} is no http or https address: ${client.integratorBaseUrl}`);
    }
    const currency = client.currencies?.find((code) => !currencyByCode(code));
    if (currency !== undefined) throw new RangeError(`client ${extCID} is allowed ${currency}, which is not supported`);
    const game = client.games?.find((id) => !games.some((one) => one.id === id));
    if (game !== undefined) throw new RangeError(`client ${extCID} is allowed the game ${game}, which does not exist`);
  }
}
