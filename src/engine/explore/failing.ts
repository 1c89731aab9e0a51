import type { RuleId } from '../../contract/catalogue.ts';
import { EXPECTATION } from '../../journal/finding.ts';
import type { History } from './operation.ts';
import type { Trial } from './trial.ts';

/** A history that fails, while it is made shorter. */
export interface Failing {
  /** The rules one of which it must go on breaking. */
  targets: ReadonlySet<RuleId>;
  /** What would explain that. A shorter one that breaks one of these shows the same fault, and nearer to where it is. */
  causes: ReadonlySet<RuleId>;
  readonly first: History;
  best: History;
  /** How often a candidate is played before it is held to pass: more than once where the failure comes and goes. */
  readonly tries: number;
}

export function failingWith(targets: ReadonlySet<RuleId>, history: History, trial: Trial, tries: number): Failing {
  return { targets, causes: causesOf(trial, targets), first: history, best: history, tries };
}

/**
 * Takes a shorter history for the best one when it shows the same fault.
 *
 * @param news what the trial of it broke that was not known to be broken
 * @returns whether it did
 */
export function stillFails(failing: Failing, shorter: History, trial: Trial, news: readonly RuleId[]): boolean {
  if (!trial.broken.some((rule) => failing.targets.has(rule))) {
    const deeper = news.filter((rule) => failing.causes.has(rule));
    if (deeper.length === 0) return false;
    failing.targets = new Set(deeper);
    failing.causes = causesOf(trial, failing.targets);
  }
  failing.best = shorter;
  return true;
}

/** What would explain that these rules are broken. */
function causesOf({ findings }: Trial, rules: ReadonlySet<RuleId>): ReadonlySet<RuleId> {
  const shown = findings.filter(({ rule, verdict }) => verdict === 'fail' && rule !== EXPECTATION && rules.has(rule));
  return new Set(shown.flatMap(({ causes }) => causes));
}
