import { randomUUID } from 'node:crypto';
import type { CallName, TransactionCall } from '../contract/call-name.ts';
import type { RuleId } from '../contract/catalogue.ts';
import { type Currency, currencyByCode } from '../contract/currencies.ts';
import type { Money } from '../contract/money.ts';
import { copyLine, noReplyLine, readLine, replyLine, sendingLine } from '../journal/load/lines.ts';
import { type Answer, answerOf } from '../reply/classify.ts';
import { problemsOf, verdictOnTime } from '../reply/problems.ts';
import { type ReplyReading, readOnce } from '../reply/read.ts';
import { signatureProblem } from '../reply/signature.ts';
import { replyStatus } from '../reply/status.ts';
import type { Delivery } from './connections.ts';
import { verdictOfBreach } from './findings.ts';
import type { LoadContext } from './load-context.ts';
import type { LoadTransaction, Wallet } from './wallet.ts';

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
  /** Undefined if no reply came. */
  readonly reading: ReplyReading | undefined;
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

/** A reply whose balance differs from every balance that was possible, because of the calls that were open. */
export interface OddReply {
  readonly call: CallName;
  readonly sessionID: string;
  readonly transaction: LoadTransaction | undefined;
  readonly shown: Money;
  readonly low: Money;
  readonly high: Money;
  readonly isExact: boolean;
  readonly at: number;
}

/** Codes with which an operator says that a session has ended. */
const ENDED_CODES: ReadonlySet<string | undefined> = new Set(['session_expired', 'session_not_found']);

