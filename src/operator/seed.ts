import { readAmount, scaleOf, writeAmount } from './amount.ts';
import type { ClientOptions, SessionOptions } from './options.ts';
import type { Store } from './store.ts';

/**
 * Writes the configured sessions, their wallets and the bets begun in them into the books. What the books know from an
 * earlier start stays: balances and transactions; a session takes its new state and game.
 *
 * @throws RangeError for a balance that its currency cannot have, or two that contradict each other
 */
export function seed(store: Store, clients: readonly ClientOptions[]): void {
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
      throw new RangeError(`session ${sessionID}: ${player} has one balance in ${currency}, but two are stated`);
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
    throw new RangeError(`session ${sessionID}: ${currency} has no amount ${JSON.stringify(text)}`);
  return amount;
}
