import type { RuleId } from '../contract/catalogue.ts';
import type { Currency } from '../contract/currencies.ts';
import type { Money } from '../contract/money.ts';
import type { Exchange } from '../journal/exchange.ts';
import type { Offset } from './obligation.ts';
import type { ReplyReading } from './reading.ts';
import type { Part, Story } from './story.ts';
import type { Transaction } from './transaction.ts';

/**
 * How a call was answered, in the contract's terms.
 *
 * - `accepted`: 200; also another 2xx with a good body, which is a breach of its own and then read with good will
 * - `error-200`: 200 with a body that tells of an error
 * - `refused`: 401
 * - `declined`: any other status but 500
 * - `failed`: 500, or a redirect: what it did is not known
 * - `late`: no whole reply within the deadline
 * - `broken`: we broke the connection
 * - `lost`: no reply for a reason of transport
 */
export type Answer = 'accepted' | 'error-200' | 'refused' | 'declined' | 'failed' | 'late' | 'broken' | 'lost';

/** Everything about one call that a rule may decide by. */
export interface Seen {
  readonly part: Part;
  readonly story: Story;
  readonly exchange: Exchange;
  readonly answer: Answer;
  /** undefined when no reply came. */
  readonly reading: ReplyReading | undefined;
  /** No reply came, nor would one: the operator closes the connection on this call, and on no other. */
  readonly closes: boolean;
  /** What the call was about: of a resend, the first one's. undefined: it has no readable amount. */
  readonly amount: Money | undefined;
  /** What its session's balance would change by if it were carried out as new. */
  readonly effect: Money;
  /** For a resend or a copy: what is known of the first. For a namesake: of the earlier call. */
  readonly earlier: Transaction | undefined;
  /** For a refund: what is known of the call that it names. For a win: of the bet of its round. */
  readonly target: Transaction | undefined;
  /** What another call of the story was about, once it has been sent. */
  amountOf(part: Part): Money | undefined;
  readonly currency: Currency | undefined;
  /** The smallest step of the currency. */
  readonly unit: Money;
  readonly deadlineMs: number;
  /** False: the campaign of the free rounds was made up for the test. */
  readonly campaignKnown: boolean;
  /** A free bet of this story was seen to lower the balance. */
  readonly freeBetsTakeMoney: boolean;
  /** The bet is of all that is there. */
  readonly wholeBalance: boolean;
  /** The bet is of more than there is, as far as that is known. */
  readonly isBeyond: boolean;
  /** The bet was declined for want of money, though there is far more than it asks for. */
  readonly isDenied: boolean;
}

/** The rule is broken: a fail, a warning or a note by its level. */
export interface Breach {
  readonly kind: 'breach';
  readonly expected: string;
  readonly actual: string;
  readonly causes?: readonly RuleId[];
}

export type Decision =
  | { readonly kind: 'pass' }
  | Breach
  /** Broken in a way that only warns, whatever the level. */
  | { readonly kind: 'warn'; readonly expected: string; readonly actual: string }
  | { readonly kind: 'note'; readonly actual: string }
  | { readonly kind: 'skip'; readonly reason: string }
  | { readonly kind: 'undecided'; readonly reason: string };

export const PASS: Decision = { kind: 'pass' };

export function breach(expected: string, actual: string, causes: readonly RuleId[] = []): Breach {
  return { kind: 'breach', expected, actual, causes };
}

/** How one rule is judged. */
export interface RuleCheck {
  /** From the plan alone: does this step put the rule to the test? */
  applies(part: Part, story: Story): boolean;
  /** What the reply alone decides; undefined: nothing yet, or nothing at all. */
  reply?(seen: Seen): Decision | undefined;
  /** How the balance would differ at the next quiet read if the rule were broken here. */
  offsets?(seen: Seen): readonly Offset[];
  /** What is right about the balance, as a clause. */
  readonly effect?: string;
  /** See {@link Obligation}. Left out: 0, and `read`. */
  readonly rank?: 0 | 1;
  readonly until?: 'linger';
  /** The step exists to see what the operator does: its answer and what it moved are noted. */
  readonly observed?: true;
  /** Of a step that is observed: whether what was sent is what the rule is about. Left out: yes. */
  isOdd?(seen: Seen): boolean;
  /** Nothing may move, and if something does, no number tells in advance how much. */
  readonly watched?: true;
  /**
   * Decided only when the same endpoint was seen to accept the call without the twist. A twist of a higher tier has those
   * of the lower ones for its controls: text in a further field has a further field.
   */
  readonly controlled?: 1 | 2 | 3;
}

export type GroupChecks<Group extends string> = { readonly [id in Extract<RuleId, `${Group}.${string}`>]: RuleCheck };

/** A wallet whose balance is not what it says can't be bet to its end, or beyond it, on purpose. */
export const WRONG_BALANCES: readonly RuleId[] = [
  'balance.read',
  'balance.read-only',
  'bet.debit',
  'win.credit',
  'money.main-unit',
  'money.exact',
  'money.precision',
];

/** True for a status that says: not now. */
export function isTurnedAway(status: number | undefined): boolean {
  return status === 429 || status === 503;
}

/** True for a status that may be another one when the same is tried again. */
export function isPassing(status: number | undefined): boolean {
  return isTurnedAway(status) || (status !== undefined && [408, 423, 425, 500, 502, 504].includes(status));
}

/**
 * True for a status that refuses the form of a request, its method, media type or length, whatever the request says: it is no
 * right answer to any call that the service sends.
 */
export function isOfForm(status: number | undefined): boolean {
  return status !== undefined && [405, 406, 411, 415].includes(status);
}

