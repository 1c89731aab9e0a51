import { readReply } from '../../reply/read.ts';
import { isSuccess } from '../../reply/status.ts';
import { buildRequest } from '../../wire/request.ts';
import type { Sender } from '../calls/sender.ts';
import { addressOf, type RunOptions, type SessionUnderTest } from '../run-options.ts';
import { walletIdOf } from '../session-pool.ts';
import { statedDecimals } from '../stakes.ts';

type ShownDecimalsOptions = Pick<RunOptions, 'client' | 'decimals'>;

/**
 * The number of decimals in the operator's balances. It is used for a currency if neither the contract nor the configuration states
 * a number. A balance may leave out zeros at its end. So the balance with the most decimals counts, over all wallets of a currency.
 */
export class ShownDecimals {
  readonly #sender: Sender;
  readonly #options: ShownDecimalsOptions;
  /**
   * The largest number of decimals in a balance. The key is the currency, or the wallet if the currency of a session is not
   * configured.
   */
  readonly #most = new Map<string, number>();
  readonly #known = new Set<string>();

  constructor(sender: Sender, options: ShownDecimalsOptions) {
    this.#sender = sender;
    this.#options = options;
  }

  /**
   * Reads the balance of each session whose decimals are not known yet. If the operator does not answer a read, the next call of
   * `learn` reads this balance again.
   *
   * @param scenario the scenario that needs the number of decimals; null before the first scenario
   * @returns false if a read got no reply, so that further reads would only wait
   */
  async learn(sessions: Iterable<SessionUnderTest>, scenario: string | null): Promise<boolean> {
    const { client } = this.#options;
    for (const session of sessions) {
      const { sessionID, currency } = session;
      if (this.#known.has(sessionID) || statedDecimals(currency, this.#options) !== null) continue;
      const request = buildRequest({ call: 'balance', ...addressOf(client), fields: { sessionID } });
      const { outcome } = await this.#sender.send({
        call: 'balance',
        request,
        scenario,
        step: null,
        purpose: 'prepare',
      });
      if (outcome.kind !== 'reply') return false;
      const { balance } = readReply(outcome.reply);
      if (!isSuccess(outcome.reply.status) || !balance.money) continue;
      this.#known.add(sessionID);
      const key = keyOf(session);
      this.#most.set(key, Math.max(this.#most.get(key) ?? 0, balance.decimals));
    }
    return true;
  }

  /** Returns the largest number of decimals in the balances that were read so far. undefined if no balance was read. */
  of(session: SessionUnderTest): number | undefined {
    return this.#most.get(keyOf(session));
  }
}

function keyOf(session: SessionUnderTest): string {
  return session.currency === undefined ? `wallet ${walletIdOf(session)}` : `currency ${session.currency}`;
}
