import type { HeaderCase } from '../../contract/deviation.ts';
import type { JsonObject, JsonValue } from '../../contract/json.ts';
import type { Money } from '../../contract/money.ts';
import { lenientMoney } from '../../reply/read.ts';
import {
  type Amount,
  EvaluationError,
  evaluate,
  evaluateAmount,
  type Scope,
} from '../../scenario/expressions/evaluate.ts';
import type { Template } from '../../scenario/expressions/expression.ts';
import type { CallStep } from '../../scenario/plan/plan.ts';
import { type BuiltRequest, buildRequest, type CallSpec } from '../../wire/request.ts';
import { addressOf, type ClientUnderTest } from '../run-options.ts';
import type { ScenarioContext } from '../scenario-context.ts';
import { scopeOf } from '../scope.ts';
import type { CallToSend } from './sender.ts';

/** Builds the bytes of a scenario's calls. Keeps the bytes of the calls that croupier sends again later. */
export class Outbox {
  readonly #context: ScenarioContext;
  readonly #client: ClientUnderTest;
  readonly #kept = new Map<string, Outgoing>();
  /** The plain balance calls, by sessionID. All plain balance calls of a session have the same bytes. */
  readonly #reads = new Map<string, Outgoing>();

  constructor(context: ScenarioContext, client: ClientUnderTest) {
    this.#context = context;
    this.#client = client;
  }

  /**
   * Builds the bytes of a step. If the step sends an earlier call again, returns the bytes of that call.
   *
   * @returns undefined if the earlier call was never sent
   * @throws EvaluationError if a value cannot be computed
   */
  make(step: CallStep): Outgoing | undefined {
    const { origin } = step;
    if (origin.kind === 'resend' || origin.kind === 'copy') {
      const first = this.#kept.get(origin.of) ?? this.#sourceOf(origin.of);
      if (!first) return undefined;
      const outgoing = sentAgain(step, first, scopeOf(this.#context.names, step));
      this.keep(step, outgoing);
      this.#rememberAmount(step, outgoing);
      return outgoing;
    }
    const sessionID = this.#context.names.sessionID(step.session);
    if (sessionID === undefined) throw new EvaluationError(`no session plays \`${step.session}\``);
    const outgoing = this.#outgoingOf(step, sessionID);
    // A bet with a negative amount would increase the balance. So it is sent only if the scenario asks for a wrong amount.
    if (outgoing.amount?.isNegative() && step.deviations.body === undefined) {
      throw new EvaluationError('the amount of the call would be less than 0');
    }
    if (this.#isSentAgain(step)) this.keep(step, outgoing);
    this.#rememberAmount(step, outgoing);
    return outgoing;
  }

  #outgoingOf(step: CallStep, sessionID: string): Outgoing {
    const isPlainRead =
      step.call === 'balance' && step.fields.length === 0 && Object.keys(step.deviations).length === 0;
    const known = isPlainRead ? this.#reads.get(sessionID) : undefined;
    if (known) return known;
    const outgoing = outgoingOf(step, sessionID, this.#client, scopeOf(this.#context.names, step));
    if (isPlainRead) this.#reads.set(sessionID, outgoing);
    return outgoing;
  }

  /** Returns the call that was sent for a step, with its bytes. Undefined if the bytes of this call were not kept. */
  kept(step: CallStep): Outgoing | undefined {
    return this.#kept.get(step.key);
  }

  keep(step: CallStep, outgoing: Outgoing): void {
    this.#kept.set(step.key, outgoing);
  }

  callToSend(step: CallStep, { request, spec, plainAmount }: Outgoing): CallToSend {
    const { trickle, break: breakAt } = step.deviations;
    const { call, key, expect } = step;
    // If the scenario changes the body after signing, the signature does not belong to the body that is sent.
    const { sign = spec.tamper ? 'of-other-body' : 'valid' } = spec;
    const signed = sign === 'valid' ? undefined : sign;
    const scenario = this.#context.plan.id;
    const mayBeDeclined = expect.outcome !== 'accepted';
    return {
      call,
      request,
      amount: plainAmount.sent,
      scenario,
      step: key,
      purpose: 'step',
      breakAt,
      trickle,
      signed,
      mayBeDeclined,
    };
  }

  #sourceOf(key: string): Outgoing | undefined {
    const source = this.#context.judge.plannedCalls.byKey(key)?.source;
    return source ? this.#kept.get(source.step.key) : undefined;
  }

  /** Keeps the amount of a step that has a name, because later steps can use this name to refer to the amount. */
  #rememberAmount({ key, name }: CallStep, { amount }: Outgoing): void {
    if (name !== undefined && amount) this.#context.names.amounts.set(key, amount);
  }

  /** True if a later step sends this call again, so that its bytes must be kept. */
  #isSentAgain(step: CallStep): boolean {
    return this.#context.judge.plannedCalls.calls.some(({ source }) => source?.step.key === step.key);
  }
}

/** A call with all values computed and its bytes built. */
export interface Outgoing {
  readonly spec: CallSpec;
  readonly request: BuiltRequest;
  /**
   * The amount of the call. If the text of the amount is wrong on purpose, such as `1e0`, this is the amount that a tolerant
   * operator may read from it. Undefined if nobody can read an amount from the text.
   */
  readonly amount: Money | undefined;
  /**
   * The amount in the body as a plain decimal in the main unit: `signed` before any tampering, `sent` after it. Undefined if the
   * body has no amount, if the text of the amount is wrong on purpose, or if the scenario writes the whole body as text.
   */
  readonly plainAmount: { readonly sent: string | undefined; readonly signed: string | undefined };
}

