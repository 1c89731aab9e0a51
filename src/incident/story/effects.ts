import type { RuleId } from '../../contract/catalogue.ts';
import { Money } from '../../contract/money.ts';
import type { ToldCall } from './told-call.ts';
import { type Bets, betKey, type Transaction } from './transaction.ts';
import { applying, closing, distinct, isApplied, isClosed, moved, type World } from './worlds.ts';

/** A way in which the operator may have booked wrongly, and by how much the balance would then be off. */
export interface Suspect {
  /** null: no rule is broken by it. */
  readonly rule: RuleId | null;
  readonly transaction: Transaction;
  readonly by: Money;
  readonly text: string;
  /** The call that sent it once more and may have been carried out anew. */
  readonly repeat?: ToldCall;
  /** That call was answered with another `txID` than the one before: its reply tells by itself. */
  readonly isShown?: boolean;
  /** A smallest unit went astray, as binary floating point loses it. */
  readonly isRounding?: boolean;
  /** The earlier deviation that it puts right. */
  readonly mends?: number;
}

/** What a call does to the operator's books, and what it may have done to them wrongly. */
export interface Effect {
  readonly worlds: readonly World[];
  readonly suspects: readonly Suspect[];
  /** Why nobody can say; null: it can be said. */
  readonly unknown: string | null;
}

/** One call about money, as it is being booked. */
export interface Booking {
  readonly call: ToldCall;
  readonly transaction: Transaction;
  /** It was carried out before: sent again, it has no effect. */
  readonly isRepeat: boolean;
  /** The bets of the wallet, by their `txID`. */
  readonly bets: Bets;
}

/** The effect of a call on each way in which the books may stand. */
export function effectOf(booking: Booking, worlds: readonly World[]): Effect {
  const { transaction, call } = booking;
  switch (transaction.call) {
    case 'bet':
    case 'win':
      if (transaction.amount === null) {
        const why = `the amount of the ${transaction.call} of call ${call.number} is not known`;
        return { worlds, suspects: [], unknown: call.done === 'no' ? null : why };
      }
      return (transaction.call === 'bet' ? betEffect : winEffect)(booking, worlds, transaction.amount);
    case 'refund': {
      const bet = betOf(transaction, booking.bets);
      const amount = bet?.amount ?? transaction.amount;
      if (amount !== null) return refundEffect(booking, worlds, amount, bet);
      const why = `the amount of the refund of call ${call.number} is not known`;
      return { worlds, suspects: [], unknown: call.done === 'no' ? null : why };
    }
  }
}

/** The bet that a refund names, when it is known. */
export function betOf(refund: Transaction, bets: Bets): Transaction | undefined {
  return refund.origTxID === null ? undefined : bets.get(refund.origTxID);
}

/** The rule that an unknown outcome of a bet, not made good, breaks. */
export function undoneRule(bet: Transaction): RuleId {
  return bet.attempts.some(({ ending }) => ending === 'lost') ? 'refund.broken-connection' : 'refund.after-error';
}

function betEffect({ call, transaction, isRepeat }: Booking, worlds: readonly World[], amount: Money): Effect {
  const { key } = transaction;
  const off = amount.negated();
  const suspect = (rule: RuleId, by: Money, text: string): Suspect => ({ rule, transaction, by, text });
  if (isRepeat) {
    const again = suspect('idempotency.bet', off, 'the bet was taken again when it was sent again');
    return { worlds, suspects: [repeatOf(again, call)], unknown: null };
  }
  const taken = (world: World): World =>
    isApplied(world, key) || isClosed(world, key) ? world : applying(world, key, off);
  switch (call.done) {
    case 'yes': {
      const suspects = [
        suspect('bet.debit', amount, 'the bet was answered 200 and not taken'),
        ...unitSuspects(transaction, off),
        ...roundingSuspects(transaction, amount, off),
      ];
      if (worlds.some((world) => isClosed(world, key))) {
        suspects.push(
          suspect('refund.before-bet', off, 'the bet was taken though its refund had been answered before'),
        );
      }
      return { worlds: transaction.isCampaign ? both(worlds, taken) : each(worlds, taken), suspects, unknown: null };
    }
    case 'maybe':
      return { worlds: both(worlds, taken), suspects: [], unknown: null };
    case 'no':
      return { worlds, suspects: declinedSuspects(call, suspect, off), unknown: null };
  }
}

type MakeSuspect = (rule: RuleId, by: Money, text: string) => Suspect;

function declinedSuspects(call: ToldCall, suspect: MakeSuspect, off: Money): readonly Suspect[] {
  switch (call.ending) {
    case 'refused':
      return [suspect('signature.no-effect', off, 'the bet was refused with 401 and taken all the same')];
    case 'error-200':
      return [suspect('reply.error-is-not-200', off, 'the bet was answered with an error and taken all the same')];
    case 'not-sent':
      return [];
    case 'accepted':
    case 'declined':
    case 'failed':
    case 'late':
    case 'lost':
    case 'unknown': {
      const text = `the bet was declined with ${call.status ?? 'an error'} and taken all the same`;
      return [suspect('bet.declined-takes-nothing', off, text)];
    }
  }
}

