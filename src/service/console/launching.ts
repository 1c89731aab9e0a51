import { canonicalJson } from '../../contract/canonical.ts';
import { LOCALES } from '../../contract/locales.ts';
import { SIGNATURE_HEADER, signBody } from '../../contract/signature.ts';
import { type ContractVersion, isThere } from '../../contract/versions.ts';
import { headerOf, type ListenReply, type ListenRequest } from '../../listen/message.ts';
import type { ServiceClient } from '../client.ts';
import { currenciesOf, gamesOf } from '../core-api/availability.ts';
import type { ServiceParts } from '../service-parts.ts';
import type { LaunchChoices, SessionChoice } from './view.ts';

/**
 * The page to which players return. Before version 1.1.1 of the contract, every launch must name such a page. The host does not
 * exist.
 */
const EXAMPLE_LOBBY = 'https://casino.example/lobby';

/** The fields of the form that launches a game. Empty fields are left out of the request. */
export interface LaunchFields {
  readonly extCID: string;
  readonly sessionID: string;
  readonly player: string;
  readonly currency: string;
  readonly locale: string;
  readonly gameID: string;
  readonly demo: boolean;
}

/** Returns the values that the form offers. */
export function launchChoices(
  { clients, games }: Pick<ServiceParts, 'clients' | 'games'>,
  sessions: readonly SessionChoice[],
): LaunchChoices {
  return {
    clients: clients.map((client) => ({
      extCID: client.extCID,
      games: gamesOf(client, games).map(({ id }) => id),
      currencies: currenciesOf(client).map(({ code }) => code),
      sessions: sessions.filter(({ extCID }) => extCID === client.extCID),
    })),
    locales: LOCALES,
  };
}

/**
 * Returns the signed request that launches a game. The console sends it in place of the operator's backend.
 *
 * @param from the request of the console. The address of the game has the same host as this request
 * @param path the path of the operation, such as `/api/v1/create-new-game`
 */
export function launchRequest(
  { cID, extCID, apiKey }: ServiceClient,
  version: ContractVersion,
  { sessionID, player, currency, locale, gameID, demo }: LaunchFields,
  from: ListenRequest,
  path: string,
): ListenRequest {
  const body = canonicalJson({
    cID,
    extCID,
    currency,
    locale,
    gameID,
    ...(demo && { demo }),
    ...(!isThere('1.1.1', version) && { returnUrl: EXAMPLE_LOBBY }),
    ...(sessionID !== '' && { sessionID }),
    ...(player !== '' && { user: { id: player } }),
  });
  const bytes = Buffer.from(body);
  const host = headerOf(from.headers, 'host');
  return {
    method: 'POST',
    path,
    query: '',
    headers: [
      ...(host === undefined ? [] : [['Host', host] as const]),
      ['Content-Type', 'application/json'],
      [SIGNATURE_HEADER, signBody(bytes, apiKey)],
    ],
    body: bytes,
  };
}

/** Returns the message and the address of the game, or the message of the refusal. */
export function launchResult({ status, body }: ListenReply): { readonly message: string; readonly gameURL?: string } {
  const { gameURL, message, details } = JSON.parse(typeof body === 'string' ? body : '{}') as {
    readonly gameURL?: string;
    readonly message?: string;
    readonly details?: unknown;
  };
  if (status === 200 && gameURL !== undefined) return { message: 'The game is launched.', gameURL };
  const more = typeof details === 'string' ? ` (${details})` : '';
  return { message: `The Core API answered ${status}: ${message ?? 'no message'}${more}` };
}
