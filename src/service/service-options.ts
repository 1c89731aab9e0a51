import { currencyByCode } from '../contract/currencies.ts';
import type { ContractVersion } from '../contract/versions.ts';
import type { WireOptions } from '../wire/wire.ts';
import type { Backoff } from './adapter/backoff.ts';
import type { Paytable } from './adapter/paytable.ts';
import type { Sleep } from './adapter/sleep.ts';
import type { ServiceClient } from './client.ts';
import type { Game } from './game.ts';
import type { PagesOptions } from './pages.ts';

export interface ServiceOptions {
  readonly clients: readonly ServiceClient[];
  /** The catalogue; left out: games of our own. */
  readonly games?: readonly Game[];
  /** The game page and the console; left out: the addresses of games lead nowhere. */
  readonly pages?: PagesOptions;
  /** The service behaves as this version of the contract says; left out: the newest. */
  readonly contract?: ContractVersion;
  /** Where sessions, campaigns, demo balances and what is owed are kept, made when missing; left out: in memory. */
  readonly dataDir?: string;
  /** What `{base_url}` ends with, from a slash on. `/api/v1`. */
  readonly basePath?: string;
  /** Where players and operators reach the service, when that is not the address that requests name, without a slash at the end. */
  readonly publicUrl?: string;
  /** How long a game session lives, in milliseconds. Four hours. */
  readonly sessionLifeMs?: number;
  /** The list of games is answered after so many milliseconds: a number between these. At once when left out. */
  readonly catalogueDelayMs?: readonly [least: number, most: number];
  /** How often ended campaigns are looked for, in milliseconds. Half a minute. */
  readonly campaignCheckMs?: number;
  readonly backoff?: Backoff;
  /** How reverse calls are sent; its deadline is the contract's 5000 ms unless told otherwise. */
  readonly wire?: WireOptions;
  /** What a round of a game may bring. */
  readonly paytableOf?: (gameID: string) => Paytable;
  /** Milliseconds since 1970. */
  readonly clock?: () => number;
  readonly sleep?: Sleep;
  /** From 0 up to 1. */
  readonly random?: () => number;
  /** Makes version 4 UUIDs. */
  readonly uuid?: () => string;
  /** What must not be seen in the log of exchanges, beside the keys of the clients. */
  readonly secrets?: readonly string[];
  /** Hears of faults of the service's own. By default they become warnings of the process. */
  readonly onFault?: (error: unknown) => void;
}

/** So much that is wrong with the clients would only show when an operator calls. */
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
    if (game !== undefined) throw new RangeError(`client ${extCID} is allowed the game ${game}, which there is not`);
  }
}
