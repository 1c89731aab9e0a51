import { setTimeout as sleep } from 'node:timers/promises';
import type { Money } from '../contract/money.ts';
import type { JournalEvent, Received } from '../journal/event.ts';
import type { Outcome } from '../journal/exchange.ts';
import { buildRequest } from '../wire/request.ts';
import type { Aftermath } from './aftermath.ts';
import { type Account, balanceIn, Cashier } from './cashier.ts';
import { continuing } from './continuing.ts';
import { type Due, everythingDue, keyOfDue, refundFields, walletOfDue } from './due.ts';
import type { PastTransaction } from './past-transactions.ts';
import { walletIdOf } from './pool.ts';
import type { Reckoning } from './reckoning.ts';
import type { ClientUnderTest } from './run-options.ts';
import { Sender } from './sender.ts';
import { denominationOf } from './stakes.ts';
import { addressOf } from './target.ts';

export interface SettleOptions {
  readonly client: ClientUnderTest;
  /** What the run left behind. What is sent is added to it. */
  readonly aftermath: Aftermath;
  /** Answers that the run did not live to see. They are added to the aftermath, but not yet to the journal. */
  readonly unanswered: readonly Received[];
  readonly stakes: Readonly<Record<string, string>>;
  readonly deadlineMs: number;
  readonly lingerMs: number;
  /** No further try begins after so long. */
  readonly timeMs: number;
  readonly ratePerSecond: number | null;
  readonly maxAtOnce: number;
  /** Takes every event, in order, and must have stored a `sending` when it returns. They continue the journal of the run. */
  readonly record: (event: JournalEvent) => void;
  readonly signal: AbortSignal;
  readonly uuid: () => string;
  readonly now: () => number;
}

/** What became of one thing that was owed. */
export interface Settled {
  readonly due: Due;
  /** Answered 200, or the balance is back. */
  readonly done: boolean;
  readonly tries: number;
  /** The status of the last answer; null: none came, or nothing was sent. */
  readonly status: number | null;
  /** Of a balance: what was found, and what had to be added to it. */
  readonly found: Money | null;
  readonly missing: Money | null;
  /** Why it is not done, as a clause; null when it is. */
  readonly reason: string | null;
}

const FIRST_PAUSE_MS = 200;
const LONGEST_PAUSE_MS = 5000;
const MOST_TRIES_OF_BALANCE = 2;

/**
 * Sends what an aborted run still owes, again and again until each call is answered 200 (contract, Errors: refunds and wins are
 * retried until then), then gives back what the run took from a balance, where its journal leaves no doubt how much.
 *
 * @returns one entry for each thing that was owed, in the order in which they were met
 */
export async function settleRun(options: SettleOptions): Promise<readonly Settled[]> {
  const { aftermath, unanswered, client } = options;
  const record = (event: JournalEvent): void => {
    options.record(event);
    aftermath.add(event);
  };
  for (const event of unanswered) options.record(event);
  const sender = new Sender({ ...options, wire: client.wire, record: continuing(aftermath, options.now, record) });
  try {
    return await new Settlement({ ...options, record }, sender).play();
  } finally {
    await sender.close();
  }
}

interface Progress {
  due: Due;
  tries: number;
  last: Outcome | null;
  found: Money | null;
  missing: Money | null;
  /** Why it is not tried any more, as a clause. */
  givenUp: string | null;
}

class Settlement {
  readonly #options: SettleOptions;
  readonly #aftermath: Aftermath;
  readonly #sender: Sender;
  readonly #cashier: Cashier;
  readonly #progress = new Map<string, Progress>();

  constructor(options: SettleOptions, sender: Sender) {
    this.#options = options;
    this.#aftermath = options.aftermath;
    this.#sender = sender;
    this.#cashier = new Cashier(sender, options);
  }

