import type { CallName } from '../../contract/call-name.ts';
import type { RuleId } from '../../contract/catalogue.ts';
import { Money } from '../../contract/money.ts';
import type { IdleRead } from '../idle-read.ts';
import type { BalanceHypothesis, PendingCheck } from '../pending-check.ts';
import type { Effects } from '../wallet/effects.ts';
import type { Move } from '../wallet/wallet.ts';
import { inUnit, isNothingInCents, type RightUnit, SCALES } from './units.ts';

/** The rule about the effect of every ordinary call of a kind, and the right behaviour as a clause. */
export const PLAIN_EFFECTS: Readonly<Partial<Record<CallName, { readonly rule: RuleId; readonly expected: string }>>> =
  {
    bet: { rule: 'bet.debit', expected: 'an accepted bet lowers the balance by exactly its amount' },
    win: { rule: 'win.credit', expected: 'an accepted win raises the balance by exactly its amount' },
    refund: { rule: 'refund.restore', expected: 'refunding an accepted bet gives back exactly its amount' },
  };

/**
 * Checks for calls that deviate from the ordinary. They move money like any other call. The rules about ordinary calls are
 * not judged by them, but a wrong balance may come from them; without these checks, an ordinary call would be blamed.
 */
export function movesOfNoRule({ wallet, exchange }: IdleRead, effects: Effects): PendingCheck[] {
  return wallet.moves.flatMap(({ step: key, delta }): PendingCheck[] => {
    const planned = effects.ofStep(key)?.planned;
    // Calls that were sent at once are judged together, as a race.
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
          ...keptBack(planned.step.winOf, delta, effects),
        ],
        rank: 1,
        until: 'read',
        expected,
        reported: false,
      },
    ];
  });
}

/** The hypothesis that the operator subtracted the bet of the round from the win. */
function keptBack(winOf: string | undefined, win: Money, effects: Effects): BalanceHypothesis[] {
  const bet = winOf === undefined ? undefined : effects.ofStep(winOf)?.amount;
  return bet && bet.compare(win) < 0
    ? [{ by: bet.negated(), meaning: 'the bet of the round was kept back from the accepted win', alone: true }]
    : [];
}

/**
 * The check for a wallet that counts in another unit. All amounts, or all bets, or all wins, are then wrong by the same
 * power of ten.
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
  // If bets and wins are right, a refund of another sum than the bet is not a matter of the unit.
  const nets = [
    ...[
      wallet.moves,
      wallet.moves.filter(({ delta }) => delta.isNegative()),
      wallet.moves.filter(({ delta }) => !delta.isNegative()),
    ].flatMap((moves) => (moves.every(isRefund) || moves.some(isRight) ? [] : [sumOf(moves)])),
    ...open,
  ];
  const hypotheses = nets.flatMap((net): BalanceHypothesis[] =>
    SCALES.flatMap((scale) => {
      const moved = inUnit(net, scale, wallet.unit);
      if (moved.isZero()) return [];
      return [{ by: moved.minus(net), meaning: `what was moved, ${net}, moved the balance by ${moved}` }];
    }),
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
