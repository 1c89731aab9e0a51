import type { CallName } from '../contract/call-name.ts';
import { rightSignature, signBody } from '../contract/signature.ts';
import type { Handler, ListenReply, ListenRequest } from '../listen/message.ts';
import { type Route, routeTable } from '../listen/routes.ts';
import { type Listening, listen } from '../listen/server.ts';
import type { Reply } from '../sdk/reply.ts';
import type { SignedBody, Verified } from '../sdk/reverse-call.ts';
import { readAmount, scaleOf, writeAmount } from './amount.ts';
import { type Behaviour, CORRECT, type Work } from './behaviour.ts';
import { balanceWork, betWork, type CallHandlers, refundWork, winWork } from './call-handlers.ts';
import type { ClientOptions, OperatorOptions, SessionOptions } from './options.ts';
import { Store, type Transaction, type Wallet } from './store.ts';

export interface Operator {
  /** Answers one request without opening a port. */
  readonly handle: (request: ListenRequest) => Promise<ListenReply>;
  /** Opens a port, on loopback if no host is given. The `close` function of the result also closes the store. */
  readonly start: (address?: { readonly port?: number; readonly host?: string }) => Promise<Listening>;
  /** Returns the balance of a player, in the main unit of the currency. Returns undefined if there is no such wallet. */
  readonly balanceOf: (extCID: string, player: string, currency: string) => string | undefined;
  /**
   * Changes the balance of a player without a transaction.
   *
   * @returns the new balance, in the main unit of the currency
   * @throws RangeError if there is no such wallet, if the amount is not possible in its currency, or if the balance is lower than
   * the amount to take
   */
  readonly changeBalance: (extCID: string, player: string, currency: string, change: BalanceChange) => string;
  /** Answers all later requests with another behaviour. The stored data does not change. */
  readonly setBehaviour: (behaviour: Behaviour) => void;
  /** Returns all transactions of a client, the oldest first, including declined bets. */
  readonly transactionsOf: (extCID: string) => readonly Transaction[];
  /** Closes the store. This is needed only if the operator was never started. */
  readonly close: () => void;
}

/** A change of a balance. The amount is a plain decimal in the main unit. */
type BalanceChange =
  | { readonly kind: 'add'; readonly amount: string }
  | { readonly kind: 'take'; readonly amount: string }
  | { readonly kind: 'empty' };

/**
 * Creates an operator, which has wallets and sessions and answers the four reverse calls (balance, bet, win and refund) for
 * several clients.
 *
 * @throws RangeError if two clients share a base path or ExtCID, or two sessions contradict each other
 */
