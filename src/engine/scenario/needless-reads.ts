import type { CallStep, Plan, Step } from '../../scenario/plan/plan.ts';
import type { Names } from '../scope.ts';

/**
 * Finds the balance reads of a scenario that may be left out. A read may be left out on two conditions: the call before it was
 * answered with the expected balance, and the scenario reads the same balance again later. If the call had a wrong effect in spite
 * of its right reply, the later read shows it. Then croupier plays the scenario again with all reads, to find the call.
 */
export class NeedlessReads {
  readonly #names: Names;
  /** For each read that may be left out: the call before it. The key is that of the read. */
  readonly #callBefore: ReadonlyMap<string, CallStep>;
  #count = 0;

  constructor(plan: Plan, names: Names) {
    this.#names = names;
    this.#callBefore = callsBefore(plan, names);
  }

  /** Number of reads that were left out. */
  get count(): number {
    return this.#count;
  }

  /** Returns true if the read is left out, and counts it. */
  leavesOut(read: CallStep): boolean {
    const before = this.#callBefore.get(read.key);
    const wallet = this.#names.walletOf(read.session);
    if (!before || !wallet || wallet.readsLag || wallet.openSince !== null) return false;
    const last = wallet.moves.at(-1);
    if (last?.step !== before.key || !last.vouched || !wallet.isTold) return false;
    this.#count += 1;
    return true;
  }
}

function callsBefore({ steps, always }: Plan, names: Names): ReadonlyMap<string, CallStep> {
  const found = new Map<string, CallStep>();
  // If a call is broken or slow, or if calls are sent at the same instant, an effect may come late. So a scenario with such a call
  // needs all its reads.
  if (!steps.every((step) => step.kind === 'call' && hasPlainConnection(step)) || always.length > 0) return found;
  for (const [index, read] of steps.entries()) {
    const before = steps[index - 1];
    if (!isPlainRead(read) || before?.kind !== 'call' || !isPlainMove(before)) continue;
    const wallet = names.walletOf(read.session);
    const isReadAgain = steps.some(
      (later, at) => at > index && isPlainRead(later) && names.walletOf(later.session) === wallet,
    );
    if (isReadAgain && names.walletOf(before.session) === wallet) found.set(read.key, before);
  }
  return found;
}

function hasPlainConnection({ deviations, after, eventuallyMs }: CallStep): boolean {
  return (
    deviations.break === undefined &&
    deviations.trickle === undefined &&
    after === undefined &&
    eventuallyMs === undefined
  );
}

/** True for a read without an expectation of its own. */
function isPlainRead(step: Step): step is CallStep {
  if (step.kind !== 'call' || step.call !== 'balance' || step.name !== undefined) return false;
  const { deviations, expect, session } = step;
  return session !== 'unknown' && Object.keys(deviations).length === 0 && !expect.stated && expect.moves === undefined;
}

/** True for a new call that the operator must accept, if the reply must contain the balance after the call. */
function isPlainMove({ call, origin, expect, session, type, deviations }: CallStep): boolean {
  return (
    call !== 'balance' &&
    origin.kind === 'fresh' &&
    expect.outcome === 'accepted' &&
    session !== 'unknown' &&
    type !== 'free' &&
    deviations.sign === undefined &&
    deviations.tamper === undefined
  );
}
