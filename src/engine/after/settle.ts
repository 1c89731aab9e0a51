import { setTimeout as sleep } from 'node:timers/promises';
import type { Money } from '../../contract/money.ts';
import type { JournalEvent, Received } from '../../journal/event.ts';
import type { Outcome } from '../../journal/exchange.ts';
import { renumbered } from '../../journal/renumbered.ts';
import { isSuccess, isWorthRetrying, replyStatus } from '../../reply/status.ts';
import { buildRequest } from '../../wire/request.ts';
import { type Account, BalanceAdjuster, balanceIn } from '../balances/balance-adjuster.ts';
import type { BalanceEstimate } from '../balances/balance-estimate.ts';
import type { CallGate } from '../calls/call-gate.ts';
import { Sender } from '../calls/sender.ts';
import { addressOf, type ClientUnderTest } from '../run-options.ts';
import { walletIdOf } from '../session-pool.ts';
import { type AmountSettings, denominationOf } from '../stakes.ts';
import type { AfterRun } from './after-run.ts';
import { balanceEvents, callEvents } from './debts.ts';
import { keyOfItem, type OpenItem, openItemsOf, refundFields, walletOfItem } from './open-items.ts';
import type { PastTransaction } from './past-transactions.ts';

export interface SettleOptions extends AmountSettings {
  readonly client: ClientUnderTest;
  /** The state of the transactions and wallets at the end of the run. `settleRun` adds its own events to this state. */
  readonly afterRun: AfterRun;
  /**
   * The `received` events of the calls that were unanswered when the run was aborted. `afterRun` already contains these events, but
   * they are not in the journal yet.
   */
  readonly unanswered: readonly Received[];
  readonly deadlineMs: number;
  readonly lingerMs: number;
  /** Time limit in milliseconds, from the beginning. After this time, no further attempt begins. */
  readonly timeMs: number;
  readonly ratePerSecond: number | null;
  readonly maxAtOnce: number;
  /**
   * Receives every event, in order. The caller appends it to the journal of the run. A `sending` event must be stored when this
   * function returns.
   */
  readonly record: (event: JournalEvent) => void;
  readonly signal: AbortSignal;
  /** Decides whether calls may be sent. Absent: every call may be sent. */
  readonly gate?: CallGate | undefined;
  /**
   * True if the last calls of the run may be missing in the journal. Then a balance that the journal does not explain is restored
   * too. Absent: the journal has every call, so somebody else may have caused such a balance.
   */
  readonly isCutOff?: boolean;
  readonly uuid: () => string;
  readonly now: () => number;
}

/** The result of the attempts to settle one open item. */
export interface Settled {
  readonly item: OpenItem;
  /** True if the call was answered 200, or if the balance is restored. */
  readonly done: boolean;
  readonly tries: number;
  /** The status of the last answer. Null if no answer arrived, or if nothing was sent. */
  readonly status: number | null;
  /** For a wallet: the balance that was read first. Null for a call, or if the balance could not be read. */
  readonly found: Money | null;
  readonly missing: Money | null;
  /** The reason why the item is not settled, as a clause. Null if the item is settled. */
  readonly reason: string | null;
}

const FIRST_PAUSE_MS = 200;
const MAX_PAUSE_MS = 5000;
const MAX_TRIES_OF_BALANCE = 2;
/** The amount of the win that completes a lost round. */
const NO_MONEY = '0';

/** An open item that is settled by sending a known call. */
type CallItem = Extract<OpenItem, { kind: 'refund' | 'again' }>;

function isCall(item: OpenItem): item is CallItem {
  return item.kind === 'refund' || item.kind === 'again';
}

/**
 * Sends the calls that an aborted run still owes. Repeats each call until it is answered 200: the contract (section Errors)
 * requires this for refunds and wins. Then restores the balances for which the journal shows with certainty how much is missing.
 *
 * @returns one entry for each open item, in the order in which the items were found
 */
export async function settleRun(options: SettleOptions): Promise<readonly Settled[]> {
  const { afterRun, unanswered, client } = options;
  const record = (event: JournalEvent): void => {
    options.record(event);
    afterRun.add(event);
  };
  for (const event of unanswered) options.record(event);
  const sender = new Sender({ ...options, wire: client.wire, record: continuing(afterRun, options.now, record) });
  try {
    const settled = await new Settlement({ ...options, record }, sender).play();
    for (const event of balanceEvents(afterRun)) options.record(event);
    return settled;
  } finally {
    await sender.close();
  }
}

interface Progress {
  item: OpenItem;
  tries: number;
  last: Outcome | null;
  found: Money | null;
  missing: Money | null;
  /** The reason why croupier does not try again, as a clause. Null while it still tries. */
  givenUp: string | null;
}

class Settlement {
  readonly #options: SettleOptions;
  readonly #afterRun: AfterRun;
  readonly #sender: Sender;
  readonly #adjuster: BalanceAdjuster;
  readonly #progress = new Map<string, Progress>();

  constructor(options: SettleOptions, sender: Sender) {
    this.#options = options;
    this.#afterRun = options.afterRun;
    this.#sender = sender;
    this.#adjuster = new BalanceAdjuster(sender, options);
  }