/**
 * Builds the exact bytes of a new call.
 *
 * @throws EvaluationError if a value cannot be computed
 */
export function outgoingOf(step: CallStep, sessionID: string, client: ClientUnderTest, scope: Scope): Outgoing {
  const { deviations } = step;
  const planned = evaluated(step.fields, scope);
  const fields: JsonObject = { sessionID, ...planned.fields };
  const own = withOwnAmount(scope, interpretedAmount(planned.amount));
  const set = deviations.body?.set && evaluated(deviations.body.set, own);
  const tampered = deviations.tamper && evaluated(deviations.tamper.fields, own);
  const add = deviations.query?.add && evaluated(deviations.query.add, own).fields;
  const raw = deviations.body?.raw === undefined ? undefined : textOf(evaluate(deviations.body.raw, own));
  // The service sends the parameters of a query in the order in which it signs them. So every different order is a deviation.
  const { order = 'sorted', encode } = deviations.query ?? {};
  const spec: CallSpec = {
    call: step.call,
    fields,
    ...addressOf(client),
    ...(client.otherClientKey !== undefined && { otherKey: client.otherClientKey }),
    ...(deviations.sign && { sign: deviations.sign }),
    ...(deviations.headerCase && { headerName: headerName(deviations.headerCase) }),
    ...(tampered && { tamper: { fields: tampered.fields } }),
    ...((set || deviations.body?.drop) && {
      edit: { ...(set && { set: set.fields }), ...(deviations.body?.drop && { drop: deviations.body.drop }) },
    }),
    ...(raw !== undefined && { rawBody: raw }),
    ...(deviations.body?.format && { format: deviations.body.format }),
    ...(deviations.query && {
      query: {
        ...(add && { add: Object.fromEntries(Object.entries(add).map(([name, value]) => [name, textOf(value)])) }),
        order,
        ...(encode && { encode }),
      },
    }),
  };
  const amount = set?.amount ?? planned.amount;
  const hasAmount = raw === undefined && !deviations.body?.drop?.includes('amount');
  const signed = hasAmount ? plainText(amount) : undefined;
  return {
    spec,
    request: buildRequest(spec),
    amount: interpretedAmount(amount),
    plainAmount: { signed, sent: sentText(signed, tampered) },
  };
}

/**
 * Builds an earlier call again. Changes the signature, the letter case of the signature header, or fields after signing, if the
 * step says so.
 *
 * @throws EvaluationError if a value cannot be computed
 */
function sentAgain({ deviations: { sign, tamper, headerCase } }: CallStep, first: Outgoing, scope: Scope): Outgoing {
  if (sign === undefined && tamper === undefined && headerCase === undefined) return first;
  const tampered = tamper && evaluated(tamper.fields, withOwnAmount(scope, first.amount));
  const { tamper: _undone, ...before } = first.spec;
  const spec: CallSpec = {
    ...before,
    ...(sign && { sign }),
    ...(headerCase && { headerName: headerName(headerCase) }),
    ...(tampered && { tamper: { fields: tampered.fields } }),
  };
  const { signed } = first.plainAmount;
  return { ...first, spec, request: buildRequest(spec), plainAmount: { signed, sent: sentText(signed, tampered) } };
}

/** Returns a scope that also knows `self.amount`, because a wrong value may depend on the amount of its own call. */
function withOwnAmount(scope: Scope, amount: Money | undefined): Scope {
  return {
    decimals: scope.decimals,
    name: (path) => (path[0] === 'self' && path[1] === 'amount' ? amount : scope.name(path)),
  };
}

/** The fields of a call with their values. `amount` is the value of the field `amount`; undefined if there is no such field. */
interface Evaluated {
  readonly fields: JsonObject;
  readonly amount: Amount | undefined;
}

function evaluated(entries: readonly (readonly [string, Template])[], scope: Scope): Evaluated {
  let amount: Amount | undefined;
  const values = entries.map(([name, template]): [string, JsonValue] => {
    if (name !== 'amount') return [name, evaluate(template, scope)];
    amount = evaluateAmount(template, scope);
    return [name, amount.written];
  });
  return { fields: Object.fromEntries(values), amount };
}

function interpretedAmount(amount: Amount | undefined): Money | undefined {
  if (!amount) return undefined;
  return amount.money ?? (typeof amount.written === 'string' ? lenientMoney(amount.written) : undefined);
}

function plainText(amount: Amount | undefined): string | undefined {
  if (!amount?.money || amount.money.isNegative()) return undefined;
  return typeof amount.written === 'string' ? amount.written : undefined;
}

/** Returns the amount in the body that is sent. Tampering may have replaced the amount that was signed. */
function sentText(signed: string | undefined, tampered: Evaluated | undefined): string | undefined {
  return tampered?.amount ? plainText(tampered.amount) : signed;
}

/** Returns the name of the signature header in the given letter case. */
export function headerName(letterCase: HeaderCase): string {
  switch (letterCase) {
    case 'lower':
      return 'x-request-sign';
    case 'upper':
      return 'X-REQUEST-SIGN';
    case 'mixed':
      return 'X-Request-Sign';
  }
}

/** Returns a value as text, for query parameters, which can only be text. */
function textOf(value: JsonValue): string {
  return typeof value === 'string' ? value : JSON.stringify(value);
}
