import type { RuleId } from '../../contract/catalogue.ts';
import { Money } from '../../contract/money.ts';
import type { LoggedCall } from '../calls/logged-call.ts';
import { type Bets, betKey, type Transaction } from '../calls/transaction.ts';
import { isProvenByReply } from './deviation.ts';
import { applying, closing, distinct, isApplied, isClosed, moved, type World } from './worlds.ts';

/** An error that the operator may have made, with the change of the balance that it causes. */
export interface Candidate {
  /** The rule that the error breaks; null if it breaks no rule. */
  readonly rule: RuleId | null;
  readonly transaction: Transaction;
  readonly by: Money;
  readonly text: string;
  /** The repeated call that may have been carried out a second time. */
  readonly repeat?: LoggedCall;
  /** True if the reply to the repeated call proves the error: its `txID` differs from the `txID` of the first reply. */
  readonly isShown?: boolean;
  /**
   * True if the error is one smallest unit of the currency (such as one cent). A wallet that computes with binary floating point
   * can lose such a unit.
   */
  readonly isRounding?: boolean;
  /** Set if this change corrects an earlier wrong balance: the index of that balance. */
  readonly fixes?: number;
}

/** The effect of a call on the operator's books, and the errors that the operator may have made in it. */
export interface Effect {
  readonly worlds: readonly World[];
  readonly candidates: readonly Candidate[];
  /** The reason why the effect is unknown; null if it is known. */
  readonly unknown: string | null;
}

/** One call about money, with the data needed to compute its effect. */
export interface Booking {
  readonly call: LoggedCall;
  readonly transaction: Transaction;
  /** True if an earlier attempt was carried out, so that this attempt must have no effect. */
  readonly isRepeat: boolean;
  /** True for a refund whose bet was never sent, so that the operator has nothing to give back. */
  readonly isBetUnsent: boolean;
  /** True for a refund that the service must not send, because a win had settled the round, or because the refund names a win. */
  readonly isUndue: boolean;
  /** The bets of the wallet by their `txID`. */
  readonly bets: Bets;
}

/** Computes how a call changes each possible state of the books. */
export function effectOf(booking: Booking, worlds: readonly World[]): Effect {
  const { transaction, call } = booking;
  switch (transaction.call) {
    case 'bet':
    case 'win':
      if (transaction.amount === null) {
        const why = `the amount of the ${transaction.call} (call ${call.number}) is not known`;
        return { worlds, candidates: [], unknown: call.done === 'no' ? null : why };
      }
      return (transaction.call === 'bet' ? betEffect : winEffect)(booking, worlds, transaction.amount);
    case 'refund': {
      const bet = betOf(transaction, booking.bets);
      const amount = bet?.amount ?? transaction.amount;
      if (amount !== null) return refundEffect(booking, worlds, amount, bet);
      const why = `the amount of the refund (call ${call.number}) is not known`;
      return { worlds, candidates: [], unknown: call.done === 'no' ? null : why };
    }
  }
}

/** Returns the bet that a refund names, or undefined if the logs do not contain this bet. */
export function betOf(refund: Transaction, bets: Bets): Transaction | undefined {
  return refund.origTxID === null ? undefined : bets.get(refund.origTxID);
}

/** Returns the rule that the operator breaks if it does not give back the money of a bet with an unknown outcome. */
export function undoneRule(bet: Transaction): RuleId {
  return bet.attempts.some(({ ending }) => ending === 'lost') ? 'refund.broken-connection' : 'refund.after-error';
}

function betEffect(booking: Booking, worlds: readonly World[], amount: Money): Effect {
  const { call, transaction, isRepeat } = booking;
  const { key } = transaction;
  const off = amount.negated();
  const candidate = (rule: RuleId, by: Money, text: string): Candidate => ({ rule, transaction, by, text });
  if (isRepeat) {
    const again = candidate('idempotency.bet', off, 'the bet was taken again when it was sent again');
    return { worlds: withOtherAmount(booking, worlds), candidates: [repeatOf(again, call)], unknown: null };
  }
  const taken = (world: World): World =>
    isApplied(world, key) || isClosed(world, key) ? world : applying(world, key, off);
  switch (call.done) {
    case 'yes': {
      const candidates = [
        candidate('bet.debit', amount, 'the bet was answered 200, but was not taken'),
        ...(worlds.some((world) => isClosed(world, key))
          ? []
          : twiceCandidates(booking, candidate('bet.debit', off, 'the bet was taken twice at once'))),
        ...unitCandidates(transaction, off),
        ...roundingCandidates(transaction, amount, off),
      ];
      if (worlds.some((world) => isClosed(world, key))) {
        candidates.push(
          candidate('refund.before-bet', off, 'the bet was taken although its refund had been answered before'),
        );
      }
      return { worlds: transaction.isCampaign ? both(worlds, taken) : each(worlds, taken), candidates, unknown: null };
    }
    case 'maybe':
      return { worlds: both(worlds, taken), candidates: [], unknown: null };
    case 'no':
      return { worlds, candidates: declinedCandidates(call, candidate, off), unknown: null };
  }
}