  async play(): Promise<readonly Settled[]> {
    const { now, timeMs, signal } = this.#options;
    const until = now() + timeMs;
    this.#announce();
    for (let pauseMs = FIRST_PAUSE_MS; ; pauseMs = Math.min(pauseMs * 2, MAX_PAUSE_MS)) {
      await this.#round();
      const waiting = this.#openItems().filter(
        (item) => this.#progressOf(item).givenUp === null && !this.#isBlocked(item),
      );
      if (waiting.length === 0 || signal.aborted || now() + pauseMs > until) break;
      await sleep(pauseMs, undefined, { signal }).catch(() => {});
    }
    this.#announce();
    const left = openItemsOf(this.#afterRun);
    if (left.length === 0)
      this.#options.record({
        event: 'notice',
        text: 'croupier settle has sent the calls that the run still owed.',
      });
    // No event names a round that must still be completed.
    if (!this.#afterRun.ended && left.every(({ kind }) => kind !== 'round'))
      this.#options.record({ event: 'owed-known' });
    return this.#settled();
  }

  /**
   * Returns the items that are open now. Also returns the balances that were not read yet: those of the wallets whose calls were
   * settled, even if probably no money is missing. If the end of the journal is missing, those of all wallets.
   */
  #openItems(): readonly OpenItem[] {
    const item = openItemsOf(this.#afterRun);
    const listed = new Set(item.map(keyOfItem));
    const touched = [...this.#progress.values()].flatMap(({ item: one }) =>
      one.kind === 'balance' ? [] : (this.#afterRun.estimateOf(walletOfItem(one)) ?? []),
    );
    // Calls that are missing in the journal may have moved the balance of every wallet.
    const estimates = this.#options.isCutOff ? this.#afterRun.estimates : touched;
    const unread = new Map(
      estimates.map((estimate): [string, OpenItem] => {
        const one: OpenItem = { kind: 'balance', estimate };
        return [keyOfItem(one), one];
      }),
    );
    return [...item, ...[...unread].flatMap(([key, one]) => (listed.has(key) || this.#isRead(key) ? [] : [one]))];
  }

  #isRead(key: string): boolean {
    return (this.#progress.get(key)?.found ?? null) !== null;
  }

  #progressOf(item: OpenItem): Progress {
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
  #isBlocked(item: OpenItem): boolean {
    if (item.kind !== 'balance') return false;
    const { walletID } = item.estimate;
    return this.#afterRun.open.some((open) => open.walletID === walletID && !open.call.amount.isZero());
  }

  async #round(): Promise<void> {
    const { signal } = this.#options;
    for (const item of openItemsOf(this.#afterRun)) {
      if (signal.aborted) return;
      if (isCall(item) && this.#progressOf(item).givenUp === null) await this.#send(item);
    }
    // The calls above can complete or refund rounds. So the list of open rounds is computed again.
    for (const item of openItemsOf(this.#afterRun)) {
      if (signal.aborted) return;
      if (item.kind === 'round' && this.#progressOf(item).givenUp === null) await this.#complete(item);
    }
    for (const item of this.#openItems()) {
      if (signal.aborted) return;
      if (item.kind !== 'balance' || this.#isBlocked(item) || this.#progressOf(item).givenUp !== null) continue;
      await this.#giveBack(item, this.#progressOf(item));
    }
  }

  /** Completes a round with a win of 0. If this win gets no answer, the win becomes an open item. */
  async #complete(item: Extract<OpenItem, { kind: 'round' }>): Promise<void> {
    const progress = this.#progressOf(item);
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

  async #send(item: CallItem): Promise<void> {
    const progress = this.#progressOf(item);
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
    if (status === 200) this.#announce();
  }

  async #giveBack(item: Extract<OpenItem, { kind: 'balance' }>, progress: Progress): Promise<void> {
    const { estimate } = item;
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
    if (estimate.missing()?.isZero() === true || this.#isBlocked(item)) return;
    const rest = whyTooSmall(estimate, account);
    if (rest !== null) progress.givenUp = rest;
    else if (progress.tries >= MAX_TRIES_OF_BALANCE)
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
  #announce(): void {
    for (const event of callEvents(this.#afterRun)) this.#options.record(event);
  }

  #settled(): readonly Settled[] {
    const still = new Set(this.#openItems().map(keyOfItem));
    return [...this.#progress].flatMap(([key, { item, tries, last, found, missing, givenUp }]): readonly Settled[] => {
      const done = !still.has(key);
      // If the win got no usable answer, the list of open items now contains the win, in place of its round.
      if (item.kind === 'round' && done && (last && replyStatus({ outcome: last })) !== 200) return [];
      const settled = {
        item,
        done,
        tries,
        status: (last && replyStatus({ outcome: last })) ?? null,
        found,
        missing,
        reason: done ? null : (givenUp ?? (last ? `it was ${answered(last)}` : 'it was not tried')),
      };
      return [settled];
    });
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
function answered(outcome: Outcome): string {
  if (outcome.kind === 'none') return `not answered (${outcome.reason}: ${outcome.detail})`;
  const { status } = outcome.reply;
  return status === 200 ? 'answered 200, but the body is not a successful reply' : `answered ${status}`;
}

/**
 * Returns a `record` function that gives events new ids and times. They continue the ids and times of the run, because both have
 * the same journal.
 */
function continuing(
  { exchanges, latestStamp }: AfterRun,
  now: () => number,
  record: (event: JournalEvent) => void,
): (event: JournalEvent) => void {
  const offset = { exchanges, connections: 0, ms: latestStamp - now() + 1 };
  return (event) => record(renumbered(event, offset));
}
