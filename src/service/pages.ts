import type { Route } from '../listen/routes.ts';
import type { Paytable } from './adapter/paytable.ts';
import { consoleRoutes, type ExchangeTexts } from './console/routes.ts';
import { gameRoutes } from './game-page/routes.ts';
import { Seats } from './game-page/seats.ts';
import type { ReadPage } from './page-files.ts';
import type { ServiceParts } from './service-parts.ts';

/** What the service shows in browsers. */
export interface PagesOptions {
  /** Reads from `dist/pages` of the package. */
  readonly readPage: ReadPage;
  /** Left out: there is no console. */
  readonly console?: ConsoleOptions;
}

export interface ConsoleOptions extends Partial<ExchangeTexts> {
  /** Whoever knows it may use the console: 128 random bits or more, in characters that an address may hold. */
  readonly token: string;
}

/**
 * The game page, and the console if one is wanted.
 *
 * @param closing ends what pages hear of
 * @param ownUrl where the server listens
 * @throws Error when the pages are not built
 */
export function pageRoutes(
  parts: ServiceParts,
  { readPage, console }: PagesOptions,
  closing: AbortSignal,
  ownUrl: () => string,
  paytableOf?: (gameID: string) => Paytable,
): readonly Route[] {
  const { roundFeed, sessions, sleep } = parts;
  const onRound = roundFeed.subscribe.bind(roundFeed);
  const seats = new Seats({ ...parts, onRound, ...(paytableOf && { paytableOf }) });
  const pages = { readPage, seats, closing };
  const { token, curlOf = none, scenarioOf = none } = console ?? {};
  return [
    ...gameRoutes({ ...pages, sessions, sleep }),
    ...(token === undefined ? [] : consoleRoutes({ ...pages, parts, token, ownUrl, curlOf, scenarioOf })),
  ];
}

function none(): null {
  return null;
}
