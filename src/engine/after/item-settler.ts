import { setTimeout as sleep } from 'node:timers/promises';
import type { Money } from '../../contract/money.ts';
import type { JournalEvent } from '../../journal/event.ts';
import type { Outcome } from '../../journal/exchange.ts';
import { isSuccess, isWorthRetrying, replyStatus } from '../../reply/status.ts';
import { buildRequest } from '../../wire/request.ts';
import { type Account, BalanceAdjuster, balanceIn } from '../balances/balance-adjuster.ts';
import type { BalanceEstimate } from '../balances/balance-estimate.ts';
import type { Sender } from '../calls/sender.ts';
import { addressOf, type ClientUnderTest } from '../run-options.ts';
import { walletIdOf } from '../session-pool.ts';
import { type AmountSettings, denominationOf } from '../stakes.ts';
import type { AfterRun } from './after-run.ts';
import { callEvents } from './debts.ts';
import { keyOfItem, type OpenItem, refundFields } from './open-items.ts';
import type { PastTransaction } from './past-transactions.ts';

export interface ItemSettlerOptions extends AmountSettings {
  readonly client: ClientUnderTest;
  /** The state of the transactions and wallets at the end of the run. The events of the settlement must be added to this state. */
  readonly afterRun: AfterRun;
  readonly lingerMs: number;
  /**
   * True if the last calls of the run may be missing in the journal. Then a balance that the journal does not explain is restored
   * too. Absent: the journal has every call, so somebody else may have caused such a balance.
   */
  readonly isCutOff?: boolean;
  /** Receives every event, in order. The events must be written to the journal of the run. */
  readonly record: (event: JournalEvent) => void;
  readonly signal: AbortSignal;
  readonly uuid: () => string;
}

/** The attempts to settle one open item. */
export interface Progress {
  item: OpenItem;
  tries: number;
  last: Outcome | null;
  found: Money | null;
  missing: Money | null;
  /** The reason why croupier does not try again, as a clause. Null while it still tries. */
  givenUp: string | null;
}

/** An open item that is settled by sending a known call. */
export type CallItem = Extract<OpenItem, { kind: 'refund' | 'again' }>;

export function isCall(item: OpenItem): item is CallItem {
  return item.kind === 'refund' || item.kind === 'again';
}

/** The amount of the win that completes a lost round. */
const NO_MONEY = '0';

/** Sends what a run owes, one item at a time: a refund or a win, the end of a round, or the calls that restore a balance. */
export class ItemSettler {
  readonly #options: ItemSettlerOptions;
  readonly #afterRun: AfterRun;
  readonly #sender: Sender;
  readonly #adjuster: BalanceAdjuster;
  readonly #balanceTries: number;
  readonly #progress = new Map<string, Progress>();

  /** @param balanceTries the maximum number of attempts to restore a balance */
  constructor(options: ItemSettlerOptions, sender: Sender, balanceTries: number) {
    this.#options = options;
    this.#balanceTries = balanceTries;
    this.#afterRun = options.afterRun;
    this.#sender = sender;
    this.#adjuster = new BalanceAdjuster(sender, options);
  }

  /** The attempts so far, by the key of the item. */
  get progress(): ReadonlyMap<string, Progress> {
    return this.#progress;
  }

  progressOf(item: OpenItem): Progress {
    const key = keyOfItem(item);
    const known = this.#progress.get(key);
    if (known) return known;
    const progress = { item, tries: 0, last: null, found: null, missing: null, givenUp: null };
    this.#progress.set(key, progress);
    return progress;
  }

  /**
   * True if the item is a balance, and its wallet still has open calls that move money. Then these calls must be settled first.
   * Otherwise the same amount could be restored twice.
   */
  isBlocked(item: OpenItem): boolean {
    if (item.kind !== 'balance') return false;
    const { walletID } = item.estimate;
    return this.#afterRun.open.some((open) => open.walletID === walletID && !open.call.amount.isZero());
  }

  /** Completes a round with a win of 0. If this win gets no answer, the win becomes an open item. */
  async complete(item: Extract<OpenItem, { kind: 'round' }>): Promise<void> {
    const progress = this.progressOf(item);
    const { client, uuid } = this.#options;
    const { sessionID, roundID } = item.bet.call;
    const fields = { sessionID, amount: NO_MONEY, roundID, txID: uuid(), type: 'regular' };
    const request = buildRequest({ ...addressOf(client), call: 'win', fields });
    const sending = { call: 'win', request, amount: NO_MONEY, scenario: null, step: null, purpose: 'settle' } as const;
    const { outcome } = await this.#sender.send(sending);
    progress.tries += 1;
    progress.last = outcome;
    if (isFinalError(replyStatus({ outcome }))) progress.givenUp = `it was ${answered(outcome)}`;
  }

  /** Sends an owed call once. */
  async send(item: CallItem): Promise<Outcome> {
    const progress = this.progressOf(item);
    const { client, uuid } = this.#options;
    const past = item.kind === 'refund' ? item.refund : item.transaction;
    const call = past?.call.call ?? 'refund';
    const content =
      item.kind === 'refund' && past === null
        ? { fields: refundFields(item, uuid()) }
        : { fields: {}, rawBody: bodyOf(past, progress.tries) };
    const request = buildRequest({ ...addressOf(client), call, ...content });
    // If no refund was sent yet, the new refund gets the amount of the bet.
    const { amountText: amount } = (past ?? (item.kind === 'refund' ? item.bet : item.transaction)).call;
    const sending = { call, request, amount, scenario: null, step: null, purpose: 'settle' } as const;
    const { outcome } = await this.#sender.send(sending);
    progress.tries += 1;
    progress.last = outcome;
    progress.item = item;
    const status = replyStatus({ outcome });
    if (isFinalError(status)) progress.givenUp = `it was ${answered(outcome)}`;
    if (status === 200) this.announce();
    return outcome;
  }

