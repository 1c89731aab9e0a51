import { TRANSACTION_CALLS, type TransactionCall } from '../contract/call-name.ts';
import { Money } from '../contract/money.ts';
import { isWorthRetrying } from '../reply/status.ts';
import type { LoadDenomination, WindowAmounts } from './amounts.ts';
import type { Answered, Caller, LoadSession } from './caller.ts';
import type { LoadContext } from './load-context.ts';
import { verifyBalance } from './quiet-point.ts';
import type { Random } from './random.ts';
import type { Ticket } from './schedule.ts';
import { loadUuid } from './uuids.ts';
import type { LoadTransaction } from './wallet.ts';

export interface PlayerSettings {
  readonly context: LoadContext;
  readonly caller: Caller;
  readonly sessions: readonly LoadSession[];
  readonly denomination: LoadDenomination;
  readonly amounts: WindowAmounts;
  readonly random: Random;
  readonly opening: Money;
}

/** The state of a player at the end of a test. */
export type PlayerEnd =
  | { readonly kind: 'verified' }
  /** The outcome of these calls is still unknown. */
  | { readonly kind: 'owing'; readonly transactions: readonly LoadTransaction[] }
  /** The balance could not be read. */
  | { readonly kind: 'unread' };

/** The manner in which a player sends a transaction. */
interface SendingManner {
  /**
   * The time at which the call was due. Null: the call belongs to no schedule. Undefined: the player waits until the schedule gives
   * it a time (a ticket).
   */
  readonly due?: number | null | undefined;
  readonly breakAfterMs?: number | null;
  /** True if the call is sent twice at the same moment. */
  readonly isTwice?: boolean;
  /** True if the operator may decline the call. */
  readonly mayBeDeclined?: boolean;
}

const PLAINLY: SendingManner = {};

/** Accepted transactions that can be sent again. */
type Repeatable = Record<TransactionCall, LoadTransaction | undefined>;

/** After this number of transactions, a player pauses for a quiet point. */
const WINDOW = 12;
/** Number of times that a call is sent again if it gets an error that a retry will not change. */
const MAX_FINAL_ERRORS = 3;
const FIRST_PAUSE_MS = 200;
const MAX_PAUSE_MS = 5000;
/** Number of errors after which croupier stops sending a repeated call. */
const MAX_REPEATS = 4;
/**
 * If the balance is lower than the opening balance by more than this number of stakes, the next win pays the difference, up to
 * a limit.
 */
const STEER_AT = Money.of('10');
const MAX_STEER = Money.of('40');
/** If the balance is not higher than this number of stakes, the player places no bets. */
const NEEDED_STAKES = Money.of('3');
const SIXTY_PERCENT = Money.of('0.6');
/**
 * When croupier breaks the connection of a call on purpose, it does so at most this number of milliseconds after the last byte of
 * the call.
 */
const MAX_BREAK_MS = 4;
/** Longest wait after a connection that croupier has closed, in milliseconds. */
const MAX_BREAK_WAIT_MS = 60;
/** Refunds are rare. So the shares of refunds that are sent twice, or whose connection is broken, are this many times as large. */
const MORE_REFUNDS = 10;

/** Plays the rounds of one wallet. Only this player uses the wallet, so its balance is known at every moment. */
export class Player {
  readonly caller: Caller;
  readonly #context: LoadContext;
  readonly #sessions: readonly LoadSession[];
  readonly #denomination: LoadDenomination;
  readonly #amounts: WindowAmounts;
  readonly #random: Random;
  readonly #opening: Money;
  readonly #needed: Money;
  readonly #steerAt: Money;
  readonly #maxSteer: Money;
  #sinceQuiet = 0;
  /** The latest accepted bet, win and refund. */
  readonly #latest: Repeatable = { bet: undefined, win: undefined, refund: undefined };
  /** An older accepted bet, win and refund: the latest ones at the time of an earlier repetition. */
  readonly #older: Repeatable = { bet: undefined, win: undefined, refund: undefined };
  /** The first accepted transaction that moved money, with its session. It is sent again at the end. */
  #first: { readonly transaction: LoadTransaction; readonly session: LoadSession } | undefined;
  #playsFreeRounds: boolean;
  /**
   * True if the player makes pairs of bets that together are more than the balance. False if the operator has accepted a single
   * bet above the balance, or declined both bets of a pair. Undefined until the first try.
   */
  #betsWholeBalance: boolean | undefined;

