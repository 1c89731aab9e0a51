import type { ActionType } from '../../contract/call-name.ts';
import type { Place } from '../../journal/finding.ts';
import type { Template } from '../expressions/expression.ts';
import { uses } from '../reading.ts';
import {
  type BoundScenario,
  type Scenario,
  type ScenarioCall,
  type ScenarioResend,
  type ScenarioStep,
  type SendingStep,
  sendingSteps,
} from '../scenario.ts';
import { placeOf } from '../yaml/source.ts';
import { CallIds } from './ids.ts';
import type { CallStep, Origin, Plan, RepeatStep, Step } from './plan.ts';

export interface PlanOptions {
  /** Returns a new UUID v4 at each call. */
  readonly uuid: () => string;
}

/**
 * Makes a plan for one case of a scenario. Creates ids, fills in defaults, and replaces `times` and `copies` inside `together`
 * by single calls.
 *
 * @param caseId the id of the case; undefined for a scenario without cases
 * @throws RangeError if the scenario has no such case
 */
export function planScenario(scenario: Scenario, caseId: string | undefined, { uuid }: PlanOptions): Plan {
  const bound = scenario.boundScenarios.find((each) => each.caseId === caseId);
  if (!bound) throw new RangeError(`${scenario.id} has no case ${caseId ?? '(without an id)'}`);
  const planner = new Planner(bound, uuid);
  return {
    id: caseId === undefined ? scenario.id : `${scenario.id}#${caseId}`,
    title: bound.title,
    place: scenario.place,
    rules: scenario.rules.map((rule) => rule.id),
    tags: scenario.tags,
    last: scenario.last,
    ...(scenario.rounds && { rounds: scenario.rounds }),
    needs: bound.needs,
    steps: bound.steps.map((step) => planner.step(step)),
    always: bound.always.map((step) => planner.step(step)),
  };
}

/** Names whose value may change. An amount that uses such a name can differ each time it is evaluated. */
const CHANGING = new Set(['balance', 'drift']);

class Planner {
  readonly #sent: readonly SendingStep[];
  readonly #ids: CallIds;
  /** Names that the planner gives to steps without a name, because another step needs their amounts. */
  readonly #ownNames = new Map<ScenarioCall, string>();
  /** The places of the steps. All repetitions of a step have the same place. */
  readonly #places = new Map<SendingStep, Place>();

  constructor({ steps, always }: BoundScenario, uuid: () => string) {
    this.#sent = sendingSteps([...steps, ...always]);
    this.#ids = new CallIds(this.#sent, uuid);
    for (const step of this.#sent) {
      const bet =
        step.kind === 'call' && step.call === 'refund' && !step.fields.amount ? this.#ids.targetOf(step) : undefined;
      if (bet && !bet.name && bet.order < step.order && bet.fields.amount && uses(bet.fields.amount, CHANGING)) {
        this.#ownNames.set(bet, this.#freeName(`step_${bet.key.replaceAll('.', '_')}`));
      }
    }
  }

