import type { RuleId } from '../contract/catalogue.ts';
import type { Answer, Decision } from './check.ts';
import { checkOf, checksOf } from './checks/all.ts';
import type { Docket } from './docket.ts';
import type { Part, Story } from './story.ts';

interface Held {
  readonly rule: RuleId;
  readonly part: Part;
  readonly exchange: string;
  readonly decision: Decision;
}

interface Seen {
  readonly part: Part;
  readonly answer: Answer;
}

/** So many answered calls are kept to serve as controls. */
const MOST_SEEN = 200;

/**
 * Holds back what a twist seems to show until its control is known: the same call in the same session without the twist.
 * Where the control was not accepted either, the twist proves nothing.
 */
export class Controls {
  readonly #story: Story;
  readonly #held: Held[] = [];
  readonly #seen: Seen[] = [];

  constructor(story: Story) {
    this.#story = story;
  }

  saw(part: Part, answer: Answer): void {
    if (this.#seen.length < MOST_SEEN) this.#seen.push({ part, answer });
  }

  hold(held: Held): void {
    this.#held.push(held);
  }

  release(docket: Docket): void {
    for (const { rule, part, exchange, decision } of this.#held) {
      const control =
        decision.kind === 'pass' && part.step.expect.outcome === 'accepted' ? undefined : this.#controlOf(rule, part);
      const failed = control !== undefined && !isGood(control, part);
      docket.decide(
        { rule, step: part.step, exchange },
        failed && decision.kind !== 'skip' ? withoutControl(control.part, checkOf(rule)?.controlled ?? 1) : decision,
      );
    }
    this.#held.length = 0;
  }

  #controlOf(rule: RuleId, twisted: Part): Seen | undefined {
    const own = deviationsOf(twisted);
    const tier = checkOf(rule)?.controlled ?? 0;
    const fitting = this.#seen.filter(
      ({ part }) =>
        part.step.call === twisted.step.call &&
        part.step.session === twisted.step.session &&
        part.step.expect.outcome === 'accepted' &&
        part.signedRight &&
        part.step.deviations.break === undefined &&
        deviationsOf(part).every((key) => own.includes(key)) &&
        !checksOf(part, this.#story).some(([id, check]) => id === rule || (check.controlled ?? 0) >= tier),
    );
    const closest = Math.max(...fitting.map(({ part }) => deviationsOf(part).length));
    const controls = fitting.filter(({ part }) => deviationsOf(part).length === closest);
    return controls.find(({ answer }) => answer === 'accepted') ?? controls[0];
  }
}

function deviationsOf(part: Part): string[] {
  return Object.keys(part.step.deviations).filter((key) => key !== 'sign' && key !== 'tamper');
}

/** Of a wrong signature the control is that the right one is let in, whatever becomes of the call then. */
function isGood({ answer }: Seen, twisted: Part): boolean {
  if (twisted.step.expect.outcome !== 'refused') return answer === 'accepted';
  return answer === 'accepted' || answer === 'declined' || answer === 'failed' || answer === 'error-200';
}

/** A twist upon a twist can't be tested where the operator declines the first, which is judged by a rule of its own. */
function withoutControl({ step }: Part, tier: 1 | 2 | 3): Decision {
  const reason = `its control, the same ${step.call} without the twist (step ${step.key}), was not accepted either`;
  return tier === 1 ? { kind: 'undecided', reason } : { kind: 'skip', reason };
}
