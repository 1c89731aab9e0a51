import type { CallStep, Plan, Step } from '../scenario/plan.ts';

/**
 * What a step is within its story, as far as the plan alone tells: to whom it refers, what came before it, and in what it
 * departs from what the service does. Rules decide by this whether they apply.
 */
export interface Part {
  readonly step: CallStep;
  /** Position among the calls of the plan, from 0. */
  readonly index: number;
  /** Sent at the same instant as others, by the key of the `together`. */
  readonly group: string | null;
  /** The step whose bytes are sent again: for a resend of a resend, the first. */
  readonly source: Part | null;
  /** For a refund: the call that it names. */
  readonly target: Part | null;
  /** For a refund: its bet comes later in the story. */
  readonly targetIsLater: boolean;
  /** An earlier new call with the same txID but a body of its own. */
  readonly namesake: Part | null;
  /** Earlier new bets of the same round and session. */
  readonly betsBefore: number;
  /** Earlier new wins of the same round and session. */
  readonly winsBefore: number;
  /** Refunds of this call (of the source, for a resend; of the same target, for a refund) that come earlier. */
  readonly refundsBefore: number;
  /** The bet of a win's round has been refunded earlier. */
  readonly roundRefunded: boolean;
  /** For a refund: keys of the other bets of the target's round that come earlier. */
  readonly roundMates: readonly string[];
  /** A win of the target's round comes before this refund. */
  readonly roundSettled: boolean;
  /** True when it goes out as the service sends it (a broken connection aside). */
  readonly regular: boolean;
  /** True when the signature is right and covers what is sent. */
  readonly signedRight: boolean;
}

/**
 * True for a call as the service makes it on an ordinary day, alone and for the first time: a read, the first bet of a
 * round, the first win of it, the first refund of it. What holds for every call is judged by these, and they are the
 * controls of all others.
 */
export function isPlain(part: Part): boolean {
  const { step } = part;
  if (!part.regular || step.origin.kind !== 'fresh' || part.namesake || step.session === 'unknown') return false;
  if (step.deviations.break || part.group !== null || step.expect.outcome !== 'accepted') return false;
  switch (step.call) {
    case 'balance':
      return true;
    case 'bet':
      return step.type !== 'free' && part.betsBefore === 0 && part.winsBefore === 0 && part.refundsBefore === 0;
    case 'win':
      return (
        step.type !== 'free' &&
        !step.campaign &&
        step.winOf !== undefined &&
        part.winsBefore === 0 &&
        !part.roundRefunded
      );
    case 'refund':
      return (
        part.target !== null &&
        isTakenBet(part.target) &&
        !part.targetIsLater &&
        part.target.betsBefore === 0 &&
        part.target.step.session === step.session &&
        part.refundsBefore === 0 &&
        !part.roundSettled &&
        step.roundID !== null
      );
  }
}

/** A bet of the story that is meant to be accepted, and whose reply is waited for. */
export function isTakenBet(part: Part): boolean {
  const { step } = part;
  return (
    step.call === 'bet' &&
    step.type !== 'free' &&
    step.origin.kind === 'fresh' &&
    part.regular &&
    !step.deviations.break &&
    step.expect.outcome === 'accepted'
  );
}

/** The same call under the same txID at the same instant, from another session: what copies are, but for the session. */
export function isNamesakeAtOnce({ step, group, namesake }: Part): boolean {
  return (
    group !== null &&
    namesake?.group === group &&
    namesake.step.call === step.call &&
    namesake.step.session !== step.session
  );
}

/** A bet whose outcome the service would not know. */
export function isBroken(part: Part | null): boolean {
  return part?.step.deviations.break !== undefined;
}

/** All calls of a plan with what they are to each other. */
export class Story {
  readonly plan: Plan;
  readonly parts: readonly Part[];
  readonly #byKey = new Map<string, Part>();