  #freeName(wanted: string): string {
    const taken = this.#sent.some((step) => step.name?.text === wanted);
    return taken ? this.#freeName(`${wanted}_`) : wanted;
  }

  step(step: ScenarioStep): Step {
    const base = { key: step.key, place: placeOf(step.range), ...(step.atMs !== undefined && { atMs: step.atMs }) };
    switch (step.kind) {
      case 'wait':
        return { ...base, kind: 'wait', ms: step.ms };
      case 'launches':
        return { ...base, kind: 'launches' };
      case 'together':
        return { ...base, kind: 'together', steps: step.steps.flatMap((each) => this.#atOnce(each)) };
      case 'call':
      case 'resend':
        return step.times === undefined ? this.#single(step, step.key) : this.#repeat(step, step.times, base);
    }
  }

  #repeat(step: SendingStep, times: number, base: Pick<RepeatStep, 'key' | 'place' | 'atMs'>): RepeatStep {
    return {
      ...base,
      kind: 'repeat',
      times,
      instance: (index) => this.#single(step, `${step.key}x${index + 1}`, this.#ids.fresh(step)),
    };
  }

  #atOnce(step: SendingStep): CallStep[] {
    if (step.copies !== undefined) {
      const first = this.#single(step, `${step.key}x1`);
      const { name: _name, ...unnamed } = first;
      const copies = Array.from(
        { length: step.copies - 1 },
        (_, index): CallStep => ({
          ...unnamed,
          key: `${step.key}x${index + 2}`,
          origin: { kind: 'copy', of: first.key },
          fields: [],
        }),
      );
      return [first, ...copies];
    }
    if (step.times === undefined) return [this.#single(step, step.key)];
    return Array.from({ length: step.times }, (_, index) =>
      this.#single(step, `${step.key}x${index + 1}`, this.#ids.instance(step, index)),
    );
  }

  #single(step: SendingStep, key: string, ids = this.#ids): CallStep {
    return step.kind === 'resend' ? this.#resend(step, key) : this.#call(step, key, ids);
  }

  #shared(step: SendingStep, key: string) {
    const name = step.name?.text ?? (step.kind === 'call' ? this.#ownNames.get(step) : undefined);
    return {
      key,
      place: this.#placeOf(step),
      kind: 'call' as const,
      ...(name !== undefined && { name }),
      ...(step.atMs !== undefined && { atMs: step.atMs }),
      deviations: step.deviations,
      expect: step.expect,
    };
  }

  #placeOf(step: SendingStep): Place {
    const place = this.#places.get(step) ?? placeOf(step.range);
    this.#places.set(step, place);
    return place;
  }

  #resend(step: ScenarioResend, key: string): CallStep {
    if ('from' in step.of) {
      const { call, from } = step.of;
      return {
        ...this.#shared(step, key),
        call,
        session: 'main',
        origin: { kind: 'earlier', call, from },
        fields: [],
        txID: null,
        roundID: null,
        campaign: false,
      };
    }
    const original = this.#ids.original(step);
    if (!original) throw new RangeError(`step ${step.key} resends a step that is not a call`);
    if ('from' in original) return this.#resend({ ...step, of: original }, key);
    const planned = this.#call(original, this.#ids.keyOf(original), this.#ids);
    const { name: _name, after: _after, eventuallyMs: _eventually, atMs: _at, ...rest } = planned;
    // If a call is sent again inside the same `together`, it counts as a copy, because the first call may still be in progress.
    const isCopy = step.within !== undefined && step.within === original.within;
    const origin: Origin = { kind: isCopy ? 'copy' : 'resend', of: planned.key };
    return { ...rest, ...this.#shared(step, key), origin, fields: [] };
  }

  #call(step: ScenarioCall, key: string, ids: CallIds): CallStep {
    const { call } = step;
    const type = call === 'bet' || call === 'win' ? (step.fields.type ?? 'regular') : undefined;
    const fields = call === 'balance' ? [] : this.#fields(step, type, ids);
    const winOf = call === 'win' ? ids.betOfRound(step) : undefined;
    const refund = call === 'refund' ? ids.refundTarget(step) : undefined;
    return {
      ...this.#shared(step, key),
      call,
      session: step.session.text,
      origin: { kind: 'fresh' },
      fields,
      txID: call === 'balance' ? null : textOf(ids.txID(step)),
      roundID: call === 'balance' ? null : textOf(ids.roundID(step)),
      ...(refund && { refund }),
      ...(winOf !== undefined && { winOf: ids.keyOf(winOf) }),
      ...(type && { type }),
      campaign: fields.some(([name]) => name === 'frID'),
      ...(step.after !== undefined && { after: step.after }),
      ...(step.eventuallyMs !== undefined && { eventuallyMs: step.eventuallyMs }),
    };
  }

  #fields(step: ScenarioCall, type: ActionType | undefined, ids: CallIds): (readonly [string, Template])[] {
    const fields: [string, Template][] = [['amount', this.#amount(step)]];
    const frID = step.fields.frID ?? (type === 'free' ? nameTemplate('campaign') : undefined);
    if (frID) fields.push(['frID', frID]);
    if (step.call === 'refund') fields.push(['origTxID', ids.origTxID(step)]);
    const roundID = ids.roundID(step);
    if (roundID) fields.push(['roundID', roundID]);
    fields.push(['txID', ids.txID(step)]);
    if (type) fields.push(['type', { kind: 'literal', value: type }]);
    return fields;
  }

  #amount(step: ScenarioCall): Template {
    if (step.fields.amount) return step.fields.amount;
    const target = step.call === 'refund' ? this.#ids.targetOf(step) : undefined;
    const amount = target?.fields.amount;
    if (!target || !amount) return nameTemplate('stake');
    const name = target.name?.text ?? this.#ownNames.get(target);
    return name !== undefined && target.order < step.order && uses(amount, CHANGING)
      ? nameTemplate(name, 'amount')
      : amount;
  }
}

function nameTemplate(head: string, ...rest: string[]): Template {
  return { kind: 'expression', expression: { kind: 'name', path: [head, ...rest], start: 0, end: 0 } };
}

function textOf(template: Template | undefined): string | null {
  return template?.kind === 'literal' && typeof template.value === 'string' ? template.value : null;
}
