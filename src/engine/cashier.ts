import type { Money } from '../contract/money.ts';
import { readReply } from '../judge/reading.ts';
import { buildRequest } from '../wire/request.ts';
import { replyStatus } from './reply-status.ts';
import type { RunOptions } from './run-options.ts';
import type { Sender } from './sender.ts';
import type { Denomination } from './stakes.ts';

/** A wallet whose balance croupier changes for its own ends, outside of any story. */
export interface Account {
  readonly sessionID: string;
  readonly denomination: Denomination;
  readonly scenario: string;
}

const MOST_TRIES = 2;

/** Moves a player's money by ordinary rounds of croupier's own, which are not judged. */
export class Cashier {
  readonly #sender: Sender;
  readonly #run: RunOptions;

  constructor(sender: Sender, run: RunOptions) {
    this.#sender = sender;
    this.#run = run;
  }

  /**
   * Brings the balance to what it is wanted to be: a bet of what is too much, or a bet and a win that is larger by what
   * is missing. Never a win without its bet.
   *
   * @returns the balance that was read at the end; undefined when it could not be read
   */
  async bring(account: Account, from: Money, to: Money, purpose: 'prepare' | 'restore'): Promise<Money | undefined> {
    let now = from;
    for (let tries = 0; tries < MOST_TRIES && !now.equals(to); tries += 1) {
      const missing = to.minus(now);
      if (missing.decimals() > account.denomination.decimals) return now;
      // A wallet that can't pay a stake can perhaps pay the smallest one there is.
      const { stake: usual, unit } = account.denomination;
      const stake = now.compare(usual) < 0 ? unit : usual;
      const done = missing.isNegative()
        ? await this.#round(account, missing.negated(), null, purpose)
        : await this.#round(account, stake, stake.plus(missing), purpose);
      const read = await this.read(account, purpose);
      if (!read) return undefined;
      now = read;
      if (!done) break;
    }
    return now;
  }

  async read({ sessionID, scenario }: Account, purpose: 'prepare' | 'restore' | 'read'): Promise<Money | undefined> {
    const request = buildRequest({ call: 'balance', ...this.#client(), fields: { sessionID } });
    const { outcome } = await this.#sender.send({ call: 'balance', request, scenario, step: null, purpose });
    return outcome.kind === 'reply' && outcome.reply.status === 200
      ? readReply(outcome.reply).balance.money
      : undefined;
  }

  async #round(account: Account, stake: Money, win: Money | null, purpose: 'prepare' | 'restore'): Promise<boolean> {
    const roundID = this.#run.uuid();
    const { decimals } = account.denomination;
    const send = async (call: 'bet' | 'win', amount: Money): Promise<boolean> => {
      const fields = {
        sessionID: account.sessionID,
        txID: this.#run.uuid(),
        roundID,
        amount: amount.format(decimals),
        type: 'regular',
      };
      const request = buildRequest({ call, ...this.#client(), fields });
      const exchange = await this.#sender.send({ call, request, scenario: account.scenario, step: null, purpose });
      // Another 2xx is a breach that is told elsewhere; the money moved all the same.
      return Math.floor((replyStatus(exchange) ?? 0) / 100) === 2;
    };
    if (!(await send('bet', stake))) return false;
    return win === null || send('win', win);
  }

  #client() {
    const { integratorBaseUrl, paths, headers, integrationApiKey } = this.#run.client;
    return { target: { baseUrl: integratorBaseUrl, paths, headers }, key: integrationApiKey };
  }
}
