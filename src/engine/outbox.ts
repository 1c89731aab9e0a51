import { EvaluationError, evaluate } from '../scenario/evaluate.ts';
import type { CallStep } from '../scenario/plan.ts';
import { buildRequest } from '../wire/request.ts';
import { headerName, type Outgoing, outgoingOf } from './outgoing.ts';
import type { ClientUnderTest } from './run-options.ts';
import { scopeOf } from './scope.ts';
import type { Departure } from './sender.ts';
import type { Stage } from './stage.ts';

/** Makes the bytes of a story's calls, and keeps those that are sent again. */
export class Outbox {
  readonly #stage: Stage;
  readonly #client: ClientUnderTest;
  readonly #kept = new Map<string, Outgoing>();

  constructor(stage: Stage, client: ClientUnderTest) {
    this.#stage = stage;
    this.#client = client;
  }

  /**
   * The bytes of a step: new ones, or those of the step that it sends again.
   *
   * @returns undefined when that one was never sent
   * @throws EvaluationError when a value cannot be reckoned
   */
  make(step: CallStep): Outgoing | undefined {
    const { origin } = step;
    if (origin.kind === 'resend' || origin.kind === 'copy') {
      const first = this.#kept.get(origin.of) ?? this.#firstOf(origin.of);
      if (!first) return undefined;
      const outgoing = this.#again(step, first);
      this.keep(step, outgoing);
      return outgoing;
    }
    const sessionID = this.#stage.names.sessionID(step.session);
    if (sessionID === undefined) throw new EvaluationError(`no session plays \`${step.session}\``);
    const outgoing = outgoingOf(step, sessionID, this.#client, scopeOf(this.#stage.names, step));
    // A wallet below zero would make a bet of what is in it a credit.
    if (outgoing.amount?.isNegative() && step.deviations.body === undefined) {
      throw new EvaluationError('its amount would be below zero');
    }
    if (this.#isReferredTo(step)) this.keep(step, outgoing);
    return outgoing;
  }

  /** The bytes that went out for a step, where they are still known. */
  kept(step: CallStep): Outgoing | undefined {
    return this.#kept.get(step.key);
  }

  keep(step: CallStep, outgoing: Outgoing): void {
    this.#kept.set(step.key, outgoing);
  }

  departure(step: CallStep, { request, spec }: Outgoing): Departure {
    const { trickle, break: breakAt } = step.deviations;
    const { call, key } = step;
    // What was changed after it was signed has the signature of another body.
    const { sign = spec.tamper ? 'of-other-body' : 'valid' } = spec;
    const signed = sign === 'valid' ? undefined : sign;
    return { call, request, scenario: this.#stage.plan.id, step: key, purpose: 'step', breakAt, trickle, signed };
  }

  #firstOf(key: string): Outgoing | undefined {
    const source = this.#stage.judge.story.byKey(key)?.source;
    return source ? this.#kept.get(source.step.key) : undefined;
  }

  /** The same call once more: as it was, but for how it is signed, tampered with or headed this time. */
  #again(step: CallStep, first: Outgoing): Outgoing {
    const { sign, tamper, headerCase } = step.deviations;
    if (sign === undefined && tamper === undefined && headerCase === undefined) return first;
    const { tamper: _undone, ...spec } = first.spec;
    const scope = scopeOf(this.#stage.names, step);
    const changed = {
      ...spec,
      ...(sign && { sign }),
      ...(headerCase && { headerName: headerName(headerCase) }),
      ...(tamper && {
        tamper: { fields: Object.fromEntries(tamper.fields.map(([name, value]) => [name, evaluate(value, scope)])) },
      }),
    };
    return { ...first, spec: changed, request: buildRequest(changed) };
  }

  /** Bytes are kept only of calls that a later step sends again. */
  #isReferredTo(step: CallStep): boolean {
    return this.#stage.judge.story.parts.some(({ source }) => source?.step.key === step.key);
  }
}
