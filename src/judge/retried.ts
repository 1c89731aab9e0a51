import { Money } from '../contract/money.ts';
import type { Seen } from './check.ts';
import type { Wallet } from './wallet.ts';

/** A call that failed and was sent again until it was answered 200 may have been carried out each time. */
export function oweOnePayment({ part, exchange, effect, answer }: Seen, wallet: Wallet | null): void {
  const { step } = part;
  const rule = step.call === 'win' ? 'win.retried' : step.call === 'refund' ? 'refund.retried' : undefined;
  if (!rule || !wallet || answer !== 'accepted' || effect.isZero()) return;
  wallet.owe({
    rule,
    endpoint: null,
    step,
    exchange: exchange.id,
    offsets: ['twice', 'three times', 'four times'].map((times, more) => ({
      by: effect.times(Money.of(String(more + 1))),
      meaning: `the ${step.call} was paid ${times}, though it was answered with an error first`,
    })),
    rank: 0,
    until: 'read',
    expected: `a ${step.call} that is sent again until it is answered 200 is paid once`,
    reported: false,
  });
}
