import { readFileSync } from 'node:fs';
import path from 'node:path';
import { onTestFinished } from 'vitest';
import { judgeOfCalls } from '../../src/app/call-judge.ts';
import { referenceControls } from '../../src/cli/commands/serve/reference-controls.ts';
import { type Handler, jsonReply } from '../../src/listen/message.ts';
import { listen } from '../../src/listen/server.ts';
import { CORRECT } from '../../src/operator/behaviour.ts';
import { NextReplies } from '../../src/operator/next-replies.ts';
import { curlLine } from '../../src/report/curl.ts';
import { PAYTABLE } from '../../src/service/adapter/paytable.ts';
import type { ServiceClient } from '../../src/service/client.ts';
import type { GameSession } from '../../src/service/game-sessions.ts';
import { createService, type Served, type Service } from '../../src/service/service.ts';
import type { ConsoleOptions } from '../../src/service/service-options.ts';
import { CLIENT, type Front, KEY, openFront } from './adapter/operator-front.ts';

export const TOKEN = 'a-token-of-the-tests';
/** A text that would run a script if a page used it as markup. */
export const EVIL = '<img src=x onerror="window.pwned=1"><script>window.pwned=1</script>';

export interface PageService extends Service, Served {
  /** The reference operator, which belongs to the client `acme`. */
  readonly front: Front;
  /** Sets the multiplier of all later rounds. */
  draws: (multiplier: string) => void;
  /** Launches a game, and returns its address. */
  readonly launched: (changes?: Partial<GameSession>) => GameSession;
  readonly gameUrl: (session: GameSession) => string;
  readonly consoleUrl: string;
}

export interface PageServiceOptions {
  readonly deadlineMs?: number;
  /** The milliseconds between two attempts of an owed call. */
  readonly retryMs?: number;
  readonly hasConsole?: boolean;
  /** True if the console controls the reference operator, as in `croupier serve all`. */
  readonly isOwnOperator?: boolean;
  /** The address to listen on. The default is 127.0.0.1. */
  readonly host?: string;
  readonly publicUrl?: string;
}

/** Starts the service with its pages, the reference operator, and the operator `rude`, which sends markup in every text. */
export async function startPages(
  dir: string,
  {
    deadlineMs = 2000,
    retryMs = 60_000,
    hasConsole = true,
    isOwnOperator = false,
    host,
    publicUrl,
  }: PageServiceOptions = {},
): Promise<PageService> {
  const front = await openFront();
  const rude = await listen(RUDE, { onFault: () => {} });
  let drawn = '0';
  const clients: readonly ServiceClient[] = [
    { cID: 'c', extCID: 'acme', apiKey: 'core-key-of-acme', integrationApiKey: KEY, integratorBaseUrl: front.url },
    { cID: 'c', extCID: 'rude', apiKey: 'core-key-of-rude', integrationApiKey: KEY, integratorBaseUrl: rude.url },
  ];
  const operator = isOwnOperator ? { operator: controlsOf(front) } : {};
  const service = createService({
    clients,
    judgeCalls: (sink) => judgeOfCalls(clients, sink),
    pages: {
      readPage: (name) => readFileSync(path.join(dir, name)),
      ...(hasConsole && { console: { ...CONSOLE, ...operator } }),
    },
    wire: { deadlineMs },
    ...(publicUrl !== undefined && { publicUrl }),
    backoff: { initialMs: retryMs, factor: 1, maxMs: retryMs, jitter: 0 },
    paytableOf: () => PAYTABLE.map(({ multiplier }) => ({ multiplier, weight: multiplier === drawn ? 1 : 0 })),
  });
  const served = await service.start(host === undefined ? {} : { host });
  onTestFinished(async () => {
    await served.close(0);
    await rude.close(0);
    await front.close();
  });
  return {
    ...service,
    ...served,
    front,
    draws: (multiplier) => {
      drawn = multiplier;
    },
    launched: (changes = {}) => {
      const { uuid, clock, sessions, demoBalances } = service.parts;
      const player = changes.player ?? 'p0';
      const session: GameSession = {
        gsID: uuid(),
        cID: 'c',
        extCID: 'acme',
        sessionID: `s-${player}`,
        player,
        currency: 'USD',
        locale: 'en_us',
        gameID: 'catch',
        demo: false,
        openedAt: clock(),
        expiresAt: clock() + 3_600_000,
        ...changes,
      };
      sessions.open(session);
      if (session.demo) demoBalances.open(session, undefined);
      return session;
    },
    gameUrl: ({ gsID }) => `${served.url}/game?gsID=${gsID}`,
    consoleUrl: `${served.url}/console/?token=${TOKEN}`,
  };
}

function controlsOf({ operator }: Front) {
  const listeners = new Set<() => void>();
  const replies = new NextReplies(() => {
    for (const listener of listeners) listener();
  });
  operator.setBehaviour(replies.appliedTo(CORRECT));
  return referenceControls({ operator, client: CLIENT, replies, variations: [], listeners });
}

const CONSOLE: ConsoleOptions = {
  token: TOKEN,
  knownSessions: CLIENT.sessions.slice(0, 4).map((session) => ({ extCID: CLIENT.extCID, ...session })),
  curlOf: ({ request }) => curlLine(request),
  scenarioOf: ({ name, direction }) => (direction === 'reverse' ? `title: a ${name} of a test\n` : null),
};

const RUDE: Handler = ({ path }) =>
  path === '/balance'
    ? jsonReply(200, { balance: '10.00', extra: EVIL })
    : jsonReply(400, { message: EVIL, code: EVIL, details: EVIL });