type MakeCandidate = (rule: RuleId, by: Money, text: string) => Candidate;

function declinedCandidates(call: LoggedCall, candidate: MakeCandidate, off: Money): readonly Candidate[] {
  switch (call.ending) {
    case 'refused':
      return [candidate('signature.no-effect', off, 'the bet was refused with 401, but was taken')];
    case 'error-200':
      return [candidate('reply.error-is-not-200', off, 'the bet was answered with an error, but was taken')];
    case 'not-sent':
      return [];
    case 'accepted':
    case 'declined':
    case 'failed':
    case 'late':
    case 'lost':
    case 'unknown': {
      const text = `the bet was declined with ${call.status ?? 'an error'}, but was taken`;
      return [candidate('bet.declined-takes-nothing', off, text)];
    }
  }
}

/**
 * Applies a bet or a win whose `txID` was already carried out with another amount. The service must not send such a call, and the
 * contract does not say which of the two amounts is right. So it is no error of the operator that it carried out both. croupier itself
 * sends such calls on purpose, and judges them by the rules for them.
 */
function withOtherAmount({ call, transaction }: Booking, worlds: readonly World[]): readonly World[] {
  const { isOfRun, isProbe } = call.seen.exchange;
  const { amount } = call;
  const isOther = amount !== null && transaction.amount !== null && !amount.equals(transaction.amount);
  if (!isOther || call.done === 'no' || isOfRun === true || isProbe === true) return worlds;
  const by = transaction.call === 'bet' ? amount.negated() : amount;
  return both(worlds, (world) => applying(world, otherAmountKey(call), by));
}

/** Returns the key of a call that was carried out, although its `txID` was already carried out with another amount. */
export function otherAmountKey({ number }: LoggedCall): string {
  return `other amount ${number}`;
}

function winEffect(booking: Booking, worlds: readonly World[], amount: Money): Effect {
  const { call, transaction, isRepeat } = booking;
  const { key } = transaction;
  const candidate: MakeCandidate = (rule, by, text) => ({ rule, transaction, by, text });
  if (isRepeat) {
    const again = candidate('idempotency.win', amount, 'the win was paid again when it was sent again');
    return { worlds: withOtherAmount(booking, worlds), candidates: [repeatOf(again, call)], unknown: null };
  }
  const paid = (world: World): World => (isApplied(world, key) ? world : applying(world, key, amount));
  if (call.done === 'yes') {
    const candidates = [
      candidate('win.credit', amount.negated(), 'the win was answered 200, but was not paid'),
      ...twiceCandidates(booking, candidate('win.credit', amount, 'the win was paid twice at once')),
      ...unitCandidates(transaction, amount),
      ...roundingCandidates(transaction, amount, amount),
    ];
    if (transaction.attempts.some(({ number }) => number < call.number)) {
      candidates.push(
        candidate('win.retried', amount, 'the win was paid twice: at the failed attempt, and when it was sent again'),
      );
    }
    return { worlds: transaction.isCampaign ? both(worlds, paid) : each(worlds, paid), candidates, unknown: null };
  }
  if (call.ending === 'refused') {
    const text = 'the win was refused with 401, but was paid';
    return { worlds, candidates: [candidate('signature.no-effect', amount, text)], unknown: null };
  }
  // The service sends a win again until it is answered 200. So the operator may pay the win at any time.
  return { worlds: call.ending === 'not-sent' ? worlds : both(worlds, paid), candidates: [], unknown: null };
}