  constructor({ context, caller, sessions, denomination, amounts, random, opening }: PlayerSettings) {
    this.#context = context;
    this.caller = caller;
    this.#sessions = sessions;
    this.#denomination = denomination;
    this.#amounts = amounts;
    this.#random = random;
    this.#opening = opening;
    this.#needed = denomination.stake.times(NEEDED_STAKES);
    this.#steerAt = denomination.stake.times(STEER_AT);
    this.#maxSteer = denomination.stake.times(MAX_STEER);
    this.#playsFreeRounds = context.campaign !== null;
  }

  /** Plays until the load ends. Every round that was begun is completed. */
  async play(): Promise<void> {
    const { schedule } = this.#context;
    // The players begin with different counts. So their quiet points do not all come at the same time.
    this.#sinceQuiet = this.#random.below(WINDOW);
    while (!schedule.isStopped && this.#openSession()) {
      if (this.#needsQuiet()) {
        if (this.caller.wallet.isQuiet) await this.#verify();
        else await this.#context.wait(FIRST_PAUSE_MS);
        continue;
      }
      await this.#activity();
    }
  }

  /** Completes the open rounds, and compares the balance for the last time. */
  async end(): Promise<PlayerEnd> {
    const { wallet } = this.caller;
    if (!wallet.isQuiet) return { kind: 'owing', transactions: [...wallet.unknown] };
    const isVerified = (await this.#verify()) && (!(await this.#repeatFirst()) || (await this.#verify()));
    return isVerified ? { kind: 'verified' } : { kind: 'unread' };
  }

  /**
   * Sends the first transaction of the test again, because some operators soon forget a txID, or forget it in a restart.
   *
   * @returns false if there is no transaction that can be sent again
   */
  async #repeatFirst(): Promise<boolean> {
    const first = this.#first;
    if (!first?.session.isOpen || this.#context.mix.repeatsLater === 0) return false;
    const { transaction, session } = first;
    transaction.isRepeatedAtEnd = true;
    await this.#repeat(transaction, session);
    return true;
  }

  #needsQuiet(): boolean {
    const { wallet, oddReply } = this.caller;
    if (this.#sinceQuiet >= WINDOW || oddReply || this.#amounts.isUsedUp || wallet.hasTooManyEither) return true;
    return wallet.unknown.size > 0;
  }

  async #verify(): Promise<boolean> {
    this.#sinceQuiet = 0;
    const session = this.#openSession() ?? this.#sessions[0];
    if (!session) return false;
    const { caller } = this;
    const { decimals } = this.#denomination;
    return verifyBalance(
      { caller, session, sessions: this.#sessions, amounts: this.#amounts, decimals },
      this.#context,
    );
  }

  #openSession(): LoadSession | undefined {
    if (this.#sessions.length === 1) {
      const only = this.#sessions[0];
      return only?.isOpen === true ? only : undefined;
    }
    const open = this.#sessions.filter(({ isOpen }) => isOpen);
    return open[this.#random.below(open.length)];
  }

  /** Chooses what the player does next. This function is not async, because it only passes on the promise of what was chosen. */
  #activity(): Promise<void> {
    const { mix } = this.#context;
    const random = this.#random;
    const session = this.#openSession();
    if (!session) return Promise.resolve();
    if (this.caller.wallet.lowest.compare(this.#needed) <= 0) return this.#pauseWithoutMoney(session);
    const isFirst = mix.wholeBalance > 0 && this.#betsWholeBalance === undefined;
    if (isFirst || random.isIn(mix.wholeBalance)) return this.#wholeBalance(session);
    if (this.#playsFreeRounds && random.isIn(mix.freeRounds)) return this.#freeRound(session);
    if (random.isIn(mix.simultaneousRounds)) return this.#simultaneousRounds(session);
    return this.#round(session, random.isIn(mix.severalBets) ? 2 + random.below(2) : 1);
  }

  /** If the balance is too low for bets, the player only reads it. */
  async #pauseWithoutMoney(session: LoadSession): Promise<void> {
    await this.#read(session);
    await this.#context.wait(1000);
  }

  async #round(session: LoadSession, bets: number): Promise<void> {
    const roundID = loadUuid();
    const random = this.#random;
    const { mix } = this.#context;
    const reads = random.isIn(mix.reads);
    let hasBet = false;
    for (let count = 1; count <= bets; count += 1) {
      const isTaken = await (reads && count === bets
        ? this.#betAndRead(session, roundID)
        : this.#bet(session, roundID));
      hasBet ||= isTaken;
    }
    if (hasBet) await this.#win(session, roundID);
    if (random.isIn(mix.repeatsLater * 2)) await this.#repeatOne();
  }

  /**
   * Places a bet, and reads the balance as soon as the bet is answered. The read gets its ticket together with the bet. Otherwise the
   * player would wait so long for the ticket that even an old copy of the balance would be up to date again.
   *
   * @returns true if the bet was accepted
   */
  async #betAndRead(session: LoadSession, roundID: string): Promise<boolean> {
    const tickets = this.#tickets(2);
    const [due, readDue = null] = tickets instanceof Promise ? await tickets : tickets;
    const isTaken = await this.#bet(session, roundID, due);
    // The read can't be sent before the bet is answered, so the player does not wait for the read before this moment.
    await this.#read(session, readDue === null ? null : Math.max(readDue, this.#context.now()));
    return isTaken;
  }

  /** Plays two rounds whose calls are sent at the same moment. */
  async #simultaneousRounds(session: LoadSession): Promise<void> {
    const other = this.#sessions.find((one) => one !== session && one.isOpen) ?? session;
    const first = loadUuid();
    const second = loadUuid();
    const random = this.#random;
    const pattern = random.below(4);
    if (pattern === 0) {
      // Places several bets of one round, as a player does at one table.
      const taken = await this.#atOnce(2 + random.below(3), (due) => this.#bet(session, first, due));
      if (taken.includes(true)) await this.#win(session, first);
    } else if (pattern === 1) {
      const isTaken = await this.#bet(session, first);
      const tickets = this.#tickets(2);
      const [a, b] = tickets instanceof Promise ? await tickets : tickets;
      const [, isOtherTaken] = await Promise.all([
        isTaken ? this.#win(session, first, a) : this.#read(session, a),
        this.#bet(other, second, b),
      ]);
      if (isOtherTaken) await this.#win(other, second);
    } else {
      const tickets = this.#tickets(2);
      const dues = tickets instanceof Promise ? await tickets : tickets;
      const taken = await Promise.all([this.#bet(session, first, dues[0]), this.#bet(other, second, dues[1])]);
      if (taken[0] && taken[1]) {
        const later = this.#tickets(2);
        const winDues = later instanceof Promise ? await later : later;
        await Promise.all([this.#win(session, first, winDues[0]), this.#win(other, second, winDues[1])]);
      } else if (taken[0]) await this.#win(session, first);
      else if (taken[1]) await this.#win(other, second);
    }
    // In a quarter of the cases, a quiet point follows at once. Then only a few calls come before the quiet point, so its balance
    // shows exactly which of the simultaneous calls was lost.
    if (random.isIn(25)) this.#sinceQuiet = WINDOW;
  }

  /**
   * Takes several tickets, whose calls are sent together. So all of them are due when the last of them is due. Otherwise the time
   * that the first call waits for the ticket of the last call would count as response time of the operator. Returns the times at
   * once if the schedule has all tickets already, because a promise takes time.
   */
  #tickets(count: number): Ticket[] | Promise<Ticket[]> {
    const { schedule } = this.#context;
    const tickets: (Ticket | Promise<Ticket>)[] = [];
    for (let number = 0; number < count; number += 1) tickets.push(schedule.ticket());
    return tickets.every(isTicket) ? together(tickets) : whenGiven(tickets);
  }

  async #atOnce<Result>(
    count: number,
    call: (due: number | null, index: number) => Promise<Result>,
  ): Promise<Result[]> {
    const tickets = this.#tickets(count);
    const dues = tickets instanceof Promise ? await tickets : tickets;
    return Promise.all(dues.map((due, index) => call(due, index)));
  }

  /** Bets more than the balance with two bets at the same moment. At most one of them may be accepted. */
  async #wholeBalance(session: LoadSession): Promise<void> {
    const { wallet } = this.caller;
    if (this.#betsWholeBalance === false || !wallet.isQuiet || !(await this.#verify())) return;
    const { decimals, unit } = this.#denomination;
    const balance = wallet.expected;
    if (this.#betsWholeBalance === undefined) {
      // If the operator accepts a single bet above the balance, two bets at the same moment say nothing about races.
      const [above, probed] = [balance.plus(unit), loadUuid()];
      const isTaken = await this.#bet(session, probed, undefined, above, true);
      this.#betsWholeBalance = !isTaken;
      if (isTaken) {
        if (!this.#context.credit) {
          this.caller.overdraft = {
            rule: 'bet.insufficient-funds',
            sessionID: session.sessionID,
            transaction: wallet.window.at(-1),
            expected: `a bet of ${above} is declined, because the balance is ${balance}. If accounts have a credit line, write \`credit: true\` in croupier.yaml`,
            actual: 'it was answered 200',
          };
        }
        // The win makes the balance positive again. Without this win, the player could not bet any more.
        await this.#win(session, probed, undefined, above.plus(unit));
        this.#sinceQuiet = WINDOW;
        return;
      }
    }
    const amount = balance.times(SIXTY_PERCENT).truncated(decimals);
    const roundID = loadUuid();
    const taken = await this.#atOnce(2, (due, index) =>
      this.#bet(session, roundID, due, index === 0 ? amount : amount.plus(unit), true),
    );
    const accepted = taken.filter(Boolean).length;
    if (accepted === 2) {
      this.caller.overdraft = {
        rule: 'concurrency.no-overdraft',
        sessionID: session.sessionID,
        transaction: wallet.window.at(-1),
        expected: `of two bets of ${amount} and ${amount.plus(unit)} at the same moment, at most one is accepted, because the balance is ${balance}`,
        actual: 'both were answered 200',
      };
    }
    if (accepted === 0) this.#betsWholeBalance = false;
    // The win has another amount than its bet, so that the difference of a balance shows which of them went wrong.
    const credit = accepted === 2 ? amount.plus(amount) : amount.plus(unit).plus(unit);
    if (accepted > 0) await this.#win(session, roundID, undefined, credit);
    this.#sinceQuiet = WINDOW;
  }

  async #freeRound(session: LoadSession): Promise<void> {
    const { campaign } = this.#context;
    if (campaign === null) return;
    const roundID = loadUuid();
    const { decimals, stake } = this.#denomination;
    const fields = { roundID, decimals, frID: campaign };
    const bet = this.caller.create('bet', session, { ...fields, amount: this.#amounts.above(stake) });
    const { answer, status } = await this.#send(bet, session, { mayBeDeclined: true });
    if (answer !== 'accepted') {
      if (answer === 'declined') this.#context.remark('declined-free-bet');
      // The operator may not know the campaign, or the player may have no free round left.
      if (answer === 'declined' && !isWorthRetrying(status)) this.#playsFreeRounds = false;
      if (bet.state === 'unknown') await this.#resolveBet(bet, session);
      return;
    }
    this.#context.remark('free-bet');
    const amount = this.#random.isIn(this.#context.mix.zeroWins) ? Money.zero : this.#amounts.above(stake);
    const win = this.caller.create('win', session, { ...fields, amount, hasBet: true });
    await this.#send(win, session, PLAINLY);
    if (win.state !== 'applied' && this.caller.wallet.unknown.has(win)) await this.#sendUntilAccepted(win, session);
  }

  async #read(session: LoadSession, due?: number | null): Promise<void> {
    const ticket = due === undefined ? await this.#context.schedule.ticket() : due;
    await this.caller.read(session, ticket, true);
  }

  /**
   * Places a bet. If the outcome of the bet is unknown, sends its refund until the refund is answered 200.
   *
   * @param due the time at which the call was due; undefined to wait for a ticket
   * @param exact an amount that is not the usual stake
   * @returns true if the bet was accepted
   */
  async #bet(
    session: LoadSession,
    roundID: string,
    due?: number | null,
    exact?: Money,
    isPlain = false,
  ): Promise<boolean> {
    const { mix } = this.#context;
    const { decimals, stake } = this.#denomination;
    const amount = exact ?? this.#amounts.above(stake);
    if (exact) this.#amounts.use(exact);
    const bet = this.caller.create('bet', session, { roundID, amount, decimals });
    const isBroken = !isPlain && this.#random.isIn(mix.brokenBets);
    const isOvertaken = isBroken && this.#random.isIn(mix.overtakingRefunds);
    if (isOvertaken && due === undefined) return this.#overtakenBet(bet, session);
    const isTwice = !isPlain && !isBroken && this.#random.isIn(mix.repeatsAtOnce);
    const breakAfterMs = isBroken ? this.#breakWait() : null;
    const { answer } = await this.#send(bet, session, { due, breakAfterMs, isTwice, mayBeDeclined: isPlain });
    this.#note(bet, session);
    if (bet.state === 'unknown') {
      if (!isOvertaken) await this.#context.wait(this.#random.below(MAX_BREAK_WAIT_MS));
      await this.#resolveBet(bet, session);
    }
    if (bet.state === 'none' && answer === 'declined' && !isPlain) this.#context.remark('declined-round');
    return bet.state === 'applied';
  }

