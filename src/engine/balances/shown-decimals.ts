import { readReply } from '../../reply/read.ts';
import { isSuccess } from '../../reply/status.ts';
import { buildRequest } from '../../wire/request.ts';
import type { Sender } from '../calls/sender.ts';
import { addressOf, type RunOptions, type SessionUnderTest } from '../run-options.ts';
import { walletIdOf } from '../session-pool.ts';
import { statedDecimals } from '../stakes.ts';

type ShownDecimalsOptions = Pick<RunOptions, 'client' | 'decimals'>;

/**
 * The number of decimals in the operator's balances, for currencies without a number in the contract or in the configuration. A
 * balance may leave out zeros at its end. So the balance with the most decimals counts, over all wallets of a currency.
 */
export class ShownDecimals {
  readonly #sender: Sender;
  readonly #options: ShownDecimalsOptions;
  /** The most decimals of a balance, by currency. For a session without a configured currency, by wallet. */
  readonly #most = new Map<string, number>();
  readonly #known = new Set<string>();

  constructor(sender: Sender, options: ShownDecimalsOptions) {
    this.#sender = sender;
    this.#options = options;
  }

  /**
   * Reads the balance of each session once if its decimals are not known yet. If the operator does not answer the read of a
   * session, the next call of `learn` reads this balance again.
   *
   * @param scenario the scenario that needs the number of decimals; null before the first scenario
   * @returns false if a call got no reply, so that further reads would only wait
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

  /** Returns the most decimals of the balances that were read so far. undefined if none was read. */
  of(session: SessionUnderTest): number | undefined {
    return this.#most.get(keyOf(session));
  }
}

function keyOf(session: SessionUnderTest): string {
  return session.currency === undefined ? `wallet ${walletIdOf(session)}` : `currency ${session.currency}`;
}
