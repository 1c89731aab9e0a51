import type { Exchange } from '../../journal/exchange.ts';
import type { SentCall } from '../../judge/observed-call.ts';
import { answerOf, mayHaveBeenProcessed } from '../../reply/classify.ts';
import { readReply } from '../../reply/read.ts';
import { evaluate, evaluateMoney } from '../../scenario/expressions/evaluate.ts';
import type { CallStep } from '../../scenario/plan/plan.ts';
import type { AcceptedCalls } from '../accepted-calls.ts';
import type { Release } from '../races.ts';
import type { RunOptions } from '../run-options.ts';
import type { ScenarioContext } from '../scenario-context.ts';
import { scopeOf } from '../scope.ts';
import { sessionIDsOfPlayer, walletIdOf } from '../session-pool.ts';
import type { SettleTime } from '../settle-time.ts';
import { Outbox, type Outgoing } from './outbox.ts';
import type { OwedCalls } from './owed-calls.ts';
import type { CallToSend, Sender } from './sender.ts';
import { queueWaitMs, RETRIES } from './waits.ts';

export interface DispatchOptions {
  readonly context: ScenarioContext;
  readonly sender: Sender;
  readonly run: RunOptions;
  readonly acceptedCalls: AcceptedCalls;
  /** The wait for late effects. All repetitions of a scenario share this object, and the list of owed calls. */
  readonly settleTime: SettleTime;
  readonly owedCalls: OwedCalls;
}

/** A step of the scenario with its request, ready to be sent. */
export interface ReadyCall {
  readonly step: CallStep;
  readonly outgoing: Outgoing;
}

/** Maximum number of times that a call is sent again after its connection was closed. */
const MAX_CUT_OFF_REPEATS = 2;

/**
 * Sends the calls of a scenario. Records which calls may take effect late, which calls are owed, and which calls can be sent again.
 */
export class Dispatch {
  readonly outbox: Outbox;
  readonly #context: ScenarioContext;
  readonly #sender: Sender;
  readonly #acceptedCalls: AcceptedCalls;
  readonly #settleTime: SettleTime;
  readonly #owedCalls: OwedCalls;
  readonly #run: RunOptions;
  /** True if the operator closed a kept-alive connection during a call. */
  stale = false;

  constructor({ context, sender, run, acceptedCalls, settleTime: linger, owedCalls: debts }: DispatchOptions) {
    this.outbox = new Outbox(context, run.client);
    this.#context = context;
    this.#sender = sender;
    this.#acceptedCalls = acceptedCalls;
    this.#settleTime = linger;
    this.#owedCalls = debts;
    this.#run = run;
  }

  /** Maximum number of retries of a balance read that the operator answers with "too busy". */
  get readRetries(): number {
    return this.#sender.waitPolicy.stopsRetrying('balance') ? 0 : RETRIES;
  }

  /**
   * Sends a call that is not judged.
   *
   * @param more overrides for single properties of the call
   */
  async send({ step, outgoing }: ReadyCall, more: Partial<CallToSend> = {}): Promise<Exchange> {
    const exchange = await this.#sender.send({ ...this.outbox.callToSend(step, outgoing), ...more });
    this.noteConnection(exchange);
    return exchange;
  }

