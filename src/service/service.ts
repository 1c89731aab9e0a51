import type { Campaign } from '../contract/core-api.ts';
import { type Handler, headerOf, jsonReply, type ListenReply, type ListenRequest } from '../listen/message.ts';
import { type Route, routeTable } from '../listen/routes.ts';
import { type Listening, type ListenOptions, listen } from '../listen/server.ts';
import { campaignState } from './campaigns.ts';
import { coreApiRoutes } from './core-api/core-api.ts';
import type { CoreDesk } from './core-api/desk.ts';
import type { LaunchSeen } from './core-api/launch-seen.ts';
import { CoreExchanges } from './core-exchanges.ts';
import { Feed } from './feed.ts';
import { gameImageRoutes } from './game-images.ts';
import type { GameSession } from './game-session.ts';
import { type GameSessions, SESSION_LIFE_MS } from './game-sessions.ts';
import { openApiDocument } from './openapi.ts';
import { pageRoutes } from './pages.ts';
import type { ServiceOptions } from './service-options.ts';
import { type OpenedParts, openParts, type ServiceParts } from './service-parts.ts';

/** A service that listens. */
export interface Served {
  /** Of the whole server, without a slash at the end. */
  readonly url: string;
  /** `{base_url}`: what the operator's backend calls, without a slash at the end. */
  readonly baseUrl: string;
  /** Stops listening, then closes the service. @param graceMs for replies and calls under way, in milliseconds */
  readonly close: (graceMs?: number) => Promise<void>;
}

export interface Service {
  readonly parts: ServiceParts;
  /** Answers one request without a port. */
  readonly handle: (request: ListenRequest) => Promise<ListenReply>;
  /** Opens a port, on loopback unless told otherwise. @throws Error when it cannot be opened */
  readonly start: (address?: Pick<ListenOptions, 'port' | 'host' | 'limits'>) => Promise<Served>;
  /** The game sessions that operators launch, in order, from the making of the service on until it is closed. */
  readonly sessions: AsyncIterable<GameSession>;
  /** Tells of every request to the Core API, once it is answered. @returns ends it */
  readonly onLaunchSeen: (listener: (seen: LaunchSeen) => void) => () => void;
  /** For a service that was never started. */
  readonly close: (graceMs?: number) => Promise<void>;
}

const BASE_PATH = '/api/v1';
const CAMPAIGN_CHECK_MS = 30_000;
const GRACE_MS = 1000;

/**
 * The whole service: Core API, integration adapter, and everything between them.
 *
 * @throws what `openParts` and `pageRoutes` throw
 */
export function createService(options: ServiceOptions): Service {
  const { parts, close: closeParts } = openParts(options);
  const { basePath = BASE_PATH, campaignCheckMs = CAMPAIGN_CHECK_MS } = options;
  const launches = new Feed<LaunchSeen>();
  const sessions = new Feed<GameSession>();
  const closing = new AbortController();
  /** Aborted before: what pages are being told would else keep the server open. */
  const leaving = new AbortController();
  const known = new Set(parts.sessions.all().map(({ gsID }) => gsID));
  /** Where it listens. Only used where a request does not say where it was sent to. */
  let ownUrl = 'http://127.0.0.1';

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
    ...coreApiRoutes(deskOf(parts, options, publicUrl, closing.signal), basePath, exchanges.watch),
    {
      method: 'GET',
      path: '/openapi.json',
      handler: (request) => jsonReply(200, openApiDocument(parts.version, `${publicUrl(request)}${basePath}`)),
    },
    ...gameImageRoutes(parts.games),
    ...pagesOf(parts, options, leaving.signal, () => ownUrl, closeParts),
  ];
  const handle = showingUnrouted(routes, exchanges);
  void endCampaigns(parts, campaignCheckMs, closing.signal);

  const close = async (graceMs = GRACE_MS): Promise<void> => {
    if (closing.signal.aborted) return;
    leaving.abort();
    closing.abort();
    sessions.close();
    await closeParts(graceMs);
  };
  return {
    parts,
    handle: async (request) => handle(request),
    start: async (address = {}) => {
      const listening = await opened(close, () =>
        listen(handle, { ...address, onFault: parts.onFault, onRefused: (refused) => exchanges.refused(refused) }),
      );
      ownUrl = listening.url;
      return {
        url: listening.url,
        baseUrl: `${listening.url}${basePath}`,
        close: async (graceMs = GRACE_MS) => {
          leaving.abort();
          await listening.close(graceMs);
          await close(graceMs);
        },
      };
    },
    sessions: {
      [Symbol.asyncIterator]: () => sessions.follow(unknownTo(known, parts.sessions)),
    },
    onLaunchSeen: (listener) => launches.subscribe(listener),
    close,
  };
}

/** A service whose pages are not there is of no use, and would keep its folder. */
function pagesOf(
  parts: ServiceParts,
  { pages, paytableOf }: ServiceOptions,
  leaving: AbortSignal,
  ownUrl: () => string,
  closeParts: OpenedParts['close'],
): readonly Route[] {
  if (pages === undefined) return [];
  try {
    return pageRoutes(parts, pages, leaving, ownUrl, paytableOf);
  } catch (error) {
    void closeParts(0);
    throw error;
  }
}

/** A service whose port cannot be opened is of no use, and would keep its folder. */
async function opened(close: () => Promise<void>, open: () => Promise<Listening>): Promise<Listening> {
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

function deskOf(
  parts: ServiceParts,
  { sessionLifeMs = SESSION_LIFE_MS, catalogueDelayMs }: ServiceOptions,
  publicUrl: CoreDesk['publicUrl'],
  closing: AbortSignal,
): CoreDesk {
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
      const [least, most] = catalogueDelayMs;
      await sleep(least + (most - least) * random(), closing);
    },
    onCancelled: (campaign) => end(parts, campaign),
  };
}

/** Shows what fits no route too: an operator that calls a wrong path has to find that out. */
function showingUnrouted(routes: readonly Route[], exchanges: CoreExchanges): Handler {
  const table = routeTable(routes);
  const routed = new Set(routes.map(({ method, path }) => `${method} ${path}`));
  return async (request) => {
    const reply = await table(request);
    if (!routed.has(`${request.method} ${request.path}`)) exchanges.unrouted(request, reply);
    return reply;
  };
}

/** What is won is paid when a campaign is over, also when that was while the service was down. */
async function endCampaigns(parts: ServiceParts, everyMs: number, closing: AbortSignal): Promise<void> {
  while (!closing.aborted) {
    const now = parts.clock();
    for (const campaign of parts.campaigns.all()) {
      const state = campaignState(campaign, now);
      if (state === 'ended' || state === 'cancelled') end(parts, campaign);
    }
    await parts.sleep(everyMs, closing);
  }
}

function end({ adapter, onFault }: ServiceParts, { extCID, extID }: Campaign): void {
  try {
    adapter.endCampaign(extCID, extID);
  } catch (error) {
    onFault(error);
  }
}

function* unknownTo(known: ReadonlySet<string>, sessions: GameSessions): Generator<GameSession> {
  for (const session of sessions.all()) if (!known.has(session.gsID)) yield session;
}
