import type { Template } from '../expressions/expression.ts';
import type { EarlierCall, ScenarioCall, ScenarioResend, SendingStep } from '../scenario.ts';
import type { RefundTarget } from './plan.ts';

interface Ids {
  readonly txID: string;
  readonly roundID: string;
  readonly unknown: string;
}

/**
 * Creates the ids of the calls of one case, and finds the relations between the calls. An id is created when it is first
 * requested.
 */
export class CallIds {
  readonly #sent: readonly SendingStep[];
  readonly #named: ReadonlyMap<string, SendingStep>;
  readonly #uuid: () => string;
  readonly #made = new Map<ScenarioCall, Ids>();
  readonly #instances = new Map<SendingStep, CallIds[]>();
  /**
   * Set for one instance of a repeated step: `step` is the step that gets new ids, and `others` has the ids of all other steps.
   * Undefined if this object holds the ids of the whole case.
   */
  readonly #own: { readonly step: ScenarioCall; readonly others: CallIds } | undefined;

  constructor(
    sent: readonly SendingStep[],
    uuid: () => string,
    own?: { readonly step: ScenarioCall; readonly others: CallIds },
  ) {
    this.#sent = sent;
    this.#named = own
      ? own.others.#named
      : new Map(sent.flatMap((step) => (step.name ? [[step.name.text, step] as const] : [])));
    this.#uuid = uuid;
    this.#own = own;
  }

  /** Creates new ids for one more instance of a repeated step. Other steps cannot refer to these ids. */
  fresh(step: SendingStep): CallIds {
    return step.kind === 'call' ? new CallIds(this.#sent, this.#uuid, { step, others: this }) : this;
  }

  /**
   * If a step sends several calls at the same instant, each call has its own ids. Returns the ids of the call with this index.
   * Later steps refer to the ids of the last call.
   */
  instance(step: SendingStep, index: number): CallIds {
    if (step.kind !== 'call' || index === (step.times ?? 1) - 1) return this;
    const instances = this.#instances.get(step) ?? [];
    this.#instances.set(step, instances);
    const found = instances[index] ?? this.fresh(step);
    instances[index] = found;
    return found;
  }

  #idsOf(step: ScenarioCall): Ids {
    if (this.#own && this.#own.step !== step) return this.#own.others.#idsOf(step);
    const found = this.#made.get(step) ?? { txID: this.#uuid(), roundID: this.#uuid(), unknown: this.#uuid() };
    this.#made.set(step, found);
    return found;
  }

  txID(step: ScenarioCall): Template {
    return this.#txID(step, new Set());
  }

  #txID(step: ScenarioCall, visited: Set<ScenarioCall>): Template {
    const given = step.fields.txID;
    if (!given) return { kind: 'literal', value: this.#idsOf(step).txID };
    return this.#known(given, visited.add(step));
  }

  /** Replaces `${first.txID}` and `${first.roundID}` by their values. These values are known before the scenario is played. */
  #known(template: Template, visited: Set<ScenarioCall>): Template {
    if (template.kind !== 'expression' || template.expression.kind !== 'name') return template;
    const [head, property, ...rest] = template.expression.path;
    const step = this.#callNamed(head);
    if (!step || rest.length > 0 || visited.has(step)) return template;
    if (property === 'txID') return this.#txID(step, visited);
    if (property === 'roundID') return this.#roundID(step, visited) ?? template;
    return template;
  }

  /**
   * Returns the round id of a call.
   *
   * @returns undefined if the call has no round id
   */
  roundID(step: ScenarioCall): Template | undefined {
    return this.#roundID(step, new Set());
  }

