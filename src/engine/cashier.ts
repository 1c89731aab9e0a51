import { setTimeout as sleep } from 'node:timers/promises';
import { Money } from '../contract/money.ts';
import type { Exchange } from '../journal/exchange.ts';
import { mayHaveArrived } from '../judge/answer.ts';
import { isPassing } from '../judge/check.ts';
import { readReply } from '../judge/reading.ts';
import { buildRequest } from '../wire/request.ts';
import { pause } from './pause.ts';
import { replyStatus } from './reply-status.ts';
import type { RunOptions } from './run-options.ts';
import type { Sender } from './sender.ts';
import type { Denomination } from './stakes.ts';
import { addressOf } from './target.ts';

/** A wallet whose balance croupier changes for its own ends, outside of any story. */
export interface Account {
  readonly sessionID: string;
  readonly denomination: Denomination;
  /** On whose behalf; null: of none. */
  readonly scenario: string | null;
}

/** Why croupier changes a balance. */
type Purpose = 'prepare' | 'restore';

/** A call of croupier's own round. */
interface OwnCall {
  readonly call: 'bet' | 'win' | 'refund';
  readonly fields: Readonly<Record<string, string>>;
}

const MOST_TRIES = 2;
/** So often a round of croupier's own is begun that a passing trouble of the operator's keeps from being played. */
const MOST_BEGINNINGS = 4;
/** So often a win or a refund of croupier's own is sent before it is left to be settled. */
const MOST_SENDINGS = 4;
/** And so often when the run was interrupted: what is owed then stays written down. */
const MOST_SENDINGS_IN_HASTE = 2;
/** So often a balance is asked for that the operator is too busy to tell. */
const MOST_READS = 4;
const FIRST_PAUSE_MS = 50;

/** What became of a round of croupier's own: `again`, it did not begin, and may another time. */
type Round = 'played' | 'again' | 'failed';

export type CashierOptions = Pick<RunOptions, 'client' | 'uuid' | 'record'> & {
  /** How many ms a read waits for what was moved before it. Left out: none. */
  readonly readAfterMs?: () => number;
  /** Once it is aborted, little is tried again. */
  readonly signal?: AbortSignal;
};

/** Moves a player's money by ordinary rounds of croupier's own, which are not judged. */
export class Cashier {
  readonly #sender: Sender;
  readonly #run: CashierOptions;

