import type { RuleId } from '../../contract/catalogue.ts';
import { Money } from '../../contract/money.ts';
import type { LoadTransaction } from '../wallet.ts';

/** One way in which the operator may have treated a transaction wrongly. */
export interface Suspicion {
  readonly transaction: LoadTransaction;
  readonly rule: RuleId;
  /** The fault, as a clause that follows the name of the transaction. */
  readonly what: string;
  /** The difference of the balance that this fault would cause. */
  readonly delta: Money;
  readonly kind: FaultKind;
}

/**
 * The kind of a fault. A single fault of an operator can lose several transactions, or double several transactions, but does not
 * lose one transaction and double another.
 *
 * - `lost`, `doubled`: the effect of an accepted transaction is missing, or happened twice
 * - `refund`, `half-refund`, `unknown`: a refund gave back nothing, half, or money of a bet that took nothing
 * - `declined`: a declined bet took money
 * - `swapped`: a transaction moved the amount of another player's transaction
 * - `other`: everything else that is only tried alone
 */
export type FaultKind = 'lost' | 'doubled' | 'refund' | 'half-refund' | 'unknown' | 'declined' | 'swapped' | 'other';

/**
 * Returns every way in which the operator may have treated a transaction wrongly. Each way has the difference that it would make to
 * the balance.
 *
 * @param unit the smallest amount of the currency
 */
export function suspicionsOf(transaction: LoadTransaction, unit: Money): readonly Suspicion[] {
  const { call, amount, state, copies, isCopiedAtOnce, isRepeatedAtEnd, isOverlapped, isBroken, status } = transaction;
  if (amount.isZero()) return [];
  const down = amount.negated();
  const of = (kind: FaultKind, rule: RuleId, what: string, delta: Money): Suspicion => ({
    transaction,
    rule,
    what,
    delta,
    kind,
  });
  const again: RuleId = isRepeatedAtEnd
    ? 'idempotency.durable'
    : isCopiedAtOnce
      ? 'idempotency.concurrent'
      : `idempotency.${call}`;
  switch (call) {
    case 'bet':
      switch (state) {
        case 'applied':
          return [
            of(
              'lost',
              isOverlapped ? 'concurrency.no-lost-update' : 'bet.debit',
              'was answered 200, but took nothing',
              amount,
            ),
            of(
              'doubled',
              copies > 1 ? again : isOverlapped ? 'concurrency.no-lost-update' : 'bet.debit',
              'was taken twice',
              down,
            ),
          ];
        case 'reversed':
          return [
            of(
              'refund',
              isBroken || status === undefined ? 'refund.broken-connection' : 'refund.after-error',
              'was refunded with 200, but its money is missing',
              down,
            ),
            of(
              'unknown',
              'refund.unknown-pays-nothing',
              'took nothing, but its refund paid the amount, or its refund paid twice',
              amount,
            ),
            ...halvesOf(amount, unit).map((half) =>
              of(
                'half-refund',
                'refund.restore',
                'was refunded with 200, but only half of its money came back',
                half.negated(),
              ),
            ),
          ];
        case 'none':
        case 'refused':
          return [
            of(
              'declined',
              'bet.declined-takes-nothing',
              `was answered ${status ?? 'nothing'}, but took its amount`,
              down,
            ),
          ];
        case 'sent':
        case 'unknown':
          return [];
      }
      return [];
    case 'win':
      return [
        of(
          'lost',
          isBroken || copies > 1 ? 'win.retried' : isOverlapped ? 'concurrency.no-lost-update' : 'win.credit',
          'was answered 200, but was not credited',
          down,
        ),
        of(
          'doubled',
          copies > 1 ? again : isOverlapped ? 'concurrency.no-lost-update' : 'win.credit',
          'was credited twice',
          amount,
        ),
      ];
    case 'refund':
      if (copies === 1 || transaction.bet?.state !== 'reversed') return [];
      return [of('doubled', again, 'was paid twice, or was paid although its bet took nothing', amount)];
  }
}

/** The kinds of a fault after which the money of a transaction may be in the wallet of another player. */
export const MISSING: ReadonlySet<FaultKind> = new Set(['lost', 'refund', 'unknown']);

/** Returns the suspicions that the money of a transaction is missing in its wallet. */
export function missingAmong(transactions: readonly LoadTransaction[], unit: Money): readonly Suspicion[] {
  return transactions.flatMap((one) => suspicionsOf(one, unit)).filter(({ kind }) => MISSING.has(kind));
}

const HALF = Money.of('0.5');

/** Returns the half of an amount, which may be less than a whole unit. */
export function halfOf(amount: Money): Money {
  return amount.times(HALF);
}

/** Returns the half of an amount. If the half is no whole number of units, also returns it rounded down and rounded up. */
function halvesOf(amount: Money, unit: Money): readonly Money[] {
  const half = halfOf(amount);
  const down = half.truncated(unit.decimals());
  return down.equals(half) ? [half] : [half, down, down.plus(unit)];
}