function winEffect({ call, transaction, isRepeat }: Booking, worlds: readonly World[], amount: Money): Effect {
  const { key } = transaction;
  const suspect: MakeSuspect = (rule, by, text) => ({ rule, transaction, by, text });
  if (isRepeat) {
    const again = suspect('idempotency.win', amount, 'the win was paid again when it was sent again');
    return { worlds, suspects: [repeatOf(again, call)], unknown: null };
  }
  const paid = (world: World): World => (isApplied(world, key) ? world : applying(world, key, amount));
  if (call.done === 'yes') {
    const suspects = [
      suspect('win.credit', amount.negated(), 'the win was answered 200 and not paid'),
      ...unitSuspects(transaction, amount),
      ...roundingSuspects(transaction, amount, amount),
    ];
    if (transaction.attempts.some(({ number }) => number < call.number)) {
      suspects.push(
        suspect('win.retried', amount, 'the win was paid twice: when it failed, and when it was sent again'),
      );
    }
    return { worlds: transaction.isCampaign ? both(worlds, paid) : each(worlds, paid), suspects, unknown: null };
  }
  if (call.ending === 'refused') {
    const text = 'the win was refused with 401 and paid all the same';
    return { worlds, suspects: [suspect('signature.no-effect', amount, text)], unknown: null };
  }
  // It will be sent again until it is answered 200, so it may be paid at any time.
  return { worlds: call.ending === 'not-sent' ? worlds : both(worlds, paid), suspects: [], unknown: null };
}

function refundEffect(
  { call, transaction, isRepeat }: Booking,
  worlds: readonly World[],
  amount: Money,
  bet: Transaction | undefined,
): Effect {
  const suspect: MakeSuspect = (rule, by, text) => ({ rule, transaction, by, text });
  if (isRepeat) {
    const again = suspect('idempotency.refund', amount, 'the refund was paid again when it was sent again');
    return { worlds, suspects: [repeatOf(again, call)], unknown: null };
  }
  if (call.done === 'no') return { worlds, suspects: [], unknown: null };
  if (!bet)
    return { worlds: givenBlindly(worlds, call.done, transaction.origTxID, amount), suspects: [], unknown: null };
  const given = (world: World): World => closing(world, bet.key, isApplied(world, bet.key) ? amount : Money.zero);
  if (call.done === 'maybe') return { worlds: both(worlds, given), suspects: [], unknown: null };
  const suspects: Suspect[] = [];
  if (worlds.some((world) => isClosed(world, bet.key))) {
    suspects.push(suspect('refund.once', amount, 'a second refund of the same bet was paid too'));
  } else if (bet.state === 'declined') {
    suspects.push(suspect('refund.declined-bet', amount, 'the refund of a declined bet was paid'));
  } else {
    const rule = bet.state === 'accepted' ? 'refund.restore' : undoneRule(bet);
    const text = `the refund was answered ${call.status ?? 200} and the bet was not given back`;
    suspects.push(suspect(rule, amount.negated(), text));
    if (bet.state !== 'accepted') {
      suspects.push(
        suspect('refund.unknown-pays-nothing', amount, 'the refund of a bet that was never taken was paid'),
      );
    }
  }
  return { worlds: each(worlds, given), suspects, unknown: null };
}

/** The bet may lie before all that is known: then there was something to give back, else there was not. Either way it is over with it. */
function givenBlindly(
  worlds: readonly World[],
  done: 'yes' | 'maybe',
  origTxID: string | null,
  amount: Money,
): readonly World[] {
  const given = worlds.flatMap((world) => {
    if (origTxID === null) return [world, moved(world, amount)];
    const key = betKey(origTxID);
    return isClosed(world, key) ? [world] : [closing(world, key, Money.zero), closing(world, key, amount)];
  });
  return distinct(done === 'yes' ? given : [...worlds, ...given]);
}

function unitSuspects(transaction: Transaction, by: Money): readonly Suspect[] {
  return [2, -2].map((places) => ({
    rule: 'money.main-unit' as const,
    transaction,
    by: by.shift(places).minus(by),
    text: `the amount was taken for ${places > 0 ? 'a hundred times' : 'a hundredth of'} what it says`,
  }));
}

/** One smallest unit more or less than the amount says, as a product or a sum of doubles comes out that is cut off. */
function roundingSuspects(transaction: Transaction, amount: Money, by: Money): readonly Suspect[] {
  if (amount.isZero()) return [];
  const unit = Money.unit(Math.max(2, amount.decimals()));
  return [unit.negated(), unit].map((more) => ({
    rule: 'money.exact' as const,
    transaction,
    by: by.isNegative() ? more.negated() : more,
    text: `the ${transaction.call} was booked as ${amount.plus(more).format(2)}`,
    isRounding: true,
  }));
}

function repeatOf(suspect: Suspect, call: ToldCall): Suspect {
  const first = suspect.transaction.attempts.find(({ done, replyTxID }) => done === 'yes' && replyTxID !== null);
  const isShown = first !== undefined && call.replyTxID !== null && call.replyTxID !== first.replyTxID;
  return { ...suspect, repeat: call, isShown };
}

function each(worlds: readonly World[], change: (world: World) => World): readonly World[] {
  return distinct(worlds.map(change));
}

function both(worlds: readonly World[], change: (world: World) => World): readonly World[] {
  return distinct([...worlds, ...worlds.map(change)]);
}