  #roundID(step: ScenarioCall, visited: Set<ScenarioCall>): Template | undefined {
    const own: Template = { kind: 'literal', value: this.#idsOf(step).roundID };
    if (visited.has(step)) return own;
    visited.add(step);
    const { round } = step.fields;
    switch (round?.kind) {
      case 'none':
        return undefined;
      case 'new':
        return own;
      case 'given':
        return this.#known(round.id, visited);
      case 'of-step': {
        const other = this.#callNamed(round.name.text);
        return other ? this.#roundID(other, visited) : own;
      }
      case undefined: {
        const bet =
          step.call === 'win' ? this.#latestBet(step) : step.call === 'refund' ? this.targetOf(step) : undefined;
        return bet ? (this.#roundID(bet, visited) ?? own) : own;
      }
    }
  }

  origTxID(step: ScenarioCall): Template {
    if (step.fields.of?.kind === 'unknown') return { kind: 'literal', value: this.#idsOf(step).unknown };
    const target = this.targetOf(step);
    if (target) return this.txID(target);
    return step.fields.origTxID
      ? this.#known(step.fields.origTxID, new Set())
      : { kind: 'literal', value: this.#idsOf(step).unknown };
  }

  refundTarget(step: ScenarioCall): RefundTarget {
    if (step.fields.of?.kind === 'unknown') return { kind: 'unknown' };
    const target = this.targetOf(step);
    return target ? { kind: 'step', of: this.keyOf(target) } : { kind: 'id' };
  }

  /** Returns the call that a refund reverses. Undefined if the refund names no call of this scenario. */
  targetOf(step: ScenarioCall): ScenarioCall | undefined {
    if (step.call !== 'refund') return undefined;
    const { of, origTxID } = step.fields;
    if (of) return of.kind === 'step' ? this.#callNamed(of.name.text) : undefined;
    if (!origTxID) return this.#latestBet(step);
    if (origTxID.kind !== 'expression' || origTxID.expression.kind !== 'name') return undefined;
    const { path } = origTxID.expression;
    return path.length === 2 && path[1] === 'txID' ? this.#callNamed(path[0]) : undefined;
  }

  /** Returns the bet in the round of a win. Undefined if the round has no bet in this scenario. */
  betOfRound(step: ScenarioCall): ScenarioCall | undefined {
    const { round } = step.fields;
    if (!round) return this.#latestBet(step);
    if (round.kind === 'new' || round.kind === 'none') return undefined;
    if (round.kind === 'of-step') {
      const named = this.#callNamed(round.name.text);
      if (named?.call === 'bet') return named;
    }
    const id = JSON.stringify(this.roundID(step));
    const bets = this.#sent.filter(
      (each): each is ScenarioCall => each.kind === 'call' && each.call === 'bet' && !isRepeated(each),
    );
    return bets.find((bet) => JSON.stringify(this.roundID(bet)) === id);
  }

  /**
   * Returns the key of the planned step to which other steps refer. For `copies` it is the first copy, for `times` the last
   * call.
   */
  keyOf(step: ScenarioCall): string {
    if (step.copies !== undefined) return `${step.key}x1`;
    return step.times === undefined ? step.key : `${step.key}x${step.times}`;
  }

  /**
   * Returns the call that a resend sends again. If the resend names another resend, follows the chain to the first call.
   * Returns an `EarlierCall` for a call of an earlier run.
   */
  original(step: ScenarioResend): ScenarioCall | EarlierCall | undefined {
    let at: SendingStep | undefined = step;
    for (let hops = 0; at && hops <= this.#sent.length; hops += 1) {
      if (at.kind === 'call') return at;
      if ('from' in at.of) return at.of;
      at = this.#named.get(at.of.text);
    }
    return undefined;
  }

  #callNamed(name: string): ScenarioCall | undefined {
    const found = this.#named.get(name);
    const call = found?.kind === 'resend' ? this.original(found) : found;
    return call && 'key' in call ? call : undefined;
  }

  /**
   * Returns the latest bet before a step in the same session. Skips repeated bets (`times`), because other steps cannot know
   * their ids.
   */
  #latestBet(step: ScenarioCall): ScenarioCall | undefined {
    const earlier = this.#sent.filter(
      (each): each is ScenarioCall => each.kind === 'call' && each.call === 'bet' && each.order < step.order,
    );
    return earlier.findLast((bet) => bet.session.text === step.session.text && !isRepeated(bet));
  }
}

function isRepeated(step: ScenarioCall): boolean {
  return step.times !== undefined && step.within === undefined;
}
