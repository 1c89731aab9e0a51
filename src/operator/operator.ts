import type { CallName } from '../contract/call-name.ts';
import { signBody, signQuery } from '../contract/signature.ts';
import type { Handler, ListenReply, ListenRequest } from '../listen/message.ts';
import { type Route, routeTable } from '../listen/routes.ts';
import { type Listening, listen } from '../listen/server.ts';
import type { Reply } from '../sdk/reply.ts';
import type { SignedBody, Verified } from '../sdk/reverse-call.ts';
import { scaleOf, writeAmount } from './amount.ts';
import { type Behaviour, CORRECT, type Work } from './behaviour.ts';
import { balanceWork, betWork, type Desk, refundWork, winWork } from './desk.ts';
import type { ClientOptions, OperatorOptions } from './options.ts';
import { seed } from './seed.ts';
import { Store, type Transaction } from './store.ts';

export interface Operator {
  /** Answers one request without a port. */
  readonly handle: (request: ListenRequest) => Promise<ListenReply>;
  /** Opens a port, on loopback unless told otherwise; `close` of what it gives also closes the books. */
  readonly start: (address?: { readonly port?: number; readonly host?: string }) => Promise<Listening>;
  /** What a player has, in the currency's main unit; undefined when there is no such wallet. */
  readonly balanceOf: (extCID: string, player: string, currency: string) => string | undefined;
  /** All transactions of a client, oldest first, declined bets included. */
  readonly transactionsOf: (extCID: string) => readonly Transaction[];
  /** Closes the books. For an operator that was never started. */
  readonly close: () => void;
}

/**
 * A whole operator: wallets, sessions and the four reverse calls for several clients.
 *
 * @throws RangeError when two clients share a base path or ExtCID, or a session is stated in contradiction to another
 */
export function createOperator(options: OperatorOptions, behaviour: Behaviour = CORRECT): Operator {
  const extCIDs = options.clients.map(({ extCID }) => extCID);
  const twice = extCIDs.find((extCID, index) => extCIDs.indexOf(extCID) !== index);
  if (twice !== undefined) throw new RangeError(`two clients have the ExtCID ${twice}; it must be unique`);
  const store = new Store(options.dataDir);
  const answer = open(store, options.clients, behaviour);

  return {
    handle: async (request) => answer(request),
    start: async (address = {}) => {
      const listening = await listen(answer, { ...address, onFault: options.onFault ?? warn });
      return {
        url: listening.url,
        close: async (graceMs) => {
          await listening.close(graceMs);
          store.close();
        },
      };
    },
    balanceOf: (extCID, player, currency) => {
      const wallet = store.walletOf(extCID, player, currency);
      return wallet && writeAmount(wallet.balance, scaleOf(currency));
    },
    transactionsOf: (extCID) => store.transactions(extCID),
    close: () => store.close(),
  };
}

/** Nothing stays open when the options turn out to be wrong. */
function open(store: Store, clients: readonly ClientOptions[], behaviour: Behaviour): Handler {
  try {
    seed(store, clients);
    return routeTable(clients.flatMap((client) => routesOf(client, clients, store, behaviour)));
  } catch (error) {
    store.close();
    throw error;
  }
}

function warn(error: unknown): void {
  process.emitWarning(error instanceof Error ? error : String(error));
}

function routesOf(
  client: ClientOptions,
  all: readonly ClientOptions[],
  store: Store,
  behaviour: Behaviour,
): readonly Route[] {
  const { extCID } = client;
  const desk: Desk = { extCID, store, behaviour, campaigns: new Set(client.campaigns) };
  const basePath = client.basePath.replace(/\/+$/, '');
  const keys = behaviour.keysOf(client, all);
  const { verify } = behaviour;

  const decide = async (work: Work): Promise<Reply> => behaviour.reply(await behaviour.carryOut(store, work));
  const handle = async <C>(
    verifyWith: (key: string, signature?: string) => Verified<C>,
    sign: (key: string) => string,
    workOf: (desk: Desk, call: C) => Work,
  ): Promise<Reply> => {
    const verified = firstCall(keys.map((key) => verifyWith(key)));
    if (verified.kind === 'call') return decide(workOf(desk, verified.call));
    return behaviour.refuse(verified, async () => {
      const anyway = verifyWith(client.integrationApiKey, sign(client.integrationApiKey));
      return anyway.kind === 'call' ? decide(workOf(desk, anyway.call)) : undefined;
    });
  };
  const route = (name: CallName, method: string, handler: (request: ListenRequest) => Promise<ListenReply>): Route => ({
    method,
    path: `${basePath}/${name}`,
    handler: async (request) =>
      behaviour.deliver(behaviour.layOut(await behaviour.receive(request, handler), request), request),
  });
  const post = <C>(
    name: CallName,
    verifyBody: (signed: SignedBody) => Verified<C>,
    workOf: (desk: Desk, call: C) => Work,
  ): Route =>
    route(name, 'POST', ({ headers, body }) => {
      const given = behaviour.signatureOf(headers);
      return handle(
        (key, signature = given) => verifyBody({ body, key, signature }),
        (key) => signBody(body, key),
        workOf,
      );
    });

  return [
    route('balance', 'GET', ({ headers, query }) => {
      const given = behaviour.signatureOf(headers);
      return handle(
        (key, signature = given) => verify.balance({ query, key, signature }),
        (key) => signQuery([...new URLSearchParams(`?${query}`)], key),
        balanceWork,
      );
    }),
    post('bet', verify.bet, betWork),
    post('win', verify.win, winWork),
    post('refund', verify.refund, refundWork),
  ];
}

/** The first that is verified, else the first refusal. */
function firstCall<C>(all: readonly Verified<C>[]): Verified<C> {
  const [first] = all;
  if (!first) throw new RangeError('a client needs at least one key');
  return all.find(({ kind }) => kind === 'call') ?? first;
}