  constructor(sender: Sender, run: CashierOptions) {
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
    let beginnings = 0;
    // Another bet would be one more of unknown outcome.
    if (this.#sender.patience.isShort('bet')) return now;
    for (let tries = 0; tries < MOST_TRIES && !now.equals(to); ) {
      const missing = to.minus(now);
      if (missing.decimals() > account.denomination.decimals) return now;
      const stake = stakeWithin(now, account.denomination);
      const round = missing.isNegative()
        ? await this.#round(account, missing.negated(), null, purpose)
        : await this.#round(account, stake, stake.plus(missing), purpose);
      const read = await this.read(account, purpose);
      if (!read) return undefined;
      now = read;
      beginnings += 1;
      if (round === 'failed' || beginnings === MOST_BEGINNINGS || this.#run.signal?.aborted) break;
      if (round === 'played') tries += 1;
      else await sleep(FIRST_PAUSE_MS * 2 ** beginnings);
    }
    return now;
  }

  /** Asks again where the operator is too busy to tell. */
  async read(account: Account, purpose: Purpose | 'read'): Promise<Money | undefined> {
    await pause(this.#run.readAfterMs?.() ?? 0);
    for (let reads = 1; ; reads += 1) {
      const exchange = await this.ask(account, purpose);
      const balance = balanceIn(exchange);
      if (balance || !isPassing(replyStatus(exchange)) || reads === MOST_READS) return balance;
      await sleep(FIRST_PAUSE_MS * 2 ** reads);
    }
  }

  /** The call that reads a balance. */
  ask({ sessionID, scenario }: Account, purpose: Purpose | 'read'): Promise<Exchange> {
    const request = buildRequest({ call: 'balance', ...this.#client(), fields: { sessionID } });
    return this.#sender.send({ call: 'balance', request, scenario, step: null, purpose });
  }

  async #round(account: Account, stake: Money, win: Money | null, purpose: Purpose): Promise<Round> {
    const roundID = this.#run.uuid();
    const { decimals } = account.denomination;
    const fieldsOf = (amount: Money) => ({
      sessionID: account.sessionID,
      txID: this.#run.uuid(),
      roundID,
      amount: amount.format(decimals),
    });
    const bet: OwnCall = { call: 'bet', fields: { ...fieldsOf(stake), type: 'regular' } };
    const taken = await this.#send(account, bet, purpose);
    if (!isSuccess(taken)) {
      const refund: OwnCall = { call: 'refund', fields: { ...fieldsOf(stake), origTxID: bet.fields.txID ?? '' } };
      // By the contract no other error is refunded, for it has taken nothing.
      if (mayHaveTaken(taken) && !(await this.#untilAnswered(account, refund, purpose))) {
        this.#owe(account, 'refund', bet);
        // Where refunds never work, each further bet would be one more that is lost.
        if (this.#sender.patience.isShort('refund')) return 'failed';
      }
      return isPassing(replyStatus(taken)) ? 'again' : 'failed';
    }
    if (win === null) return 'played';
    const credit: OwnCall = { call: 'win', fields: { ...fieldsOf(win), type: 'regular' } };
    if (await this.#untilAnswered(account, credit, purpose)) return 'played';
    this.#owe(account, 'win', credit);
    return 'failed';
  }

  async #send({ scenario }: Account, { call, fields }: OwnCall, purpose: Purpose): Promise<Exchange> {
    const request = buildRequest({ call, ...this.#client(), fields });
    return this.#sender.send({ call, request, scenario, step: null, purpose });
  }

  /** As the service does with wins and refunds, but not for ever. */
  async #untilAnswered(account: Account, call: OwnCall, purpose: Purpose): Promise<boolean> {
    for (let sendings = 0; sendings < this.#mostSendings(call); sendings += 1) {
      if (sendings > 0) await sleep(FIRST_PAUSE_MS * 2 ** sendings);
      const exchange = await this.#send(account, call, purpose);
      if (isSuccess(exchange)) return true;
      const status = replyStatus(exchange);
      // Who doesn't answer twice isn't waited for any longer.
      if (status === undefined ? sendings > 0 : isSettledError(status)) return false;
    }
    return false;
  }

  #mostSendings({ call }: OwnCall): number {
    if (this.#sender.patience.isShort(call)) return 1;
    return this.#run.signal?.aborted ? MOST_SENDINGS_IN_HASTE : MOST_SENDINGS;
  }

  /** Else the player would have lost the stake, and nobody would know. */
  #owe({ scenario, sessionID }: Account, call: 'win' | 'refund', { fields }: OwnCall): void {
    this.#run.record({ event: 'owed', scenario, call, sessionID, txID: fields.txID ?? '', open: true, fields });
  }

  #client() {
    return addressOf(this.#run.client);
  }
}

/** A wallet that can't pay the usual stake can perhaps pay the smallest there is, and an empty one a bet of nothing. */
function stakeWithin(balance: Money, { stake, unit }: Denomination): Money {
  return [stake, unit].find((one) => one.compare(balance) <= 0) ?? Money.zero;
}

/** The balance that a read was answered with; undefined: none. */
export function balanceIn({ outcome }: Exchange): Money | undefined {
  return outcome.kind === 'reply' && outcome.reply.status === 200 ? readReply(outcome.reply).balance.money : undefined;
}

/** Another 2xx is a breach that is told elsewhere; the money moved all the same. */
function isSuccess(exchange: Exchange): boolean {
  return Math.floor((replyStatus(exchange) ?? 0) / 100) === 2;
}

function mayHaveTaken(exchange: Exchange): boolean {
  return mayHaveArrived(exchange) && (replyStatus(exchange) ?? 500) >= 500;
}

/** An error that another try a moment later won't change. */
function isSettledError(status: number): boolean {
  return status < 500 && ![409, 423, 425, 429].includes(status);
}
