import { setTimeout as sleep } from 'node:timers/promises';
import type { ActionType, TransactionCall } from '../../contract/call-name.ts';
import { Money } from '../../contract/money.ts';
import type { Exchange } from '../../journal/exchange.ts';
import type { WrongSum } from '../../journal/money-sums.ts';
import { answerOf, mayHaveArrived, mayHaveBeenProcessed } from '../../reply/classify.ts';
import { readReply } from '../../reply/read.ts';
import { isSuccess, isWorthRetrying, replyStatus } from '../../reply/status.ts';
import { buildRequest } from '../../wire/request.ts';
import type { Sender } from '../calls/sender.ts';
import { pause } from '../calls/waits.ts';
import { addressOf, type RunOptions } from '../run-options.ts';
import type { Denomination } from '../stakes.ts';
import { OwnLimits } from './own-limits.ts';

/** A wallet whose balance croupier changes outside the steps of a scenario. */
export interface Account {
  readonly sessionID: string;
  readonly denomination: Denomination;
  /** The scenario that needs the changed balance. Null if no scenario needs it. */
  readonly scenario: string | null;
}

/** The reason why croupier changes a balance. `settle`: croupier sends a call that the real service would also send. */
type Purpose = 'prepare' | 'restore' | 'settle' | 'probe';

/** A round that is completed with a win. */
export interface RoundToEnd {
  readonly roundID: string;
  readonly type: ActionType;
  /** The campaign of a free round. Undefined for other rounds. */
  readonly frID: string | undefined;
}

/** A call of a round that croupier plays to change a balance. */
interface OwnCall {
  readonly call: TransactionCall;
  readonly fields: Readonly<Record<string, string>>;
}

const MAX_TRIES = 2;
/** Maximum number of rounds that croupier begins for one change if temporary errors make rounds fail. */
const MAX_ROUNDS = 4;
/** Maximum number of times that a win or refund is sent. After that, `croupier settle` has to send it. */
const MAX_SENDINGS = 4;
/** Maximum number of times that a win of 0 is sent. It is low, because nobody loses money if this win does not arrive. */
const MAX_SENDINGS_OF_ZERO = 2;
/**
 * After this number of wins of 0 without a reply, croupier sends no more wins of 0 in this run. For each of them, the run would
 * wait until the deadline.
 */
const MAX_UNANSWERED_ENDS = 2;
/**
 * Maximum number of times that a win or refund is sent after the run was interrupted. If the call is still unanswered then, the
 * journal says that it is owed.
 */
const MAX_SENDINGS_INTERRUPTED = 2;
/** Maximum number of times that a balance is read while the operator is too busy to answer. */
const MAX_READS = 4;
/** Maximum number of wrong balances of one session that are reported. */
const MAX_REPORTED_MISSES = 3;
/** Number of plain bets that are placed to find out why the operator declined a bet. */
const PLAIN_BETS = 2;
const FIRST_PAUSE_MS = 50;

/** A wrong balance after a round whose bet and win were accepted. */
interface Miss {
  readonly expected: Money;
  readonly actual: Money;
}

/** The result of a round that croupier plays to change a balance. `again`: the bet failed, but may succeed later. */
type Round = 'played' | 'again' | 'failed';

export type BalanceAdjusterOptions = Pick<RunOptions, 'client' | 'uuid' | 'record'> & {
  /**
   * Returns the time in milliseconds that a read must wait, so that earlier calls can take effect first. Absent: a read does not
   * wait.
   */
  readonly readAfterMs?: () => number;
  /**
   * True if a balance of a session seems to be the balance of another player. Then it is read once more, so that croupier does not
   * change a balance because of a wrong read. Absent: no balance is compared.
   */
  readonly seemsOfOther?: (sessionID: string, balance: Money) => boolean;
  /** The signal that interrupts the run. After it is aborted, calls are retried less often. */
  readonly signal?: AbortSignal;
};

