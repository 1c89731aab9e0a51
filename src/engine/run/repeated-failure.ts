import { Money } from '../../contract/money.ts';
import { EXPECTATION, type Finding } from '../../journal/finding.ts';
import { absoluteMoney, type WrongSum } from '../../journal/money-sums.ts';
import { MOVED_ALONE } from '../../journal/scenario-result.ts';
import type { Played } from '../scenario/play-scenario.ts';

/** The keys of croupier's own reads have numbers, and chance decides how many reads there are. */
export const OWN_READ = /^(?:read|probe)\.\d+$/;

/**
 * True if a repetition of a scenario could have shown a failure of an earlier attempt. False if the repetition was stopped before the
 * step of the failure, for example because the player had no money any more. Such a repetition says nothing about the failure. But if
 * it was stopped because a balance changed without a call, this speaks against the failure: somebody else may move the balance.
 */
export function isTried(
  { rule, step }: Finding,
  { unplayed, passes, reason }: Pick<Played, 'unplayed' | 'passes' | 'reason'>,
): boolean {
  if (unplayed === null || reason === MOVED_ALONE) return true;
  // It is not known after which step croupier itself read the balance.
  if (step === null || OWN_READ.test(step)) return rule !== EXPECTATION && passes[rule] !== undefined;
  return !unplayed.some((key) => step === key || step.startsWith(`${key}.`) || step.startsWith(`${key}x`));
}

/** Minimum number of croupier's own wins that show a failure again. */
const MIN_WINS = 2;

/**
 * True if wins that croupier itself sent in a repetition show the failure of a win again: the same share of each win is missing. For
 * example, a wallet that pays no wins has no money any more, so croupier cannot repeat the scenario. But then it has not paid the wins
 * with which croupier wanted to raise the balance. It is very unlikely that somebody else takes the same share of different sums.
 *
 * @param shortfalls the sums by which croupier's own wins in the repetition were too low
 */
export function isShownByOwnWins({ rule, wrongSum }: Finding, shortfalls: readonly WrongSum[]): boolean {
  if (rule !== 'win.credit' || !wrongSum?.amount.startsWith('-')) return false;
  return shortfalls.filter((one) => haveSameShare(one, wrongSum)).length >= MIN_WINS;
}

function haveSameShare(one: WrongSum, other: WrongSum): boolean {
  const [wrong, moved, otherWrong, otherMoved] = [
    absoluteMoney(one.amount),
    movedBy(one),
    absoluteMoney(other.amount),
    movedBy(other),
  ];
  return (
    one.currency === other.currency &&
    wrong !== undefined &&
    moved !== undefined &&
    otherWrong !== undefined &&
    otherMoved !== undefined &&
    wrong.times(otherMoved).equals(otherWrong.times(moved))
  );
}

function movedBy({ moved, movedOneWay }: WrongSum): Money | undefined {
  return Money.read(movedOneWay ?? moved ?? '');
}
