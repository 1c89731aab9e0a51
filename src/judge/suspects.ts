import type { RuleId } from '../contract/catalogue.ts';
import { Money } from '../contract/money.ts';
import type { Effects } from './effects.ts';
import type { Obligation } from './obligation.ts';
import type { QuietRead } from './quiet-read.ts';

const PLAIN_EFFECTS: Readonly<Record<'bet' | 'win' | 'refund', { readonly rule: RuleId; readonly expected: string }>> =
  {
    bet: { rule: 'bet.debit', expected: 'an accepted bet lowers the balance by exactly its amount' },
    win: { rule: 'win.credit', expected: 'an accepted win raises the balance by exactly its amount' },
    refund: { rule: 'refund.restore', expected: 'refunding an accepted bet gives back exactly its amount' },
  };

const POWERS = [1, 2, 3, 8, -1, -2, -3, -8];

/**
 * A call with a twist moves money as any other does. The rules that hold for every call are not judged by it, but it
 * must not be forgotten where a number is to be explained, or its plain neighbour is blamed.
 */
export function movesOfNoRule({ wallet, exchange }: QuietRead, effects: Effects): Obligation[] {
  return wallet.moves.flatMap(({ step: key, delta }): Obligation[] => {
    const part = effects.ofStep(key)?.part;
    // Calls that were sent at once are weighed together, as a race.
    if (!part || part.group !== null || part.step.call === 'balance' || part.step.expect.outcome !== 'accepted')
      return [];
    const { rule, expected } = PLAIN_EFFECTS[part.step.call];
    if (wallet.obligations.some((one) => one.rule === rule && one.step.key === key)) return [];
    return [
      {
        rule,
        endpoint: null,
        step: part.step,
        exchange,
        offsets: [
          { by: delta.negated(), meaning: `the accepted ${part.step.call} had no effect` },
          { by: delta, meaning: `the accepted ${part.step.call} took effect twice` },
        ],
        rank: 1,
        until: 'read',
        expected,
        reported: false,
      },
    ];
  });
}

/** A wallet that counts in another unit is off by the same power of ten for whatever was moved. */
export function inAnotherUnit({ wallet, step, exchange }: QuietRead): Obligation[] {
  const net = wallet.moves.reduce((sum, { delta }) => sum.plus(delta), Money.zero);
  if (net.isZero() || wallet.moves.length < 2) return [];
  const offsets = POWERS.map((power) => ({
    by: net.shift(power).minus(net),
    meaning: `what was moved, ${net}, moved the balance by ${net.shift(power)}`,
  }));
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
