import type { RuleId } from '../../contract/catalogue.ts';
import type { History } from './operation.ts';
import type { Trial } from './trial.ts';

/** A history that fails, while it is made shorter. */
export interface Failing {
  /** The rules one of which it must go on breaking. */
  targets: ReadonlySet<RuleId>;
  readonly first: History;
  best: History;
  /** How often a candidate is played before it is held to pass: more than once where the failure comes and goes. */
  readonly tries: number;
}

/** What is reported only when nothing explains a difference, and so is never nearer to the fault. */
const UNEXPLAINED: RuleId = 'money.conservation';

/**
 * Takes a shorter history for the best one when it fails too. Where its calls came one by one and were answered, it may do so
 * in another way than the longer one: what breaks without a race and without a broken connection is the plainer fault, and
 * a second one will be found again. What would follow from the fault that was seen already is no plainer one.
 *
 * @param news what the trial of it broke that was not known to be broken
 * @returns whether it did
 */
export function stillFails(
  failing: Failing,
  shorter: History,
  { broken, findings }: Pick<Trial, 'broken' | 'findings'>,
  news: readonly RuleId[],
): boolean {
  if (!broken.some((rule) => failing.targets.has(rule))) {
    const follows = new Set(
      findings.flatMap(({ rule, causes }) => (causes.some((cause) => failing.targets.has(cause)) ? [rule] : [])),
    );
    const others = news.filter((rule) => rule !== UNEXPLAINED && !follows.has(rule));
    if (others.length === 0 || !isPlain(shorter)) return false;
    failing.targets = new Set([...failing.targets, ...others]);
  }
  failing.best = shorter;
  return true;
}

function isPlain({ operations }: History): boolean {
  return operations.every(
    (operation) => operation.kind !== 'at-once' && !('broken' in operation && operation.broken !== null),
  );
}
