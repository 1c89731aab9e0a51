import { type Campaign, CORE_OPERATIONS } from '../contract/core-api.ts';
import { SESSION_LIFE_MS } from '../contract/limits.ts';
import { type Handler, headerOf, jsonReply, type ListenReply, type ListenRequest } from '../listen/message.ts';
import type { Route } from '../listen/routes.ts';
import { type Listening, type ListenOptions, listen } from '../listen/server.ts';
import { pageOrigins } from '../pages/guard.ts';
import type { Paytable } from './adapter/paytable.ts';
import { campaignState } from './campaigns.ts';
import { type ConsoleRoutesOptions, consoleRoutes } from './console/routes.ts';
import type { CoreApiContext, LaunchSeen } from './core-api/context.ts';
import { coreApiRoutes } from './core-api/core-api.ts';
import { CoreExchanges } from './core-exchanges.ts';
import { Feed } from './feed.ts';
import { gameImageRoutes } from './game-images.ts';
import { Players } from './game-page/players.ts';
import { gameRoutes } from './game-page/routes.ts';
import type { GameSession, GameSessions } from './game-sessions.ts';
import { openApiDocument } from './openapi.ts';
import type { PagesOptions, ServiceOptions } from './service-options.ts';
import { type OpenedParts, openParts, type ServiceParts } from './service-parts.ts';

/** A service that is listening on a port. */
export interface Served {
  /** The address of the server, without a trailing slash. */
  readonly url: string;
  /** The base URL of the Core API, which the operator's backend calls, without a trailing slash. */
  readonly baseUrl: string;
  /**
   * Stops listening, then closes the service.
   *
   * @param graceMs how long to wait for open replies and calls, in milliseconds
   */
  readonly close: (graceMs?: number) => Promise<void>;
}

export interface Service {
  readonly parts: ServiceParts;
  /** Answers one request directly, without a network connection. */
  readonly handle: (request: ListenRequest) => Promise<ListenReply>;
  /**
   * Listens on a port, by default on loopback.
   *
   * @throws Error when the port can't be opened
   */
  readonly start: (address?: Pick<ListenOptions, 'port' | 'host' | 'limits'>) => Promise<Served>;
  /**
   * Yields the game sessions that operators launch, in order, starting with the first launch after `createService`.
   * Ends when the service is closed.
   */
  readonly sessions: AsyncIterable<GameSession>;
  /**
   * Calls the listener with every request to the Core API after it is answered.
   *
   * @returns a function that removes the listener
   */
  readonly onLaunchSeen: (listener: (seen: LaunchSeen) => void) => () => void;
  /** Closes the database of a service that was never started. To close a started service, call `Served.close`. */
  readonly close: (graceMs?: number) => Promise<void>;
}

const BASE_PATH = '/api/v1';
const CAMPAIGN_CHECK_MS = 30_000;
const GRACE_MS = 1000;

/**
 * Creates the whole service: Core API, reverse calls, game page and console.
 *
 * @throws what `openParts` throws, and Error when the pages are not built
 */
export function createService(options: ServiceOptions): Service {
  const { parts, close: closeParts } = openParts(options);
  const { basePath = BASE_PATH, campaignCheckMs = CAMPAIGN_CHECK_MS } = options;
  const launches = new Feed<LaunchSeen>();
  const sessions = new Feed<GameSession>();
  const closing = new AbortController();
  /**
   * This signal is aborted before the server stops listening. Otherwise open event streams would prevent the stop of the
   * server.
   */
  const closingStreams = new AbortController();
  const known = new Set(parts.sessions.all().map(({ gsID }) => gsID));
  /** The address of the server. It is used for requests without a valid Host header. */
  let ownUrl = 'http://127.0.0.1';
  let origins: readonly string[] = [];

  const publicUrl = ({ headers }: Pick<ListenRequest, 'headers'>): string =>
    options.publicUrl ?? hostUrl(headerOf(headers, 'host')) ?? ownUrl;
  const exchanges = new CoreExchanges({
    log: parts.log,
    publicUrl,
    now: () => performance.now(),
    onSeen: (seen) => {
      launches.publish(seen);
      if (seen.session) sessions.publish(seen.session);
    },
  });
  const routes: readonly Route[] = [
    ...coreApiRoutes(contextOf(parts, options, publicUrl, closing.signal), basePath, exchanges.watch),
    {
      method: 'GET',
      path: '/openapi.json',
      handler: (request) => jsonReply(200, openApiDocument(parts.version, `${publicUrl(request)}${basePath}`)),
    },
    ...gameImageRoutes(parts.games),
    ...pagesOf(
      parts,
      options,
      {
        closing: closingStreams.signal,
        origins: () => origins,
        handle: async (request) => handle(request),
        launchPath: `${basePath}${CORE_OPERATIONS.createNewGame.path}`,
      },
      closeParts,
    ),
  ];
  const handle: Handler = exchanges.handlerOf(routes);
  void endCampaigns(parts, campaignCheckMs, closing.signal);

  const close = async (graceMs = GRACE_MS): Promise<void> => {
    if (closing.signal.aborted) return;
    closingStreams.abort();
    closing.abort();
    sessions.close();
    await closeParts(graceMs);
  };
  return {
    parts,
    handle: async (request) => handle(request),
    start: async (address = {}) => {
      const listening = await openOrClose(close, () =>
        listen(handle, { ...address, onFault: parts.onFault, onRefused: (refused) => exchanges.refused(refused) }),
      );
      ownUrl = listening.url;
      origins = pageOrigins(ownUrl, address.host, options.publicUrl);
      return {
        url: listening.url,
        baseUrl: `${listening.url}${basePath}`,
        close: async (graceMs = GRACE_MS) => {
          closingStreams.abort();
          await listening.close(graceMs);
          await close(graceMs);
        },
      };
    },
    sessions: {
      [Symbol.asyncIterator]: () => sessions.follow(launchedSince(known, parts.sessions)),
    },
    onLaunchSeen: (listener) => launches.subscribe(listener),
    close,
  };
}