  /**
   * Returns the time after which croupier closes a connection on purpose. In half of the cases, the time is 0, because a fast
   * operator answers within a millisecond.
   */
  #breakWait(): number {
    return Math.max(0, this.#random.below(2 * MAX_BREAK_MS) - MAX_BREAK_MS);
  }

  /**
   * Breaks the connection of a bet, and sends its refund at once. The refund gets its ticket together with the bet. Otherwise the
   * player would wait for the ticket so long that even a slow operator would process the bet first.
   *
   * @returns true if the operator accepted the bet before croupier closed the connection
   */
  async #overtakenBet(bet: LoadTransaction, session: LoadSession): Promise<boolean> {
    const tickets = this.#tickets(2);
    const [due, refundDue] = tickets instanceof Promise ? await tickets : tickets;
    await this.#send(bet, session, { due, breakAfterMs: this.#breakWait() });
    this.#note(bet, session);
    if (bet.state === 'unknown') await this.#resolveBet(bet, session, refundDue);
    else await this.#read(session, refundDue);
    return bet.state === 'applied';
  }

  /**
   * Refunds a bet whose outcome is unknown (contract, States).
   *
   * @param due the time at which the refund was due; undefined to wait for a ticket
   */
  async #resolveBet(bet: LoadTransaction, session: LoadSession, due?: number | null): Promise<void> {
    const { roundID, amount } = bet;
    const refund = this.caller.create('refund', session, {
      roundID,
      amount,
      bet,
      decimals: this.#denomination.decimals,
    });
    const { brokenWins, repeatsAtOnce } = this.#context.mix;
    const isBroken = this.#random.isIn(brokenWins * MORE_REFUNDS);
    const isTwice = !isBroken && this.#random.isIn(repeatsAtOnce * MORE_REFUNDS);
    await this.#send(refund, session, { due, breakAfterMs: isBroken ? this.#breakWait() : null, isTwice });
    this.#note(refund, session);
    if (this.caller.wallet.unknown.has(refund)) await this.#sendUntilAccepted(refund, session);
  }

  async #win(session: LoadSession, roundID: string, due?: number | null, exact?: Money): Promise<void> {
    const { mix } = this.#context;
    const { decimals } = this.#denomination;
    const amount = exact ?? (this.#random.isIn(mix.zeroWins) ? Money.zero : this.#winAmount());
    if (exact) this.#amounts.use(exact);
    const win = this.caller.create('win', session, { roundID, amount, decimals, hasBet: true });
    const isBroken = this.#random.isIn(mix.brokenWins);
    const isTwice = !isBroken && this.#random.isIn(mix.repeatsAtOnce);
    await this.#send(win, session, { due, breakAfterMs: isBroken ? this.#breakWait() : null, isTwice });
    this.#note(win, session);
    if (win.state !== 'applied' && this.caller.wallet.unknown.has(win)) await this.#sendUntilAccepted(win, session);
  }

  /**
   * Chooses the amount of a win. The amount moves the balance towards the opening balance, so that the player has enough money
   * during a long test.
   */
  #winAmount(): Money {
    const { stake } = this.#denomination;
    const missing = this.#opening.minus(this.caller.wallet.expected);
    if (missing.compare(this.#steerAt) <= 0) return this.#amounts.above(stake);
    const most = this.#maxSteer;
    return this.#amounts.above(missing.compare(most) > 0 ? most : missing.truncated(this.#denomination.decimals));
  }

  /**
   * Sends a transaction as soon as the schedule has a ticket for it. This function is not async: most calls get their ticket at
   * once, and then need no promise, which saves time.
   */
  #send(transaction: LoadTransaction, session: LoadSession, manner: SendingManner): Promise<Answered> {
    if (!transaction.amount.isZero()) this.#sinceQuiet += 1;
    const {
      due = this.#context.schedule.ticket(),
      breakAfterMs = null,
      isTwice = false,
      mayBeDeclined = false,
    } = manner;
    if (isTwice || !isTicket(due)) return this.#sendLater(transaction, session, manner, due);
    return this.caller.send(transaction, session, { due, breakAfterMs, mayBeDeclined });
  }

  async #sendLater(
    transaction: LoadTransaction,
    session: LoadSession,
    { breakAfterMs = null, isTwice = false, mayBeDeclined = false }: SendingManner,
    ticket: Ticket | Promise<Ticket>,
  ): Promise<Answered> {
    const { caller } = this;
    const due = isTicket(ticket) ? ticket : await ticket;
    const dues = isTwice ? together([due, await this.#context.schedule.ticket()]) : [due];
    const [firstDue = null, copyDue = null] = dues;
    const first = caller.send(transaction, session, { due: firstDue, breakAfterMs, mayBeDeclined });
    const copy = isTwice ? caller.send(transaction, session, { due: copyDue }) : undefined;
    const answered = await first;
    if (copy) await copy;
    return answered;
  }

  /** Notes that a transaction was answered. */
  #note(transaction: LoadTransaction, session: LoadSession): void {
    if (transaction.state !== 'applied' || transaction.isFree) return;
    const { call, copies, amount } = transaction;
    // A faulty operator may process the transaction again. So its amount must be small.
    if (amount.compare(this.#steerAt) > 0) return;
    this.#latest[call] = transaction;
    if (call !== 'refund' && copies === 1 && !amount.isZero()) this.#first ??= { transaction, session };
  }

  /** Sends a win or a refund again until it is answered 200, as the service does (contract, Errors). */
  async #sendUntilAccepted(transaction: LoadTransaction, session: LoadSession): Promise<void> {
    const { wallet } = this.caller;
    let finalErrors = 0;
    // If croupier closed the connection on purpose, the call did not fail. So the wait before the retry can be shorter than after
    // an error.
    if (transaction.isBroken && wallet.unknown.has(transaction)) {
      await this.#context.wait(this.#random.below(MAX_BREAK_WAIT_MS));
      await this.#send(transaction, session, PLAINLY);
      this.#note(transaction, session);
    }
    for (let pauseMs = FIRST_PAUSE_MS; wallet.unknown.has(transaction); pauseMs = Math.min(pauseMs * 2, MAX_PAUSE_MS)) {
      if (this.#context.isOver() || finalErrors >= MAX_FINAL_ERRORS) return;
      await this.#context.wait(pauseMs * (0.8 + 0.4 * this.#random.next()));
      const { status } = await this.#send(transaction, session, PLAINLY);
      this.#note(transaction, session);
      if (status !== undefined && !isWorthRetrying(status)) finalErrors += 1;
    }
  }

  /**
   * Sends an accepted bet, win or refund of this player again. In half of the cases this is the latest one, and otherwise an older
   * one, because some operators soon forget a txID.
   */
  async #repeatOne(): Promise<void> {
    const random = this.#random;
    const call = TRANSACTION_CALLS[random.below(TRANSACTION_CALLS.length)] ?? 'win';
    const older = random.isIn(50) ? this.#older[call] : undefined;
    const transaction = older ?? this.#latest[call] ?? this.#latest.win;
    if (transaction?.state !== 'applied') return;
    this.#older[call] = this.#latest[call];
    this.#latest[call] = undefined;
    const session = this.#sessions.find(({ sessionID }) => sessionID === transaction.sessionID);
    if (session?.isOpen) await this.#repeat(transaction, session);
  }

  /** Sends an accepted call again. It must be answered 200 and move nothing (contract, Rules 2). */
  async #repeat(transaction: LoadTransaction, session: LoadSession): Promise<void> {
    const { call, sessionID } = transaction;
    for (let tries = 1; ; tries += 1) {
      const { answer, status } = await this.#send(transaction, session, PLAINLY);
      this.#note(transaction, session);
      if (answer === 'accepted' || status === undefined || !session.isOpen) return;
      if (!isWorthRetrying(status) || (status === 409 && tries === MAX_REPEATS)) {
        this.caller.report(`idempotency.${call}`, 'fail', call, sessionID, transaction, {
          expected: 'a processed call that is sent again is answered 200',
          actual: `it was answered ${status}`,
        });
        return;
      }
      if (tries === MAX_REPEATS || this.#context.isOver()) return;
      await this.#context.wait(FIRST_PAUSE_MS * tries);
    }
  }
}

/** True if the schedule gave the ticket at once. */
function isTicket(ticket: Ticket | Promise<Ticket>): ticket is Ticket {
  return typeof ticket === 'number' || ticket === null;
}

async function whenGiven(tickets: readonly (Ticket | Promise<Ticket>)[]): Promise<Ticket[]> {
  const dues: Ticket[] = [];
  for (const ticket of tickets) dues.push(isTicket(ticket) ? ticket : await ticket);
  return together(dues);
}

/** Sets the times at which calls are due that are sent together to the latest of their times. Null stays null. */
function together(dues: Ticket[]): Ticket[] {
  let latest = 0;
  for (const due of dues) if (due !== null && due > latest) latest = due;
  for (let at = 0; at < dues.length; at += 1) if (dues[at] !== null) dues[at] = latest;
  return dues;
}
