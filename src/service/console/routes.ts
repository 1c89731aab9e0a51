import { type Handler, jsonReply, type ListenReply, type ListenRequest } from '../../listen/message.ts';
import type { Route } from '../../listen/routes.ts';
import { Guard, type GuardOptions } from '../../pages/guard.ts';
import { pageFile, type ReadPage, securityHeaders } from '../../pages/page-http.ts';
import { Feed } from '../feed.ts';
import type { Players } from '../game-page/players.ts';
import type { ExchangeTexts } from '../service-options.ts';
import type { ServiceParts } from '../service-parts.ts';
import { consoleActions } from './actions.ts';
import { detailOf, sessionOf } from './exchange-rows.ts';
import { launchChoices } from './launching.ts';
import { liveEvents } from './live.ts';
import type { OperatorControls } from './operator-controls.ts';
import type { DefectChoice, SessionChoice } from './view.ts';

export interface ConsoleRoutesOptions extends Omit<GuardOptions, 'name'>, ExchangeTexts {
  readonly readPage: ReadPage;
  readonly parts: ServiceParts;
  readonly players: Players;
  readonly operator?: OperatorControls;
  /** The sessions that croupier knows to exist at the operator. The form that launches a game offers these sessions. */
  readonly knownSessions: readonly SessionChoice[];
  /** The path of the operation that launches a game. */
  readonly launchPath: string;
  /** Answers a request in the same way as the server of the service. */
  readonly handle: (request: ListenRequest) => Promise<ListenReply>;
  /** Aborted when the service is stopped. It ends the event streams. */
  readonly closing: AbortSignal;
}

const BASE = '/console';
const FILES = ['console.js', 'console.css', 'icon.svg'];

/**
 * Returns the routes of the console at `/console/?token=…`, and of its requests below `/console/api`. The console is
 * for the person who runs the service.
 *
 * @throws Error when the pages are not built
 */
export function consoleRoutes(options: ConsoleRoutesOptions): readonly Route[] {
  const { readPage, parts, operator, knownSessions, closing, curlOf, scenarioOf } = options;
  const guard = new Guard({ ...options, name: 'console' });
  operator?.onFaultUsed((kind, signature) => parts.log.setReplyFault(signature, kind));
  const actions = new Feed<void>();
  const file = (name: string): Handler => {
    const reply = pageFile(readPage, name, 'forbidden');
    return () => reply;
  };
  const api = (method: string, path: string, handler: Handler): Route => ({
    method,
    path: `${BASE}/api/${path}`,
    handler: guard.api(handler),
  });

  const detail = (query: string): ListenReply => {
    const exchange = parts.log.find(Number(new URLSearchParams(query).get('id')));
    if (exchange === undefined)
      return jsonReply(404, { message: 'The service no longer keeps this exchange.' }, HEADERS);
    const session = sessionOf(parts, exchange);
    const scenario = scenarioOf(exchange, session, parts.log.recent());
    return jsonReply(200, detailOf(exchange, session, { curl: curlOf(exchange), scenario }), HEADERS);
  };

  return [
    { method: 'GET', path: `${BASE}/`, handler: guard.page(file('console.html')) },
    { method: 'GET', path: BASE, handler: guard.atOwnHost(({ query }) => movedTo(`${BASE}/`, query)) },
    ...FILES.map((name) => ({ method: 'GET', path: `${BASE}/${name}`, handler: guard.atOwnHost(file(name)) })),
    api('GET', 'events', () => liveEvents(parts, operator, actions, closing)),
    api('GET', 'exchange', ({ query }) => detail(query)),
    api('GET', 'choices', () => jsonReply(200, launchChoices(parts, knownSessions), HEADERS)),
    api('GET', 'defects', () => jsonReply(200, defectChoices(operator), HEADERS)),
    ...Object.entries(consoleActions({ ...options, onAction: () => actions.publish() })).map(([path, handler]) =>
      api('POST', path, handler),
    ),
  ];
}

function defectChoices(operator: OperatorControls | undefined): readonly DefectChoice[] {
  return (operator?.defects() ?? []).map(({ name, description, breaks }) => ({ name, description, breaks }));
}

const HEADERS = securityHeaders('forbidden');

function movedTo(path: string, query: string): ListenReply {
  const location = query === '' ? path : `${path}?${query}`;
  return { status: 308, headers: [...HEADERS, ['Location', location]], body: '' };
}
