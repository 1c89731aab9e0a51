import type { CallName, TransactionCall } from '../contract/call-name.ts';
import type { RuleId } from '../contract/catalogue.ts';
import { type Currency, currencyByCode } from '../contract/currencies.ts';
import type { Money } from '../contract/money.ts';
import { type Answer, answerOf } from '../reply/classify.ts';
import { plainSuccess } from '../reply/plain-success.ts';
import { verdictOnTime } from '../reply/problems.ts';
import { signatureProblem } from '../reply/signature.ts';
import { isServerError, replyStatus } from '../reply/status.ts';
import type { OddReply } from './cause/odd-reply.ts';
import type { Delivery, NetworkCall } from './connections.ts';
import { verdictOfBreach } from './findings.ts';
import type { LoadContext } from './load-context.ts';
import { loadUuid } from './uuids.ts';
import type { Departure, LoadTransaction, Wallet } from './wallet.ts';

/** A session of a player in a load test. */
export interface LoadSession {
  readonly sessionID: string;
  /** The index of the session in the journal's first event. */
  readonly index: number;
  readonly currency: string | undefined;
  /** False once the operator has ended the session. */
  isOpen: boolean;
}

/** The answer to one call. */
export interface Answered {
  readonly answer: Answer;
  readonly status: number | undefined;
  /** The balance in the reply. Undefined if there is none. */
  readonly balance: Money | undefined;
  /** The operator's transaction id in the reply. Undefined if there is none. */
  readonly txID: string | undefined;
  /** The reason why no reply came. Undefined if a reply came. */
  readonly detail: string | undefined;
}

/** The manner in which a call is sent. */
export interface Manner {
  /**
   * croupier closes the connection on purpose when this time has passed after the last byte of the call; null to wait for the
   * reply.
   */
  readonly breakAfterMs?: number | null;
  /** True if the operator may decline the call. Then a declined call does not count as an error. */
  readonly mayBeDeclined?: boolean;
  /** The time at which the schedule planned the call. Null if the call is not from a schedule. */
  readonly due: number | null;
}

/** Receives what happens to a call that was sent. */
interface CallJudge {
  /** Judges the answer to a call, and applies it to the account. */
  answered(sent: SentCall, delivery: Delivery): Answered;
  reportLateBytes(sent: SentCall): void;
}

/**
 * A call that was sent. The network calls its methods. Each call has only this one object, because several small objects and
 * functions would need more time.
 */
class SentCall implements NetworkCall {
  readonly bytes: string;
  readonly breakAfterMs: number | null;
  readonly call: CallName;
  /** The number of the call in the journal. */
  readonly id: number;
  readonly session: LoadSession;
  /** Undefined for a balance call. */
  readonly transaction: LoadTransaction | undefined;
  readonly manner: Manner;
  /** The state of the wallet when the call was sent. */
  readonly departure: Departure;
  /** False for a balance call if the caller of this class compares the balance itself. */
  readonly isJudged: boolean;
  readonly #judge: CallJudge;
  #resolve: ((answered: Answered) => void) | undefined;
  #reject: ((error: unknown) => void) | undefined;

  constructor(
    judge: CallJudge,
    bytes: string,
    call: CallName,
    id: number,
    session: LoadSession,
    transaction: LoadTransaction | undefined,
    manner: Manner,
    departure: Departure,
    isJudged: boolean,
  ) {
    this.#judge = judge;
    this.bytes = bytes;
    this.breakAfterMs = manner.breakAfterMs ?? null;
    this.call = call;
    this.id = id;
    this.session = session;
    this.transaction = transaction;
    this.manner = manner;
    this.departure = departure;
    this.isJudged = isJudged;
  }

  /** Returns a promise of the answer. */
  answered(): Promise<Answered> {
    return new Promise((resolve, reject) => {
      this.#resolve = resolve;
      this.#reject = reject;
    });
  }

  done(delivery: Delivery): void {
    try {
      this.#resolve?.(this.#judge.answered(this, delivery));
    } catch (error) {
      this.#reject?.(error);
    }
  }

  onLateBytes(): void {
    this.#judge.reportLateBytes(this);
  }
}

