import { type Exchange, type NoReplyReason, sessionNamedIn } from '../../journal/exchange.ts';
import { isGatewayError, isRedirect, isSuccess, isWorthRetrying, replyStatus } from '../../reply/status.ts';
import type { CallStep } from '../../scenario/plan/plan.ts';

/** The reasons after which the operator may still process the call. */
const MAY_STILL_RUN: ReadonlySet<NoReplyReason> = new Set(['broken', 'too-late', 'reset', 'aborted']);

interface UnansweredCall {
  /** The time in milliseconds at which croupier stopped waiting for the call. */
  readonly end: number;
  readonly isLate: boolean;
  readonly isRead: boolean;
}

/**
 * The calls for which croupier no longer waits, but which the operator may still process. Meanwhile, the operator may decline other
 * calls of the same player, for example with 409. Such a decline says nothing about the declined call.
 */
export class UnansweredCalls {
  readonly #deadlineMs: number;
  readonly #now: () => number;
  /** For each session: the calls, by their bytes. */
  readonly #calls = new Map<string, Map<string, UnansweredCall>>();

  /** @param now the current time in milliseconds, on the clock of the stamps */
  constructor({ deadlineMs, now }: { readonly deadlineMs: number; readonly now: () => number }) {
    this.#deadlineMs = deadlineMs;
    this.#now = now;
  }

  /** Notes the end of a call. If an identical call is answered 200, the operator has processed the earlier one too. */
  note({ call, request, outcome, stamps, connection }: Exchange): void {
    const mayRun =
      outcome.kind === 'none'
        ? connection !== null && MAY_STILL_RUN.has(outcome.reason)
        : isGatewayError(outcome.reply.status) && outcome.reply.status !== 503;
    const isCarriedOut = outcome.kind === 'reply' && isSuccess(outcome.reply.status);
    if (!mayRun && !(isCarriedOut && this.#calls.size > 0)) return;
    const session = sessionNamedIn(request);
    if (session === undefined) return;
    const calls = this.#calls.get(session) ?? new Map<string, UnansweredCall>();
    const bytes = request.body?.data ?? request.url;
    if (mayRun) {
      const isLate = outcome.kind === 'none' && outcome.reason === 'too-late';
      this.#calls.set(session, calls.set(bytes, { end: stamps.end, isLate, isRead: call === 'balance' }));
    } else calls.delete(bytes);
  }

  /**
   * Returns the time to wait until no call of the sessions can move money any more, in milliseconds.
   *
   * @param lingerMs the time after which a call can no longer take effect
   */
  restMs(sessions: readonly string[], lingerMs: number): number {
    const ends = this.#of(sessions).map(({ end, isRead }) => (isRead ? 0 : end + lingerMs - this.#now()));
    return Math.max(0, ...ends);
  }

  /**
   * True if a call that is sent now may overlap with an unanswered call of the sessions. If a call missed its deadline, the operator
   * may need the same time again to process it.
   */
  mayOverlap(sessions: readonly string[], lingerMs: number): boolean {
    return this.#of(sessions).some(
      ({ end, isLate }) => this.#now() < end + (isLate ? Math.max(lingerMs, this.#deadlineMs) : lingerMs),
    );
  }

  #of(sessions: readonly string[]): readonly UnansweredCall[] {
    return sessions.flatMap((session) => [...(this.#calls.get(session)?.values() ?? [])]);
  }
}

/**
 * True if the reply declines a call, and the reason may be that the operator still processes an earlier call of the player. If the
 * operator must decline the call anyway, the reason is the call itself. An exception is a status that says that the reason is
 * temporary.
 */
export function mayBeConflict({ expect, deviations }: CallStep, exchange: Exchange): boolean {
  const status = replyStatus(exchange);
  if (deviations.break || deviations.trickle || status === undefined) return false;
  if (isSuccess(status) || isRedirect(status) || status === 401 || status === 500) return false;
  return expect.outcome === 'accepted' || expect.outcome === 'either' || isWorthRetrying(status);
}
