import { namesIn, type Template } from '../scenario/expressions/expression.ts';
import type { CallStep, Plan, Step } from '../scenario/plan/plan.ts';

/**
 * A call of the plan, with the facts that decide which rules apply to it: the call to which it refers, the calls before it, and how
 * it deviates from the calls of the service.
 */
export interface PlannedCall {
  readonly step: CallStep;
  /** Position among the calls of the plan, from 0. */
  readonly index: number;
  /** The key of the `together` step in which this call and others are sent at the same instant. null if the call is sent alone. */
  readonly group: string | null;
  /** The first call whose bytes this call sends again. null for a call with a body of its own. */
  readonly source: PlannedCall | null;
  /** For a refund, the call that it names. null for other calls, and for a refund that names an unknown call. */
  readonly target: PlannedCall | null;
  /** True for a refund whose bet comes later in the scenario. */
  readonly targetIsLater: boolean;
  /** An earlier call that is new and has the same txID but another body. null if there is none. */
  readonly sameTxID: PlannedCall | null;
  /** Number of earlier new bets of the same round and session. */
  readonly betsBefore: number;
  /** Number of earlier new wins of the same round and session. */
  readonly winsBefore: number;
  /**
   * Number of earlier refunds of the bet of this call. For a bet, this is the bet itself. For a resend, it is the first call. For a
   * refund, it is the bet that the refund names.
   */
  readonly refundsBefore: number;
  /** True for a win if an earlier step has refunded the bet of its round. */
  readonly roundRefunded: boolean;
  /** For a refund, the step keys of the other earlier bets in the round of the refunded bet. */
  readonly otherBetsOfRound: readonly string[];
  /** True for a refund if an earlier win belongs to the round of the refunded bet. */
  readonly roundSettled: boolean;
  /**
   * True if the call is exactly like a call of the service. If its connection is broken on purpose, this does not count as a
   * difference.
   */
  readonly regular: boolean;
  /** True if the signature is right for the bytes that are sent. */
  readonly signedRight: boolean;
}

/**
 * True for an ordinary call of the service that is sent alone and for the first time: a read, or the first bet, win or refund of a
 * round. Ordinary calls decide the rules about all calls, and other calls are compared with them.
 */
export function isPlain(planned: PlannedCall): boolean {
  const { step } = planned;
  if (!planned.regular || step.origin.kind !== 'fresh' || planned.sameTxID || step.session === 'unknown') return false;
  if (step.deviations.break || planned.group !== null || step.expect.outcome !== 'accepted') return false;
  switch (step.call) {
    case 'balance':
      return true;
    case 'bet':
      return (
        step.type !== 'free' && planned.betsBefore === 0 && planned.winsBefore === 0 && planned.refundsBefore === 0
      );
    case 'win':
      return (
        step.type !== 'free' &&
        !step.campaign &&
        step.winOf !== undefined &&
        planned.winsBefore === 0 &&
        !planned.roundRefunded
      );
    case 'refund':
      return (
        planned.target !== null &&
        isTakenBet(planned.target) &&
        !planned.targetIsLater &&
        planned.target.betsBefore === 0 &&
        planned.target.step.session === step.session &&
        planned.refundsBefore === 0 &&
        !planned.roundSettled &&
        step.roundID !== null
      );
  }
}

/** True for a new bet without deviations, if the operator must accept it and its connection is not broken on purpose. */
export function isTakenBet(planned: PlannedCall): boolean {
  const { step } = planned;
  return (
    step.call === 'bet' &&
    step.type !== 'free' &&
    step.origin.kind === 'fresh' &&
    planned.regular &&
    !step.deviations.break &&
    step.expect.outcome === 'accepted'
  );
}

/** True for a correctly signed new call with the txID of an earlier call of the same kind, such as the same bet in another session. */
export function hasUsedTxID({ sameTxID, step, signedRight }: PlannedCall): boolean {
  return sameTxID !== null && sameTxID.step.call === step.call && signedRight;
}

/** True for a call that is sent at the same instant as another call with the same txID, but from another session. */
export function isSameTxIDAtOnce({ step, group, sameTxID }: PlannedCall): boolean {
  return (
    group !== null &&
    sameTxID?.group === group &&
    sameTxID.step.call === step.call &&
    sameTxID.step.session !== step.session
  );
}

