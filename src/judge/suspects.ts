import type { CallName } from '../contract/call-name.ts';
import type { RuleId } from '../contract/catalogue.ts';
import { Money } from '../contract/money.ts';
import type { Effects } from './effects.ts';
import { inUnit, isNothingInCents, SCALES } from './main-unit.ts';
import type { Obligation, Offset } from './obligation.ts';
import type { QuietRead } from './quiet-read.ts';
import type { RightUnit } from './right-unit.ts';
import type { Move } from './wallet.ts';

/** What holds for every such call. */
export const PLAIN_EFFECTS: Readonly<Partial<Record<CallName, { readonly rule: RuleId; readonly expected: string }>>> =
  {
    bet: { rule: 'bet.debit', expected: 'an accepted bet lowers the balance by exactly its amount' },
    win: { rule: 'win.credit', expected: 'an accepted win raises the balance by exactly its amount' },
    refund: { rule: 'refund.restore', expected: 'refunding an accepted bet gives back exactly its amount' },
  };

/**
 * A call with a twist moves money as any other does. The rules that hold for every call are not judged by it, but it
 * must not be forgotten where a number is to be explained, or its plain neighbour is blamed.
 */
export function movesOfNoRule({ wallet, exchange }: QuietRead, effects: Effects): Obligation[] {
  return wallet.moves.flatMap(({ step: key, delta }): Obligation[] => {
    const part = effects.ofStep(key)?.part;
    // Calls that were sent at once are weighed together, as a race.
    const plain = part && PLAIN_EFFECTS[part.step.call];
    if (!plain || part.group !== null || part.step.expect.outcome !== 'accepted') return [];
    const { rule, expected } = plain;
    if (wallet.obligations.some((one) => one.rule === rule && one.step.key === key)) return [];
    return [
      {
        rule,
        endpoint: null,
        step: part.step,
        exchange,
        offsets: [
          {
            by: delta.negated(),
            meaning: `the accepted ${part.step.call} had no effect`,
            causes: isNothingInCents(delta, wallet.unit) ? ['money.main-unit'] : [],
          },
          { by: delta, meaning: `the accepted ${part.step.call} took effect twice` },
          {
            by: delta.times(Money.of('2')).negated(),
            meaning: `the accepted ${part.step.call} had the opposite effect`,
            alone: true,
          },
          ...keptBack(part.step.winOf, delta, effects),
        ],
        rank: 1,
        until: 'read',
        expected,
        reported: false,
      },
    ];
  });
}

/** A win may be paid less the bet of its round. */
function keptBack(winOf: string | undefined, win: Money, effects: Effects): Offset[] {
  const bet = winOf === undefined ? undefined : effects.ofStep(winOf)?.amount;
  return bet && bet.compare(win) < 0
    ? [{ by: bet.negated(), meaning: 'the bet of the round was kept back from the accepted win', alone: true }]
    : [];
}

/** A wallet that counts in another unit is off by the same power of ten for whatever was moved, or for all bets or all wins of it. */
export function inAnotherUnit(
  { wallet, step, exchange }: QuietRead,
  effects: Effects,
  isProven: boolean,
  rightUnit: RightUnit,
): Obligation[] {
  const isRight = ({ step: key }: Move): boolean => {
    const call = effects.callOf(key);
    return call !== undefined && rightUnit.has(call, wallet.id);
  };
  const isRefund = ({ step: key }: Move): boolean => effects.callOf(key) === 'refund';
  const sumOf = (moves: readonly Move[]): Money => moves.reduce((sum, { delta }) => sum.plus(delta), Money.zero);
  const sure = sumOf(wallet.moves);
  const open = wallet.forks.map(({ delta }) => sure.plus(delta));
  if (open.length > 0 && !isProven) return [];
  // A refund that gives back another sum than was taken is none of the unit's, where bets and wins are right.
  const nets = [
    ...[
      wallet.moves,
      wallet.moves.filter(({ delta }) => delta.isNegative()),
      wallet.moves.filter(({ delta }) => !delta.isNegative()),
    ].flatMap((moves) => (moves.every(isRefund) || moves.some(isRight) ? [] : [sumOf(moves)])),
    ...open,
  ];
  const offsets = nets.flatMap((net): Offset[] =>
    SCALES.flatMap((scale) => {
      const moved = inUnit(net, scale, wallet.unit);
      if (moved.isZero()) return [];
      return [{ by: moved.minus(net), meaning: `what was moved, ${net}, moved the balance by ${moved}` }];
    }),
  );
  if (offsets.length === 0) return [];
  return [
    {
      rule: 'money.main-unit',
      endpoint: null,
      step,
      exchange,
      offsets,
      rank: 1,
      until: 'read',
      expected: 'amounts are in the main unit of the currency',
      reported: false,
    },
  ];
}