/** Sends the calls of one wallet, judges each reply, and keeps the wallet's account. */
export class Caller {
  readonly player: string;
  readonly wallet: Wallet;
  readonly #context: LoadContext;
  readonly #currency: Currency | undefined;
  /** The first reply since the last quiet point whose balance was not possible. */
  oddReply: OddReply | undefined;
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
    const { sessionID } = session;
    const txID = randomUUID();
    const text = amount.format(decimals);
    const sent = { call, sessionID, txID, roundID, amount: text, origTxID: bet?.txID, frID };
    return {
      number: this.#context.nextNumber(),
      call,
      sessionID,
      sessionIndex: session.index,
      txID,
      roundID,
      amount,
      amountText: text,
      frID,
      isFree: frID !== undefined,
      bet,
      hasBet: fields.hasBet ?? false,
      bytes: this.#context.requests.transaction(sent),
      state: 'sent',
      copies: 0,
      inFlight: 0,
      provisional: undefined,
      isCopiedAtOnce: false,
      isBroken: false,
      status: undefined,
      operatorTxID: undefined,
      isOverlapped: false,
      sentAt: 0,
      endedAt: 0,
      sentAtMs: 0,
    };
  }

  /** Sends a transaction, or a copy of it, and applies the answer to the account. */
  async send(transaction: LoadTransaction, session: LoadSession, manner: Manner): Promise<Answered> {
    const { wallet } = this;
    const context = this.#context;
    const start = context.now();
    const departure = wallet.depart(transaction, start);
    const isFirst = transaction.copies === 1;
    if (isFirst) {
      transaction.sentAt = start;
      transaction.sentAtMs = context.stamp(start);
      context.recent.add(transaction);
    }
    if (manner.breakAfterMs != null) transaction.isBroken = true;
    const { number, call, sessionID, sessionIndex, txID, roundID, amountText, bet, frID } = transaction;
    const id = isFirst ? number : context.nextNumber();
    const at = context.stamp(start);
    const line = isFirst
      ? sendingLine(id, at, sessionIndex, call, txID, roundID, amountText, bet?.txID ?? null, this.#scrubbed(frID))
      : copyLine(id, at, number);
    const delivery = await context.deliver(line, {
      bytes: transaction.bytes,
      breakAfterMs: manner.breakAfterMs ?? null,
      onLateBytes: () => this.#reportLateBytes(call, sessionID, transaction),
    });
    const answered = this.#judge(call, id, session, transaction, delivery, manner);
    const { answer, status, reading } = answered;
    const fadeUntil = delivery.end + context.lingerMs;
    const isKnown = transaction.operatorTxID !== undefined;
    wallet.answered(transaction, { answer, status }, { fadeUntil, now: delivery.end });
    if (answer === 'accepted') {
      if (isKnown) this.#compareWithFirst(transaction, reading);
      else transaction.operatorTxID = reading?.txID ?? '';
      // The reply to a copy is the stored first reply, so it does not show the current balance.
      const own = call === 'bet' ? transaction.amount.negated() : call === 'win' ? transaction.amount : undefined;
      if (own && transaction.copies === 1 && !transaction.isFree)
        this.#compareBalance(call, session, transaction, reading, departure, own);
    }
    return answered;
  }

  /** Reads the balance. @param isJudged false if the caller compares the balance itself */
  async read(session: LoadSession, due: number | null, isJudged: boolean): Promise<Answered> {
    const context = this.#context;
    const start = context.now();
    const departure = this.wallet.depart(undefined, start);
    const id = context.nextNumber();
    const line = readLine(id, context.stamp(start), session.index);
    const delivery = await context.deliver(line, {
      bytes: context.requests.read(session.sessionID),
      breakAfterMs: null,
      onLateBytes: () => this.#reportLateBytes('balance', session.sessionID, undefined),
    });
    const answered = this.#judge('balance', id, session, undefined, delivery, { due });
    if (isJudged && answered.answer === 'accepted')
      this.#compareBalance('balance', session, undefined, answered.reading, departure, context.zero);
    return answered;
  }

  #judge(
    call: CallName,
    id: number,
    session: LoadSession,
    transaction: LoadTransaction | undefined,
    delivery: Delivery,
    { due, mayBeDeclined = false }: Manner,
  ): Answered {
    const context = this.#context;
    this.calls += 1;
    const { outcome, sent, end } = delivery;
    const reading = outcome.kind === 'reply' ? readOnce(outcome.reply) : undefined;
    const answer = answerOf({ call, outcome }, reading);
    const status = replyStatus({ outcome });
    const detail = outcome.kind === 'none' ? outcome.detail : undefined;
    context.journal(
      status === undefined
        ? noReplyLine(id, context.stamp(end), outcome.kind === 'none' ? outcome.reason : 'reset')
        : replyLine(
            id,
            context.stamp(end),
            status,
            this.#scrubbed(reading?.balance.money?.toString()),
            this.#scrubbed(reading?.txID),
          ),
    );
    context.measures.answered(call, { due, sent, end, answer, outcome, mayBeDeclined });
    const report = (rule: RuleId, verdict: 'fail' | 'warn' | 'note', expected: string, actual: string): void =>
      this.report(rule, verdict, call, session.sessionID, transaction, { expected, actual });
    if (answer === 'late') {
      const verdict = verdictOnTime(false, null, context.deadlineMs);
      // Under load, slow replies are only a warning, because the user sets the limits.
      if (verdict && verdict !== 'pass') report('reply.deadline', 'warn', verdict.expected, verdict.actual);
    }
    if (reading === undefined || answer === 'late' || answer === 'broken' || answer === 'lost')
      return { answer, status, reading, detail };
    const judged = {
      call,
      answer,
      status: reading.status,
      reading,
      contentType: reading.contentType,
      currency: this.#currency,
      isBetKnown: transaction?.bet?.state === 'applied',
    };
    for (const [rule, { kind, expected, actual }] of problemsOf(judged))
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
    return { answer, status, reading, detail };
  }

  #scrubbed(text: string | undefined): string | null {
    return text === undefined ? null : this.#context.scrub(text);
  }

  #reportLateBytes(call: CallName, sessionID: string, transaction: LoadTransaction | undefined): void {
    this.report('reply.json', 'warn', call, sessionID, transaction, {
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
    this.#context.findings.add({
      rule,
      verdict,
      call,
      expected,
      actual,
      player: this.player,
      sessionID,
      txID: transaction?.txID ?? null,
      atMs: this.#context.stamp(this.#context.now()),
    });
  }

  /** Compares the reply to a repetition with the first reply (contract, Rules 2). */
  #compareWithFirst(transaction: LoadTransaction, reading: ReplyReading | undefined): void {
    const { call, operatorTxID, isCopiedAtOnce, sessionID } = transaction;
    const again = reading?.txID ?? '';
    if (again === operatorTxID || again === '' || operatorTxID === '') return;
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

  #compareBalance(
    call: CallName,
    session: LoadSession,
    transaction: LoadTransaction | undefined,
    reading: ReplyReading | undefined,
    departure: Parameters<Wallet['rangeOf']>[0],
    own: Money,
  ): void {
    const shown = reading?.balance.money;
    if (!shown) return;
    const { low, high, isExact } = this.wallet.rangeOf(departure, own);
    if (shown.compare(low) >= 0 && shown.compare(high) <= 0) {
      if (isExact && this.oddReply === undefined) this.wallet.confirm();
      return;
    }
    const at = this.#context.now();
    this.oddReply ??= { call, sessionID: session.sessionID, transaction, shown, low, high, isExact, at };
  }
}
