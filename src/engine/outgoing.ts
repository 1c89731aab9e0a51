import type { JsonObject, JsonValue } from '../contract/json.ts';
import { Money } from '../contract/money.ts';
import { lenientMoney } from '../judge/reading.ts';
import { evaluate, type Scope } from '../scenario/evaluate.ts';
import type { CallStep, HeaderCase, Template } from '../scenario/plan.ts';
import { type BuiltRequest, buildRequest, type CallSpec } from '../wire/request.ts';
import type { ClientUnderTest } from './run-options.ts';
import { addressOf } from './target.ts';

/** A call whose values are reckoned and whose bytes are made. */
export interface Outgoing {
  readonly spec: CallSpec;
  readonly request: BuiltRequest;
  /** The amount in its body, where it can be read as one. */
  readonly amount: Money | undefined;
}

/**
 * Makes the exact bytes of a new call.
 *
 * @throws EvaluationError when a value cannot be reckoned
 */
export function outgoingOf(step: CallStep, sessionID: string, client: ClientUnderTest, scope: Scope): Outgoing {
  const { deviations } = step;
  const fields: Record<string, JsonValue> = { sessionID };
  for (const [name, template] of step.fields) fields[name] = evaluate(template, scope);
  const own: Scope = {
    decimals: scope.decimals,
    name: (path) => (path[0] === 'self' && path[1] === 'amount' ? (amountIn(fields) ?? undefined) : scope.name(path)),
  };
  const map = (entries: readonly (readonly [string, Template])[] | undefined): JsonObject | undefined =>
    entries && Object.fromEntries(entries.map(([name, template]) => [name, evaluate(template, own)]));
  const set = map(deviations.body?.set);
  const tampered = map(deviations.tamper?.fields);
  const add = map(deviations.query?.add);
  const raw = deviations.body?.raw === undefined ? undefined : textOf(evaluate(deviations.body.raw, own));
  // The service writes a query as it signs it; the order is a twist of its own.
  const { order = 'sorted', encode } = deviations.query ?? {};
  const spec: CallSpec = {
    call: step.call,
    fields,
    ...addressOf(client),
    ...(client.otherClientKey !== undefined && { otherKey: client.otherClientKey }),
    ...(deviations.sign && { sign: deviations.sign }),
    ...(deviations.headerCase && { headerName: headerName(deviations.headerCase) }),
    ...(tampered && { tamper: { fields: tampered } }),
    ...((set || deviations.body?.drop) && {
      edit: { ...(set && { set }), ...(deviations.body?.drop && { drop: deviations.body.drop }) },
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
  return { spec, request: buildRequest(spec), amount: amountIn({ ...fields, ...set }) };
}

function amountIn(fields: JsonObject): Money | undefined {
  const { amount } = fields;
  return typeof amount === 'string' ? (Money.read(amount) ?? lenientMoney(amount)) : undefined;
}

/** The signature header's name in a letter case. */
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

/** A value where only text can stand. */
function textOf(value: JsonValue): string {
  return typeof value === 'string' ? value : JSON.stringify(value);
}