/** The parts of the server that the pages use. */
interface PageServer extends Pick<ConsoleRoutesOptions, 'origins' | 'handle' | 'launchPath'> {
  /** If this signal is aborted, the event streams end. */
  readonly closing: AbortSignal;
}

/**
 * Returns the routes of the pages. If the pages are not built, closes the service. Otherwise the service would keep its folder
 * locked.
 */
function pagesOf(
  parts: ServiceParts,
  { pages, paytableOf }: ServiceOptions,
  server: PageServer,
  closeParts: OpenedParts['close'],
): readonly Route[] {
  if (pages === undefined) return [];
  try {
    return pageRoutes(parts, pages, server, paytableOf);
  } catch (error) {
    void closeParts(0);
    throw error;
  }
}

/**
 * Returns the routes of the game page, and of the console if the options contain one.
 *
 * @throws Error when the pages are not built
 */
function pageRoutes(
  parts: ServiceParts,
  { readPage, console }: PagesOptions,
  server: PageServer,
  paytableOf?: (gameID: string) => Paytable,
): readonly Route[] {
  const { roundFeed, sessions, sleep } = parts;
  const onRound = roundFeed.subscribe.bind(roundFeed);
  const players = new Players({ ...parts, onRound, ...(paytableOf && { paytableOf }) });
  const pages = { readPage, players, closing: server.closing };
  return [
    ...gameRoutes({ ...pages, sessions, sleep }),
    ...(console === undefined
      ? []
      : consoleRoutes({
          ...CONSOLE_DEFAULTS,
          ...console,
          ...pages,
          ...server,
          parts,
        })),
  ];
}

const CONSOLE_DEFAULTS = { curlOf: () => null, scenarioOf: () => null, knownSessions: [] };

/** Opens the port of the service. If this fails, closes the service. Otherwise the service would keep its folder locked. */
async function openOrClose(close: () => Promise<void>, open: () => Promise<Listening>): Promise<Listening> {
  try {
    return await open();
  } catch (error) {
    await close();
    throw error;
  }
}

const HOST = /^(?:[a-z0-9._-]+|\[[0-9a-f:.]+\])(?::\d{1,5})?$/i;

function hostUrl(host: string | undefined): string | undefined {
  return host !== undefined && HOST.test(host) ? `http://${host}` : undefined;
}

function contextOf(
  parts: ServiceParts,
  { sessionLifeMs = SESSION_LIFE_MS, catalogueDelayMs }: ServiceOptions,
  publicUrl: CoreApiContext['publicUrl'],
  closing: AbortSignal,
): CoreApiContext {
  const { clients, games, version, sessions, campaigns, demoBalances, clock, uuid, sleep, random, onFault } = parts;
  return {
    clients,
    games,
    version,
    sessions,
    campaigns,
    demoBalances,
    sessionLifeMs,
    publicUrl,
    onFault,
    now: clock,
    newID: uuid,
    catalogueReady: async () => {
      if (!catalogueDelayMs) return;
      const [min, max] = catalogueDelayMs;
      await sleep(min + (max - min) * random(), closing);
    },
    onCancelled: (campaign) => endCampaign(parts, campaign),
  };
}

/**
 * Ends campaigns that are over, so that their wins are paid. This includes campaigns whose time ended while the service was not
 * running.
 */
async function endCampaigns(parts: ServiceParts, everyMs: number, closing: AbortSignal): Promise<void> {
  while (!closing.aborted) {
    const now = parts.clock();
    for (const campaign of parts.campaigns.all()) {
      const state = campaignState(campaign, now);
      if (state === 'ended' || state === 'cancelled') endCampaign(parts, campaign);
    }
    await parts.sleep(everyMs, closing);
  }
}

function endCampaign({ adapter, onFault }: ServiceParts, { extCID, extID }: Campaign): void {
  try {
    adapter.endCampaign(extCID, extID);
  } catch (error) {
    onFault(error);
  }
}

function* launchedSince(known: ReadonlySet<string>, sessions: GameSessions): Generator<GameSession> {
  for (const session of sessions.all()) if (!known.has(session.gsID)) yield session;
}
