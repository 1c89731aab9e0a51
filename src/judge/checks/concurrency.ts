import type { GroupChecks } from '../check.ts';
import { bySum } from '../expected-sum.ts';
import { isNamesakeAtOnce, type Part, type Story } from '../story.ts';

const isNewMover = (part: Part): boolean =>
  part.group !== null &&
  part.regular &&
  part.step.origin.kind === 'fresh' &&
  (part.step.call === 'bet' || part.step.call === 'win') &&
  part.step.type !== 'free' &&
  !isNamesakeAtOnce(part);

const othersOf = (part: Part, story: Story): Part[] =>
  story.parts.filter(
    (other) =>
      other !== part && other.group === part.group && isNewMover(other) && other.step.session === part.step.session,
  );

/** Bets of which two at once are more than there is: the operator may decline all but one. */
export const isOverdraft = (part: Part): boolean =>
  (isNewMover(part) && part.step.call === 'bet' && part.step.expect.outcome === 'either') ||
  (isNewMover(part) && bySum(part.step, 'amount') === 'balance');

// All of these are judged as a set, see race.ts.
export const concurrencyChecks: GroupChecks<'concurrency'> = {
  'concurrency.no-lost-update': {
    applies: (part, story) =>
      isNewMover(part) && !isOverdraft(part) && othersOf(part, story).some((other) => !isOverdraft(other)),
  },
  'concurrency.order': {
    applies: (part, story) =>
      isNewMover(part) && !isOverdraft(part) && othersOf(part, story).some((other) => !isOverdraft(other)),
  },
  'concurrency.no-overdraft': {
    applies: (part, story) => isOverdraft(part) && othersOf(part, story).some(isOverdraft),
  },
};
