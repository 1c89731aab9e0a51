import type { CallName } from '../contract/call-name.ts';
import { SIGNATURE_HEADER } from '../contract/signature.ts';
import { type Handler, headerOf, type ListenReply, type ListenRequest } from '../listen/message.ts';
import { type Route, routeTable } from '../listen/routes.ts';
import { type Listening, listen } from '../listen/server.ts';
import { failure, type Reply } from '../sdk/reply.ts';
import type { Refused, Verified } from '../sdk/reverse-call.ts';
import { scaleOf, writeAmount } from './amount.ts';
import { type Behaviour, CORRECT } from './behaviour.ts';
import type { Decision } from './decision.ts';
import { type Desk, decideBalance, decideBet, decideRefund, decideWin } from './desk.ts';
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
    return routeTable(clients.flatMap((client) => routesOf(client, store, behaviour)));
  } catch (error) {
    store.close();
    throw error;
  }
}

function warn(error: unknown): void {
  process.emitWarning(error instanceof Error ? error : String(error));
}

function routesOf(client: ClientOptions, store: Store, behaviour: Behaviour): readonly Route[] {
  const { extCID, integrationApiKey: key } = client;
  const desk: Desk = { extCID, store, behaviour, campaigns: new Set(client.campaigns) };
  const basePath = client.basePath.replace(/\/+$/, '');
  const { verify } = behaviour;

  const carryOut = async <C>(verified: Verified<C>, decide: (desk: Desk, call: C) => Decision): Promise<Reply> => {
    if (verified.kind === 'refused') return REFUSALS[verified.reason];
    const { call } = verified;
    return behaviour.reply(await behaviour.carryOut(store, () => decide(desk, call)));
  };
  const route = (name: CallName, method: string, handler: Route['handler']): Route => ({
    method,
    path: `${basePath}/${name}`,
    handler,
  });
  const signedBody = ({ headers, body }: ListenRequest) => ({
    body,
    key,
    signature: headerOf(headers, SIGNATURE_HEADER),
  });
  const signedQuery = ({ headers, query }: ListenRequest) => ({
    query,
    key,
    signature: headerOf(headers, SIGNATURE_HEADER),
  });

  return [
    route('balance', 'GET', (request) => carryOut(verify.balance(signedQuery(request)), decideBalance)),
    route('bet', 'POST', (request) => carryOut(verify.bet(signedBody(request)), decideBet)),
    route('win', 'POST', (request) => carryOut(verify.win(signedBody(request)), decideWin)),
    route('refund', 'POST', (request) => carryOut(verify.refund(signedBody(request)), decideRefund)),
  ];
}

const REFUSALS: Readonly<Record<Refused['reason'], Reply>> = {
  'bad-signature': failure({ status: 401, message: 'This request could not be verified.' }),
  malformed: failure({ status: 400, message: 'This request could not be read.' }),
  invalid: failure({ status: 400, message: 'Something is missing from this request, or not as it should be.' }),
};
