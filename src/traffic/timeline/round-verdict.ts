import type { Money } from '../../contract/money.ts';
import type { Debt } from './debt.ts';

/** Sums of a round or of a wallet. A sum is null if the logs do not show it. */
export interface Sums {
  /** The sum after everything that is owed has been done. */
  readonly should: Money | null;
  /** The sum in the operator's books after the last call. */
  readonly booked: Money | null;
  /** `booked` minus `should`. A negative difference means that the player has too little. */
  readonly difference: Money | null;
}

export interface RoundVerdict extends Sums {
  readonly roundID: string | null;
  /**
   * `open`: a bet was accepted, but no win or refund of the round is known. `nothing`: no bet of the round was
   * accepted.
   */
  readonly state: 'settled' | 'refunded' | 'open' | 'owing' | 'nothing' | 'unknown';
  readonly bets: Money | null;
  readonly wins: Money | null;
  readonly debts: readonly Debt[];
  /** The number of the first call of the round. */
  readonly firstCall: number;
}
