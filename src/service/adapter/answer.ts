import { balanceReplySchema, errorReplySchema } from '../../contract/calls.ts';
import type { RoundEvent } from '../../contract/round.ts';
import { bodyText, type Outcome } from '../../journal/exchange.ts';

/** The parts of an operator's answer that the service uses. */
export interface Answer {
  /** The HTTP status; null if there was no reply. */
  readonly status: number | null;
  /** The player's balance; null if the reply contains no valid balance. */
  readonly balance: string | null;
  /**
   * The message for the player if the call failed. If the operator sent a message, this is the operator's message, so it must
   * not be used as markup.
   */
  readonly message: string;
  readonly code: string | null;
}

/** The message for the player if the operator's reply contains no message. */
const NO_MESSAGE = 'The operator could not process this request.';
const NO_ANSWER = 'The operator did not answer.';
/** The message for the player if the service deliberately broke the connection or gave up the bet. */
const GIVEN_UP = 'The game did not wait for the answer of the operator.';

/**
 * Reads an operator's answer. Missing and invalid fields are ignored, because only the status decides what the service
 * does next.
 */
export function readAnswer(outcome: Outcome): Answer {
  if (outcome.kind === 'none') {
    const message = outcome.reason === 'broken' ? GIVEN_UP : NO_ANSWER;
    return { status: null, balance: null, message, code: null };
  }
  const { status, body } = outcome.reply;
  const json = parse(bodyText(body));
  const balance = balanceReplySchema.safeParse(json);
  const error = errorReplySchema.safeParse(json);
  return {
    status,
    balance: balance.success ? balance.data.balance : null,
    message: (error.success && error.data.message) || NO_MESSAGE,
    code: (error.success && error.data.code) || null,
  };
}

/** Returns the reason why a call failed. The text is for the person who runs the service. */
export function troubleOf(outcome: Outcome): string {
  if (outcome.kind === 'none') return outcome.detail;
  const { message, code } = readAnswer(outcome);
  return `answered ${outcome.reply.status}${code === null ? '' : ` ${code}`}: ${message}`;
}

/**
 * Returns the event of a round that follows from the outcome of a call. A call that got no reply by the deadline is a
 * `timeout`. A call without a reply for any other reason is `broken`: nobody knows whether the call has arrived.
 */
export function eventOf(txID: string, outcome: Outcome): Extract<RoundEvent, { kind: 'reply' | 'timeout' | 'broken' }> {
  if (outcome.kind === 'reply') return { kind: 'reply', txID, status: outcome.reply.status };
  return { kind: outcome.reason === 'too-late' ? 'timeout' : 'broken', txID };
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
