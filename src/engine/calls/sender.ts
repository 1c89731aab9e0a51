import { setTimeout as sleep } from 'node:timers/promises';
import type { CallName } from '../../contract/call-name.ts';
import type { BreakMoment, SignKind, Trickle } from '../../contract/deviation.ts';
import type { JournalEvent, Sending } from '../../journal/event.ts';
import { type Exchange, type ExchangeRequest, type Outcome, replyMs } from '../../journal/exchange.ts';
import { callSpan, withTraceparent } from '../../journal/network/trace.ts';
import { readAndShorten } from '../../reply/read.ts';
import { isSuccess } from '../../reply/status.ts';
import type { CallResult, PendingCall } from '../../wire/pending-call.ts';
import { type BuiltRequest, requestOf } from '../../wire/request.ts';
import { Wire, type WireOptions } from '../../wire/wire.ts';
import type { Release } from '../races.ts';
import type { CallGate } from './call-gate.ts';
import { Pace } from './pace.ts';
import { UnansweredCalls } from './unanswered-calls.ts';
import { WaitPolicy } from './wait-policy.ts';

/** A call to send, with its scenario and step. */
export interface CallToSend {
  readonly call: CallName;
  readonly request: BuiltRequest;
  /**
   * The amount in the body, as a plain decimal in the main unit. Undefined if the body has no amount, or if the amount is not a
   * plain decimal.
   */
  readonly amount?: string | undefined;
  readonly scenario: string | null;
  readonly step: string | null;
  readonly purpose: Sending['purpose'];
  readonly breakAt?: BreakMoment | undefined;
  readonly trickle?: Trickle | undefined;
  readonly freshConnection?: boolean;
  /** The kind of signature if the signature is wrong on purpose. */
  readonly signed?: SignKind | undefined;
  /** True if the operator may decline the call, because the real service would not send it. Absent: false. */
  readonly mayBeDeclined?: boolean;
  /**
   * For calls that are sent together: delay after the first call, in milliseconds. Absent: the call is sent at the same time as
   * the first one.
   */
  readonly atMs?: number | undefined;
}

/** Returns the possible balances of a session's wallet, as text. */
export type Model = () => readonly string[];

export interface SenderOptions {
  readonly wire: WireOptions;
  readonly deadlineMs: number;
  readonly now: () => number;
  readonly record: (event: JournalEvent) => void;
  readonly ratePerSecond: number | null;
  readonly maxAtOnce: number;
  /** The limits that several senders share. Absent: the sender has limits of its own. */
  readonly pace?: Pace | undefined;
  /** The id of the run whose calls get a `traceparent` header. Absent: no call gets one. */
  readonly tracedRunID?: string | undefined;
  /** The signal that interrupts the run. Absent: the run cannot be interrupted. */
  readonly signal?: AbortSignal | undefined;
  /** Decides whether calls may be sent. Absent: every call may be sent. */
  readonly gate?: CallGate | undefined;
}

/** The result of calls that were sent together. */
interface TogetherResult<T> {
  readonly judged: T;
  /** Ids of the exchanges, in the order in which the calls were released. */
  readonly order: readonly string[];
  /** The time at which the first call was released, in milliseconds. */
  readonly barrier: number;
  /** Planned delays after the first call, in milliseconds, in the same order as `order`. */
  readonly offsetsMs: readonly number[];
}

/**
 * Times in milliseconds to wait for bytes that belong to no reply: the fixed part, and the maximum of the part that depends on the
 * slowest reply.
 */
const EXCESS_WAIT_MS = 10;
const MAX_EXCESS_WAIT_MS = 500;
const EXCESS_NOTICE =
  'The operator sent more bytes than the `Content-Length` of its reply says. On a kept-alive connection, a service may read these bytes as the reply to its next call. croupier ignored the bytes. After that, it used a new connection for each call.';

function queueNotice({ inFlight, eachMs, limit }: { inFlight: number; eachMs: number; limit: number }): string {
  const each = `${(eachMs / 1000).toFixed(1)} s`;
  return `Replies came after the deadline while croupier had ${inFlight} calls in flight. The operator needs about ${each} for one call, and seems to answer calls one after another. So these late replies are not judged. After that, croupier had at most ${limit} ${limit === 1 ? 'call' : 'calls'} in flight. \`maxAtOnce\` in the configuration sets this number.`;
}

