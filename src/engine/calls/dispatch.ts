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
import { walletIdOf } from '../session-pool.ts';
import type { SettleTime } from '../settle-time.ts';
import { Outbox, type Outgoing } from './outbox.ts';
import type { OwedCalls } from './owed-calls.ts';
import type { CallToSend, Sender } from './sender.ts';
import { queueWaitMs } from './waits.ts';

export interface DispatchOptions {
  readonly context: ScenarioContext;
  readonly sender: Sender;
  readonly run: RunOptions;
  readonly acceptedCalls: AcceptedCalls;
  /** Shared by all repetitions of a scenario, like the owed calls. */
  readonly settleTime: SettleTime;
  readonly owedCalls: OwedCalls;
}

/** A call of the scenario whose bytes are built. */
export interface ReadyCall {
  readonly step: CallStep;
  readonly outgoing: Outgoing;
}

/** Maximum number of repetitions of a call whose connection was closed. */
const MAX_CUT_OFF_REPEATS = 2;

/** Sends the calls of a scenario and keeps what each leaves behind: late effects, owed calls, calls to send again. */
export class Dispatch {
  readonly outbox: Outbox;
  readonly #context: ScenarioContext;
  readonly #sender: Sender;
  readonly #acceptedCalls: AcceptedCalls;
  readonly #settleTime: SettleTime;
  readonly #owedCalls: OwedCalls;
  readonly #deadlineMs: number;
  /** True if a kept-alive connection was closed during a call. */
  stale = false;

  constructor({ context, sender, run, acceptedCalls, settleTime: linger, owedCalls: debts }: DispatchOptions) {
    this.outbox = new Outbox(context, run.client);
    this.#context = context;
    this.#sender = sender;
    this.#acceptedCalls = acceptedCalls;
    this.#settleTime = linger;
    this.#owedCalls = debts;
    this.#deadlineMs = run.deadlineMs;
  }

  /** Sends a call that is not judged. @param more the differences from the call of its step */
  async send({ step, outgoing }: ReadyCall, more: Partial<CallToSend> = {}): Promise<Exchange> {
    const exchange = await this.#sender.send({ ...this.outbox.callToSend(step, outgoing), ...more });
    this.noteConnection(exchange);
    return exchange;
  }

  /** Sends a call that is judged as soon as it is answered. */
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
    // The call is repeated over new connections, to see whether it is the reason why its connection was closed.
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

  /** A read over a new connection: the control of a call that was not answered. */
  async #control({ key }: CallStep): Promise<Exchange | undefined> {
    const step = this.#context.readStep('main', `${key}.control`);
    const outgoing = this.outbox.make(step);
    if (!outgoing) return undefined;
    const callToSend = this.outbox.callToSend(step, outgoing);
    return this.#sender.send({ ...callToSend, purpose: 'probe', freshConnection: true });
  }

  /** Sends calls together, and judges them as a set when all have ended. */
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
      this.#deadlineMs,
    );
    return { ...race, calls: judged.received.length, judged: judged.judged, queuedMs };
  }

  /** A call in the form that the judge takes. */
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

  /** After a call was judged: records what it leaves owed, and keeps what may be sent again. */
  follow({ step, outgoing }: ReadyCall, exchange: Exchange): void {
    this.noteConnection(exchange);
    const { outcome, stamps, connection } = exchange;
    const reading = outcome.kind === 'reply' ? readReply(outcome.reply) : undefined;
    const mayLand = mayHaveBeenProcessed(answerOf(exchange, reading), reading?.status);
    if (mayLand && connection !== null) this.#settleTime.noteRisk(stamps.end);
    this.#owedCalls.note(this.#context, { step, outgoing });
    // A call of unknown outcome has to be sent again.
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
      // The operator may take a call with the txID of another call for that call.
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

  /** Notes a kept-alive connection that was closed during a call. This says nothing about the operator. */
  noteConnection({ outcome }: Exchange): void {
    if (outcome.kind === 'none' && outcome.reason === 'stale-connection') this.stale = true;
  }

  /** The possible balances, as text. */
  #possibleBalances(alias: string): () => readonly string[] {
    return () => this.#context.names.walletOf(alias)?.possible().map(String) ?? [];
  }
}

/** True for a call that the service would not send and that must be rejected: the operator's handler may crash on it. */
function mayBeCutOff({ deviations, expect, session }: CallStep): boolean {
  if (deviations.break || deviations.trickle) return false;
  return (
    expect.outcome === 'refused' ||
    (expect.outcome === 'declined' && (deviations.body !== undefined || session === 'unknown'))
  );
}

/** Tolerance for the time that a new connection takes: no operator closes a connection that was idle for such a short time. */
const TOLERANCE_MS = 10;

/** True if the request was sent, and the connection was closed without a byte of a reply. */
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
 * True if the request was sent about as fast as that of its control, which was answered. On a busy machine a new connection may
 * wait so long that the operator closes it, independent of the call.
 */
export function wasPrompt(cutOff: Exchange, control: Exchange): boolean {
  return sendMs(cutOff) <= 2 * sendMs(control) + TOLERANCE_MS;
}

function sendMs({ stamps: { start, sent } }: Exchange): number {
  return sent === null ? Number.POSITIVE_INFINITY : sent - start;
}