/** Changes a player's balance with bets and wins. The replies to these calls are not judged. */
export class BalanceAdjuster {
  /** Remembers the limits of the operator for which it declined calls in this run. */
  readonly ownLimits = new OwnLimits();
  readonly #sender: Sender;
  readonly #run: BalanceAdjusterOptions;
  readonly #shortfalls: { readonly scenario: string; readonly wrongSum: WrongSum }[] = [];
  /** The number of wins of 0 that got no reply. */
  #unansweredEnds = 0;
  /** For each session whose balance was wrong after a round that croupier played: the last wrong balance and the expected one. */
  readonly #misses = new Map<string, Miss>();
  readonly #reportedMisses = new Map<string, number>();

  constructor(sender: Sender, run: BalanceAdjusterOptions) {
    this.#sender = sender;
    this.#run = run;
  }

  /** Returns the sums by which the wins were too low that croupier itself sent for a scenario, in the order of these wins. */
  shortfallsOf(scenario: string): readonly WrongSum[] {
    return this.#shortfalls.flatMap((one) => (one.scenario === scenario ? [one.wrongSum] : []));
  }

  /**
   * Changes the balance to the wanted value. To lower the balance, places a bet of the difference. To raise the balance, places a
   * bet and then sends a win that is larger than the bet. Never sends a win without a bet. A wallet may show a balance with more
   * decimals than an amount may have. Then the balance is changed by whole units, so a rest of less than one unit remains.
   *
   * @param open a round that has already begun. If the balance must be raised, this round gets the win, so no new bet is necessary;
   * undefined if there is no such round
   * @returns the balance that was read at the end; undefined if it could not be read
   */
  async bring(
    account: Account,
    from: Money,
    to: Money,
    purpose: 'prepare' | 'restore',
    open?: RoundToEnd,
  ): Promise<Money | undefined> {
    this.#misses.delete(account.sessionID);
    let now = from;
    let beginnings = 0;
    let begun = open;
    // At this operator, all bets fail. So a further bet would only add one more call with an unknown outcome.
    if (!begun && this.#sender.waitPolicy.stopsRetrying('bet')) return now;
    for (let tries = 0; tries < MAX_TRIES && !now.equals(to); ) {
      const missing = to.minus(now).truncated(account.denomination.decimals);
      // The rest is too small for a bet or a win.
      if (missing.isZero()) return now;
      // At this operator, all wins time out. So it would be unknown whether the operator credited a win.
      if (!missing.isNegative() && this.#sender.waitPolicy.neverEnds('win')) return now;
      const stake = stakeWithin(now, account.denomination);
      const raising = missing.isNegative() ? Money.zero : begun ? missing : stake.plus(missing);
      const round = missing.isNegative()
        ? await this.#round(account, missing.negated(), Money.zero, purpose)
        : begun
          ? await this.#pay(account, begun, missing, purpose, false)
          : await this.#round(account, stake, raising, purpose);
      begun = undefined;
      const read = await this.read(account, purpose);
      if (!read) return undefined;
      if (round === 'played' && !raising.isZero())
        this.#recordShortfall(account, raising, read.minus(now.plus(missing)));
      const expected = now.plus(missing);
      const isMissed = read.minus(expected).absolute().compare(Money.unit(account.denomination.decimals)) >= 0;
      if (round === 'played' && isMissed) this.#misses.set(account.sessionID, { expected, actual: read });
      now = read;
      beginnings += 1;
      if (round === 'failed' || beginnings === MAX_ROUNDS || this.#run.signal?.aborted) break;
      if (round === 'played') tries += 1;
      else await sleep(FIRST_PAUSE_MS * 2 ** beginnings);
    }
    return now;
  }

  /**
   * Returns the wrong balance after the last change of the balance of a session. Undefined if no balance was wrong, or if this method has
   * returned enough wrong balances of the session already. So a fault leaves only a few scenarios undecided.
   */
  missOf(sessionID: string): Miss | undefined {
    const miss = this.#misses.get(sessionID);
    const reported = this.#reportedMisses.get(sessionID) ?? 0;
    if (!miss || reported >= MAX_REPORTED_MISSES) return undefined;
    this.#reportedMisses.set(sessionID, reported + 1);
    return miss;
  }

  /** Reads the balance. Retries the read if the operator is too busy. */
  async read(account: Account, purpose: Purpose | 'read'): Promise<Money | undefined> {
    await pause(this.#run.readAfterMs?.() ?? 0);
    for (let reads = 1; ; reads += 1) {
      const exchange = await this.readOnce(account, purpose);
      const balance = balanceIn(exchange);
      if (balance && purpose !== 'probe' && this.#run.seemsOfOther?.(account.sessionID, balance))
        return balanceIn(await this.readOnce(account, purpose)) ?? balance;
      if (balance || !isWorthRetrying(replyStatus(exchange)) || reads === MAX_READS) return balance;
      await sleep(FIRST_PAUSE_MS * 2 ** reads);
    }
  }

  /** Sends one balance call, without a retry. */
  readOnce({ sessionID, scenario }: Account, purpose: Purpose | 'read'): Promise<Exchange> {
    const request = buildRequest({ call: 'balance', ...this.#client(), fields: { sessionID } });
    return this.#sender.send({ call: 'balance', request, scenario, step: null, purpose });
  }

  /**
   * Completes a lost round with a win of 0, as the service does.
   *
   * @returns the exchange in which the win was accepted; undefined if it was not accepted
   */
  async endRound(account: Account, round: RoundToEnd, purpose: Purpose): Promise<Exchange | undefined> {
    if (this.#unansweredEnds >= MAX_UNANSWERED_ENDS || this.#sender.waitPolicy.stopsRetrying('win')) return undefined;
    const exchange = await this.#untilAnswered(account, this.#winOf(account, round, Money.zero), purpose);
    const status = replyStatus(exchange);
    if (status === undefined) this.#unansweredEnds += 1;
    return isSuccess(status) ? exchange : undefined;
  }

  /**
   * Places two plain bets, one after the other. For each bet, sends a win of the same amount. The replies show whether the operator
   * declines every bet at this time.
   *
   * @returns the exchanges of the bets; only one if the first bet was not accepted
   */
  async plainBets(account: Account, balance: Money | undefined): Promise<readonly Exchange[]> {
    const stake = balance ? stakeWithin(balance, account.denomination) : account.denomination.stake;
    const bets: { readonly round: RoundToEnd; readonly exchange: Exchange }[] = [];
    for (let isAccepted = true; isAccepted && bets.length < PLAIN_BETS; ) {
      const round = this.#newRound();
      const exchange = await this.#bet(account, round, stake, 'probe');
      bets.push({ round, exchange });
      isAccepted = isSuccess(replyStatus(exchange));
    }
    for (const { round, exchange } of bets)
      if (isSuccess(replyStatus(exchange))) await this.#pay(account, round, stake, 'probe', true);
    return bets.map(({ exchange }) => exchange);
  }

  /**
   * Places one plain bet, and sends a win of the same amount if the operator accepts the bet.
   *
   * @param isShort if true, the amount of the bet is written without zeros at its end
   * @returns undefined if the balance is too low or unknown
   */
  async plainBet(
    account: Account,
    balance: Money | undefined,
    amount: Money,
    isShort: boolean,
  ): Promise<Exchange | undefined> {
    if (!balance || balance.compare(amount) < 0) return undefined;
    const round = this.#newRound();
    const { denomination } = account;
    const bettor = isShort ? { ...account, denomination: { ...denomination, decimals: 0 } } : account;
    const exchange = await this.#bet(bettor, round, amount, 'probe');
    if (isSuccess(replyStatus(exchange))) await this.#pay(account, round, amount, 'probe', true);
    return exchange;
  }

  /**
   * Places a free bet, and refunds it. The reply to the bet shows whether the operator accepts free bets at this time.
   *
   * @param frID the campaign of the free bet
   */
  async freeBet(account: Account, frID: string): Promise<Exchange> {
    const bet = this.#betOf(account, { ...this.#newRound(), type: 'free', frID }, account.denomination.stake);
    const exchange = await this.#place(account, bet, 'probe');
    // The refund gives back what the bet took, whether or not free bets take money at this operator.
    if (isSuccess(replyStatus(exchange))) await this.#refund(account, bet, 'probe');
    return exchange;
  }

  /**
   * Completes a round with a win of more than 0. @param isOwn true if croupier began the round to raise the balance. Then croupier
   * still owes this win, even if the operator declines it
   */
  async #pay(account: Account, round: RoundToEnd, amount: Money, purpose: Purpose, isOwn: boolean): Promise<Round> {
    const win = this.#winOf(account, round, amount);
    const status = replyStatus(await this.#untilAnswered(account, win, purpose));
    if (isSuccess(status)) return 'played';
    if (!isOwn && status !== undefined && !isWorthRetrying(status)) return 'again';
    this.#recordOwed(account, 'win', win);
    return 'failed';
  }

  #winOf(account: Account, { roundID, type, frID }: RoundToEnd, amount: Money): OwnCall {
    const fields = { ...this.#fieldsOf(account, roundID, amount), type };
    return { call: 'win', fields: frID === undefined ? fields : { ...fields, frID } };
  }

  #fieldsOf({ sessionID, denomination }: Account, roundID: string, amount: Money) {
    const written = amount.isZero() ? '0' : amount.format(denomination.decimals);
    return { sessionID, txID: this.#run.uuid(), roundID, amount: written };
  }

  /** Plays a new round. If the round lowers the balance, its win is 0. */
  async #round(account: Account, stake: Money, win: Money, purpose: Purpose): Promise<Round> {
    const round = this.#newRound();
    const taken = await this.#bet(account, round, stake, purpose);
    if (!isSuccess(replyStatus(taken))) {
      // If the operator accepts no refunds, each further bet may also lose its stake. So croupier plays no more rounds.
      const isLost = mayHaveTaken(taken) && this.#sender.waitPolicy.stopsRetrying('refund');
      return !isLost && isWorthRetrying(replyStatus(taken)) ? 'again' : 'failed';
    }
    if (!win.isZero()) return this.#pay(account, round, win, purpose, true);
    await this.endRound(account, round, purpose);
    return 'played';
  }

  #newRound(): RoundToEnd {
    return { roundID: this.#run.uuid(), type: 'regular', frID: undefined };
  }

  #bet(account: Account, round: RoundToEnd, stake: Money, purpose: Purpose): Promise<Exchange> {
    return this.#place(account, this.#betOf(account, round, stake), purpose);
  }

  #betOf(account: Account, { roundID, type, frID }: RoundToEnd, stake: Money): OwnCall {
    const fields = { ...this.#fieldsOf(account, roundID, stake), type };
    return { call: 'bet', fields: frID === undefined ? fields : { ...fields, frID } };
  }

  /** Places a bet. If the outcome of the bet is unknown, refunds the bet. */
  async #place(account: Account, bet: OwnCall, purpose: Purpose): Promise<Exchange> {
    const taken = await this.#send(account, bet, purpose);
    // All other errors mean that the operator did not take the money of the bet (contract). So croupier does not refund the bet.
    if (!isSuccess(replyStatus(taken)) && mayHaveTaken(taken)) await this.#refund(account, bet, purpose);
    return taken;
  }

  async #refund(account: Account, bet: OwnCall, purpose: Purpose): Promise<void> {
    const { txID = '', roundID = '', amount = '' } = bet.fields;
    const fields = { sessionID: account.sessionID, txID: this.#run.uuid(), origTxID: txID, roundID, amount };
    const exchange = await this.#untilAnswered(account, { call: 'refund', fields }, purpose);
    if (!isSuccess(replyStatus(exchange))) this.#recordOwed(account, 'refund', bet);
  }

  async #send({ scenario }: Account, { call, fields }: OwnCall, purpose: Purpose): Promise<Exchange> {
    const request = buildRequest({ call, ...this.#client(), fields });
    return this.#sender.send({ call, request, amount: fields.amount, scenario, step: null, purpose });
  }

  /**
   * Sends a win or refund until it is answered 200, as the real service does. Unlike the service, it stops after a maximum
   * number of attempts.
   *
   * @returns the last exchange
   */
  async #untilAnswered(account: Account, call: OwnCall, purpose: Purpose): Promise<Exchange> {
    for (let sendings = 1; ; sendings += 1) {
      const exchange = await this.#send(account, call, purpose);
      const status = replyStatus(exchange);
      // A call that got no reply is sent once more. If it gets no reply again, croupier stops sending it.
      const isLast = status === undefined ? sendings > 1 : !isWorthRetrying(status);
      if (isLast || sendings >= this.#maxSendings(call)) return exchange;
      await sleep(FIRST_PAUSE_MS * 2 ** sendings);
    }
  }

  #maxSendings({ call, fields }: OwnCall): number {
    if (this.#sender.waitPolicy.stopsRetrying(call)) return 1;
    if (call === 'win' && fields.amount === '0') return MAX_SENDINGS_OF_ZERO;
    return this.#run.signal?.aborted ? MAX_SENDINGS_INTERRUPTED : MAX_SENDINGS;
  }

  /**
   * Writes to the journal by how much an accepted win has left the balance too low. The win is not judged. But if the operator breaks
   * the rule about wins anyway, the sum shows how much money it keeps back of a large win.
   */
  #recordShortfall({ scenario, denomination }: Account, win: Money, difference: Money): void {
    if (scenario === null || !difference.isNegative()) return;
    const sums = { amount: difference.toString(), currency: denomination.code ?? null, moved: win.toString() };
    const wrongSum = { ...sums, varies: true } as const;
    this.#shortfalls.push({ scenario, wrongSum });
    this.#run.record({
      event: 'wrong-sum',
      scenario,
      attempt: null,
      rule: 'win.credit',
      endpoint: null,
      step: null,
      wrongSum,
    });
  }

  /**
   * Writes to the journal that croupier still owes a call. Without this event, nobody would know that the player has lost the stake
   * of the bet.
   */
  #recordOwed({ scenario, sessionID }: Account, call: 'win' | 'refund', { fields }: OwnCall): void {
    this.#run.record({ event: 'owed', scenario, call, sessionID, txID: fields.txID ?? '', open: true, fields });
  }

  #client() {
    return addressOf(this.#run.client);
  }
}

/** Returns the largest stake that the balance allows: the usual stake, the smallest stake, or zero for an empty wallet. */
function stakeWithin(balance: Money, { stake, unit }: Denomination): Money {
  return [stake, unit].find((one) => one.compare(balance) <= 0) ?? Money.zero;
}

/** Returns the balance in the reply to a balance call. Undefined if the reply has no balance or no reply arrived. */
export function balanceIn({ outcome }: Exchange): Money | undefined {
  return outcome.kind === 'reply' && isSuccess(outcome.reply.status)
    ? readReply(outcome.reply).balance.money
    : undefined;
}

/** True if a bet that was not answered 200 must be refunded because the operator may have carried it out. */
function mayHaveTaken(exchange: Exchange): boolean {
  const { outcome } = exchange;
  const reading = outcome.kind === 'reply' ? readReply(outcome.reply) : undefined;
  return mayHaveArrived(exchange) && mayHaveBeenProcessed(answerOf(exchange, reading), reading?.status);
}