  /** Reads a balance, and restores it if the missing amount is certain. */
  async restore(item: Extract<OpenItem, { kind: 'balance' }>): Promise<void> {
    const { estimate } = item;
    const progress = this.progressOf(item);
    const account = this.#accountOf(estimate);
    progress.tries += 1;
    if (!(await this.#readBalance(account, progress))) return;
    if (estimate.strange !== null) {
      // A late debit may still bring the balance to the expected value. So the balance is read a second time.
      await sleep(this.#options.lingerMs, undefined, { signal: this.#options.signal }).catch(() => {});
      if (!(await this.#readBalance(account, progress))) return;
      if (estimate.strange !== null && this.#options.isCutOff) estimate.reads(estimate.strange);
    }
    const missing = estimate.missing();
    const tooSmall = whyTooSmall(estimate, account);
    if (missing === undefined || tooSmall !== null) {
      progress.givenUp = tooSmall ?? whyUncertain(estimate);
      return;
    }
    progress.missing ??= missing;
    if (missing.isZero()) return;
    await this.#adjuster.bring(account, estimate.read, estimate.target, 'restore');
    if (estimate.missing()?.isZero() === true || this.isBlocked(item)) return;
    const rest = whyTooSmall(estimate, account);
    if (rest !== null) progress.givenUp = rest;
    else if (progress.tries >= this.#balanceTries)
      progress.givenUp = `${sumsOf(estimate)}, and the operator did not carry out the bet and the win that restore it`;
  }

  /**
   * Reads the balance once and notes the result.
   *
   * @returns false if the balance could not be read
   */
  async #readBalance(account: Account, progress: Progress): Promise<boolean> {
    const exchange = await this.#adjuster.readOnce(account, 'restore');
    progress.last = exchange.outcome;
    const value = balanceIn(exchange);
    const status = replyStatus(exchange);
    if (value) progress.found ??= value;
    else if (isFinalError(status))
      progress.givenUp = `the balance could not be read, because GET /balance was ${answered(exchange.outcome)}`;
    return value !== undefined;
  }

  /**
   * Chooses the session in which a bet of this wallet is most likely to succeed. Prefers the session in which the balance was
   * first read, and avoids sessions that are configured as expired.
   */
  #accountOf(estimate: BalanceEstimate): Account {
    const { client } = this.#options;
    const { sessions } = this.#afterRun.run.settings;
    const own = client.sessions.filter(
      (session) => walletIdOf(session) === estimate.walletID && session.state !== 'expired',
    );
    const { sessionID } = own.find((session) => session.sessionID === estimate.sessionID) ?? own[0] ?? estimate;
    const currency = sessions.find((session) => session.sessionID === estimate.sessionID)?.currency ?? undefined;
    const decimals = Math.max(estimate.target.decimals(), ...estimate.possible().map((money) => money.decimals()));
    return {
      sessionID,
      denomination: denominationOf(currency, this.#options, decimals),
      scenario: null,
    };
  }

  /**
   * Writes an `owed` event for each call that is newly owed, and for each call that is newly settled. So reports on the journal are
   * right.
   */
  announce(): void {
    for (const event of callEvents(this.#afterRun)) this.#options.record(event);
  }
}

/**
 * Returns the body for the next attempt. If several bodies were sent with the same txID, the operator knows only one of them and
 * refuses the others. So each attempt uses another body.
 */
function bodyOf(past: PastTransaction | null, tries: number): string {
  return past?.bodies[tries % past.bodies.length] ?? '';
}

function sumsOf(estimate: BalanceEstimate): string {
  return `the balance is ${estimate.strange ?? estimate.read}, but it was ${estimate.target} before the run`;
}

/** Returns the reason if the rest of a wrong balance is less than the smallest amount of a bet or a win. Otherwise returns null. */
function whyTooSmall(estimate: BalanceEstimate, { denomination: { unit } }: Account): string | null {
  const rest = estimate.strange ? estimate.target.minus(estimate.strange) : estimate.missing();
  if (!rest || rest.isZero() || rest.absolute().compare(unit) >= 0) return null;
  return `${sumsOf(estimate)}. No bet and no win can correct the rest, because it is less than the smallest amount, ${unit}. Correct the balance at the operator`;
}

function whyUncertain(estimate: BalanceEstimate): string {
  const possible = estimate.possible().map(String).slice(0, 4);
  if (estimate.strange !== null) {
    return `the balance is ${estimate.strange}, but the run left it at ${possible.join(' or ')} (it was ${estimate.target} before the run), so somebody else has changed it, or the operator moved wrong amounts`;
  }
  return `the balance was ${estimate.target} before the run, but the journal does not show for certain which amounts the run moved`;
}

/** True for an error that a retry will not change. */
function isFinalError(status: number | undefined): boolean {
  return status !== undefined && !isSuccess(status) && !isWorthRetrying(status);
}

/** Describes the last answer to a call that is still owed, as a clause. */
export function answered(outcome: Outcome): string {
  if (outcome.kind === 'none') return `not answered (${outcome.reason}: ${outcome.detail})`;
  const { status } = outcome.reply;
  return status === 200 ? 'answered 200, but the body is not a successful reply' : `answered ${status}`;
}
