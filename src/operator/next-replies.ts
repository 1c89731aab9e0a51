import { setTimeout as sleep } from 'node:timers/promises';
import type { CallName } from '../contract/call-name.ts';
import { REPLY_DEADLINE_MS } from '../contract/limits.ts';
import type { ListenReply, ListenRequest } from '../listen/message.ts';
import { failure } from '../sdk/reply.ts';
import type { Behaviour } from './behaviour.ts';
import { bodyOf, callOf } from './rewriting.ts';

/**
 * A way to answer one call wrongly. With `error-500` and `declined`, the operator does not carry out the call. With `late`, it
 * carries out the call, and replies after the deadline of the service.
 */
export type ReplyFault = 'error-500' | 'late' | 'declined';

/** A fault that is waiting for the next call to which it applies. */
export interface PendingReplyFault {
  readonly id: number;
  readonly call: CallName;
  /** The session whose call is answered wrongly; null for any session. */
  readonly sessionID: string | null;
  readonly fault: ReplyFault;
}

/** The faults that are waiting for the next calls to an operator. Each fault affects the reply to one call only. */
export class NextReplies {
  readonly #onChange: () => void;
  readonly #sleep: (ms: number) => Promise<unknown>;
  readonly #onUse = new Set<(fault: ReplyFault, request: ListenRequest) => void>();
  #pending: readonly PendingReplyFault[] = [];
  #count = 0;

  /**
   * Creates an empty list.
   *
   * @param onChange is called when a fault is added, used or removed
   * @param wait waits for a number of milliseconds before a late reply
   */
  constructor(onChange: () => void, wait = waitInBackground) {
    this.#onChange = onChange;
    this.#sleep = wait;
  }

  get pending(): readonly PendingReplyFault[] {
    return this.#pending;
  }

  add(call: CallName, fault: ReplyFault, sessionID: string | null = null): void {
    this.#count += 1;
    this.#pending = [...this.#pending, { id: this.#count, call, sessionID, fault }];
    this.#onChange();
  }

  /**
   * Removes a fault.
   *
   * @returns false if the fault was already used
   */
  remove(id: number): boolean {
    const left = this.#pending.filter((one) => one.id !== id);
    if (left.length === this.#pending.length) return false;
    this.#pending = left;
    this.#onChange();
    return true;
  }

  /** Calls the listener with each request that is answered with a fault, before the answer. */
  onUse(listener: (fault: ReplyFault, request: ListenRequest) => void): void {
    this.#onUse.add(listener);
  }

  /** Returns a behaviour that answers the next calls with the waiting faults, and all other calls like `right`. */
  appliedTo(right: Behaviour): Behaviour {
    return {
      ...right,
      receive: async (request, answer) => {
        const fault = this.#take(request);
        if (fault === 'error-500') return FAULT_REPLIES['error-500'];
        if (fault === 'declined') return FAULT_REPLIES.declined;
        const reply = await right.receive(request, answer);
        if (fault === 'late') await this.#sleep(LATE_MS);
        return reply;
      },
    };
  }

  #take(request: ListenRequest): ReplyFault | undefined {
    if (this.#pending.length === 0) return undefined;
    const call = callOf(request);
    const sessionID = sessionOf(request);
    const found = this.#pending.find(
      (one) => one.call === call && (one.sessionID === null || one.sessionID === sessionID),
    );
    if (!found) return undefined;
    this.remove(found.id);
    for (const listener of this.#onUse) listener(found.fault, request);
    return found.fault;
  }
}

/** The milliseconds after which a late reply is sent. */
const LATE_MS = REPLY_DEADLINE_MS * 1.2;

/** Waits without keeping the process alive. So the process can end before a late reply is sent. */
function waitInBackground(ms: number): Promise<unknown> {
  return sleep(ms, undefined, { ref: false });
}

const FAULT_REPLIES: Readonly<Record<Exclude<ReplyFault, 'late'>, ListenReply>> = {
  'error-500': failure({ status: 500, message: 'The wallet has an internal error.' }),
  declined: failure({ status: 403, message: 'This is not possible now.' }),
};

function sessionOf(request: ListenRequest): unknown {
  return bodyOf(request)?.sessionID ?? new URLSearchParams(request.query).get('sessionID');
}
