import type { RuleId } from '../contract/catalogue.ts';
import type { Answer, Decision } from './check.ts';
import { checkOf, checksOf } from './checks/all.ts';
import type { Docket } from './docket.ts';
import type { Part, Story } from './story.ts';

interface Seen {
  readonly part: Part;
  readonly answer: Answer;
  readonly status: number | undefined;
}

export interface Held extends Seen {
  readonly rule: RuleId;
  readonly exchange: string;
  readonly decision: Decision;
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

  saw(seen: Seen): void {
    if (this.#seen.length < MOST_SEEN) this.#seen.push(seen);
  }

  hold(held: Held): void {
    this.#held.push(held);
  }

  release(docket: Docket): void {
    for (const held of this.#held) {
      const { rule, part, exchange, decision } = held;
      const control = needsControl(held) ? this.#controlOf(rule, part) : undefined;
      const failed = control !== undefined && !isGood(control, held);
      docket.decide(
        { rule, step: part.step, exchange },
        failed ? withoutControl(control.part, checkOf(rule)?.controlled ?? 1) : decision,
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
function isGood({ answer, status }: Seen, twisted: Held): boolean {
  if (twisted.part.step.expect.outcome !== 'refused') return answer === 'accepted';
  if (answer === 'accepted' || answer === 'error-200') return true;
  // What is declined alike with either signature is declined for something else.
  return (answer === 'declined' || answer === 'failed') && (twisted.answer === 'refused' || twisted.status !== status);
}

/** What should have been refused and was carried out is wrong whatever becomes of its control. */
function needsControl({ part, answer, decision }: Held): boolean {
  if (decision.kind === 'skip') return false;
  return part.step.expect.outcome === 'accepted' ? decision.kind !== 'pass' : answer !== 'accepted';
}

/** A twist upon a twist can't be tested where the operator declines the first, which is judged by a rule of its own. */
function withoutControl({ step }: Part, tier: 1 | 2 | 3): Decision {
  const reason = `its control, the same ${step.call} without the twist (step ${step.key}), was not accepted either`;
  return tier === 1 ? { kind: 'undecided', reason } : { kind: 'skip', reason };
}
