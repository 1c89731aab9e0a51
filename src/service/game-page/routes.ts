import { z } from 'zod';
import { type HeaderPairs, headerOf, jsonReply, type ListenReply, type ListenRequest } from '../../listen/message.ts';
import type { Route } from '../../listen/routes.ts';
import { pageFile, type ReadPage, readPageJson, securityHeaders } from '../../pages/page-http.ts';
import { eventStream } from '../event-stream.ts';
import type { GameSession, GameSessions } from '../game-sessions.ts';
import type { Sleep } from '../sleep.ts';
import type { Played, Players } from './players.ts';

export interface GameRoutesOptions {
  readonly readPage: ReadPage;
  readonly players: Players;
  readonly sessions: Pick<GameSessions, 'byId'>;
  readonly sleep: Sleep;
  /** Aborted when the service is stopped. It ends the event streams. */
  readonly closing: AbortSignal;
}

const FILES = ['game.js', 'game.css', 'icon.svg'];

const roundSchema = z.object({ gsID: z.string(), stake: z.string() });

/**
 * Returns the routes of the game page at `/game?gsID=…`, and of the requests that this page sends, below `/play`. Other sites
 * may show the page in a frame. Everybody who knows the `gsID` of a session can play in this session. So the `gsID` must be
 * kept secret, like a password.
 *
 * @throws Error when the pages are not built
 */
export function gameRoutes(options: GameRoutesOptions): readonly Route[] {
  const { readPage, players, sessions, sleep, closing } = options;
  const files = FILES.map((name) => fileRoute(readPage, name, `/game/${name}`));

  const withSession = (
    gsID: string | null,
    act: (session: GameSession) => ListenReply | Promise<ListenReply>,
  ): ListenReply | Promise<ListenReply> => {
    const session = gsID === null ? undefined : sessions.byId(gsID);
    return session ? act(session) : NO_SESSION;
  };

  return [
    fileRoute(readPage, 'game.html', '/game'),
    ...files,
    {
      method: 'GET',
      path: '/play/state',
      handler: (request) =>
        withSession(gsIDOf(request), async (session) => reply(200, await players.readBalance(session))),
    },
    {
      method: 'GET',
      path: '/play/events',
      handler: (request) =>
        withSession(gsIDOf(request), (session) => {
          void players.readBalanceOnce(session);
          return eventStream({
            subscribe: (wake) => players.subscribe(session.gsID, wake),
            take: () => [{ name: 'view', data: players.view(session) }],
            closing,
            sleep,
          });
        }),
    },
    {
      method: 'POST',
      path: '/play/rounds',
      handler: (request) => {
        const site = headerOf(request.headers, 'sec-fetch-site');
        if (site !== undefined && site !== 'same-origin') return OTHER_ORIGIN;
        const read = readPageJson(request, roundSchema);
        if (read.kind === 'wrong') return reply(read.status, { message: read.message });
        const { gsID, stake } = read.value;
        return withSession(gsID, async (session) => answer(await players.play(session, { stake })));
      },
    },
  ];
}

function fileRoute(readPage: ReadPage, name: string, path: string): Route {
  const file = pageFile(readPage, name, 'allowed');
  return { method: 'GET', path, handler: () => file };
}

function gsIDOf({ query }: ListenRequest): string | null {
  return new URLSearchParams(query).get('gsID');
}

const HEADERS: HeaderPairs = [
  ...securityHeaders('allowed').filter(([name]) => name !== 'Cache-Control'),
  ['Cache-Control', 'no-store'],
];

function reply(status: number, body: unknown): ListenReply {
  return jsonReply(status, body, HEADERS);
}

const NO_SESSION = reply(404, { message: 'There is no such game session.', code: 'session_not_found' });
const OTHER_ORIGIN = reply(403, { message: 'Rounds can be played from the game page only.' });

function answer(played: Played): ListenReply {
  if (played.kind === 'played') return reply(200, { roundID: played.roundID, view: played.view });
  switch (played.reason) {
    case 'expired':
      return reply(403, { message: 'This game has expired.', code: 'session_expired' });
    case 'stake':
      return reply(400, {
        message: 'This stake is not available. Choose one of the stakes that the game offers.',
        code: 'stake_unknown',
      });
    case 'busy':
      return reply(409, { message: 'Another round of this game is still being played.', code: 'round_open' });
    case 'other-game':
      return reply(409, {
        message: "Your free rounds are for another game. You can't use them in this game.",
        code: 'other_game',
      });
    case 'used-up':
    case 'campaign-ended':
      return reply(409, {
        message: 'You have no free rounds left. Play again to play with money.',
        code: 'no_free_rounds',
      });
    case 'closing':
      return reply(503, { message: 'The game is being stopped. Nothing was staked.', code: 'stopping' });
    case 'round-over':
    case 'no-accepted-bet':
    case 'tx-id-used':
    case 'tx-id-unknown':
    case 'not-awaited':
      return reply(500, { message: 'The round could not be played. Nothing was staked.', code: 'not_played' });
  }
}