function refundEffect(
  { call, transaction, isRepeat, isBetUnsent, isUndue }: Booking,
  worlds: readonly World[],
  amount: Money,
  bet: Transaction | undefined,
): Effect {
  const candidate: MakeCandidate = (rule, by, text) => ({ rule, transaction, by, text });
  if (isRepeat) {
    const again = candidate('idempotency.refund', amount, 'the refund was paid again when it was sent again');
    return { worlds, candidates: [repeatOf(again, call)], unknown: null };
  }
  if (call.done === 'no') return { worlds, candidates: [], unknown: null };
  if (isUndue) return { worlds: givenAnyway(worlds, amount, bet), candidates: [], unknown: null };
  if (!bet && isBetUnsent && transaction.origTxID !== null) {
    const key = betKey(transaction.origTxID);
    const kept = (world: World): World => closing(world, key, Money.zero);
    const text = 'the refund of a bet that was never sent was paid';
    return {
      worlds: call.done === 'yes' ? each(worlds, kept) : both(worlds, kept),
      candidates: [candidate('refund.unknown-pays-nothing', amount, text)],
      unknown: null,
    };
  }
  if (!bet) return { worlds: givenBlindly(worlds, call.done, transaction, amount), candidates: [], unknown: null };
  // The amount that the service sent differs from the amount of the bet. The contract does not say which of the two amounts the
  // operator gives back.
  const amounts = [amount, transaction.amount ?? amount];
  const given = worlds.flatMap((world) =>
    isApplied(world, bet.key)
      ? amounts.map((by) => closing(world, bet.key, by))
      : [closing(world, bet.key, Money.zero)],
  );
  if (call.done === 'maybe') return { worlds: distinct([...worlds, ...given]), candidates: [], unknown: null };
  const candidates: Candidate[] = [];
  const isAgain = transaction.attempts[0] !== call;
  if (worlds.some((world) => isClosed(world, bet.key))) {
    candidates.push(
      isAgain
        ? candidate('idempotency.refund', amount, PAID_TWICE)
        : candidate('refund.once', amount, 'a second refund of the same bet was paid too'),
    );
  } else if (bet.state === 'declined') {
    candidates.push(candidate('refund.declined-bet', amount, 'the refund of a declined bet was paid'));
  } else {
    const rule = bet.state === 'accepted' ? 'refund.restore' : undoneRule(bet);
    const text = `the refund was answered ${call.status ?? 200}, but the bet was not given back`;
    candidates.push(candidate(rule, amount.negated(), text));
    candidates.push(
      isAgain
        ? candidate('idempotency.refund', amount, PAID_TWICE)
        : candidate('refund.restore', amount, 'the refund was paid twice at once'),
    );
    if (bet.state !== 'accepted') {
      candidates.push(
        candidate('refund.unknown-pays-nothing', amount, 'the refund of a bet that was never taken was paid'),
      );
    }
  }
  return { worlds: distinct(given), candidates, unknown: null };
}

/**
 * Applies a refund that the service must not send: a win had settled the round, or the refund names a win. The contract does not
 * say how the operator handles such a refund: it may give the money back or not, and it may take back the win. So none of these
 * effects is an error.
 */
function givenAnyway(worlds: readonly World[], amount: Money, bet: Transaction | undefined): readonly World[] {
  const given = worlds.flatMap((world) => {
    if (!bet) return [moved(world, amount), moved(world, amount.negated())];
    return isApplied(world, bet.key) ? [closing(world, bet.key, amount)] : [];
  });
  return distinct([...worlds, ...given]);
}

const PAID_TWICE = 'the refund was paid twice: at the failed attempt, and when it was sent again';

/**
 * Applies a refund whose bet is not in the log. The operator may have taken the bet before the log begins, or not at all. In both
 * cases, the operator must not take the bet after the refund. If the refund gave money back, it is applied in the books.
 */
function givenBlindly(
  worlds: readonly World[],
  done: 'yes' | 'maybe',
  { key: refund, origTxID }: Transaction,
  amount: Money,
): readonly World[] {
  const given = worlds.flatMap((world) => {
    if (origTxID === null) return [world, moved(world, amount)];
    const key = betKey(origTxID);
    if (isClosed(world, key)) return [world];
    const closed = closing(world, key, Money.zero);
    return [closed, applying(closed, refund, amount)];
  });
  return distinct(done === 'yes' ? given : [...worlds, ...given]);
}

/**
 * Returns the error that the operator carried out a call two times although it was sent once. Returns nothing for a repeated call,
 * because other functions return the errors of repeated calls.
 */
function twiceCandidates({ call, transaction }: Booking, twice: Candidate): readonly Candidate[] {
  return transaction.attempts[0] === call ? [twice] : [];
}

function unitCandidates(transaction: Transaction, by: Money): readonly Candidate[] {
  return [2, -2].map((places) => ({
    rule: 'money.main-unit' as const,
    transaction,
    by: by.shift(places).minus(by),
    text: `the amount was booked as ${places > 0 ? 'a hundred times' : 'a hundredth of'} its value`,
  }));
}

/**
 * Returns two errors: the operator booked one smallest unit of the currency more or less than the amount. This happens if the
 * operator computes with floating-point numbers and truncates the result.
 */
function roundingCandidates(transaction: Transaction, amount: Money, by: Money): readonly Candidate[] {
  if (amount.isZero()) return [];
  const unit = Money.unit(Math.max(2, amount.decimals()));
  return [unit.negated(), unit].map((more) => ({
    rule: 'money.exact' as const,
    transaction,
    by: by.isNegative() ? more.negated() : more,
    // Most of these errors are never reported. So a getter makes the text only when it is needed.
    get text() {
      return `the ${transaction.call} was booked as ${amount.plus(more).format(2)}`;
    },
    isRounding: true,
  }));
}

function repeatOf(candidate: Candidate, call: LoggedCall): Candidate {
  const { transaction } = candidate;
  return { ...candidate, repeat: call, isShown: isProvenByReply({ repeat: call, transaction }) };
}

function each(worlds: readonly World[], change: (world: World) => World): readonly World[] {
  return distinct(worlds.map(change));
}

function both(worlds: readonly World[], change: (world: World) => World): readonly World[] {
  return distinct([...worlds, ...worlds.map(change)]);
}
