import { balanceReplySchema, errorReplySchema } from '../../contract/calls.ts';
import type { RoundEvent } from '../../contract/round.ts';
import { bodyText, type Outcome } from '../../journal/exchange.ts';

/** What an operator's answer says beside its status. */
export interface Answer {
  /** null: there was no reply. */
  readonly status: number | null;
  /** The balance of a reply that has a right one. */
  readonly balance: string | null;
  /** What a player may be told when the call failed; the operator's own words where there are any. Not to be trusted as markup. */
  readonly message: string;
  readonly code: string | null;
}

/** What a player is told where the operator says nothing. */
const NO_WORDS = 'The operator could not do this now.';
const NO_ANSWER = 'The operator did not answer.';

/** Reads an answer. What is not in it, or not as it should be, is left out: the status alone decides what happens. */
export function readAnswer(outcome: Outcome): Answer {
  if (outcome.kind === 'none') return { status: null, balance: null, message: NO_ANSWER, code: null };
  const { status, body } = outcome.reply;
  const json = parse(bodyText(body));
  const balance = balanceReplySchema.safeParse(json);
  const error = errorReplySchema.safeParse(json);
  return {
    status,
    balance: balance.success ? balance.data.balance : null,
    message: (error.success && error.data.message) || NO_WORDS,
    code: (error.success && error.data.code) || null,
  };
}

/** Why a call failed, for whoever runs the service. */
export function troubleOf(outcome: Outcome): string {
  if (outcome.kind === 'none') return outcome.detail;
  const { message, code } = readAnswer(outcome);
  return `answered ${outcome.reply.status}${code === null ? '' : ` ${code}`}: ${message}`;
}

/**
 * What an outcome is for the round. Whatever kept a reply from coming in time is a broken connection, for nobody can tell how
 * much of the call arrived.
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
