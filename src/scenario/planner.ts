import { CallIds } from './ids.ts';
import type { CallStep, Origin, Plan, RepeatStep, Step, Template } from './plan.ts';
import { uses } from './reading.ts';
import type { Scenario, Story, StoryCall, StoryResend, StoryStep } from './scenario.ts';
import { isSending } from './scenario.ts';
import { placeOf } from './source.ts';

export interface PlanOptions {
  /** A fresh UUID v4 with each call. */
  readonly uuid: () => string;
}

type Sent = StoryCall | StoryResend;

/**
 * Makes one case of a scenario runnable: ids are made, defaults put in, `times` and `copies` within `together` expanded.
 *
 * @param caseId undefined for a scenario without cases
 * @throws RangeError when the scenario has no such case
 */
export function planScenario(scenario: Scenario, caseId: string | undefined, { uuid }: PlanOptions): Plan {
  const story = scenario.stories.find((each) => each.caseId === caseId);
  if (!story) throw new RangeError(`${scenario.id} has no case ${caseId ?? '(without an id)'}`);
  const planner = new Planner(story, uuid);
  return {
    id: caseId === undefined ? scenario.id : `${scenario.id}#${caseId}`,
    title: story.title,
    place: scenario.place,
    rules: scenario.rules.map((rule) => rule.id),
    tags: scenario.tags,
    last: scenario.last,
    needs: story.needs,
    steps: story.steps.map((step) => planner.step(step)),
    always: story.always.map((step) => planner.step(step)),
  };
}

/** Amounts that use one of these are another one each time they are reckoned. */
const CHANGING = new Set(['balance', 'drift']);

class Planner {
  readonly #sent: readonly Sent[];
  readonly #ids: CallIds;
  /** Names that we give to steps without one, because another step needs their amount. */
  readonly #ownNames = new Map<StoryCall, string>();

  constructor(story: Story, uuid: () => string) {
    this.#sent = [...story.steps, ...story.always].flatMap((step): readonly Sent[] =>
      step.kind === 'together' ? step.steps : isSending(step) ? [step] : [],
    );
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

  step(step: StoryStep): Step {
    const base = { key: step.key, place: placeOf(step.spot), ...(step.atMs !== undefined && { atMs: step.atMs }) };
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

  #repeat(step: Sent, times: number, base: Pick<RepeatStep, 'key' | 'place' | 'atMs'>): RepeatStep {
    return {
      ...base,
      kind: 'repeat',
      times,
      instance: (index) => this.#single(step, `${step.key}x${index + 1}`, this.#ids.fresh(step)),
    };
  }

  #atOnce(step: Sent): CallStep[] {
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

  #single(step: Sent, key: string, ids = this.#ids): CallStep {
    return step.kind === 'resend' ? this.#resend(step, key) : this.#call(step, key, ids);
  }

  #shared(step: Sent, key: string) {
    const name = step.name?.text ?? (step.kind === 'call' ? this.#ownNames.get(step) : undefined);
    return {
      key,
      place: placeOf(step.spot),
      kind: 'call' as const,
      ...(name !== undefined && { name }),
      ...(step.atMs !== undefined && { atMs: step.atMs }),
      deviations: step.deviations,
      expect: step.expect,
    };
  }

  #resend(step: StoryResend, key: string): CallStep {
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
    if (!original) throw new RangeError(`step ${step.key} sends again what is no call`);
    if ('from' in original) return this.#resend({ ...step, of: original }, key);
    const planned = this.#call(original, this.#ids.keyOf(original), this.#ids);
    const { name: _name, after: _after, eventuallyMs: _eventually, atMs: _at, ...rest } = planned;
    // Sent again while the first may still be worked on, it is one of several copies in flight.
    const isCopy = step.within !== undefined && step.within === original.within;
    const origin: Origin = { kind: isCopy ? 'copy' : 'resend', of: planned.key };
    return { ...rest, ...this.#shared(step, key), origin, fields: [] };
  }

  #call(step: StoryCall, key: string, ids: CallIds): CallStep {
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

  #fields(step: StoryCall, type: 'regular' | 'free' | undefined, ids: CallIds): (readonly [string, Template])[] {
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

  #amount(step: StoryCall): Template {
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