/** Accepted bets that are higher than the balance. */
export interface Overdraft {
  readonly rule: RuleId;
  readonly sessionID: string;
  readonly transaction: LoadTransaction | undefined;
  readonly expected: string;
  readonly actual: string;
}

/** Codes with which an operator says that a session has ended. */
const ENDED_CODES: ReadonlySet<string | undefined> = new Set(['session_expired', 'session_not_found']);

/** Sends the calls of one wallet, judges each reply, and keeps the wallet's account. */
export class Caller {
  readonly player: string;
  readonly wallet: Wallet;
  readonly #context: LoadContext;
  readonly #currency: Currency | undefined;
  readonly #judge: CallJudge = {
    answered: (sent, delivery) => this.#answered(sent, delivery),
    reportLateBytes: (sent) => this.#reportLateBytes(sent),
  };
  /** The first reply since the last quiet point that had an impossible balance. */
  oddReply: OddReply | undefined;
  /**
   * A bet above the balance that was accepted since the last quiet point. If nobody else has changed the balance, it breaks a rule. The
   * next quiet point shows this.
   */
  overdraft: Overdraft | undefined;
  /** The time at which the balance was last compared, in milliseconds from the start. */
  comparedAtMs = 0;
  calls = 0;

  constructor(context: LoadContext, player: string, currency: string | undefined, wallet: Wallet) {
    this.#context = context;
    this.player = player;
    this.wallet = wallet;
    this.#currency = currency === undefined ? undefined : currencyByCode(currency);
  }

  /** Creates a transaction that was not sent yet. */
  create(
    call: TransactionCall,
    session: LoadSession,
    fields: {
      readonly roundID: string;
      readonly amount: Money;
      readonly decimals: number;
      readonly bet?: LoadTransaction;
      readonly hasBet?: boolean;
      readonly frID?: string | undefined;
    },
  ): LoadTransaction {
    const { roundID, amount, decimals, bet, frID } = fields;
    return {
      number: this.#context.nextNumber(),
      call,
      sessionID: session.sessionID,
      sessionIndex: session.index,
      txID: loadUuid(),
      roundID,
      amount,
      amountText: amount.format(decimals),
      frID,
      isFree: frID !== undefined,
      bet,
      hasBet: fields.hasBet ?? false,
      state: 'sent',
      copies: 0,
      inFlight: 0,
      provisional: undefined,
      isCopiedAtOnce: false,
      isRepeatedAtEnd: false,
      isBroken: false,
      status: undefined,
      operatorTxID: undefined,
      isProcessedAgain: false,
      isOverlapped: false,
      sentAt: 0,
      endedAt: 0,
      sentAtMs: 0,
    };
  }

  /** Sends a transaction, or a copy of it, and applies the answer to the account. */
  send(transaction: LoadTransaction, session: LoadSession, manner: Manner): Promise<Answered> {
    const context = this.#context;
    const start = context.now();
    const departure = this.wallet.depart(transaction, start);
    const at = context.stamp(start);
    const isFirst = transaction.copies === 1;
    if (isFirst) {
      transaction.sentAt = start;
      transaction.sentAtMs = at;
      context.recent.add(transaction);
    }
    if (manner.breakAfterMs != null) transaction.isBroken = true;
    const { number, call, sessionID, sessionIndex, txID, roundID, amountText: amount, bet, frID } = transaction;
    const origTxID = bet?.txID;
    const id = isFirst ? number : context.nextNumber();
    if (isFirst)
      context.lines.sending(id, at, sessionIndex, call, txID, roundID, amount, origTxID ?? null, this.#scrubbed(frID));
    else context.lines.copy(id, at, number);
    // A repetition has the same bytes as the first call. Repetitions are rare, so the bytes are not kept, but built again.
    const bytes = context.requests.transaction({ call, sessionID, txID, roundID, amount, origTxID, frID });
    const traced = context.requests.traced(bytes, id);
    return this.#deliver(new SentCall(this.#judge, traced, call, id, session, transaction, manner, departure, true));
  }

  /** Reads the balance. @param isJudged false if the caller compares the balance itself */
  read(session: LoadSession, due: number | null, isJudged: boolean): Promise<Answered> {
    const context = this.#context;
    const start = context.now();
    const departure = this.wallet.depart(undefined, start);
    const id = context.nextNumber();
    const bytes = context.requests.traced(context.requests.read(session.sessionID), id);
    context.lines.read(id, context.stamp(start), session.index);
    return this.#deliver(
      new SentCall(this.#judge, bytes, 'balance', id, session, undefined, { due }, departure, isJudged),
    );
  }

  #deliver(sent: SentCall): Promise<Answered> {
    const answered = sent.answered();
    this.#context.deliver(sent);
    return answered;
  }

  /** Judges the answer to a call, and applies it to the account. */
  #answered(sent: SentCall, delivery: Delivery): Answered {
    this.#context.schedule.ended();
    const answered = this.#judgement(sent, delivery);
    const { call, transaction, isJudged } = sent;
    const { answer, balance, txID } = answered;
    if (!transaction) {
      if (isJudged && answer === 'accepted') this.#compareBalance(sent, balance);
      return answered;
    }
    this.wallet.answered(transaction, answered, delivery.end + this.#context.lingerMs, delivery.end);
    if (answer !== 'accepted') return answered;
    if (transaction.operatorTxID === undefined) {
      transaction.operatorTxID = txID ?? '';
      this.#compareWithOthers(transaction);
    } else this.#compareWithFirst(transaction, txID);
    // If the call was sent in several copies, a reply may be the stored first reply. Then it does not show the current balance.
    if (call !== 'refund' && transaction.copies === 1 && !transaction.isFree) this.#compareBalance(sent, balance);
    return answered;
  }

  #judgement(sent: SentCall, delivery: Delivery): Answered {
    const { outcome } = delivery;
    const plain = outcome.kind === 'reply' ? plainSuccess(sent.call, outcome.reply, this.#currency) : undefined;
    if (!plain) return this.#judgeFully(sent, delivery);
    const { balance, written, txID } = plain;
    this.#record(sent, delivery, 'accepted', written, txID);
    return { answer: 'accepted', status: 200, balance, txID, detail: undefined };
  }

  /** Writes the answer to the journal, and measures it. */
  #record(
    { call, id, manner }: SentCall,
    { outcome, sent, end }: Delivery,
    answer: Answer,
    balance: string | undefined,
    txID: string | undefined,
  ): void {
    const context = this.#context;
    this.calls += 1;
    const at = context.stamp(end);
    if (outcome.kind === 'reply')
      context.lines.reply(id, at, outcome.reply.status, this.#scrubbed(balance), this.#scrubbed(txID));
    else context.lines.noReply(id, at, outcome.reason);
    const { due, mayBeDeclined = false } = manner;
    context.measures.answered(call, { due, sent, end, answer, outcome, mayBeDeclined });
  }

  #judgeFully(sent: SentCall, delivery: Delivery): Answered {
    const { call, session, transaction } = sent;
    const context = this.#context;
    const { outcome } = delivery;
    const reading = outcome.kind === 'reply' ? context.unusualReplies.read(outcome.reply) : undefined;
    const answer = answerOf({ call, outcome }, reading);
    const status = replyStatus({ outcome });
    const detail = outcome.kind === 'none' ? outcome.detail : undefined;
    const balance = reading?.balance.money;
    const txID = reading?.txID;
    const answered = { answer, status, balance, txID, detail };
    this.#record(sent, delivery, answer, balance?.toString(), txID);
    if (answer === 'lost' || (status !== undefined && isServerError(status))) {
      const isRefused = outcome.kind === 'none' && outcome.reason === 'refused';
      context.crashes.failed(delivery.end, isRefused, context.measures.accepted);
    }
    const report = (rule: RuleId, verdict: 'fail' | 'warn' | 'note', expected: string, actual: string): void =>
      this.report(rule, verdict, call, session.sessionID, transaction, { expected, actual });
    if (answer === 'late') {
      const verdict = verdictOnTime(false, null, context.deadlineMs);
      // Under load, slow replies are only a warning, because the user sets the limits.
      if (verdict && verdict !== 'pass') report('reply.deadline', 'warn', verdict.expected, verdict.actual);
    }
    if (reading === undefined || answer === 'late' || answer === 'broken' || answer === 'lost') return answered;
    const judged = {
      call,
      answer,
      status: reading.status,
      reading,
      contentType: reading.contentType,
      currency: this.#currency,
      isBetKnown: transaction?.bet?.state === 'applied',
    };
    for (const [rule, { kind, expected, actual }] of context.unusualReplies.problemsOf(judged))
      report(rule, kind === 'breach' ? verdictOfBreach(rule) : kind === 'warning' ? 'warn' : 'note', expected, actual);
    if (answer === 'refused') {
      const code = reading.code ?? null;
      const refused = {
        signature: 'right',
        isSignedByOther: false,
        isKeyProven: true,
        answer,
        status: 401,
        code,
      } as const;
      const problem = signatureProblem(refused);
      if (problem) report(problem[0], 'fail', problem[1].expected, problem[1].actual);
    }
    if (ENDED_CODES.has(reading.code) && session.isOpen) {
      session.isOpen = false;
      context.sessionEnded(session.sessionID);
    }
    return answered;
  }

  #scrubbed(text: string | undefined): string | null {
    return text === undefined ? null : this.#context.scrub(text);
  }

  #reportLateBytes({ call, session, transaction }: SentCall): void {
    this.report('reply.json', 'warn', call, session.sessionID, transaction, {
      expected: 'a reply ends where its `Content-Length` says',
      actual: 'more bytes came after the reply. The next call on this connection may have got these bytes as its reply',
    });
  }

  /** Adds a finding about one call. */
  report(
    rule: RuleId,
    verdict: 'fail' | 'warn' | 'note',
    call: CallName,
    sessionID: string,
    transaction: LoadTransaction | undefined,
    { expected, actual }: { readonly expected: string; readonly actual: string },
  ): void {
    const traceID = transaction && this.#context.requests.traceIDOf(transaction.number);
    this.#context.findings.add({
      rule,
      verdict,
      call,
      expected,
      actual,
      player: this.player,
      sessionID,
      txID: transaction?.txID ?? null,
      ...(traceID !== undefined && { traceID }),
      atMs: this.#context.stamp(this.#context.now()),
    });
  }

  /** Compares the operator's txID with those of other bets and wins. Calls that were sent several times are left out. */
  #compareWithOthers(transaction: LoadTransaction): void {
    const { call, copies, state, sessionID, operatorTxID } = transaction;
    if (call === 'refund' || copies > 1 || state !== 'applied') return;
    const other = this.#context.operatorTxIDs.take(transaction);
    if (other === undefined) return;
    const rule = 'reply.tx-id-distinct';
    this.report(rule, verdictOfBreach(rule), call, sessionID, transaction, {
      expected: 'different bets and wins get different operator txIDs',
      actual: `the transaction ${other} already got the txID ${JSON.stringify(operatorTxID)}`,
    });
  }

  /** Compares the reply to a repetition with the first reply (contract, Rules 2). */
  #compareWithFirst(transaction: LoadTransaction, again = ''): void {
    const { call, operatorTxID, isCopiedAtOnce, sessionID } = transaction;
    if (again === operatorTxID || again === '' || operatorTxID === '') return;
    transaction.isProcessedAgain = true;
    this.report(
      isCopiedAtOnce ? 'idempotency.concurrent' : `idempotency.${call}`,
      'fail',
      call,
      sessionID,
      transaction,
      {
        expected: 'the operator answers a call that is sent again with the same txID as the first time',
        actual: `the first reply has the txID ${JSON.stringify(operatorTxID)}, a later reply has ${JSON.stringify(again)}`,
      },
    );
  }

  #compareBalance({ call, session, transaction, departure }: SentCall, shown: Money | undefined): void {
    if (!shown) return;
    const { low, high, isExact, balances } = this.wallet.rangeOf(departure, transaction);
    const isWithin = shown.compare(low) >= 0 && shown.compare(high) <= 0;
    if (isWithin && (balances?.some((one) => one.equals(shown)) ?? true)) {
      if (isExact && this.oddReply === undefined) this.wallet.confirm(transaction);
      return;
    }
    const at = this.#context.now();
    this.oddReply ??= { call, sessionID: session.sessionID, transaction, shown, low, high, isExact, isWithin, at };
  }
}
