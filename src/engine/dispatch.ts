import type { Exchange } from '../journal/exchange.ts';
import type { Sent } from '../judge/sent.ts';
import { evaluate, evaluateMoney } from '../scenario/evaluate.ts';
import type { CallStep } from '../scenario/plan.ts';
import { isCutOff, wasPrompt } from './cut-off.ts';
import type { Debts } from './debts.ts';
import type { History } from './history.ts';
import type { Linger } from './linger.ts';
import { Outbox } from './outbox.ts';
import type { Outgoing } from './outgoing.ts';
import { walletIdOf } from './pool.ts';
import { queueMs } from './queue.ts';
import type { Release } from './races.ts';
import type { RunOptions } from './run-options.ts';
import { scopeOf } from './scope.ts';
import type { Departure, Sender } from './sender.ts';
import type { Stage } from './stage.ts';

export interface DispatchOptions {
  readonly stage: Stage;
  readonly sender: Sender;
  readonly run: RunOptions;
  readonly history: History;
  /** Shared by all tellings of a story, as are the debts. */
  readonly linger: Linger;
  readonly debts: Debts;
}

/** A call of the story whose bytes are made. */
export interface Ready {
  readonly step: CallStep;
  readonly outgoing: Outgoing;
}

/** How often a call is made again on which the connection was closed. */
const MORE_CUT_OFF = 2;

/** Sends the calls of a story, and keeps account of what each leaves behind. */
export class Dispatch {
  readonly outbox: Outbox;
  readonly #stage: Stage;
  readonly #sender: Sender;
  readonly #history: History;
  readonly #linger: Linger;
  readonly #debts: Debts;
  readonly #deadlineMs: number;
  /** A kept-alive connection was closed under a call. */
  stale = false;

  constructor({ stage, sender, run, history, linger, debts }: DispatchOptions) {
    this.outbox = new Outbox(stage, run.client);
    this.#stage = stage;
    this.#sender = sender;
    this.#history = history;
    this.#linger = linger;
    this.#debts = debts;
    this.#deadlineMs = run.deadlineMs;
  }

  /** A call that nobody judges while it is under way. @param more what differs from the departure of its step */
  async send({ step, outgoing }: Ready, more: Partial<Departure> = {}): Promise<Exchange> {
    const exchange = await this.#sender.send({ ...this.outbox.departure(step, outgoing), ...more });
    this.noteConnection(exchange);
    return exchange;
  }

