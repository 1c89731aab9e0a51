import type { RuleId } from '../contract/catalogue.ts';
import type { Blamed, Tally } from '../journal/event.ts';
import type { Fold } from '../journal/fold.ts';
import { Blame } from './blame.ts';

/**
 * What the parts of a divided run say about each other: each has explained its own breaches, and what breaks in one may be
 * proven only in another.
 *
 * @param parts each folded without its own explanations
 */
export function blameAcross(parts: readonly Fold[]): readonly Blamed[] {
  const blame = new Blame();
  const partOf = new Map<string, Fold>();
  for (const part of parts) {
    for (const { planned, findings } of part.scenarios) {
      partOf.set(planned.id, part);
      blame.add(planned.id, findings);
    }
    blame.add('', [], [], { passes: passesOf(part) });
  }
  return blame.conclude().filter(({ scenario, because }) => {
    const own = scenario === null ? undefined : partOf.get(scenario);
    // What is broken in its own part, and was not held against it there, is no explanation here either.
    return own !== undefined && !isBroken(own, because);
  });
}

function isBroken({ rules }: Fold, id: RuleId): boolean {
  return rules.some(({ rule, verdict }) => rule.id === id && verdict === 'fail');
}

function passesOf({ rules }: Fold): Tally {
  return Object.fromEntries(rules.map(({ rule, checks, breaches }) => [rule.id, { '*': checks - breaches }]));
}