interface StartedCall {
  readonly id: string;
  readonly callToSend: CallToSend;
  /** The request in the form of the journal. */
  readonly request: ExchangeRequest;
  readonly pendingCall: PendingCall;
}

/** A call that is in the journal, but has not been sent. */
type AnnouncedCall = Omit<StartedCall, 'pendingCall'>;

/**
 * Time to wait before the first call of a race is released, in milliseconds. In this time the operator receives all but the
 * last byte of each call.
 */
const RECEIVE_MS = 2;
/**
 * Maximum time in milliseconds between the bytes of a prepared call and its last byte. If a call of a race leaves later than this
 * after the first call, it is not prepared together with the first call.
 */
const MAX_HELD_MS = 100;

/** Sends calls and writes them to the journal. Each `sending` event is written before the bytes of its call are sent. */
export class Sender {
  readonly waitPolicy = new WaitPolicy();
  readonly unanswered: UnansweredCalls;
  readonly #options: SenderOptions;
  readonly #pace: Pace;
  #wire: Wire;
  readonly #retired: Wire[] = [];
  #exchanges = 0;
  #keepAlive = true;
  #hasExcess = false;
  /** The longest time to a reply so far, in milliseconds. */
  #slowestMs = 0;
  /**
   * Counts how often bytes that belong to no call arrived after a reply. The next call over the same connection may have got these
   * bytes as its reply.
   */
  lateExcess = 0;
  /** Counts the late replies that may be late only because croupier had too many calls in flight. */
  lateInQueue = 0;

  constructor(options: SenderOptions) {
    this.#options = options;
    this.unanswered = new UnansweredCalls(options);
    this.#pace = options.pace ?? new Pace(options);
    this.#wire = this.#open();
  }

  get exchanges(): number {
    return this.#exchanges;
  }

  /** Sends a call that is not judged. */
  send(callToSend: CallToSend): Promise<Exchange> {
    return this.judged(callToSend, NO_MODEL, (exchange) => exchange);
  }