/**
 * True for a correctly signed call with a body that the service never sends, for example to test how robust the wallet
 * is.
 */
export function isProbe({ origin, deviations }: CallStep): boolean {
  return origin.kind === 'fresh' && deviations.body !== undefined;
}

/** True for a call whose connection is broken on purpose, so that the service would not know its outcome. */
export function breaksConnection(planned: PlannedCall | null): boolean {
  return planned?.step.deviations.break !== undefined;
}

/** All calls of a plan, with their relations to each other. */
export class PlannedCalls {
  readonly plan: Plan;
  readonly calls: readonly PlannedCall[];
  readonly #byKey = new Map<string, PlannedCall>();

  constructor(plan: Plan) {
    this.plan = plan;
    const placed = [...callsOf([...plan.steps, ...plan.always])];
    const order = new Map(placed.map(({ step }, index) => [step.key, index]));
    const calls: PlannedCall[] = [];
    for (const [index, { step, group }] of placed.entries()) {
      const of = plannedOf(step, index, group, calls, order, this.#byKey);
      calls.push(of);
      this.#byKey.set(step.key, of);
    }
    // A refund may name a bet that comes later in the plan. When the constructor read the refund, it did not know this bet yet.
    this.calls = calls.map((planned) => {
      const refund = planned.step.refund;
      if (planned.target || refund?.kind !== 'step') return planned;
      const whole = { ...planned, target: this.#byKey.get(refund.of) ?? null };
      this.#byKey.set(planned.step.key, whole);
      return whole;
    });
  }

  /**
   * True if the amounts of all calls are the same in every run with the same stake. False if an amount depends on the balance, or
   * on a call of another scenario.
   */
  get hasFixedAmounts(): boolean {
    return this.calls.every(({ step }) => step.origin.kind !== 'earlier' && step.fields.every(isFixed));
  }

  /**
   * Returns the planned call of a step. If `times` repeats a step during the run, returns the planned call of the first repetition.
   */
  planned(step: CallStep): PlannedCall {
    const known = this.#byKey.get(step.key);
    if (known) return known;
    const template = this.#byKey.get(step.key.replace(/x\d+$/, 'x1'));
    // A call that croupier adds itself, such as the read at the start of a scenario, has no place in the plan.
    if (!template) return plannedOf(step, -1, null, [], new Map(), this.#byKey);
    return { ...template, step };
  }

  byKey(key: string): PlannedCall | undefined {
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

/**
 * True if a call belongs to the round of a bet. Two games may have a round with the same `roundID`, so the sessions must be the
 * same too.
 */
function isOfRound(other: CallStep, bet: CallStep): boolean {
  return other.roundID === bet.roundID && other.session === bet.session;
}

function isNew(step: CallStep): boolean {
  return step.origin.kind === 'fresh';
}

function plannedOf(
  step: CallStep,
  index: number,
  group: string | null,
  calls: readonly Placed[],
  order: ReadonlyMap<string, number>,
  byKey: ReadonlyMap<string, PlannedCall>,
): PlannedCall {
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
  const sameTxID =
    isNew(step) && step.txID !== null
      ? before.find(({ step: other }) => isNew(other) && other.txID === step.txID)
      : undefined;
  const roundBet = step.winOf ?? null;
  // If a call is sent again, it has the signature of the first call, unless the step that repeats the call has another `sign`.
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
    sameTxID: sameTxID ? (byKey.get(sameTxID.step.key) ?? null) : null,
    betsBefore: before.filter(({ step: other }) => other.call === 'bet' && sameRound(other)).length,
    winsBefore: before.filter(({ step: other }) => other.call === 'win' && sameRound(other)).length,
    refundsBefore: step.call === 'refund' ? (targetKey === null ? 0 : refundsOf(targetKey)) : refundsOf(subject.key),
    roundRefunded: roundBet !== null && refundsOf(roundBet) > 0,
    otherBetsOfRound: before
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

/** The names with which an amount is the same in every run. */
const FIXED: readonly string[] = ['stake', 'unit'];

function isFixed([field, template]: readonly [string, Template]): boolean {
  if (field !== 'amount' || template.kind !== 'expression') return true;
  return [...namesIn(template.expression)].every(({ path: [name] }) => FIXED.includes(name));
}