  /** A call that is judged as soon as it is answered. */
  async judged<T>(
    { step, outgoing }: Ready,
    purpose: Departure['purpose'],
    judge: (sent: Sent) => T,
  ): Promise<{ readonly exchange: Exchange; readonly judged: T }> {
    const departure = { ...this.outbox.departure(step, outgoing), purpose };
    const isOdd = mayBeCutOff(step);
    const send = (how: Partial<Departure>) =>
      this.#sender.judged({ ...departure, ...how }, this.#model(step.session), (exchange) => ({
        exchange,
        told: isOdd && isCutOff(exchange) ? null : { judged: judge(this.sentOf({ step, outgoing }, exchange)) },
      }));
    let { exchange, told } = await send({});
    let closes = true;
    let isPrompt = false;
    // Whether the connection was closed because of the call shows when it is made again, over connections of its own.
    for (let more = 0; told === null && more < MORE_CUT_OFF; more += 1) {
      const control = await this.#control(step);
      closes = control?.outcome.kind === 'reply';
      if (!control || !closes) break;
      ({ exchange, told } = await send({ freshConnection: true }));
      isPrompt ||= wasPrompt(exchange, control);
    }
    if (told === null)
      return { exchange, judged: judge({ ...this.sentOf({ step, outgoing }, exchange), closes: closes && isPrompt }) };
    this.noteConnection(exchange);
    return { exchange, judged: told.judged };
  }

  /** A read over a connection of its own, as the control of a call that was not answered. */
  async #control({ key }: CallStep): Promise<Exchange | undefined> {
    const step = this.#stage.readStep('main', `${key}.control`);
    const outgoing = this.outbox.make(step);
    if (!outgoing) return undefined;
    const departure = this.outbox.departure(step, outgoing);
    return this.#sender.send({ ...departure, purpose: 'probe', freshConnection: true });
  }

  /** Calls that are let go together, and judged as a set when all have landed. */
  async together<T>(calls: readonly Ready[], release: Release, judge: (sents: readonly Sent[]) => T) {
    const departures = calls.map(({ step, outgoing }) => ({
      ...this.outbox.departure(step, outgoing),
      atMs: step.atMs,
    }));
    const { judged, ...race } = await this.#sender.together(departures, release, this.#model('main'), (exchanges) => {
      const landed = calls.flatMap((call, index) => {
        const exchange = exchanges[index];
        return exchange ? [{ call, exchange }] : [];
      });
      return { landed, judged: judge(landed.map(({ call, exchange }) => this.sentOf(call, exchange))) };
    });
    for (const { call, exchange } of judged.landed) this.follow(call, exchange);
    const queuedMs = queueMs(
      judged.landed.map(({ exchange }) => exchange),
      this.#deadlineMs,
    );
    return { ...race, calls: judged.landed.length, judged: judged.judged, queuedMs };
  }

  /** A call as the judge wants to be told of it. */
  sentOf({ step, outgoing }: Ready, exchange: Exchange): Sent {
    const scope = scopeOf(this.#stage.names, step);
    const { moves, body } = step.expect;
    return {
      step,
      exchange,
      amount: outgoing.amount,
      stated: {
        moves: moves && evaluateMoney(moves, scope),
        body: (body ?? []).map(([path, template]) => [path, evaluate(template, scope)] as const),
      },
      lingered: this.#linger.restMs === 0,
    };
  }

  /** After a call was judged: notes what it leaves owed, and keeps what may be sent again. */
  follow({ step, outgoing }: Ready, exchange: Exchange): void {
    this.noteConnection(exchange);
    const { outcome, stamps, connection } = exchange;
    const sure = outcome.kind === 'reply' && outcome.reply.status !== 500;
    if (!sure && connection !== null) this.#linger.risk(stamps.end);
    this.#debts.note(this.#stage, { step, outgoing });
    // What has no known outcome will have to be sent again.
    if (this.#stage.judge.effects.ofStep(step.key)?.state === 'unknown') this.outbox.keep(step, outgoing);
    const { origTxID } = outgoing.spec.fields;
    if (step.call === 'refund' && typeof origTxID === 'string') this.#history.giveBack(origTxID);
    if (step.origin.kind !== 'fresh' || outcome.kind !== 'reply' || step.call === 'balance' || step.type === 'free')
      return;
    const transaction = this.#stage.judge.effects.ofStep(step.key);
    const session = this.#stage.casting.get(step.session);
    if (
      session &&
      transaction?.state === 'applied' &&
      transaction.reply &&
      // What comes with the txID of another call may be taken for that one.
      transaction.part.namesake === null &&
      Object.keys(step.deviations).length === 0 &&
      !step.campaign
    ) {
      this.#history.keep(walletIdOf(session), step.call, transaction.txID, {
        request: outgoing.request,
        reply: transaction.reply,
        effect: transaction.effect,
      });
    }
  }

  /** A connection that was closed under a call says nothing about the operator. */
  noteConnection({ outcome }: Exchange): void {
    if (outcome.kind === 'none' && outcome.reason === 'stale-connection') this.stale = true;
  }

  /** The balances that are held possible, as text. */
  #model(alias: string): () => readonly string[] {
    return () => this.#stage.names.walletOf(alias)?.possible().map(String) ?? [];
  }
}

/** A call that the service would not send, and that has to be turned down: its handler may break on it. */
function mayBeCutOff({ deviations, expect, session }: CallStep): boolean {
  if (deviations.break || deviations.trickle) return false;
  return (
    expect.outcome === 'refused' ||
    (expect.outcome === 'declined' && (deviations.body !== undefined || session === 'unknown'))
  );
}
