import { setTimeout as sleep } from 'node:timers/promises';
import type { CallName } from '../../contract/call-name.ts';
import type { JournalEvent, LastReply, Received, Sending } from '../../journal/event.ts';
import type { Exchange, NoReplyReason } from '../../journal/exchange.ts';
import { CallsInFlight } from '../../journal/network/calls-in-flight.ts';

/**
 * Pauses before each probe of an operator that has stopped answering, in milliseconds. The operator may be restarting, which takes
 * some seconds.
 */
const PAUSES_MS = [0, 100, 300, 600, 1000, 2000, 3000] as const;
/**
 * Time in milliseconds after which no further probe is sent. The number of probes alone is no limit, because a probe without a
 * reply takes as long as the deadline.
 */
const MAX_PROBING_MS = 15_000;
/** If this number of calls in a row got no reply, croupier probes the operator, even if the operator accepts connections. */
const MAX_LATE_CALLS = 3;

/** The reasons for a missing reply that are possible if the operator is gone. */
const LOST: ReadonlySet<NoReplyReason> = new Set([
  'unresolved',
  'refused',
  'unreachable',
  'connect-timeout',
  'send-timeout',
  'proxy',
  'reset',
  'stale-connection',
  'closed-early',
]);

/** The end of a run whose operator stopped answering. */
interface Farewell {
  readonly lastReply: LastReply;
  /** The first call without a reply, and the reason, as sentences. */
  readonly detail: string;
}

/** The calls since the last reply. */
interface Silence {
  /** The first call without a reply since the last reply. */
  readonly first: Received;
  readonly call: CallName | undefined;
  /** The reason why the latest call had no reply, as sentences. */
  detail: string;
  late: number;
  lost: number;
}

/** Notices during a run that the operator does not answer calls any more. */
export class Presence {
  readonly #now: () => number;
  readonly #startedMs: number;
  readonly #signal: AbortSignal;
  readonly #inFlight = new CallsInFlight<Sending>();
  #lastReply: LastReply | undefined;
  #silence: Silence | undefined;
  #probing: Promise<boolean> | undefined;
  #farewell: Farewell | undefined;

  /** @param now returns the time of the clock of the exchanges, in milliseconds; called first at the start of the run */
  constructor(now: () => number, signal: AbortSignal) {
    this.#now = now;
    this.#startedMs = now();
    this.#signal = signal;
  }

  /** Notes every call and every reply of the run. */
  note(event: JournalEvent): void {
    if (event.event === 'sending') this.#inFlight.set(event.id, event);
    if (event.event !== 'received') return;
    const sending = this.#inFlight.take(event.id);
    const { outcome } = event;
    if (outcome.kind === 'reply') {
      this.#silence = undefined;
      this.#lastReply = sending && {
        exchange: event.id,
        call: sending.call,
        scenario: sending.scenario,
        afterMs: Math.max(0, event.stamps.end - this.#startedMs),
      };
      return;
    }
    const isLate = outcome.reason === 'too-late';
    if (!isLate && !LOST.has(outcome.reason)) return;
    this.#silence ??= { first: event, call: sending?.call, detail: '', late: 0, lost: 0 };
    this.#silence.detail = outcome.detail;
    if (isLate) this.#silence.late += 1;
    else this.#silence.lost += 1;
  }

  /**
   * True if the operator answers. If the latest calls had no reply, first probes the operator for some seconds. Does not probe if
   * the operator has never answered.
   *
   * @param probe sends one call over a new connection
   */
  async isThere(probe: () => Promise<Exchange>): Promise<boolean> {
    if (this.#farewell) return false;
    if (!this.#isSuspect) return true;
    this.#probing ??= this.#probe(probe).finally(() => {
      this.#probing = undefined;
    });
    return this.#probing;
  }

  /**
   * True if the operator has answered and is not gone. Then the address is right, even if connections are closed again and again.
   */
  get answers(): boolean {
    return this.#lastReply !== undefined && this.#farewell === undefined;
  }

  /** The last reply of an operator that is gone, and the first call without a reply. Undefined as long as the operator answers. */
  get farewell(): Farewell | undefined {
    return this.#farewell;
  }

  get #isSuspect(): boolean {
    if (!this.#silence || !this.#lastReply || this.#signal.aborted) return false;
    return this.#silence.lost > 0 || this.#silence.late >= MAX_LATE_CALLS;
  }

  async #probe(probe: () => Promise<Exchange>): Promise<boolean> {
    const startedMs = this.#now();
    for (const pauseMs of PAUSES_MS) {
      // An interrupted run ends at once.
      await sleep(pauseMs, undefined, { signal: this.#signal }).catch(() => undefined);
      if (!this.#isSuspect) return true;
      await probe();
      if (!this.#isSuspect) return true;
      if (this.#now() - startedMs >= MAX_PROBING_MS) break;
    }
    this.#farewell = farewellOf(this.#lastReply, this.#silence);
    return this.#farewell === undefined;
  }
}

function farewellOf(lastReply: LastReply | undefined, silence: Silence | undefined): Farewell | undefined {
  if (!lastReply || !silence) return undefined;
  const { first, call, detail } = silence;
  const where = first.scenario === null ? '' : ` in ${first.scenario}`;
  const path = call === undefined ? 'a call' : `${call === 'balance' ? 'GET' : 'POST'} /${call}`;
  return {
    lastReply,
    detail: `The first call without a reply was ${path}${where} (exchange ${first.id}). No later call was answered either: ${detail}`,
  };
}
