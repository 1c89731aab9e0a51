import type { CallName } from '../../contract/call-name.ts';
import type { RuleId } from '../../contract/catalogue.ts';
import { Money } from '../../contract/money.ts';
import type { IdleRead } from '../idle-read.ts';
import type { BalanceHypothesis, PendingCheck } from '../pending-check.ts';
import type { PlannedCall } from '../planned-calls.ts';
import type { Effects } from '../wallet/effects.ts';
import type { Move } from '../wallet/wallet.ts';
import { isNothingInCents, type RightUnit, SCALES, sumsInUnit } from './units.ts';

/** For bets, wins and refunds: the rule about the effect of an ordinary call, and a clause that describes the right effect. */
export const PLAIN_EFFECTS: Readonly<Partial<Record<CallName, { readonly rule: RuleId; readonly expected: string }>>> =
  {
    bet: { rule: 'bet.debit', expected: 'an accepted bet lowers the balance by exactly its amount' },
    win: { rule: 'win.credit', expected: 'an accepted win raises the balance by exactly its amount' },
    refund: { rule: 'refund.restore', expected: 'refunding an accepted bet gives back exactly its amount' },
  };

/**
 * Some accepted calls are judged by no rule about ordinary calls, for example calls with a deviation. Returns checks for them. Such
 * a call also moves money, so it may be the cause of a wrong balance. Without these checks, croupier would blame an ordinary call.
 */
export function movesOfNoRule({ wallet, exchange }: IdleRead, effects: Effects): PendingCheck[] {
  return wallet.moves.flatMap(({ step: key, delta }): PendingCheck[] => {
    const planned = effects.ofStep(key)?.planned;
    // Calls that were sent at the same instant are not judged here. The file races/race.ts judges them together.
    const plain = planned && PLAIN_EFFECTS[planned.step.call];
    if (!plain || planned.group !== null || planned.step.expect.outcome !== 'accepted') return [];
    const { rule, expected } = plain;
    if (wallet.pendingChecks.some((one) => one.rule === rule && one.step.key === key)) return [];
    return [
      {
        rule,
        endpoint: null,
        step: planned.step,
        exchange,
        hypotheses: [
          {
            by: delta.negated(),
            meaning: `the accepted ${planned.step.call} had no effect`,
            causes: isNothingInCents(delta, wallet.unit) ? ['money.main-unit'] : [],
          },
          { by: delta, meaning: `the accepted ${planned.step.call} took effect twice` },
          {
            by: delta.times(Money.of('2')).negated(),
            meaning: `the accepted ${planned.step.call} had the opposite effect`,
            alone: true,
          },
          ...keptBack(betOf(planned, effects), delta, 'the accepted win'),
        ],
        rank: 1,
        until: 'read',
        expected,
        reported: false,
      },
    ];
  });
}

/**
 * Returns one hypothesis: that the operator subtracted the bet of the round from the win. Returns an empty list if the bet is
 * unknown, or if it equals the win. Then the win was simply not credited.
 *
 * @param win the amount of the win
 * @param name the name of the win in the report
 */
export function keptBack(bet: Money | undefined, win: Money, name: string): BalanceHypothesis[] {
  return bet && !bet.equals(win)
    ? [{ by: bet.negated(), meaning: `the operator subtracted the bet of the round from ${name}`, alone: true }]
    : [];
}

/** Returns the amount of the bet in whose round a win was sent. */
function betOf({ step: { winOf } }: PlannedCall, effects: Effects): Money | undefined {
  return winOf === undefined ? undefined : effects.ofStep(winOf)?.amount;
}

/**
 * Returns a check of the unit: does the wallet read amounts in the unit of the contract, or for example in cents? With a wrong
 * unit, all amounts, all bets or all wins are wrong by the same power of ten.
 */
export function inAnotherUnit(
  { wallet, step, exchange }: IdleRead,
  effects: Effects,
  isProven: boolean,
  rightUnit: RightUnit,
): PendingCheck[] {
  const isRight = ({ step: key }: Move): boolean => {
    const call = effects.callOf(key);
    return call !== undefined && rightUnit.has(call, wallet.id);
  };
  const isRefund = ({ step: key }: Move): boolean => effects.callOf(key) === 'refund';
  const sumOf = (moves: readonly Move[]): Money => moves.reduce((sum, { delta }) => sum.plus(delta), Money.zero);
  const sure = sumOf(wallet.moves);
  const open = wallet.branches.map(({ delta }) => sure.plus(delta));
  if (open.length > 0 && !isProven) return [];
  // A wrong unit makes bets or wins wrong, and not only refunds. So if only refunds are wrong, the unit is not the cause.
  const nets = [
    ...[
      wallet.moves,
      wallet.moves.filter(({ delta }) => delta.isNegative()),
      wallet.moves.filter(({ delta }) => !delta.isNegative()),
    ].flatMap((moves) => (moves.every(isRefund) || moves.some(isRight) ? [] : [sumOf(moves)])),
    ...open,
  ];
  const hypotheses = nets.flatMap((net): BalanceHypothesis[] =>
    SCALES.flatMap((scale) =>
      sumsInUnit(net, scale, wallet.unit).map((moved) => ({
        by: moved.minus(net),
        meaning: `calls for ${net} in total changed the balance by ${moved}`,
      })),
    ),
  );
  if (hypotheses.length === 0) return [];
  return [
    {
      rule: 'money.main-unit',
      endpoint: null,
      step,
      exchange,
      hypotheses,
      rank: 1,
      until: 'read',
      expected: 'amounts are in the main unit of the currency',
      reported: false,
    },
  ];
}