  async play(): Promise<readonly Settled[]> {
    const { now, timeMs, signal } = this.#options;
    const until = now() + timeMs;
    this.#announce();
    for (let pauseMs = FIRST_PAUSE_MS; ; pauseMs = Math.min(pauseMs * 2, LONGEST_PAUSE_MS)) {
      await this.#round();
      const waiting = this.#due().filter((due) => this.#of(due).givenUp === null && !this.#isBlocked(due));
      if (waiting.length === 0 || signal.aborted || now() + pauseMs > until) break;
      await sleep(pauseMs, undefined, { signal }).catch(() => {});
    }
    this.#announce();
    if (everythingDue(this.#aftermath).length === 0)
      this.#options.record({ event: 'notice', text: 'What the run still owed was sent afterwards (croupier settle).' });
    return this.#settled();
  }

  /** Everything that is owed now. A wallet whose calls were settled is looked at once, even if nothing should be missing. */
  #due(): readonly Due[] {
    const due = everythingDue(this.#aftermath);
    const listed = new Set(due.map(keyOfDue));
    const touched = [...this.#progress.values()].flatMap((progress): Due[] => {
      const reckoning = this.#aftermath.reckoningOf(walletOfDue(progress.due));
      return progress.due.kind === 'balance' || !reckoning ? [] : [{ kind: 'balance', reckoning }];
    });
    const unread = new Map(touched.map((one) => [keyOfDue(one), one]));
    return [...due, ...[...unread].flatMap(([key, one]) => (listed.has(key) || this.#isRead(key) ? [] : [one]))];
  }

  #isRead(key: string): boolean {
    return (this.#progress.get(key)?.found ?? null) !== null;
  }

  #of(due: Due): Progress {
    const key = keyOfDue(due);
    const known = this.#progress.get(key);
    if (known) return known;
    const progress = { due, tries: 0, last: null, found: null, missing: null, givenUp: null };
    this.#progress.set(key, progress);
    return progress;
  }

  /** What an open call will still move is not to be made good a second time. */
  #isBlocked(due: Due): boolean {
    return due.kind === 'balance' && this.#aftermath.open.some(({ walletID }) => walletID === due.reckoning.walletID);
  }

  async #round(): Promise<void> {
    const { signal } = this.#options;
    for (const due of everythingDue(this.#aftermath)) {
      if (signal.aborted) return;
      if (due.kind !== 'balance' && this.#of(due).givenUp === null) await this.#send(due);
    }
    for (const due of this.#due()) {
      if (signal.aborted) return;
      if (due.kind !== 'balance' || this.#isBlocked(due) || this.#of(due).givenUp !== null) continue;
      await this.#giveBack(due, this.#of(due));
    }
  }

  async #send(due: Exclude<Due, { kind: 'balance' }>): Promise<void> {
    const progress = this.#of(due);
    const { client, uuid } = this.#options;
    const to = addressOf(client);
    const past = due.kind === 'refund' ? due.refund : due.transaction;
    const request =
      due.kind === 'refund' && past === null
        ? buildRequest({ ...to, call: 'refund', fields: refundFields(due, uuid()) })
        : buildRequest({ ...to, call: past?.call.call ?? 'refund', fields: {}, rawBody: bodyOf(past, progress.tries) });
    const call = past?.call.call ?? 'refund';
    const { outcome } = await this.#sender.send({ call, request, scenario: null, step: null, purpose: 'settle' });
    progress.tries += 1;
    progress.last = outcome;
    progress.due = due;
    const status = statusOf(outcome);
    if (status !== null && isFinal(status)) progress.givenUp = `it was ${answered(outcome)}`;
    if (status === 200) this.#announce();
  }

  async #giveBack(due: Extract<Due, { kind: 'balance' }>, progress: Progress): Promise<void> {
    const { reckoning } = due;
    const account = this.#accountOf(reckoning);
    progress.tries += 1;
    if (!(await this.#look(account, progress))) return;
    if (reckoning.strange !== null) {
      // A late debit may heal by itself.
      await sleep(this.#options.lingerMs, undefined, { signal: this.#options.signal }).catch(() => {});
      if (!(await this.#look(account, progress))) return;
    }
    const missing = reckoning.missing();
    if (missing === undefined) {
      progress.givenUp = whyUncertain(reckoning);
      return;
    }
    progress.missing ??= missing;
    if (missing.isZero()) return;
    await this.#cashier.bring(account, reckoning.read, reckoning.target, 'restore');
    if (reckoning.missing()?.isZero() === true || this.#isBlocked(due)) return;
    if (progress.tries >= MOST_TRIES_OF_BALANCE)
      progress.givenUp = `the balance is ${reckoning.strange ?? reckoning.read} and not ${reckoning.target}`;
  }

  /** False when the balance could not be read. */
  async #look(account: Account, progress: Progress): Promise<boolean> {
    const exchange = await this.#cashier.ask(account, 'restore');
    progress.last = exchange.outcome;
    const value = balanceIn(exchange);
    const status = statusOf(exchange.outcome);
    if (value) progress.found ??= value;
    else if (status !== null && isFinal(status))
      progress.givenUp = `the balance could not be read: it was ${answered(exchange.outcome)}`;
    return value !== undefined;
  }

  /** The session of a wallet in which a bet has the best chance: its own, unless configuration says that it has expired. */
  #accountOf(reckoning: Reckoning): Account {
    const { client, stakes } = this.#options;
    const { sessions } = this.#aftermath.run.settings;
    const own = client.sessions.filter(
      (session) => walletIdOf(session) === reckoning.walletID && session.state !== 'expired',
    );
    const { sessionID } = own.find((session) => session.sessionID === reckoning.sessionID) ?? own[0] ?? reckoning;
    const currency = sessions.find((session) => session.sessionID === reckoning.sessionID)?.currency ?? undefined;
    const decimals = Math.max(reckoning.target.decimals(), ...reckoning.possible().map((money) => money.decimals()));
    return {
      sessionID,
      denomination: denominationOf(currency, stakes, reckoning.target.format(decimals)),
      scenario: null,
    };
  }

  /** Brings the journal's account of what is owed up to date, so that reports of it are right. */
  #announce(): void {
    for (const { call, scenario, open, announced } of this.#aftermath.transactions) {
      if (open === announced) continue;
      this.#options.record({
        event: 'owed',
        scenario,
        call: call.call === 'bet' ? 'refund' : call.call,
        sessionID: call.sessionID,
        txID: call.txID,
        open,
        fields: {},
      });
    }
  }

  #settled(): readonly Settled[] {
    const still = new Set(this.#due().map(keyOfDue));
    return [...this.#progress].map(([key, { due, tries, last, found, missing, givenUp }]): Settled => {
      const done = !still.has(key);
      return {
        due,
        done,
        tries,
        status: last && statusOf(last),
        found,
        missing,
        reason: done ? null : (givenUp ?? (last ? `it was ${answered(last)}` : 'it was not tried')),
      };
    });
  }
}

/** Where a transaction was sent with several bodies, the operator knows one of them and refuses the others. */
function bodyOf(past: PastTransaction | null, tries: number): string {
  return past?.bodies[tries % past.bodies.length] ?? '';
}

function whyUncertain(reckoning: Reckoning): string {
  const possible = reckoning.possible().map(String).slice(0, 4);
  if (reckoning.strange !== null) {
    return `the balance is ${reckoning.strange}, the run left it at ${possible.join(' or ')}, and it was ${reckoning.target} before: somebody else has moved it, or the operator booked otherwise`;
  }
  return `the balance was ${reckoning.target} before, and the journal does not tell for certain what the run took`;
}

/** Declined in a way that another try a moment later won't change. */
function isFinal(status: number): boolean {
  return status >= 300 && status < 500 && ![409, 423, 425, 429].includes(status);
}

function statusOf(outcome: Outcome): number | null {
  return outcome.kind === 'reply' ? outcome.reply.status : null;
}

/** How a call was answered that is owed all the same. */
function answered(outcome: Outcome): string {
  if (outcome.kind === 'none') return `not answered (${outcome.reason}: ${outcome.detail})`;
  const { status } = outcome.reply;
  return status === 200 ? 'answered 200, with a body that is no success' : `answered ${status}`;
}