  /**
   * Sends a call and judges it as soon as its reply arrives.
   *
   * @param model returns the possible balances as text; it is called before and after the call is judged
   */
  async judged<T>(given: CallToSend, model: Model, judge: (exchange: Exchange) => T): Promise<T> {
    const inFlight = await this.#pace.enter(1);
    const announced = this.#announce(given);
    const { callToSend } = announced;
    if (this.#options.gate) await this.#options.gate.pass();
    const pendingCall = this.#launch(callToSend, false);
    const ended = exchangeOf(announced, await pendingCall.result);
    const exchange = this.#inQueue(ended, Math.max(inFlight, this.#pace.inFlight));
    this.#pace.leave(1);
    this.#note(exchange, callToSend);
    const before = model();
    try {
      return judge(exchange);
    } finally {
      this.#record(exchange, callToSend, before, model);
    }
  }

  /**
   * Sends all calls at the same instant, or each at its own time. Before it releases the first call, it opens the connections
   * and sends all bytes of each call except the last one.
   *
   * @param judge gets the exchanges in the order of `callsToSend`
   */
  async together<T>(
    callsToSend: readonly CallToSend[],
    release: Release,
    model: Model,
    judge: (exchanges: readonly Exchange[]) => T,
  ): Promise<TogetherResult<T>> {
    await this.#pace.enter(callsToSend.length);
    const offsets = callsToSend.map(({ atMs = 0 }) => atMs * release.scale);
    const announced = callsToSend.map((callToSend, index) =>
      (offsets[index] ?? 0) <= MAX_HELD_MS ? this.#announce(callToSend) : undefined,
    );
    await this.#options.gate?.pass();
    const early = announced.map((one) => one && this.#hold(one));
    await Promise.all(early.flatMap((one) => (one && !one.callToSend.trickle ? [one.pendingCall.ready] : [])));
    // The operator must first receive all calls except for their last bytes. Otherwise the operator could complete the first call
    // before it has seen the last call.
    await sleep(RECEIVE_MS);
    this.#options.gate?.check();
    const barrier = this.#options.now();
    const isTimed = offsets.some((offset) => offset > 0);
    const started = isTimed
      ? await Promise.all(
          callsToSend.map((callToSend, index) =>
            this.#releaseAt(barrier + (offsets[index] ?? 0), early[index] ?? callToSend),
          ),
        )
      : await releaseAll(
          early.filter((one) => one !== undefined),
          release,
        );
    const received = await Promise.all(
      started.map(async (call) => ({
        callToSend: call.callToSend,
        exchange: exchangeOf(call, await call.pendingCall.result),
      })),
    );
    // The deadline is not judged here. But an operator that answers calls one after another still works on the late calls.
    for (const { exchange } of received) this.#queueOf(exchange, this.#pace.inFlight);
    this.#pace.leave(callsToSend.length);
    for (const { exchange, callToSend } of received) this.#note(exchange, callToSend);
    const before = model();
    try {
      const judged = judge(received.map(({ exchange }) => exchange));
      const inOrder = started
        .map(({ id }, index) => ({ id, offsetMs: offsets[index] ?? 0 }))
        .toSorted((a, b) => a.offsetMs - b.offsetMs);
      if (release.reversed) inOrder.reverse();
      return {
        judged,
        order: inOrder.map(({ id }) => id),
        barrier,
        offsetsMs: inOrder.map(({ offsetMs }) => offsetMs),
      };
    } finally {
      for (const { callToSend, exchange } of received) this.#record(exchange, callToSend, before, model);
    }
  }

  /** Returns the exchange with a mark if its reply is late, and the other calls in flight explain it. */
  #inQueue(exchange: Exchange, inFlight: number): Exchange {
    const queue = this.#queueOf(exchange, inFlight);
    if (!queue) return exchange;
    if (this.lateInQueue === 0) this.#options.record({ event: 'notice', text: queueNotice({ ...queue, inFlight }) });
    this.lateInQueue += 1;
    return { ...exchange, stamps: { ...exchange.stamps, isInQueue: true } };
  }

  #queueOf({ call, outcome, stamps }: Exchange, inFlight: number): ReturnType<Pace['noteEnd']> {
    if (outcome.kind === 'none')
      return outcome.reason === 'too-late'
        ? this.#pace.noteEnd({ call, replyMs: null, isAccepted: false, inFlight })
        : undefined;
    return this.#pace.noteEnd({
      call,
      replyMs: replyMs(stamps),
      isAccepted: isSuccess(outcome.reply.status),
      inFlight,
    });
  }

  #note(exchange: Exchange, { signed }: CallToSend): void {
    const { call, outcome, stamps } = exchange;
    this.waitPolicy.note(exchange);
    this.unanswered.note(exchange);
    if (outcome.kind === 'reply') this.#slowestMs = Math.max(this.#slowestMs, replyMs(stamps) ?? 0);
    // An operator may answer 429 to a wrong signature, which says nothing about the rate.
    if (outcome.kind === 'reply' && signed === undefined) this.#pace.note({ atMs: stamps.end, call, ...outcome.reply });
  }

  /** Sends all bytes of a recorded call except the last one. */
  #hold(announced: AnnouncedCall): StartedCall {
    const { callToSend } = announced;
    return { ...announced, pendingCall: this.#launch(callToSend, callToSend.trickle === undefined) };
  }

  async #prepareLate(callToSend: CallToSend): Promise<StartedCall> {
    const announced = this.#announce(callToSend);
    await this.#options.gate?.pass();
    return this.#hold(announced);
  }

  /**
   * Waits until the given time and sends the last byte of a call.
   *
   * @param call a prepared call, or a call that this method prepares shortly before the time
   */
  async #releaseAt(atMs: number, call: StartedCall | CallToSend): Promise<StartedCall> {
    const until = async (ms: number): Promise<void> => {
      const restMs = ms - this.#options.now();
      if (restMs > 0) await sleep(restMs);
    };
    if (!('pendingCall' in call)) await until(atMs - MAX_HELD_MS);
    const started = 'pendingCall' in call ? call : await this.#prepareLate(call);
    await until(atMs);
    this.#options.gate?.check();
    started.pendingCall.release();
    return started;
  }

  /**
   * Stops the reuse of connections, because the operator closes kept-alive connections during calls. Returns false if croupier has
   * already stopped it.
   */
  giveUpKeepAlive(): boolean {
    if (!this.#keepAlive) return false;
    this.#keepAlive = false;
    // The old connections stay open until the sender is closed, because other scenarios may still use them.
    this.#retired.push(this.#wire);
    this.#wire = this.#open();
    return true;
  }

  /**
   * Waits as long as the operator needed for its slowest reply. Bytes that belong to no reply can arrive in this time. If croupier
   * has read such bytes as the reply to a call, the real reply to this call also arrives in this time.
   */
  async waitForExcess(): Promise<void> {
    if (this.#keepAlive) await sleep(Math.min(this.#slowestMs, MAX_EXCESS_WAIT_MS) + EXCESS_WAIT_MS);
  }

  async close(): Promise<void> {
    await Promise.all([...this.#retired, this.#wire].map((wire) => wire.close()));
  }

  #open(): Wire {
    const { wire, deadlineMs, now } = this.#options;
    return new Wire({
      ...wire,
      deadlineMs,
      now,
      keepAlive: this.#keepAlive && wire.keepAlive !== false,
      onExcess: (when) => this.#noteExcess(when),
    });
  }

  /**
   * Notes bytes that belong to no reply, and opens a new connection for each further call. So no call can get bytes that an earlier
   * reply left behind.
   */
  #noteExcess(when: 'with-reply' | 'late'): void {
    if (when === 'late') this.lateExcess += 1;
    if (this.#hasExcess) return;
    this.#hasExcess = true;
    this.giveUpKeepAlive();
    this.#options.record({ event: 'notice', text: EXCESS_NOTICE });
  }

  /** Gives a call its id and, in a traced run, its `traceparent` header. Writes the call to the journal. */
  #announce(given: CallToSend): AnnouncedCall {
    this.#exchanges += 1;
    const id = `x${this.#exchanges}`;
    const { tracedRunID } = this.#options;
    const trace = tracedRunID === undefined ? undefined : callSpan(tracedRunID, id, given.scenario);
    const built = trace ? { ...given.request, headers: withTraceparent(given.request.headers, trace) } : given.request;
    const request = requestOf(built);
    const { call, amount, scenario, step, purpose, signed, mayBeDeclined, breakAt } = given;
    this.#options.record({
      event: 'sending',
      id,
      scenario,
      step,
      purpose,
      call,
      request,
      ...(amount !== undefined && { amount }),
      ...(signed && { signed }),
      ...(mayBeDeclined && { mayBeDeclined }),
      ...(breakAt && breakAt.at !== 'sent' && { brokenAt: breakAt.at }),
      ...(trace && { trace }),
    });
    return { id, callToSend: trace ? { ...given, request: built } : given, request };
  }

  #launch({ request, breakAt, trickle, freshConnection }: CallToSend, hold: boolean): PendingCall {
    return this.#wire.start({
      request,
      hold,
      ...(breakAt && { breakAt }),
      ...(trickle && { trickle }),
      ...(freshConnection && { freshConnection }),
    });
  }

  #record(
    { id, outcome, stamps, connection }: Exchange,
    { scenario }: CallToSend,
    before: readonly string[],
    model: Model,
  ): void {
    const held = model === NO_MODEL ? null : { before, after: model() };
    this.#options.record({ event: 'received', id, scenario, outcome, stamps, connection, model: held });
  }
}

function exchangeOf(
  { id, callToSend: { call }, request }: AnnouncedCall,
  { outcome, stamps, connection }: CallResult,
): Exchange {
  return { id, call, request, outcome: withShortBody(outcome), stamps, connection };
}

function withShortBody(outcome: Outcome): Outcome {
  if (outcome.kind !== 'reply') return outcome;
  const reply = readAndShorten(outcome.reply);
  return reply === outcome.reply ? outcome : { ...outcome, reply };
}

const NO_MODEL: Model = () => [];

/** Releases all calls at once. If `staggerMs` is above 0, releases the second half of them after this delay. */
async function releaseAll(
  started: readonly StartedCall[],
  { reversed, staggerMs }: Release,
): Promise<readonly StartedCall[]> {
  const inOrder = reversed ? started.toReversed() : started;
  const half = staggerMs > 0 ? Math.ceil(inOrder.length / 2) : inOrder.length;
  for (const { pendingCall } of inOrder.slice(0, half)) pendingCall.release();
  if (half < inOrder.length) await sleep(staggerMs);
  for (const { pendingCall } of inOrder.slice(half)) pendingCall.release();
  return started;
}