  constructor(plan: Plan) {
    this.plan = plan;
    const calls = [...callsOf([...plan.steps, ...plan.always])];
    const order = new Map(calls.map(({ step }, index) => [step.key, index]));
    const parts: Part[] = [];
    for (const [index, { step, group }] of calls.entries()) {
      const part = partOf(step, index, group, calls, order, this.#byKey);
      parts.push(part);
      this.#byKey.set(step.key, part);
    }
    // A refund may name a bet that comes later, which had no part yet when the refund's was made.
    this.parts = parts.map((part) => {
      const refund = part.step.refund;
      if (part.target || refund?.kind !== 'step') return part;
      const whole = { ...part, target: this.#byKey.get(refund.of) ?? null };
      this.#byKey.set(part.step.key, whole);
      return whole;
    });
  }

  /** The part of a step; one of a `times` that is expanded while it is run is like its first instance. */
  part(step: CallStep): Part {
    const known = this.#byKey.get(step.key);
    if (known) return known;
    const template = this.#byKey.get(step.key.replace(/x\d+$/, 'x1'));
    // A step of croupier's own, such as the read that a story starts with, has no place in the order.
    if (!template) return partOf(step, -1, null, [], new Map(), this.#byKey);
    return { ...template, step };
  }

  byKey(key: string): Part | undefined {
    return this.#byKey.get(key);
  }
}

interface Placed {
  readonly step: CallStep;
  readonly group: string | null;
}

function* callsOf(steps: readonly Step[]): Generator<Placed> {
  for (const step of steps) {
    switch (step.kind) {
      case 'call':
        yield { step, group: null };
        break;
      case 'together':
        for (const inner of step.steps) yield { step: inner, group: step.key };
        break;
      case 'repeat':
        yield { step: step.instance(0), group: null };
        break;
      case 'wait':
      case 'launches':
        break;
    }
  }
}

/** A `roundID` means one round within one game only. */
function isOfRound(other: CallStep, bet: CallStep): boolean {
  return other.roundID === bet.roundID && other.session === bet.session;
}

function isNew(step: CallStep): boolean {
  return step.origin.kind === 'fresh';
}

function partOf(
  step: CallStep,
  index: number,
  group: string | null,
  calls: readonly Placed[],
  order: ReadonlyMap<string, number>,
  byKey: ReadonlyMap<string, Part>,
): Part {
  const { origin, refund, deviations } = step;
  const before = calls.slice(0, index);
  const again = origin.kind === 'resend' || origin.kind === 'copy' ? byKey.get(origin.of) : undefined;
  const source = again ? (again.source ?? again) : null;
  const subject = source?.step ?? step;
  const targetKey = (subject.refund ?? refund)?.kind === 'step' ? (subject.refund as { of: string }).of : null;
  const target = targetKey === null ? null : (byKey.get(targetKey) ?? null);
  const refundsOf = (key: string): number =>
    before.filter(({ step: other }) => isNew(other) && other.refund?.kind === 'step' && other.refund.of === key).length;
  const sameRound = (other: CallStep): boolean =>
    other.roundID !== null && other.roundID === step.roundID && other.session === step.session && isNew(other);
  const namesake =
    isNew(step) && step.txID !== null
      ? before.find(({ step: other }) => isNew(other) && other.txID === step.txID)
      : undefined;
  const roundBet = step.winOf ?? null;
  // The same bytes have the same signature, unless the step says how they are to be signed now.
  const sign = deviations.sign ?? source?.step.deviations.sign;
  const tamper = deviations.tamper ?? (deviations.sign === undefined ? source?.step.deviations.tamper : undefined);
  const signedRight = (sign === undefined || sign === 'valid' || sign === 'upper-case') && tamper === undefined;
  const { break: _broken, sign: _sign, ...others } = deviations;
  return {
    step,
    index,
    group,
    source,
    target,
    targetIsLater: targetKey !== null && (order.get(targetKey) ?? -1) > index,
    namesake: namesake ? (byKey.get(namesake.step.key) ?? null) : null,
    betsBefore: before.filter(({ step: other }) => other.call === 'bet' && sameRound(other)).length,
    winsBefore: before.filter(({ step: other }) => other.call === 'win' && sameRound(other)).length,
    refundsBefore: step.call === 'refund' ? (targetKey === null ? 0 : refundsOf(targetKey)) : refundsOf(subject.key),
    roundRefunded: roundBet !== null && refundsOf(roundBet) > 0,
    roundMates: before
      .filter(({ step: other }) => other.call === 'bet' && isNew(other) && other.roundID !== null)
      .filter(({ step: other }) => target !== null && other !== target.step && isOfRound(other, target.step))
      .map(({ step: other }) => other.key),
    roundSettled:
      target !== null &&
      before.some(
        ({ step: other }) =>
          other.call === 'win' && isNew(other) && other.roundID !== null && isOfRound(other, target.step),
      ),
    regular: (sign === undefined || sign === 'valid') && tamper === undefined && Object.keys(others).length === 0,
    signedRight,
  };
}
