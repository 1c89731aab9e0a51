import { balanceReplySchema, errorReplySchema } from '../../contract/calls.ts';
import type { RoundEvent } from '../../contract/round.ts';
import { bodyText, type Outcome } from '../../journal/exchange.ts';

/** An operator's answer to a call. */
export interface Answer {
  /** null: there was no reply. */
  readonly status: number | null;
  /** null: the reply has no valid balance. */
  readonly balance: string | null;
  /** Shown to the player when the call failed: the operator's own message if it sent one. Never to be used as markup. */
  readonly message: string;
  readonly code: string | null;
}

/** Shown to the player when the operator sent no message. */
const NO_MESSAGE = 'The operator could not do this now.';
const NO_ANSWER = 'The operator did not answer.';

/** Reads an answer. Missing and invalid members are ignored: the status alone decides what follows. */
export function readAnswer(outcome: Outcome): Answer {
  if (outcome.kind === 'none') return { status: null, balance: null, message: NO_ANSWER, code: null };
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

/** The reason why a call failed, for the person who runs the service. */
export function troubleOf(outcome: Outcome): string {
  if (outcome.kind === 'none') return outcome.detail;
  const { message, code } = readAnswer(outcome);
  return `answered ${outcome.reply.status}${code === null ? '' : ` ${code}`}: ${message}`;
}

/**
 * The event that an outcome is for its round. Every reason for a missing reply, except the deadline, is a broken connection: it is
 * unknown whether the call arrived.
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
