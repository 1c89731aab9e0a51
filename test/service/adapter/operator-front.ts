import { once } from 'node:events';
import { createServer } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import type { CallName } from '../../../src/contract/call-name.ts';
import { createOperator, type Operator } from '../../../src/operator/operator.ts';
import type { ClientOptions } from '../../../src/operator/options.ts';
import type { Transaction } from '../../../src/operator/store.ts';

/** A fault of one call. If undefined, the call is passed to the operator and gets its answer. */
export type Mishap =
  | { readonly kind: 'status'; readonly status: number; readonly processed?: boolean } // answers this status, with or without processing the call
  | { readonly kind: 'cut'; readonly processed?: boolean } // breaks the connection, with or without processing the call
  | { readonly kind: 'late'; readonly ms: number; readonly processedLate?: boolean } // answers after this time
  | undefined;

/** A call as it arrived at the operator. */
export interface Arrived {
  readonly call: CallName;
  readonly fields: Readonly<Record<string, string>>;
  /** The exact text of the body. */
  readonly body: string;
}

export interface Front {
  readonly url: string;
  readonly operator: Operator;
  readonly arrived: readonly Arrived[];
  /** Chooses the fault of each call, in the order of arrival. */
  mishap: (call: Arrived, nth: number) => Mishap;
  balance(player?: string): string | undefined;
  transactions(): readonly Transaction[];
  close(): Promise<void>;
}

export const KEY = 'a-key-for-tests';
export const PLAYERS = Array.from({ length: 40 }, (_, index) => `p${index}`);

/** The client of the reference operator. */
export const CLIENT: ClientOptions = {
  extCID: 'acme',
  integrationApiKey: KEY,
  basePath: '',
  campaigns: ['spring'],
  sessions: PLAYERS.flatMap((player) => [
    { sessionID: `s-${player}`, player, currency: 'USD', gameID: 'catch', balance: '1000.00', state: 'active' },
    { sessionID: `t-${player}`, player, currency: 'USD', gameID: 'swipe', balance: '1000.00', state: 'active' },
  ]),
};

/** Starts the reference operator behind a server that can lose, delay or answer calls itself. */
export async function openFront(dataDir?: string): Promise<Front> {
  const operator = createOperator({
    ...(dataDir !== undefined && { dataDir }),
    clients: [CLIENT],
  });
  const arrived: Arrived[] = [];
  const server = createServer((request, response) => {
    const pieces: Buffer[] = [];
    request.on('data', (piece: Buffer) => pieces.push(piece));
    request.on('error', () => {});
    request.on('end', () => {
      void answer();
    });
    const answer = async (): Promise<void> => {
      const { pathname, search } = new URL(request.url ?? '/', 'http://front');
      const bytes = Buffer.concat(pieces);
      const call = pathname.slice(1) as CallName;
      const fields = bytes.length > 0 ? (JSON.parse(bytes.toString()) as Arrived['fields']) : {};
      const seen = { call, fields, body: bytes.toString() };
      arrived.push(seen);
      const mishap = front.mishap(seen, arrived.filter((one) => one.call === call).length);
      const process = () =>
        operator.handle({
          method: request.method ?? 'GET',
          path: pathname,
          query: search.slice(1),
          headers: Object.entries(request.headers).map(([name, value]) => [name, String(value)] as const),
          body: bytes,
        });
      if (mishap?.kind === 'cut') {
        if (mishap.processed) await process();
        request.socket.destroy();
        return;
      }
      if (mishap?.kind === 'status') {
        if (mishap.processed) await process();
        response.writeHead(mishap.status, { 'Content-Type': 'application/json' }).end('{"message":"Not now."}');
        return;
      }
      const early = mishap?.processedLate ? undefined : await process();
      if (mishap) await sleep(mishap.ms);
      const reply = early ?? (await process());
      response.writeHead(reply.status, Object.fromEntries(reply.headers)).end(reply.body);
    };
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('no port');
  const front: Front = {
    url: `http://127.0.0.1:${address.port}`,
    operator,
    arrived,
    mishap: () => undefined,
    balance: (player = 'p0') => operator.balanceOf('acme', player, 'USD'),
    transactions: () => operator.transactionsOf('acme'),
    close: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
      operator.close();
    },
  };
  return front;
}