  /** Sends a call and judges it as soon as its reply arrives. */
  async judged<T>(
    { step, outgoing }: ReadyCall,
    purpose: CallToSend['purpose'],
    judge: (sent: SentCall) => T,
  ): Promise<{ readonly exchange: Exchange; readonly judged: T }> {
    const callToSend = { ...this.outbox.callToSend(step, outgoing), purpose };
    const mayCutOff = mayBeCutOff(step);
    const send = (how: Partial<CallToSend>) =>
      this.#sender.judged({ ...callToSend, ...how }, this.#possibleBalances(step.session), (exchange) => ({
        exchange,
        judgement:
          mayCutOff && isCutOff(exchange) ? null : { judged: judge(this.sentOf({ step, outgoing }, exchange)) },
      }));
    let { exchange, judgement } = await send({});
    let closes = true;
    let isPrompt = false;
    // The operator closed the connection without a reply. To find out whether the call is the reason, croupier sends the same call
    // again over new connections.
    for (let more = 0; judgement === null && more < MAX_CUT_OFF_REPEATS; more += 1) {
      const control = await this.#control(step);
      closes = control?.outcome.kind === 'reply';
      if (!control || !closes) break;
      ({ exchange, judgement } = await send({ freshConnection: true }));
      isPrompt ||= wasPrompt(exchange, control);
    }
    if (judgement === null)
      return {
        exchange,
        judged: judge({ ...this.sentOf({ step, outgoing }, exchange), closesConnection: closes && isPrompt }),
      };
    this.noteConnection(exchange);
    return { exchange, judged: judgement.judged };
  }

  /**
   * Reads the balance over a new connection. If the operator answers this read but not the judged call, the call is the reason for
   * the closed connection.
   */
  async #control({ key }: CallStep): Promise<Exchange | undefined> {
    const step = this.#context.readStep('main', `${key}.control`);
    const outgoing = this.outbox.make(step);
    if (!outgoing) return undefined;
    const callToSend = this.outbox.callToSend(step, outgoing);
    return this.#sender.send({ ...callToSend, purpose: 'probe', freshConnection: true });
  }

  /** Sends calls at the same time, and judges them together when all have ended. */
  async together<T>(calls: readonly ReadyCall[], release: Release, judge: (sents: readonly SentCall[]) => T) {
    const callsToSend = calls.map(({ step, outgoing }) => ({
      ...this.outbox.callToSend(step, outgoing),
      atMs: step.atMs,
    }));
    const { judged, ...race } = await this.#sender.together(
      callsToSend,
      release,
      this.#possibleBalances('main'),
      (exchanges) => {
        const received = calls.flatMap((call, index) => {
          const exchange = exchanges[index];
          return exchange ? [{ call, exchange }] : [];
        });
        return { received, judged: judge(received.map(({ call, exchange }) => this.sentOf(call, exchange))) };
      },
    );
    for (const { call, exchange } of judged.received) this.follow(call, exchange);
    const queuedMs = queueWaitMs(
      judged.received.map(({ exchange }) => exchange),
      this.#run.deadlineMs,
    );
    return { ...race, calls: judged.received.length, judged: judged.judged, queuedMs };
  }

  /** True if the operator may still process an earlier call of the player of the step, for which croupier no longer waits. */
  mayOverlap({ session: alias }: CallStep): boolean {
    const session = this.#context.assignment.get(alias);
    if (!session) return false;
    const { client, lingerMs } = this.#run;
    return this.#sender.unanswered.mayOverlap(sessionIDsOfPlayer(session, client.sessions), lingerMs);
  }

  /** Returns a sent call in the form that the judge needs. */
  sentOf({ step, outgoing }: ReadyCall, exchange: Exchange): SentCall {
    const scope = scopeOf(this.#context.names, step);
    const { moves, body } = step.expect;
    return {
      step,
      exchange,
      amount: outgoing.amount,
      stated: {
        moves: moves && evaluateMoney(moves, scope),
        body: (body ?? []).map(([path, template]) => [path, evaluate(template, scope)] as const),
      },
      lingered: this.#settleTime.restMs === 0,
    };
  }

  /** Updates the records after a call was judged: which calls are owed, and which calls can be sent again. */
  follow({ step, outgoing }: ReadyCall, exchange: Exchange): void {
    this.noteConnection(exchange);
    const { outcome, stamps, connection } = exchange;
    const reading = outcome.kind === 'reply' ? readReply(outcome.reply) : undefined;
    const mayLand = mayHaveBeenProcessed(answerOf(exchange, reading), reading?.status);
    if (mayLand && connection !== null) this.#settleTime.noteRisk(stamps.end);
    this.#owedCalls.note(this.#context, { outgoing, exchange });
    this.#context.openRounds.note(step, outgoing.spec.fields, exchange);
    // If the outcome of a call is unknown, the call must be sent again. So its bytes are kept.
    if (this.#context.judge.effects.ofStep(step.key)?.state === 'unknown') this.outbox.keep(step, outgoing);
    const { origTxID } = outgoing.spec.fields;
    if (step.call === 'refund' && typeof origTxID === 'string') this.#acceptedCalls.remove(origTxID);
    if (step.origin.kind !== 'fresh' || outcome.kind !== 'reply' || step.call === 'balance' || step.type === 'free')
      return;
    const transaction = this.#context.judge.effects.ofStep(step.key);
    const session = this.#context.assignment.get(step.session);
    if (
      session &&
      transaction?.state === 'applied' &&
      transaction.reply &&
      // A call that has the txID of another call is not kept, because the operator may treat it as a repetition of that other call.
      transaction.planned.sameTxID === null &&
      Object.keys(step.deviations).length === 0 &&
      !step.campaign
    ) {
      this.#acceptedCalls.keep(walletIdOf(session), step.call, transaction.txID, {
        request: outgoing.request,
        amount: outgoing.plainAmount.sent,
        reply: transaction.reply,
        effect: transaction.effect,
      });
    }
  }

  /**
   * Notes that the operator closed a kept-alive connection during a call. This is no fault of the wallet, because an operator may
   * close an idle connection at any time.
   */
  noteConnection({ outcome }: Exchange): void {
    if (outcome.kind === 'none' && outcome.reason === 'stale-connection') this.stale = true;
  }

  /** Returns a function that lists the possible balances of the session's wallet, as text. */
  #possibleBalances(alias: string): () => readonly string[] {
    return () => this.#context.names.walletOf(alias)?.possible().map(String) ?? [];
  }
}

/**
 * True for a call on which the handler of an operator may crash, so that the operator closes the connection each time: a call that
 * the operator must reject, a bet above the balance, the refund of an unknown transaction, or a call with a known txID. If the
 * operator did carry out the call, sending the same bytes again has no further effect.
 */
export function mayBeCutOff({ deviations, expect, origin, refund, session }: CallStep): boolean {
  if (deviations.break || deviations.trickle) return false;
  if (expect.outcome === 'refused') return true;
  if (expect.outcome === 'declined')
    return deviations.body !== undefined || session === 'unknown' || expect.code === 'insufficient_funds';
  return refund?.kind === 'unknown' || origin.kind === 'resend';
}

/**
 * Additional time in milliseconds that it may take to send a request, for example to open a new connection. It is so short that no
 * operator closes a connection that was idle for this time.
 */
const TOLERANCE_MS = 10;

/** True if the request was sent and the operator closed the connection without a byte of a reply. */
export function isCutOff({ outcome, stamps, connection }: Exchange): boolean {
  return (
    outcome.kind === 'none' &&
    (outcome.reason === 'reset' || outcome.reason === 'stale-connection') &&
    outcome.head === undefined &&
    connection !== null &&
    stamps.sent !== null
  );
}

/**
 * True if the call was sent at most twice as slowly as the control call. The control call was answered. On a busy machine, croupier
 * may send a call so late that the operator closes the idle connection. Then the call is not the reason for the closed connection.
 */
export function wasPrompt(cutOff: Exchange, control: Exchange): boolean {
  return sendMs(cutOff) <= 2 * sendMs(control) + TOLERANCE_MS;
}

function sendMs({ stamps: { start, sent } }: Exchange): number {
  return sent === null ? Number.POSITIVE_INFINITY : sent - start;
}
