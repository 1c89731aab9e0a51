import type { CallName } from '../../contract/call-name.ts';
import { bodyText, type ExchangeRequest, type Outcome, sessionInUrl } from '../exchange.ts';

/** The code with which an operator says that it does not know a session. */
const CODE = 'session_not_found';
/** The code with which an operator says that a session has ended. */
const ENDED = 'session_expired';

/** The sessions that the operator does not know, although the configuration names them. */
export interface UnknownSessions {
  /** The ids of the sessions whose every balance call was answered as if the session were unknown. */
  readonly sessionIDs: readonly string[];
  /** The ids of the exchanges with these replies. */
  readonly exchanges: ReadonlySet<string>;
  /** True if the operator knows at least one other session. */
  readonly knowsOthers: boolean;
}

/**
 * Finds out which sessions the operator never knew in a run. A session counts as unknown only if every balance call was answered as
 * if the session were unknown. If an operator forgets a session in the middle of a run, it breaks the contract.
 */
export class UnknownSessionTally {
  /** The exchanges of the sessions that may be unknown. Null for a session that the operator knows. */
  readonly #sessions = new Map<string, Set<string> | null>();

  /** Notes the outcome of a correctly signed balance call. */
  note(exchange: string, { url }: ExchangeRequest, outcome: Outcome): void {
    const sessionID = sessionInUrl(url);
    if (sessionID === undefined || outcome.kind !== 'reply' || this.#sessions.get(sessionID) === null) return;
    if (!isUnknownSession(outcome)) {
      this.#sessions.set(sessionID, null);
      return;
    }
    const exchanges = this.#sessions.get(sessionID) ?? new Set();
    this.#sessions.set(sessionID, exchanges.add(exchange));
  }

  /**
   * @param configured the ids of the sessions that must be open. Other ids are not counted, because scenarios invent ids on purpose
   */
  result(configured: readonly string[]): UnknownSessions | null {
    const unknown = configured.filter((id) => this.#sessions.get(id) != null);
    if (unknown.length === 0) return null;
    return {
      sessionIDs: unknown,
      exchanges: new Set(unknown.flatMap((id) => [...(this.#sessions.get(id) ?? [])])),
      knowsOthers: configured.some((id) => this.#sessions.get(id) === null),
    };
  }
}

/** True if the reply says that the operator does not know the session. */
export function isUnknownSession(outcome: Outcome): boolean {
  return outcome.kind === 'reply' && outcome.reply.status !== 200 && codeOf(bodyText(outcome.reply.body)) === CODE;
}

/**
 * True if the operator declined a balance call or a bet because the session has ended. Always false for a win or a refund, which
 * the operator must accept anyway.
 */
export function isEndedSession(call: CallName, outcome: Outcome): boolean {
  return call !== 'win' && call !== 'refund' && saysEnded(outcome);
}

/** True if the operator declined a call because the session has ended. */
export function saysEnded(outcome: Outcome): boolean {
  return outcome.kind === 'reply' && outcome.reply.status !== 200 && codeOf(bodyText(outcome.reply.body)) === ENDED;
}

function codeOf(text: string): unknown {
  try {
    const body: unknown = JSON.parse(text);
    return typeof body === 'object' && body !== null && 'code' in body ? body.code : undefined;
  } catch {
    return undefined;
  }
}

const MAX_NAMES = 3;

/** Says which sessions the operator does not know, as a clause. */
export function unknownSessionReason({ sessionIDs }: Pick<UnknownSessions, 'sessionIDs'>): string {
  const names = sessionIDs.slice(0, MAX_NAMES).join(', ');
  const more = sessionIDs.length > MAX_NAMES ? ` and ${sessionIDs.length - MAX_NAMES} more` : '';
  return `the operator does not know the session${sessionIDs.length === 1 ? '' : 's'} ${names}${more} (${CODE})`;
}
