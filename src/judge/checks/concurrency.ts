import { isSameTxIDAtOnce, type PlannedCall, type PlannedCalls } from '../planned-calls.ts';
import type { GroupChecks } from './check.ts';
import { plannedAmount } from './planned-amount.ts';

const isNewMover = (planned: PlannedCall): boolean =>
  planned.group !== null &&
  planned.regular &&
  planned.step.origin.kind === 'fresh' &&
  (planned.step.call === 'bet' || planned.step.call === 'win') &&
  planned.step.type !== 'free' &&
  !isSameTxIDAtOnce(planned);

const othersOf = (planned: PlannedCall, plannedCalls: PlannedCalls): PlannedCall[] =>
  plannedCalls.calls.filter(
    (other) =>
      other !== planned &&
      other.group === planned.group &&
      isNewMover(other) &&
      other.step.session === planned.step.session,
  );

/**
 * True for a bet that is sent together with other bets. The operator may decline such a bet, because all these bets together may be
 * more than the balance.
 */
export const isOverdraft = (planned: PlannedCall): boolean =>
  (isNewMover(planned) && planned.step.call === 'bet' && planned.step.expect.outcome === 'either') ||
  (isNewMover(planned) && plannedAmount(planned.step).isBalance);

// The file races/race.ts judges these rules, because all calls that were sent at the same instant must be judged together.
export const concurrencyChecks: GroupChecks<'concurrency'> = {
  'concurrency.no-lost-update': {
    applies: (planned, plannedCalls) =>
      isNewMover(planned) &&
      !isOverdraft(planned) &&
      othersOf(planned, plannedCalls).some((other) => !isOverdraft(other)),
  },
  'concurrency.order': {
    applies: (planned, plannedCalls) =>
      isNewMover(planned) &&
      !isOverdraft(planned) &&
      othersOf(planned, plannedCalls).some((other) => !isOverdraft(other)),
  },
  'concurrency.no-overdraft': {
    applies: (planned, plannedCalls) => isOverdraft(planned) && othersOf(planned, plannedCalls).some(isOverdraft),
  },
};
