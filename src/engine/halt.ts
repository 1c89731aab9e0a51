import type { Money } from '../contract/money.ts';
import type { Reaction } from '../judge/judge.ts';

/** Why a scenario could not be played to its end. */
export interface Halt {
  readonly verdict: 'skip' | 'inconclusive';
  readonly reason: string;
  /** The connection failed, not the operator: worth another attempt. */
  readonly connection: boolean;
  readonly causes: NonNullable<Reaction['stop']>['causes'];
  /** The balance that the main session would have to have. */
  readonly needed?: Money;
}

export function halted(reason: string): Halt {
  return { verdict: 'inconclusive', reason, connection: false, causes: [] };
}