export function createOperator(options: OperatorOptions, behaviour: Behaviour = CORRECT): Operator {
  const extCIDs = options.clients.map(({ extCID }) => extCID);
  const twice = extCIDs.find((extCID, index) => extCIDs.indexOf(extCID) !== index);
  if (twice !== undefined)
    throw new RangeError(`two clients have the ExtCID ${twice}: each client needs its own ExtCID`);
  const store = new Store(options.dataDir);
  const answerWith = open(store, options.clients);
  let answer: Handler = answerWith(behaviour);

  return {
    handle: async (request) => answer(request),
    changeBalance: (extCID, player, currency, change) =>
      store.atomically(() => {
        const wallet = store.walletOf(extCID, player, currency);
        if (!wallet) throw new RangeError(`${player} has no wallet in ${currency}`);
        const balance = balanceAfter(wallet, change);
        store.setBalance(wallet.id, balance);
        return writeAmount(balance, scaleOf(currency));
      }),
    setBehaviour: (next) => {
      answer = answerWith(next);
    },
    start: async (address = {}) => {
      const listening = await listen((request) => answer(request), { ...address, onFault: options.onFault ?? warn });
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

/**
 * Puts the configured data into the store. Closes the store if the options are wrong.
 *
 * @returns a function that builds the routes for a behaviour
 */
function open(store: Store, clients: readonly ClientOptions[]): (behaviour: Behaviour) => Handler {
  try {
    seed(store, clients);
    return (behaviour) => routeTable(clients.flatMap((client) => routesOf(client, clients, store, behaviour)));
  } catch (error) {
    store.close();
    throw error;
  }
}

function balanceAfter({ balance, player, currency }: Wallet, change: BalanceChange): bigint {
  if (change.kind === 'empty') return 0n;
  const scale = scaleOf(currency);
  const amount = readAmount(change.amount, scale);
  if (amount === undefined || amount <= 0n)
    throw new RangeError(`${JSON.stringify(change.amount)} is not an amount in ${currency}`);
  if (change.kind === 'add') return balance + amount;
  if (balance < amount) throw new RangeError(`${player} has only ${writeAmount(balance, scale)} ${currency}`);
  return balance - amount;
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
  const handlers: CallHandlers = { extCID, store, behaviour, campaigns: new Set(client.campaigns) };
  const basePath = client.basePath.replace(/(?<!\/)\/+$/, '');
  const keys = behaviour.keysOf(client, all);
  const { verify } = behaviour;

  const decide = async (work: Work): Promise<Reply> => behaviour.reply(await behaviour.carryOut(store, work));
  const handle = async <C>(
    verifyWith: (key: string, signature?: string) => Verified<C>,
    sign: (key: string) => string | undefined,
    workOf: (handlers: CallHandlers, call: C) => Work,
  ): Promise<Reply> => {
    const verified = firstCall(keys.map((key) => verifyWith(key)));
    if (verified.kind === 'call') return decide(workOf(handlers, verified.call));
    return behaviour.refuse(verified, async () => {
      const anyway = verifyWith(client.integrationApiKey, sign(client.integrationApiKey));
      return anyway.kind === 'call' ? decide(workOf(handlers, anyway.call)) : undefined;
    });
  };
  const route = (name: CallName, method: string, handler: (request: ListenRequest) => Promise<ListenReply>): Route => ({
    method,
    path: `${basePath}/${name}`,
    handler: async (request) =>
      behaviour.deliver(behaviour.format(await behaviour.receive(request, handler), request), request),
  });
  const post = <C>(
    name: CallName,
    verifyBody: (signed: SignedBody) => Verified<C>,
    workOf: (handlers: CallHandlers, call: C) => Work,
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
        (key) => rightSignature({ method: 'GET', query, body: null }, key),
        balanceWork,
      );
    }),
    post('bet', verify.bet, betWork),
    post('win', verify.win, winWork),
    post('refund', verify.refund, refundWork),
  ];
}

/**
 * One call was verified with each key of the client. Chooses one of the results. Returns the first success. If no key is right,
 * returns the refusal for the first key.
 */
function firstCall<C>(all: readonly Verified<C>[]): Verified<C> {
  const [first] = all;
  if (!first) throw new RangeError('a client needs at least one key');
  return all.find(({ kind }) => kind === 'call') ?? first;
}

/**
 * Stores the configured sessions, their wallets and their open bets. Balances and transactions of an earlier start are kept. A
 * session that exists gets its new state and game.
 *
 * @throws RangeError for a balance that is not possible in its currency, or for two balances that contradict each other
 */
function seed(store: Store, clients: readonly ClientOptions[]): void {
  store.atomically(() => {
    for (const client of clients) seedClient(store, client);
  });
}

function seedClient(store: Store, { extCID, sessions }: ClientOptions): void {
  const opening = new Map<string, bigint>();
  for (const session of sessions) {
    const { sessionID, player, currency, gameID, state } = session;
    const balance = amountIn(session, session.balance);
    const owner = JSON.stringify([player, currency]);
    if (opening.has(owner) && opening.get(owner) !== balance) {
      throw new RangeError(
        `session ${sessionID}: another session gives ${player} a different balance in ${currency}; all sessions of a player and currency need the same balance`,
      );
    }
    opening.set(owner, balance);
    const wallet = store.openWallet({ extCID, player, currency, balance });
    store.putSession({ extCID, sessionID, gameID, state, walletID: wallet.id });
    for (const bet of session.begun ?? []) {
      if (store.transaction(extCID, bet.txID)) continue;
      const amount = amountIn(session, bet.amount);
      store.record({
        extCID,
        txID: bet.txID,
        call: 'bet',
        sessionID,
        walletID: wallet.id,
        gameID,
        roundID: bet.roundID,
        origTxID: null,
        amount,
        type: 'regular',
        frID: null,
        outcome: 'done',
        moved: -amount,
        balance: writeAmount(wallet.balance, scaleOf(currency)),
      });
    }
  }
}

function amountIn({ sessionID, currency }: SessionOptions, text: string): bigint {
  const amount = readAmount(text, scaleOf(currency));
  if (amount === undefined)
    throw new RangeError(`session ${sessionID}: ${JSON.stringify(text)} is not a valid amount in ${currency}`);
  return amount;
}