/** Where the form of a call was refused, what it says was not looked at: it tells nothing of what the call is about. */
export function asOfForm(decision: Decision): Decision {
  switch (decision.kind) {
    case 'breach':
      return { ...decision, causes: [...(decision.causes ?? []), 'signature.accepted'] };
    case 'warn':
      return { kind: 'undecided', reason: decision.actual };
    case 'pass':
    case 'note':
    case 'skip':
    case 'undecided':
      return decision;
  }
}

const LIMITS: readonly (string | undefined)[] = ['bet_limit', 'loss_limit', 'time_limit', 'account_blocked'];

/** The operator may decline any bet for reasons of its own; what a test needed it for is then skipped, with this reason. */
export function ownLimit(seen: Seen): string | undefined {
  const { reading } = seen;
  if (!reading || seen.answer === 'accepted') return undefined;
  if (LIMITS.includes(reading.code)) return `the operator declined it with its own limit, \`${reading.code}\``;
  if (isTurnedAway(reading.status)) return `the operator answered ${reading.status}, which is its right`;
  return undefined;
}

/** How it was answered, as the second half of "expected 200, …". */
export function described(seen: Seen): string {
  const { exchange, reading } = seen;
  if (seen.closes) return 'not answered at all: the connection was closed, each time that it was sent';
  if (!reading) {
    return exchange.outcome.kind === 'none' && exchange.outcome.reason === 'too-late'
      ? `no whole reply within ${seen.deadlineMs / 1000} seconds`
      : 'no reply came';
  }
  const code = reading.code === undefined ? '' : ` with code ${JSON.stringify(reading.code)}`;
  const said = reading.message === undefined ? '' : `, ${JSON.stringify(reading.message.slice(0, 120))}`;
  return `answered ${reading.status}${code}${said}`;
}

/** True for a refund of what the operator may never have seen: a poor answer to it is told under the rule about such refunds. */
export function isMaybeUnknown({ part, target }: Seen): boolean {
  return part.step.call === 'refund' && target?.answer !== 'accepted';
}

/** Where repeats are not answered as the first was, what the reply to one lacks is that fault. */
export function ofPoorRepeat({ part: { step, group }, reading, earlier }: Seen): readonly RuleId[] {
  // Of a first reply that was no 200, and had no body, there is nothing to say again.
  if (earlier?.reply && earlier.reply.status !== 200) return ['reply.success-is-200'];
  if (step.call === 'balance' || reading?.txID !== undefined) return [];
  // Of copies at once any may be the first to be carried out.
  return group !== null || step.origin.kind !== 'fresh'
    ? [`idempotency.${step.call}`, 'idempotency.concurrent', 'free-rounds.replay']
    : [];
}

/** For a call that a rule wants answered 200. undefined: it was. */
export function wants200(seen: Seen, what: string): Decision | undefined {
  switch (seen.answer) {
    case 'accepted':
      return undefined;
    case 'late':
    case 'lost':
    case 'broken':
      return { kind: 'undecided', reason: `${what}: ${described(seen)}` };
    case 'error-200':
      return breach(`${what} is carried out`, `${described(seen)}: an error with status 200`, [
        'reply.error-is-not-200',
      ]);
    case 'refused':
    case 'declined':
    case 'failed': {
      const limit = ownLimit(seen);
      if (limit) return { kind: 'skip', reason: limit };
      return breach(`${what} is answered 200`, described(seen), causesOfRefusal(seen));
    }
  }
}

function causesOfRefusal(seen: Seen): readonly RuleId[] {
  // A correct signature that is refused everywhere is one fault, not one of each kind of call.
  if (seen.answer === 'refused') return ['signature.accepted'];
  if (isRedirect(seen)) return ['reply.success-is-200'];
  if (seen.part.step.call === 'refund' && seen.answer === 'declined') return ruleOfRefund(seen);
  // Each bet is within the balance that was read, so that balance is not the one that the operator goes by.
  return seen.reading?.code === 'insufficient_funds' ? WRONG_BALANCES : [];
}

/** Where plain refunds are declined, a refund with something odd about it is no exception. */
function ruleOfRefund({ target }: Seen): readonly RuleId[] {
  switch (target?.answer) {
    case undefined:
      return ['refund.unknown'];
    case 'accepted':
      return ['refund.restore'];
    case 'broken':
    case 'error-200':
    case 'refused':
    case 'declined':
    case 'failed':
    case 'late':
    case 'lost':
      return [];
  }
}

export function isRedirect({ reading }: Seen): boolean {
  return reading !== undefined && reading.status >= 300 && reading.status < 400;
}

/** For a call that a rule wants answered with a 4xx. */
export function wants4xx(seen: Seen, what: string): Decision | undefined {
  const { reading } = seen;
  if (!reading) {
    if (seen.closes) return breach(`${what} is answered with a 4xx`, described(seen));
    return seen.answer === 'late'
      ? breach(`${what} is answered with a 4xx`, described(seen), ['reply.deadline'])
      : { kind: 'undecided', reason: `${what}: ${described(seen)}` };
  }
  const limit = ownLimit(seen);
  if (limit) return { kind: 'skip', reason: limit };
  if (reading.status >= 400 && reading.status < 500) return undefined;
  return breach(
    `${what} is answered with a 4xx`,
    described(seen),
    seen.answer === 'error-200' ? ['reply.error-is-not-200'] : [],
  );
}

/** Why free rounds can't be judged where the test had to make a campaign up. */
export const UNKNOWN_CAMPAIGN =
  'no campaign is configured, and the operator refused one that was made up (`freeRounds: { frID: … }` names one it knows)';
