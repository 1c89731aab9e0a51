import { bodyText, type Outcome } from '../exchange.ts';

/** The statuses with which a server says that it does not know a path. */
const UNKNOWN: ReadonlySet<number> = new Set([404, 405, 410]);

/** The replies of a server that may not know the paths of the calls at all. */
export interface UnknownPath {
  readonly status: number;
  readonly replies: number;
}

/**
 * Finds out whether every correctly signed call was answered as if its path were unknown: with 404, 405 or 410, and without a code.
 * A wallet that knows the path, but not the session, gives a code such as `session_not_found`. Without such a code, it is unknown
 * whether the base URL is wrong, or whether no session is open.
 */
export class UnknownPathTally {
  #first: number | null = null;
  #replies = 0;
  #isKnown = false;

  /** Notes the outcome of a correctly signed call. */
  note(outcome: Outcome): void {
    if (this.#isKnown || outcome.kind !== 'reply') return;
    const { status, body } = outcome.reply;
    this.#isKnown = !UNKNOWN.has(status) || hasCode(bodyText(body));
    this.#first ??= status;
    this.#replies += 1;
  }

  /**
   * The first status and the number of the replies, if every reply says that the path is unknown. Null if a reply shows that the
   * server knows a path, or if there was no reply.
   */
  get result(): UnknownPath | null {
    return this.#isKnown || this.#first === null ? null : { status: this.#first, replies: this.#replies };
  }
}

function hasCode(text: string): boolean {
  try {
    const body: unknown = JSON.parse(text);
    return typeof body === 'object' && body !== null && 'code' in body && typeof body.code === 'string';
  } catch {
    return false;
  }
}

/** The reason why a run against an unknown path decides nothing, as a clause. */
export function unknownPathReason({ status, replies }: UnknownPath): string {
  const calls = replies === 1 ? 'the only signed call was' : `all ${replies} signed calls were`;
  return `${calls} answered as if the path were unknown (${status}, without a code), so the base URL is probably wrong, or no session is open`;
}
