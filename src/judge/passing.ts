import { type Decision, isPassing } from './check.ts';
import { checkOf } from './checks/all.ts';
import type { Controls, Held } from './controls.ts';
import type { Docket, Matter } from './docket.ts';

const NOT_ALWAYS = 'it was answered as by one who is too busy, though not each time that it was tried';

/** Breaches that may be an accident of the moment: they only count when they are seen again, or beside others. */
export class Passing {
  readonly #isLasting: (step: string) => boolean;
  readonly #held: Held[] = [];
  /** Bets that were declined for want of money that was there. */
  readonly #denied: { readonly matter: Matter; readonly decision: Decision }[] = [];
  readonly #turnedAway = new Set<string>();

  /** @param isLasting whether a step was answered so each time that the story was told */
  constructor(isLasting: (step: string) => boolean) {
    this.#isLasting = isLasting;
  }

  /** Steps whose answer may be another one when the same is tried again. */
  get turnedAway(): ReadonlySet<string> {
    return this.#turnedAway;
  }

  /** Takes note of how a step was answered. */
  saw({ part: { step }, status }: Pick<Held, 'part' | 'status'>): void {
    if (isPassing(status) && step.expect.outcome !== 'either') this.#turnedAway.add(step.key);
  }

  hold(held: Held): void {
    this.#held.push(held);
  }

  /** A bet was declined for want of money that was there: told again, the story shows whether it was an accident. */
  deny(matter: Matter, decision: Decision): void {
    this.#turnedAway.add(matter.step.key);
    this.#denied.push({ matter, decision });
  }

  /** The story is over: decides what counts, and hands what needs a control on to `controls`. */
  close(docket: Docket, controls: Controls): void {
    // One answer of that kind may be an accident of the moment; told again, the story shows whether it is.
    const { hasBreach } = docket;
    for (const held of this.#held.splice(0)) {
      const { rule, part, exchange, decision } = held;
      const counts = this.#isLasting(part.step.key) || (hasBreach && !mayFail(held));
      if (counts && checkOf(rule)?.controlled) controls.hold(held);
      else if (counts) docket.decide({ rule, step: part.step, exchange }, decision);
      else docket.decide({ rule, step: part.step, exchange }, { kind: 'skip', reason: NOT_ALWAYS });
    }
    for (const { matter, decision } of this.#denied.splice(0))
      if (this.#isLasting(matter.step.key)) docket.decide(matter, decision);
  }
}

/** A bet as the service sends it may fail, if not each time: it is refunded. */
function mayFail({ part: { step, signedRight }, status }: Held): boolean {
  return step.call === 'bet' && step.expect.outcome === 'accepted' && signedRight && status === 500;
}
