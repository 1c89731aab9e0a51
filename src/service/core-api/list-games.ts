import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import { type GameInfo, type GamesQuery, PLATFORMS } from '../../contract/core-api.ts';
import type { Currency } from '../../contract/currencies.ts';
import { LOCALES } from '../../contract/locales.ts';
import { type ContractVersion, isThere } from '../../contract/versions.ts';
import { type HeaderPairs, headerOf, jsonReply } from '../../listen/message.ts';
import { betLinesOf, formatAmount } from '../bet-lines.ts';
import type { ServiceClient } from '../client.ts';
import { GAME_IMAGES, GAME_IMAGES_PATH } from '../game-images.ts';
import type { Game } from '../games.ts';
import { currenciesOf, gamesOf, requireCurrency } from './availability.ts';
import type { Operation } from './context.ts';

/** Lists the games: `GET /games` (contract, Endpoints). */
export const listGames: Operation<GamesQuery> = async (context, client, query, request) => {
  for (const code of query.additionalCurrencies ?? []) {
    const currency = requireCurrency(client, code);
    if ('kind' in currency) return currency;
  }
  const currencies = wantedCurrencies(client, query).map(({ code }) => code);
  const baseURL = `${context.publicUrl(request)}${GAME_IMAGES_PATH}`;
  const withLines = query.excludeBetLines !== true;
  const betLines = currencies.map((currency) => ({ currency, values: valuesOf(currency) }));
  const games = gamesOf(client, context.games).map((game): GameInfo => {
    const info = infoOf(game, `${baseURL}/${encodeURIComponent(game.id)}`, currencies, context.version);
    // In a list without bet lines, `hasFreeSpins` is left out too, as in the list of the real service.
    return withLines ? { ...info, hasFreeSpins: true, betLines } : info;
  });
  await context.catalogueReady();
  const reply = jsonReply(200, games, [['Vary', 'Accept-Encoding']]);
  if (!isGzipAskedFor(request.headers)) return { kind: 'done', reply };
  const body = await compress(JSON.stringify(games));
  return { kind: 'done', reply: { ...reply, headers: [...reply.headers, ['Content-Encoding', 'gzip']], body } };
};

const compress = promisify(gzip);

function wantedCurrencies(
  client: ServiceClient,
  { currencyFilters, additionalCurrencies }: GamesQuery,
): readonly Currency[] {
  // An empty filter is ignored, as if it was not sent.
  const types: readonly Currency['type'][] = currencyFilters?.length ? currencyFilters : ['fiat', 'crypto'];
  return currenciesOf(client).filter(({ type, code }) => types.includes(type) || additionalCurrencies?.includes(code));
}

function valuesOf(currency: string) {
  return betLinesOf(currency).map(({ maxBet, maxCoeff }) => ({
    maxBet: formatAmount(maxBet, currency),
    maxCoeff: maxCoeff.format(2),
  }));
}

function infoOf(game: Game, baseURL: string, currencies: string[], version: ContractVersion): GameInfo {
  return {
    id: game.id,
    title: game.title,
    locales: [...LOCALES],
    currencies,
    platforms: [...PLATFORMS],
    hasFreeSpins: false,
    rtp: game.rtp,
    images: {
      baseURL,
      square: `/${GAME_IMAGES.square.file}`,
      horizontal: `/${GAME_IMAGES.horizontal.file}`,
      widescreen: `/${GAME_IMAGES.widescreen.file}`,
      vertical: `/${GAME_IMAGES.vertical.file}`,
      ...(isThere('1.7.0', version) && { horizontal_337x181: `/${GAME_IMAGES.horizontal_337x181.file}` }),
    },
  };
}

/** Returns true if the request accepts gzip, by name or by `*`, with a weight above zero (RFC 9110, 12.5.3). */
export function isGzipAskedFor(headers: HeaderPairs): boolean {
  const codings = (headerOf(headers, 'accept-encoding') ?? '').split(',').map((part) => {
    const [name = '', ...parameters] = part.split(';').map((text) => text.trim().toLowerCase());
    const weight = parameters.find((text) => text.startsWith('q='))?.slice(2);
    return { name, isTaken: weight === undefined || Number(weight) > 0 };
  });
  const named = codings.find(({ name }) => name === 'gzip' || name === 'x-gzip');
  return (named ?? codings.find(({ name }) => name === '*'))?.isTaken ?? false;
}
