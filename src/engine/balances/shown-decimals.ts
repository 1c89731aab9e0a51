import { readReply } from '../../reply/read.ts';
import { isSuccess } from '../../reply/status.ts';
import { buildRequest } from '../../wire/request.ts';
import type { Sender } from '../calls/sender.ts';
import { addressOf, type RunOptions, type SessionUnderTest } from '../run-options.ts';
import { walletIdOf } from '../session-pool.ts';
import { statedDecimals } from '../stakes.ts';

type ShownDecimalsOptions = Pick<RunOptions, 'client' | 'decimals'>;

/**
 * The number of decimals that the operator's balances show, where neither the contract nor the configuration states it. A
 * balance may leave out zeros at its end, so the balance with the most decimals counts, over all wallets of a currency.
 */
export class ShownDecimals {
  readonly #sender: Sender;
  readonly #options: ShownDecimalsOptions;
  /** The most decimals of a balance, by currency; by wallet for sessions without a configured currency. */
  readonly #most = new Map<string, number>();
  readonly #known = new Set<string>();

  constructor(sender: Sender, options: ShownDecimalsOptions) {
    this.#sender = sender;
    this.#options = options;
  }

  /**
   * Reads the balance of each session whose decimals are not known yet, once. A session whose balance is not answered is
   * read again by the next call.
   *
   * @param scenario the scenario that needs the number; null before the first scenario
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
